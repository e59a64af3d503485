/** `JSON.stringify()` escapes a surrogate only when it is half of a pair, which few lines hold. */
const MAY_HOLD_HALF = /\\u[dD][89a-fA-F]/;

/** Every escape of a JSON text, a pair of surrogates as one; the group is half of a pair. */
const ESCAPES =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|[^])/g;

/**
 * Replaces each half of a surrogate pair by U+FFFD. A text that was cut within a letter ends with a half, and many readers
 * refuse the whole line for it. The length and everything else stay.
 */
export function wellFormedJson(json: string): string {
  if (!MAY_HOLD_HALF.test(json)) return json;
  return json.replace(ESCAPES, (escape, half) => half === undefined ? escape : "\\ufffd");
}
