// The grading desk with keys, an outbox and cards fetched ahead. Without it, every form still posts.

import { openDesk } from "./desk.js";
import { controlFor } from "./keys.js";
import { canKeep, openOutbox } from "./outbox.js";
import { renew, send, signIn } from "./server.js";
import { isTooSoon } from "./sheet.js";

const dialog = document.getElementById("sign-in");
const WHY = {
  nobody: "Your grades are kept in this browser and are sent as soon as you are signed in.",
  other: "Somebody else is signed in in this browser now, or this project is no longer open to you. Your grades wait here; sign in as yourself, or ask the admin of the project.",
};

function askToSignIn(who) {
  document.getElementById("sign-in-why").textContent = WHY[who];
  if (!dialog.open) dialog.showModal();
}

function complain(text) {
  const line = document.getElementById("sign-in-error");
  line.textContent = text;
  line.hidden = !text;
}

function start() {
  let desk = null;
  const outbox = openOutbox(document.querySelector('meta[name="outbox"]').content, send, (event, act, answer) => {
    desk?.hear(event, act, answer);
    if (event === "stopped") askToSignIn(answer.who);
  });
  desk = openDesk(outbox, askToSignIn);

  // Whoever signs in: only the person of this page lets the outbox go on.
  async function goOn() {
    const who = await renew();
    if (who !== "same") { askToSignIn(who); complain(who === "nobody" ? "Nobody is signed in yet." : ""); return; }
    complain("");
    dialog.close();
    document.getElementById("card").focus({ preventScroll: true });
    outbox.flush();
  }
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const said = await signIn(event.target).catch(() => "The server does not answer. Try again in a moment.");
    if (said) complain(said);
    else await goOn();
  });
  document.getElementById("sign-in-again").addEventListener("click", goOn);

  document.addEventListener("submit", desk.submit);
  document.addEventListener("keydown", (event) => {
    const control = controlFor(event);
    if (!control) return;
    event.preventDefault();
    if (!isTooSoon(event)) control.click();
  });
  // Opened once is opened, even if it is closed again before the grade.
  document.addEventListener("change", (event) => {
    if (event.target.id === "more-context") event.target.form.dataset.opened = "true";
  });
  outbox.flush();
}

if (canKeep()) start();
