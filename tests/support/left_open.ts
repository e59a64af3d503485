/** Which failures are left open by commands that run one after the other. */
import assert from "node:assert/strict";
import { drainCaptures } from "../../src/memory/drain/capture_drain.ts";
import { saveEvent, tempDatabase } from "./records.ts";
import { removeForgottenAgain } from "../../src/upkeep/forget/forget_places_table.ts";

/** A command, what it printed, and whether it failed. */
export type Step = readonly [command: string, output: string, failed?: boolean];

/** A command that fails, what it prints, and one that passes later, after an edit, with what that prints: nothing where it is not given. */
export type Mending = readonly [failing: string, bad: string, passing: string, good?: string];

/** Holds that the command that passes mends the one that fails, in each row by itself. */
export async function assertMended(rows: readonly Mending[]): Promise<void> {
  for (const [failing, bad, passing, good = ""] of rows) {
    const open = await leftOpen([failing, bad, true], [passing, good]);
    assert.deepEqual(open, [], `${failing}: ${passing}: ${good}`);
  }
}

/** Holds that the command that passes leaves open the one that fails, in each row by itself. */
export async function assertLeftOpen(rows: readonly Mending[]): Promise<void> {
  for (const [failing, bad, passing, good = ""] of rows) {
    const open = await leftOpen([failing, bad, true], [passing, good]);
    assert.deepEqual(open, [failing], `${failing}: ${passing}: ${good}`);
  }
}

/** Lets commands run one after the other, an edit after each, and tells which of the failures are open in the end. */
export async function leftOpen(...steps: readonly Step[]): Promise<readonly string[]> {
  using temp = await tempDatabase();
  const start = Date.UTC(2026, 6, 15);
  const save = (atMs: number, toolName: string, payload: unknown, failed = false) =>
    saveEvent(temp.db, {
      atMs,
      capture: {
        toolName,
        outcome: failed ? "failure" : "success",
        payload: JSON.stringify(payload),
      },
    });
  for (const [at, [command, output, failed = false]] of steps.entries()) {
    const atMs = start + at * 10_000;
    save(
      atMs,
      "Bash",
      failed
        ? { tool_input: { command }, error: `Exit code 1\n${output}` }
        : { tool_input: { command }, tool_response: { stdout: output, stderr: "" } },
      failed,
    );
    save(atMs + 1_000, "Edit", {
      tool_input: { file_path: "/p/src/a.py", old_string: "a", new_string: `b${at}` },
      tool_response: {},
    });
  }
  temp.db.exec("UPDATE pending_queue SET branch = 'main'");
  drainCaptures(temp.db, { withoutForgotten: removeForgottenAgain, now: () => start + 1_000_000 });
  return temp.db.prepare(
    `SELECT facts
       FROM observations
      WHERE outcome = 'failure'
        AND resolved_by IS NULL
      ORDER BY id`,
  ).all().map(({ facts }) => JSON.parse(String(facts)))
    .filter(({ openRank }) => openRank !== null)
    .map(({ command }) => command);
}
