// Desk: what a press does to the card on the screen, and which card comes next.

import { cardAfter, fetchAhead, readCard } from "./ahead.js";
import { makeKey } from "./outbox.js";
import { fetchPiece, renew, send, takeNext } from "./server.js";
import * as sheet from "./sheet.js";

const RETRY = 1000;
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

// askToSignIn(who) is called where the server no longer knows this person.
export function openDesk(outbox, askToSignIn) {
  const done = new Map();   // token -> grade or "skip", whatever tab did it
  const served = new Map(); // token -> HTML as it came, for going back without asking
  const trail = [];         // tokens done on this page, newest last, for undo
  let turn = 0, trouble = false;

  const paint = () => sheet.paintSaved(outbox.acts().length, trouble);

  function show(card, words = "") {
    const fresh = card.desk ? card : readCard(card.html);
    sheet.replace(fresh, words);
    card.desk = null; // it is in the page now; a second showing reads the HTML again
    served.set(card.token, card.html);
    const url = sheet.desk().dataset.url;
    if (location.pathname !== url) history.pushState({}, "", url);
    if (done.has(card.token)) sheet.press(done.get(card.token));
    if (done.size || outbox.acts().length) paint();
    fetchAhead(card.token);
  }

  // Goes on trying until it is found; a later turn (the person went elsewhere) ends an earlier one.
  async function bring(find, words) {
    for (const mine = ++turn; ; await pause(RETRY)) {
      try {
        const card = await find();
        if (mine === turn) show(card, words);
        return;
      } catch (error) {
        if (mine !== turn) return;
        sheet.setBusy("The passage could not be loaded yet; trying again");
        await explain(error.status);
      }
    }
  }

  // Offline and busy servers pass by themselves; these do not.
  async function explain(status) {
    if (status === 404) location.reload(); // the server's page says why
    if (status !== 401 && status !== 403) return;
    const who = await renew().catch(() => "same");
    if (who !== "same") askToSignIn(who);
  }

  // What this tab or another did already is passed over.
  async function findNext(from) {
    const card = await cardAfter(from);
    return card && done.has(card.token) ? findNext(card.token) : card;
  }

  // At the end of a question all of it must have arrived before the next one is taken.
  async function findNextQuestion() {
    if (outbox.acts().length) sheet.setBusy("Sending your last grades");
    await outbox.whenEmpty();
    done.clear(); // an answer that was refused comes again
    return readCard(await takeNext());
  }

  function advance(words) {
    const from = sheet.token(), ready = from ? cardAfter(from).card : null;
    if (ready && !done.has(ready.token)) { turn++; show(ready, words); return; }
    sheet.setBusy("Loading the next passage");
    bring(async () => await findNext(from) ?? await findNextQuestion(), words);
  }

  // Puts an act into the outbox; false where this browser cannot keep it.
  function keep(kind, target, fields, token = sheet.token()) {
    const key = makeKey(), page = sheet.desk().dataset.url;
    const url = target.getAttribute("formaction") ?? target.getAttribute("action");
    try {
      outbox.put({ kind, key, token, page, url, form: [...Object.entries(fields), ["key", key]] });
      return true;
    } catch {
      sheet.refuse("Not saved: the storage of this browser is full. Close other pages of this site, then press again.");
      return false;
    }
  }

  function grade(form, button) {
    const token = sheet.token(), isNew = !sheet.isGraded();
    const fields = Object.fromEntries(new FormData(form, button));
    delete fields.csrf; // goes as a header, the one of the moment of sending
    delete fields.key;
    if (form.dataset.opened) fields.context_opened = "true";
    if (!keep("grade", form, fields)) return;
    if (isNew) sheet.setToday(sheet.today() + 1);
    done.set(token, button.value);
    trail.push(token);
    sheet.press(button.value);
    advance(`Graded ${button.textContent.trim().replace(/\s+/g, " ")}.`);
  }

  function skip(form, button) {
    if (!keep("skip", form, { reason: button.value })) return;
    done.set(sheet.token(), "skip");
    trail.push(sheet.token());
    sheet.closePanels();
    advance("Skipped.");
  }

  function note(form, button) {
    if (!keep("note", button, { note: form.elements.note.value.trim() })) return;
    sheet.closePanels();
    sheet.say("Note sent.");
  }

  function undo(form) {
    const back = trail.pop();
    if (!back) { undoOnServer(form); return; }
    const wasGrade = done.get(back) !== "skip";
    if (!keep("undo", form, {}, back)) return;
    done.delete(back);
    if (wasGrade) sheet.setToday(sheet.today() - 1);
    if (!served.has(back)) { bring(() => findUndone(back), "Undone."); return; }
    turn++;
    show(readCard(served.get(back)), "Undone.");
    sheet.press(null);
  }

  async function findUndone(token) {
    await outbox.whenEmpty();
    return readCard(await fetchPiece(token));
  }

  // Nothing was done since this page was opened: only the server knows what was last.
  async function undoOnServer(form) {
    sheet.setBusy("Undoing");
    await outbox.whenEmpty();
    const answer = await send({ url: form.getAttribute("action"), form: [["key", makeKey()]] });
    sheet.setFree();
    if (answer.state !== "kept") { sheet.refuse(answer.text ?? "Nothing was undone: the server does not answer. Try again."); return; }
    if (!answer.token) { sheet.say("There is nothing to undo."); return; }
    sheet.setToday(answer.today);
    done.delete(answer.token);
    bring(() => findUndone(answer.token), "Undone.");
  }

  // The address changed by Back or Forward: show what is stored for that card.
  function revisit() {
    const wanted = location.pathname.match(/\/cards\/([^/]+)$/)?.[1];
    if (!wanted) { location.reload(); return; }
    sheet.closePanels();
    sheet.setBusy("");
    bring(async () => outbox.acts().length && served.has(wanted) ? readCard(served.get(wanted)) : readCard(await fetchPiece(wanted)));
  }

  const doing = { grade, skip, note, undo };
  function submit(event) {
    const kind = event.submitter?.dataset.op ?? event.target.dataset.op;
    if (!kind) return;
    event.preventDefault();
    if (kind !== "undo" && sheet.isBusy()) return;
    if (kind !== "note" && sheet.isTooSoon(event)) return;
    doing[kind](event.target, event.submitter);
  }

  function hear(event, act, answer) {
    trouble = event === "waits" || event === "stopped" || (trouble && event !== "kept");
    if (event === "refused") { done.delete(act.token); sheet.listRefused(act, answer.text); }
    if (event === "kept" && !outbox.acts().length && Number.isInteger(answer.today)) sheet.setToday(answer.today);
    if (event === "elsewhere") hearOfOther(act);
    paint();
  }

  function hearOfOther(act) {
    if (act.kind === "undo") done.delete(act.token);
    if (act.kind !== "grade") return;
    const value = act.form.find(([name]) => name === "value")[1];
    done.set(act.token, value);
    if (act.token !== sheet.token()) return;
    sheet.press(value);
    sheet.say("You graded this passage in another window.");
  }

  served.set(sheet.token(), sheet.desk().outerHTML);
  sheet.awaitPaint();
  history.replaceState({}, "", sheet.desk().dataset.url);
  addEventListener("popstate", revisit);
  fetchAhead(sheet.token());
  if (outbox.acts().length) paint();
  return { submit, hear };
}
