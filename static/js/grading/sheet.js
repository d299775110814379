// Sheet: the card as the page shows it: replacing it, marking it, saying what happened.

const $ = (selector) => document.querySelector(selector);

export const desk = () => $("#desk");
export const token = () => desk().dataset.token;
export const isBusy = () => desk().getAttribute("aria-busy") === "true";
export const say = (text) => { $("#status").textContent = text; };
export const isGraded = () => $("#answers [aria-pressed=true]") !== null;

// A press this soon after a card appeared was meant for the one before (a bounce, a double click).
const TOO_SOON = 300;
let shownAt = Infinity;
export const isTooSoon = (event) => event.timeStamp - shownAt < TOO_SOON;

// The time counts from when the card is painted; data-seen tells that presses are taken.
export function awaitPaint() {
  const shown = desk();
  shownAt = Infinity;
  requestAnimationFrame(() => requestAnimationFrame((now) => {
    shownAt = now;
    setTimeout(() => { shown.dataset.seen = ""; }, TOO_SOON);
  }));
}

function enable(on) {
  const answers = $("#answers fieldset");
  if (answers) answers.disabled = !on;
}

export function setBusy(why) {
  desk().setAttribute("aria-busy", "true");
  enable(false);
  if (why) say(why);
}

export function setFree() {
  desk().removeAttribute("aria-busy");
  enable(true);
}

// Mark one grade as given; null marks none.
export function press(grade) {
  for (const button of document.querySelectorAll("#answers [name=value]")) {
    if (button.value === grade) button.setAttribute("aria-pressed", "true");
    else button.removeAttribute("aria-pressed");
  }
}

export function setToday(count) {
  $("#today").textContent = String(Math.max(0, count));
}
export const today = () => Number($("#today").textContent);

// Put another card on the desk; the count of today goes on, since a fetched card's is old.
export function replace(card, words) {
  const counted = today();
  desk().replaceWith(card.desk);
  setToday(counted);
  const title = desk().dataset.say;
  document.title = `${title} · ${document.title.split(" · ").at(-1)}`;
  scrollTo(0, 0);
  $("#card").focus({ preventScroll: true });
  say([words, title].filter(Boolean).join(" "));
  awaitPaint();
}

// Whether everything has arrived, in words beside the answers.
export function paintSaved(waiting, trouble) {
  const saved = $("#saved");
  if (!saved) return;
  saved.classList.toggle("pending", waiting > 0);
  if (!waiting) saved.textContent = "saved";
  else saved.textContent = trouble ? `${waiting} not sent yet` : `sending ${waiting}`;
}

export function closePanels() {
  for (const panel of document.querySelectorAll(":popover-open")) panel.hidePopover();
}

export function refuse(text) {
  const line = document.createElement("p");
  line.className = "notice bad";
  line.textContent = text;
  $("#errors").replaceChildren(line);
}

// An act that the server will not take: what it said, and the way back to that card.
export function listRefused(act, text) {
  const notice = document.createElement("div"), title = document.createElement("p"), said = document.createElement("p"), link = document.createElement("a");
  notice.className = "notice bad";
  title.className = "notice-title";
  title.textContent = act.kind === "grade" ? "A grade was not saved" : `This was not saved: ${act.kind}`;
  said.textContent = text;
  link.href = act.page;
  link.textContent = "Open that passage again";
  notice.append(title, said, link);
  $("#refused").append(notice);
}
