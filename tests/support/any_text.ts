/** Texts of any characters, also halves of pairs. `fc.string({ unit: "binary" })` takes a second to begin. */
import fc from "fast-check";

const LAST_CODE_POINT = 0x10ffff;

/** Any text of up to so many code points; half of them are ASCII. */
export function anyText(maxLength = 20, minLength = 0): fc.Arbitrary<string> {
  const character = fc.oneof(
    fc.integer({ min: 0, max: 127 }),
    fc.integer({ min: 0, max: LAST_CODE_POINT }),
  );
  return fc.array(character, { minLength, maxLength })
    .map((codes) => String.fromCodePoint(...codes));
}
