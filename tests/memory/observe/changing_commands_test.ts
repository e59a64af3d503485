import { strictEqual } from "node:assert/strict";
import { CHANGES, changingPart } from "../../../src/memory/observe/changing_commands.ts";

Deno.test("every row of changing commands takes its example", () => {
  for (const [at, { example, isOutside, call }] of CHANGES.entries()) {
    const part = changingPart(example);
    strictEqual(part?.isOutside, isOutside, example);
    const line = example.replace(/^npx /, "");
    strictEqual(CHANGES.findIndex((row) => row.call.test(line)), at, `${example}: ${call}`);
  }
});

Deno.test("commands that only look, check or write to a temporary folder change nothing", () => {
  for (
    const command of [
      "npx eslint src",
      "black --check src",
      "npm run lint",
      "docker ps",
      "grep -rn migrate src",
      "go test ./migrate",
      "pytest -k migrate",
      "systemctl status redis",
      "cp a.py /tmp/a.py",
      "ls migrations",
    ]
  ) strictEqual(changingPart(command), null, command);
});
