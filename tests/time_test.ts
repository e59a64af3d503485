import assert from "node:assert/strict";
import { durationText, fileStamp, relativeTime } from "../src/base/time.ts";

const SECOND = 1000;
const HOUR = 3600 * SECOND;

Deno.test("relativeTime() speaks as people do", () => {
  const cases: readonly (readonly [age: number, text: string])[] = [
    [-5 * SECOND, "just now"],
    [59 * SECOND, "just now"],
    [60 * SECOND, "1m ago"],
    [59 * 60 * SECOND, "59m ago"],
    [HOUR, "1h ago"],
    [23 * HOUR, "23h ago"],
    [24 * HOUR, "yesterday"],
    [47 * HOUR, "yesterday"],
    [48 * HOUR, "2d ago"],
  ];
  for (const [age, text] of cases) assert.equal(relativeTime(1e12 - age, 1e12), text);
});

Deno.test("fileStamp() can stand in a file name on every system", () => {
  assert.equal(fileStamp(Date.UTC(2026, 10, 20, 22, 42, 28)), "2026-11-20T22-42-28Z");
});

Deno.test("durationText() leaves out minutes and hours that are none", () => {
  const texts = [8 * SECOND, 60 * SECOND, 90 * SECOND, 3 * HOUR].map(durationText);
  assert.deepEqual(texts, ["8s", "1m 0s", "1m 30s", "3h 0m"]);
});
