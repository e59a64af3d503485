/** JSON that strict readers take, too. */

/** `JSON.stringify()` escapes no surrogate but half of a pair, so most lines are done with this. */
const MAY_HOLD_HALF = /\\u[dD][89a-fA-F]/;

/** Every escape of a JSON text, a surrogate pair as one; half of a pair is the group. */
const ESCAPES =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|[^])/g;

/**
 * A JSON text with U+FFFD in the place of what is half of a surrogate pair: a text that was cut in the middle of a letter
 * ends so, and many readers refuse the whole line for it. Everything else stays letter by letter, and so does the length.
 */
export function wellFormedJson(json: string): string {
  if (!MAY_HOLD_HALF.test(json)) return json;
  return json.replace(ESCAPES, (escape, half) => half === undefined ? escape : "\\ufffd");
}
