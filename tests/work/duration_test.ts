import assert from "node:assert/strict";
import { parseDuration } from "../../src/work/field_reader.ts";

Deno.test("parseDuration() reads durations as Go writes them", () => {
  const cases: Readonly<Record<string, number | null>> = {
    "90s": 90_000,
    "1h30m": 5_400_000,
    "500ms": 500,
    "1.5h": 5_400_000,
    "1m0s": 60_000,
    "0": 0,
    " 5m ": 300_000,
    "5": null,
    "": null,
    "-5m": null,
    "5 m": null,
    "5d": null,
    "m": null,
  };
  for (const [text, expected] of Object.entries(cases)) {
    assert.equal(parseDuration(text), expected, text);
  }
});
