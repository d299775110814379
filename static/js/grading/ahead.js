// Ahead: the next cards of this question, fetched before they are wanted.

import { fetchAfter } from "./server.js";

const DEPTH = 3, KEPT = 60;
const after = new Map(); // token -> promise of the next card's HTML; null at the end of the question

export function readCard(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const desk = template.content.querySelector("#desk");
  return { html, desk, token: desk.dataset.token };
}

export function cardAfter(token) {
  const known = after.get(token);
  if (known) return known;
  const coming = fetchAfter(token).then((html) => html && readCard(html));
  const forget = () => { if (after.get(token) === coming) after.delete(token); };
  coming.then((card) => { coming.card = card; if (!card) forget(); }, forget); // failures and ends are asked again
  after.set(token, coming);
  if (after.size > KEPT) after.delete(after.keys().next().value);
  return coming;
}

// One after the other: only a card knows which token comes after which.
export async function fetchAhead(token) {
  try {
    for (let step = 0; step < DEPTH && token; step++) token = (await cardAfter(token))?.token;
  } catch { /* offline: asked again when the card is wanted */ }
}
