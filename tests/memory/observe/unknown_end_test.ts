/** Commands that were not waited for: nobody knows how they ended. */
import assert from "node:assert/strict";
import type { Observed } from "../../../src/memory/observe/observation.ts";
import { observe } from "../../../src/memory/observe/observe.ts";
import { ROOT } from "../../support/commands_observed.ts";

function tell(
  command: string,
  response: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>> = {},
): Observed {
  const payload = {
    tool_input: { command, ...input },
    tool_response: { stdout: "", stderr: "", interrupted: false, ...response },
  };
  const told = observe({ toolName: "Bash", outcome: "success", payload, root: ROOT });
  assert.ok(told);
  return told;
}

const BACKGROUND = { backgroundTaskId: "b1" };
const TIMED_OUT = { backgroundTaskId: "b1", timedOutAfterMs: 120_000 };
const INTERRUPTED = { interrupted: true };

Deno.test("a command in the background has not passed, made no commit, and mends nothing", () => {
  const rows: readonly (readonly [Observed, title: string])[] = [
    [tell("npm test", BACKGROUND), "`npm test` started in the background"],
    [tell("npm test", {}, { run_in_background: true }), "`npm test` started in the background"],
    [
      tell("npm test", { ...TIMED_OUT, stdout: "Tests: 3 passed, 3 total" }),
      "`npm test` went on in the background after 120 s",
    ],
    [tell("npm test", INTERRUPTED), "`npm test` was interrupted"],
    [
      tell("npm test", { ...INTERRUPTED, stdout: "FAILED | 3 passed | 1 failed" }),
      "`npm test` was interrupted",
    ],
    [tell("make", BACKGROUND), "`make` started in the background"],
    [tell("git commit -qm x", BACKGROUND), "`git commit -qm x` started in the background"],
    [tell("git commit -m x", INTERRUPTED), "`git commit -m x` was interrupted"],
    [
      tell("sleep 9 && git commit -qm x", TIMED_OUT),
      "`sleep 9 && git commit -qm x` went on in the background after 120 s",
    ],
  ];
  for (const [{ kind, outcome, title, passes, besides, facts }, wanted] of rows) {
    assert.deepEqual(
      [kind, outcome, title, passes, besides, facts.exitCode, facts.passed],
      ["command", null, wanted, undefined, undefined, undefined, undefined],
    );
  }
  assert.equal(tell("npm test", { stdout: "Tests: 3 passed, 3 total" }).kind, "test");
});

Deno.test("a commit that git printed was made, whatever happened to the rest", () => {
  const { kind, besides } = tell("git commit -m x && git push", {
    ...INTERRUPTED,
    stdout: "[main abc1234] x",
  });
  assert.deepEqual([kind, besides?.title], ["command", "Commit abc1234 on main: x"]);
});
