// Keys: which control of the desk a key press means, if any.

const TYPING = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
const OVERLAY = "dialog[open], :popover-open";
const LETTERS = /^[usnc]$/;

// Digits by what is printed on the key, then by where it lies (French keyboards shift them).
function meaningOf(event) {
  if (event.key === "?") return "?";
  if (/^[0-3]$/.test(event.key)) return event.key;
  if (event.shiftKey) return null;
  const letter = event.key.toLowerCase();
  if (LETTERS.test(letter)) return letter;
  return /^Digit[0-3]$/.test(event.code) && !/^[0-9]$/.test(event.key) ? event.code.at(-1) : null;
}

// The element with data-key that this press is for; null where it is not for us: while typing,
// with a modifier, held down, in the middle of a composition, under an open panel.
export function controlFor(event) {
  if (event.defaultPrevented || event.repeat || event.isComposing || event.keyCode === 229) return null;
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (event.target.closest?.(TYPING) || document.querySelector(OVERLAY)) return null;
  const meaning = meaningOf(event);
  const control = meaning && document.querySelector(`[data-key="${meaning}"]`);
  return control && !control.matches(":disabled") ? control : null;
}
