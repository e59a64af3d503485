/** The older requirements framework's records of branches in our words. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { readState } from "../../src/upkeep/transfer/requirements_framework.ts";

const FULL = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";

function readText(text: string) {
  const skipped: string[] = [];
  const skip = (why: string) => void skipped.push(why);
  return { found: readState({ path: "p.json", text }, skip), skipped };
}

const read = (requirements: object, more = {}) =>
  readText(JSON.stringify({ version: "1.0", branch: "feature/auth", requirements, ...more }));

const told = ({ found }: { readonly found: readonly ReturnType<typeof readState>[number][] }) =>
  found.map((one) => [one.requirement, one.sessionId, one.atMs, one.originalAtMs, one.expiresAtMs]);

Deno.test("sessions and the whole branch are read, and seconds become milliseconds", () => {
  const sessions = {
    [FULL]: { satisfied: true, satisfied_at: 1734567890.25 },
    deadbeef: { satisfied: false, triggered: true, triggered_at: 1734567890 },
    branchov: { satisfied: true, satisfied_at: 1734567891 },
  };
  const carried = {
    satisfied_by: "carry_over",
    metadata: { original_satisfied_at: 1734560000 },
  };
  const reading = read({
    plan: { sessions },
    ticket: { scope: "branch", satisfied: true, satisfied_at: 1734567892, expires_at: 1734567999 },
    later: { sessions: { [FULL]: { satisfied: true, satisfied_at: 1734567890, ...carried } } },
  });
  assert.deepEqual(told(reading), [
    ["plan", FULL, 1734567890250, 1734567890250, null],
    ["plan", "", 1734567891000, 1734567891000, null],
    ["ticket", "", 1734567892000, 1734567892000, 1734567999000],
    ["later", FULL, 1734567890000, 1734560000000, null],
  ]);
  assert.deepEqual(reading.skipped, []);
});

Deno.test("unusable state is named, and the rest is taken", () => {
  const sessions = { [FULL]: 1, deadbeef: { satisfied: true } };
  const { found, skipped } = read({
    "a name": {},
    odd: { scope: "nowhere" },
    plan: { sessions },
    good: { satisfied: true, satisfied_at: 1734567890 },
  });
  assert.deepEqual(found.map(({ requirement }) => requirement), ["good"]);
  assert.equal(skipped.length, 3);
  for (const text of ["{", "[]", '{"version":"2.0"}', '{"version":"1.0","branch":""}']) {
    assert.deepEqual([readText(text).found, readText(text).skipped.length], [[], 1], text);
  }
});

Deno.test("reading throws for no content of a file", () => {
  const words = fc.constantFrom("satisfied", "satisfied_at", "sessions", "scope", "expires_at");
  const requirements = fc.dictionary(
    fc.constantFrom("a", "b"),
    fc.dictionary(words, fc.jsonValue()),
  );
  fc.assert(fc.property(requirements, fc.jsonValue(), (given, updated_at) => {
    for (const { atMs } of read(given, { updated_at }).found) assert.ok(atMs > 0);
  }));
});
