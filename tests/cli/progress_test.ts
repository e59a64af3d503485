/** How far long work is, as a person at a terminal is told. */
import assert from "node:assert/strict";
import { progressLine, progressText } from "../../src/operations/terminal.ts";
import { rowsOf } from "../support/fixtures.ts";
import CASES from "../testdata/cli_cases.json" with { type: "json" };

Deno.test("a progress line has a bar, the rate and the time left, as far as they are known", () => {
  type Row = readonly [string, Parameters<typeof progressText>[1] | null, number, number, string];
  for (const [doing, far, tookMs, before, expected] of rowsOf<Row>(CASES.progress)) {
    assert.equal(progressText(doing, far ?? undefined, { tookMs, before }), expected);
  }
});

Deno.test("progress is told on a terminal alone, within its width, and leaves no trace", () => {
  for (const isTerminal of [true, false]) {
    const written: string[] = [];
    const line = lineInto(written, isTerminal);
    line.tell("Reading the transcripts", { done: 1, of: 2 });
    line.tell("Reading the transcripts", { done: 2, of: 2 });
    line.tell("Working captures in", { done: 0, of: 2 });
    line.end();
    if (!isTerminal) assert.deepEqual(written, []);
    else {
      assert.equal(written.length, 3, "the same work is told at most ten times a second");
      // deno-lint-ignore no-control-regex
      assert.ok(written.every((text) => text.replace(/\r\x1b\[2K/, "").length < 30));
      assert.equal(written.at(-1), "\r\x1b[2K");
    }
  }
});

Deno.test("a progress line goes where its block ends, also by an error, and once", () => {
  for (const isEnded of [true, false]) {
    const written: string[] = [];
    assert.throws(() => {
      using line = lineInto(written, true);
      line.tell("Looking");
      if (isEnded) line.end();
      throw new Error("no");
    }, /no/);
    assert.equal(written.length, 2);
    assert.equal(written.at(-1), "\r\x1b[2K");
  }
});

function lineInto(written: string[], isTerminal: boolean): ReturnType<typeof progressLine> {
  return progressLine(
    {
      process: { stderr: { write: (text: string) => void written.push(text) } },
      environment: { isTerminal: () => isTerminal, columns: () => 30 },
    } as unknown as Parameters<typeof progressLine>[0],
  );
}
