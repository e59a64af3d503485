/** Edits that hooks report while the database may be unusable: which are written, and which wait in the spool. */
import assert from "node:assert/strict";
import { query, spoolFiles } from "./look.ts";
import { hook, type RunOptions, type TempHome } from "./program.ts";

/** A hook answers within this time, whatever the state of the database. */
export const DEADLINE_MS = 10_000;

/** Sends a tool use and holds the program to its promise: the usual answer, in time. */
export async function capture(
  home: TempHome | string,
  id: string,
  options: Omit<RunOptions, "stdin"> = {},
) {
  const payload = { session_id: "s1", cwd: "/w", tool_name: "Edit", tool_use_id: id };
  const startedMs = performance.now();
  const { code, stdout, stderr } = await hook("PostToolUse", payload, home, options);
  assert.ok(performance.now() - startedMs < DEADLINE_MS, "it took too long");
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  const answer = JSON.parse(stdout);
  assert.equal(answer.continue, true);
  assert.equal(answer.suppressOutput, true);
  return answer;
}

/** The tool uses in the order in which they were written. */
export function written(place: TempHome | string): unknown[] {
  return query(place, "SELECT tool_use_id AS id FROM pending_queue ORDER BY rowid")
    .map((row) => row["id"]);
}

/** The tool uses that wait, in the order of the file names. */
export function waiting(home: TempHome): unknown[] {
  return spoolFiles(home)
    .map((path) => JSON.parse(Deno.readTextFileSync(path)).record.execution.toolUseId);
}
