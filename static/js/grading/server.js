// Server: asking it for cards and telling it what was done.

const PATIENCE = 15_000;
const meta = (name) => document.querySelector(`meta[name="${name}"]`);
const desk = () => meta("desk").content;

const headers = () => ({
  "HX-Request": "true",
  "X-CSRF-Token": meta("csrf").content,
  "X-Outbox": meta("outbox").content,
});
const parse = (html) => new DOMParser().parseFromString(html, "text/html");
const textOf = (html) => parse(html).body.textContent.trim().replace(/\s+/g, " ");

async function ask(path, options = {}) {
  const response = await fetch(path, { redirect: "error", signal: AbortSignal.timeout(PATIENCE), headers: headers(), ...options });
  if (response.status === 204) return null;
  if (!response.ok) throw Object.assign(new Error(`status ${response.status}`), { status: response.status });
  return response.text();
}

export const fetchPiece = (token) => ask(`${desk()}/cards/${token}/piece`);
export const fetchAfter = (token) => ask(`${desk()}/next?after=${encodeURIComponent(token)}`);
// The next open card; takes the next question when this one is done.
export const takeNext = () => ask(`${desk()}/start`, { method: "POST" });

// Sends one act. Only an answer that says "kept" or "refused" lets the outbox forget it.
export async function send(act) {
  let response;
  try {
    response = await fetch(act.url, {
      method: "POST", redirect: "error", signal: AbortSignal.timeout(PATIENCE), headers: headers(), body: new URLSearchParams(act.form),
    });
    if (response.ok) return { state: "kept", ...(await response.json()) };
    if (response.status === 401 || response.status === 403) return await askWhoIsHere(response);
    if (response.status >= 500 || response.status === 408 || response.status === 429) return { state: "later" };
    return { state: "refused", text: textOf(await response.text()) };
  } catch {
    return { state: "later" }; // offline, timed out, cut off
  }
}

// Refused for who is asking: an old form token is renewed, somebody else has to sign in again.
async function askWhoIsHere(response) {
  const before = meta("csrf").content;
  const who = await renew();
  if (who !== "same") return { state: "stop", who };
  if (response.status === 403 && before === meta("csrf").content) return { state: "refused", text: textOf(await response.text()) };
  return { state: "later" };
}

// Takes the form token of whoever is signed in now, and says who that is: same, other or nobody.
export async function renew() {
  const response = await fetch(`/login?onward=${encodeURIComponent(desk())}`);
  const page = parse(await response.text());
  const token = page.querySelector('meta[name="csrf"]')?.content;
  if (token) meta("csrf").content = token;
  const outbox = page.querySelector('meta[name="outbox"]')?.content;
  if (!outbox && page.querySelector('form[action="/login"]')) return "nobody";
  return outbox === meta("outbox").content ? "same" : "other";
}

export async function signIn(form) {
  const body = new URLSearchParams(new FormData(form));
  const response = await fetch("/login", { method: "POST", redirect: "error", headers: headers(), body });
  if (response.status === 204) return "";
  const said = parse(await response.text());
  return said.querySelector(".field-error, .notice")?.textContent.trim() || "That did not work. Please try again.";
}
