// Goldspan: what every page needs and attributes cannot say. Each page works without it.

const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content ?? "";

// ---- htmx: the token on every request; refusals of the last attempt go away with the next one
let focused = null;
document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  ctx.request.headers["X-CSRF-Token"] = meta("csrf");
  focused = document.activeElement;
  if (ctx.request.method !== "GET") document.getElementById("errors")?.replaceChildren();
});

// A disabled or replaced control drops the focus to the body: put it back, or on what replaced it.
document.addEventListener("htmx:finally:request", () => setTimeout(() => {
  if (document.activeElement !== document.body || !focused || focused === document.body) return;
  const again = focused.isConnected ? focused : focused.id && document.getElementById(focused.id);
  (again || document.querySelector("[data-focus]") || document.getElementById("main"))?.focus({ preventScroll: true });
}));

// A page from the back-forward cache is old, and shown without asking the server.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

// ---- menus close on Escape and on a press elsewhere
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details[data-menu][open]"))
    if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// ---- news in the status line go away by themselves; a screen reader has read them by then
let quietening = 0;
const status = document.getElementById("status");
if (status) new MutationObserver(() => {
  clearTimeout(quietening);
  if (status.textContent) quietening = setTimeout(() => status.replaceChildren(), 8000);
}).observe(status, { childList: true, characterData: true, subtree: true });

// ---- tables: th[data-sort="number|text"] sorts by click; td[data-value] is sorted by that value
const valueOf = (row, column, kind) => {
  const cell = row.cells[column];
  const text = cell?.dataset.value ?? cell?.textContent.trim() ?? "";
  if (kind !== "number") return text;
  const number = Number.parseFloat(text.replaceAll(",", ""));
  return Number.isNaN(number) ? null : number;
};
const compare = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true }));

function sortTable(header) {
  const table = header.closest("table"), column = header.cellIndex, kind = header.dataset.sort;
  const first = kind === "number" ? "descending" : "ascending";
  const other = first === "ascending" ? "descending" : "ascending";
  const order = header.getAttribute("aria-sort") === first ? other : first;
  for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  const rows = [...table.tBodies[0].rows].map((row) => ({ row, value: valueOf(row, column, kind) }));
  rows.sort((a, b) => {
    if (a.value === null || b.value === null) return (a.value === null) - (b.value === null); // undefined stays last
    return sign * compare(a.value, b.value);
  });
  table.tBodies[0].append(...rows.map(({ row }) => row));
}

function makeSortable(header) {
  if (header.querySelector("button")) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "sort";
  button.append(...header.childNodes);
  button.addEventListener("click", () => sortTable(header));
  header.append(button);
}

// ---- times: the server writes UTC, the reader sees the local clock, the exact one in the tooltip
function localTime(element) {
  const moment = new Date(element.dateTime);
  if (Number.isNaN(moment.getTime())) return;
  element.title = element.dateTime;
  element.textContent = moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  element.dataset.local = "";
}

// ---- copy buttons: data-copy="#id" copies the text or value of that element
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("button[data-copy]");
  const source = button && document.querySelector(button.dataset.copy);
  if (!source) return;
  const label = button.dataset.label ?? (button.dataset.label = button.textContent);
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent.trim());
    button.textContent = "Copied";
  } catch {
    document.getSelection().selectAllChildren(source);
    button.textContent = "Selected: press Ctrl C";
  }
  setTimeout(() => { button.textContent = label; }, 2000);
});

function dress() {
  document.querySelectorAll("th[data-sort]").forEach(makeSortable);
  document.querySelectorAll("time[datetime]:not([data-local]):not([data-date])").forEach(localTime);
}
document.addEventListener("htmx:after:swap", dress);
dress();
