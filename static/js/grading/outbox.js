// Outbox: what a person did, kept in this browser until the server has it.
// One key of localStorage per act, sent one at a time and in order, by one tab at a time
// (navigator.locks exists on https and localhost; elsewhere the server's keys catch a double).

const LONGEST_WAIT = 30_000;

// One key a press: this page, and a number that tells the server which press came later.
const page = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
let presses = 0;
export const makeKey = () => `${page}.${++presses}`;

export function canKeep() {
  try {
    localStorage.setItem("goldspan:try", "1");
    localStorage.removeItem("goldspan:try");
    return true;
  } catch { return false; }
}

// name: of this person in this project. send(act) answers {state: "kept" | "later" | "stop" | "refused", ...}.
// told(event, act, answer) hears of "put", "kept", "waits", "stopped", "refused".
export function openOutbox(name, send, told) {
  const prefix = `goldspan:outbox:${name}:`;
  const inPage = { busy: Promise.resolve() };
  const emptied = new Set();
  let wait = 0, timer = 0, asked = false, last = 0, counter = 0;

  const names = () => Object.keys(localStorage).filter((key) => key.startsWith(prefix)).sort();
  const acts = () => names().map((key) => JSON.parse(localStorage.getItem(key))).filter(Boolean);

  function settle() {
    if (names().length) return;
    for (const resolve of emptied) resolve();
    emptied.clear();
  }

  function later() {
    wait = Math.min(LONGEST_WAIT, wait ? wait * 2 : 500);
    clearTimeout(timer);
    timer = setTimeout(flush, wait * (0.7 + Math.random() * 0.6));
  }

  // An undo of what was refused would undo something else.
  function dropUndoOf(act) {
    const next = names()[0], following = next && JSON.parse(localStorage.getItem(next));
    if (following?.kind === "undo" && following.token === act.token) localStorage.removeItem(next);
  }

  async function drain() {
    for (let key; (key = names()[0]); ) {
      const act = JSON.parse(localStorage.getItem(key));
      if (!act) continue; // another tab took it away in this moment
      const answer = await send(act);
      if (answer.state === "later") { later(); told("waits", act, answer); return; }
      if (answer.state === "stop") { told("stopped", act, answer); return; }
      localStorage.removeItem(key);
      wait = 0;
      if (answer.state === "refused") dropUndoOf(act);
      told(answer.state, act, answer);
    }
    settle();
  }

  const exclusive = (work) => {
    if (navigator.locks) return navigator.locks.request(prefix, work);
    return (inPage.busy = inPage.busy.then(work, work));
  };

  // Waits for its turn rather than giving up: another tab may be about to stop looking.
  function flush() {
    if (asked) return;
    asked = true;
    exclusive(() => { asked = false; return drain(); });
  }

  // Keys sort by time, then by a counter, whatever the clock does. Throws when the storage is full.
  function put(act) {
    last = Math.max(Date.now(), last);
    const place = `${last}-${String(counter++).padStart(6, "0")}`;
    localStorage.setItem(`${prefix}${place}-${act.key}`, JSON.stringify(act));
    told("put", act, {});
    flush();
  }

  addEventListener("online", () => { wait = 0; flush(); });
  addEventListener("storage", (event) => {
    if (!event.key?.startsWith(prefix)) return;
    if (event.newValue) told("elsewhere", JSON.parse(event.newValue), {});
    else told("kept elsewhere", JSON.parse(event.oldValue ?? "null"), {});
    settle();
  });
  addEventListener("beforeunload", (event) => { if (names().length) event.preventDefault(); });

  const whenEmpty = () => names().length ? new Promise((resolve) => emptied.add(resolve)) : Promise.resolve();
  return { put, flush, acts, whenEmpty };
}
