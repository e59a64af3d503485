import assert from "node:assert/strict";
import { matchLimits, narrowMatch, rankedMatch } from "../../src/memory/search/candidates.ts";

const LIMITS = matchLimits(100_000);
const counted = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).map(([word, count]) => ({ match: `"${word}"`, count }));

Deno.test("common words are searched for in pairs first, rare ones by themselves", () => {
  assert.deepEqual(
    narrowMatch(
      counted({ crash: 3_500, invoice: 5_500, gizmo: 3, renderer: 4_500 }),
      [],
      LIMITS,
    ),
    {
      match: '("gizmo" OR "crash" OR "renderer" OR "invoice")',
      among: '("gizmo" OR ("crash" AND ("renderer" OR "invoice")) OR ("renderer" AND ("invoice")))',
    },
  );
  assert.deepEqual(
    narrowMatch(counted({ crash: 3_500, invoice: 5_500 }), ['a "b'], LIMITS),
    { match: '("crash" OR "invoice")', among: '(("crash" AND ("invoice"))) AND "a ""b"' },
  );
});

Deno.test("a single common word, or one that is nearly everywhere, is not combined with others", () => {
  assert.equal(narrowMatch(counted({ crash: 3_500, gizmo: 3 }), [], LIMITS), null);
  assert.equal(narrowMatch(counted({ crash: 3_500, the: LIMITS.together + 1 }), [], LIMITS), null);
});

Deno.test("ranking reads the rarest words within its limits; words that are everywhere do not rank", () => {
  const rarest = rankedMatch(counted({ crash: 3_500, invoice: 5_500, gizmo: 3 }), [], LIMITS);
  assert.equal(rarest, '("gizmo" OR "crash")');
  assert.equal(rankedMatch(counted({ the: 75_000, of: 60_000 }), [], LIMITS), null);
});
