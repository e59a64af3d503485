/** Texts of any characters. `fc.string({ unit: "binary" })` would take a second to begin. */
import fc from "fast-check";

const LAST_CODE_POINT = 0x10ffff;
/** The first half of a pair, and what is behind the last second one. */
const HALVES = [0xd800, 0xe000] as const;

/** Any character; a third of them are ASCII. */
export const anyCharacter = fc.oneof(
  fc.integer({ min: 0, max: 127 }),
  fc.integer({ min: 128, max: HALVES[0] - 1 }),
  fc.integer({ min: HALVES[1], max: LAST_CODE_POINT }),
).map((code) => String.fromCodePoint(code));

/** Any text of up to so many code points. */
export function anyText(maxLength = 20, minLength = 0): fc.Arbitrary<string> {
  return fc.array(anyCharacter, { minLength, maxLength }).map((characters) => characters.join(""));
}
