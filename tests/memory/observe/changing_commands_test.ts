import { strictEqual } from "node:assert/strict";
import { CHANGES, changingPart } from "../../../src/memory/observe/changing_commands.ts";
import CASES from "../../testdata/observed_cases.json" with { type: "json" };

Deno.test("every row of changing commands takes its example", () => {
  for (const [at, { example, isOutside, call }] of CHANGES.entries()) {
    const part = changingPart(example);
    strictEqual(part?.isOutside, isOutside, example);
    const line = example.replace(/^npx /, "");
    strictEqual(CHANGES.findIndex((row) => row.call.test(line)), at, `${example}: ${call}`);
  }
});

Deno.test("commands that only look, check or write to a temporary folder change nothing", () => {
  for (const command of CASES.changingNothing) strictEqual(changingPart(command), null, command);
});
