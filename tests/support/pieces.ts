/** Texts put together of pieces that mean something to the masking of secrets. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { redactValue } from "../../src/secrets/redact_value.ts";
import { needsRedaction } from "../../src/secrets/look.ts";

/** Asserts that the cheap look sees whatever is masked in such texts, and that what is masked once stays as it is. */
export function assertSeenAndSettled(
  piece: fc.Arbitrary<string>,
  { maxPieces, numRuns }: { readonly maxPieces: number; readonly numRuns: number },
): void {
  const rules = { patterns: [] };
  fc.assert(
    fc.property(fc.array(piece, { maxLength: maxPieces }), (pieces) => {
      const value = { text: pieces.join("") };
      const redacted = redactValue(value, rules);
      const isSame = JSON.stringify(redacted) === JSON.stringify(value);
      if (!isSame) assert.ok(needsRedaction(JSON.stringify(value), []), "the cheap look sees it");
      assert.deepEqual(redactValue(redacted, rules), redacted);
    }),
    { numRuns },
  );
}
