import assert from "node:assert/strict";
import fc from "fast-check";
import { parseSince } from "../../src/memory/search/point_in_time.ts";
import CASES from "../testdata/memory_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");

Deno.test("parseSince() takes an age in seconds, minutes, hours, days or weeks", async () => {
  const ages = rowsOf<readonly [text: string, seconds: number]>(CASES.ages);
  for (const [text, seconds] of ages) {
    assert.equal(await parseSince(text, NOW), NOW - seconds * 1000, text);
  }
});

Deno.test("parseSince() takes a date as this machine's, and one with a zone as it says", async () => {
  assert.equal(await parseSince("2026-11-20T08:30:00Z", NOW), Date.parse("2026-11-20T08:30:00Z"));
  assert.equal(await parseSince("2026-11-20T08:30+02:00", NOW), Date.parse("2026-11-20T06:30:00Z"));
  assert.equal(await parseSince("2026-11-19", NOW), new Date(2026, 10, 19).getTime());
  assert.equal(await parseSince("2026-11-19 08:30", NOW), new Date(2026, 10, 19, 8, 30).getTime());
});

Deno.test("parseSince() refuses what is neither, and days that do not exist", async () => {
  for (const text of CASES.noTimes) {
    await assert.rejects(() => parseSince(text, NOW), SyntaxError, text);
  }
});

Deno.test("parseSince() takes a day, a week and a month as people say them, from their first midnight here", async () => {
  const day = (month: number, date: number, year = 2026) =>
    new Date(year, month - 1, date).getTime();
  const said: readonly (readonly [text: string, ms: number])[] = [
    ["yesterday", day(11, 19)],
    ["Today", day(11, 20)],
    ["monday", day(11, 16)],
    ["last monday", day(11, 16)],
    ["last week", day(11, 9)],
    ["18.11.2025", day(11, 18, 2025)],
    ["2026-11", day(11, 1)],
    ["March 2026", day(3, 1)],
    ["in march", day(3, 1)],
    ["gestern", day(11, 19)],
    ["2 hours ago", NOW - 7_200_000],
    ["a week ago", NOW - 604_800_000],
  ];
  for (const [text, ms] of said) assert.equal(await parseSince(text, NOW), ms, text);
  // On whichever day of it, a week begins on its Monday.
  for (const today of [16, 18, 21, 22]) {
    const now = day(11, today) + 12 * 3_600_000;
    assert.equal(await parseSince("this week", now), day(11, 16), `on ${today}`);
    assert.equal(await parseSince("last week", now), day(11, 9), `on ${today}`);
    assert.equal(await parseSince("Last month", now), day(10, 1), `on ${today}`);
    assert.equal(await parseSince("this year", now), day(1, 1), `on ${today}`);
  }
  // In Europe it is another day than in America.
  for (const text of ["3/4/2026", "yesterday or so", "2027-01"]) {
    await assert.rejects(() => parseSince(text, NOW), SyntaxError, text);
  }
  // What deletes takes no wording that means about a time.
  assert.equal(await parseSince("yesterday", NOW, { isExact: true }), day(11, 19));
  assert.equal(await parseSince("last week", NOW, { isExact: true }), day(11, 9));
  for (const text of ["two weeks ago", "recently"]) {
    await assert.rejects(() => parseSince(text, NOW, { isExact: true }), SyntaxError, text);
  }
});

Deno.test("parseSince() gives a time that is not before 1970, or says why it cannot", async () => {
  const texts = fc.oneof(fc.string(), fc.stringMatching(/^\d{1,12}[smhdw]$/));
  await fc.assert(fc.asyncProperty(texts, async (text) => {
    try {
      const ms = await parseSince(text, NOW);
      assert.ok(Number.isFinite(ms) && ms >= 0, `${text}: ${ms}`);
    } catch (thrown) {
      assert.ok(thrown instanceof SyntaxError);
    }
  }));
});
