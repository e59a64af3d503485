/** What memory makes of commands and edits of one session, in any order. */
import { drainCaptures } from "../../src/recall/capture_drain.ts";
import { saveEvent, tempDatabase } from "./records.ts";

/** A command that failed, went well or was started in the background, an edit of a file, or a prompt; in the only session, and on `main`, where none is named. */
export type MixedStep =
  & { readonly session?: string; readonly on?: string }
  & (
    | { readonly failing: string; readonly output: string; readonly exitCode?: number }
    | { readonly passing: string; readonly output?: string }
    | { readonly started: string }
    | { readonly asked: string }
    | {
      readonly edited: string;
      readonly from?: string;
      readonly to?: string;
      readonly whole?: string;
    }
  );

/** The titles of the fixes in the end, of those that stand, of all failures, of those that are open, and of the commits that are there. */
export async function endOf(...steps: readonly MixedStep[]): Promise<{
  readonly fixes: readonly string[];
  readonly standing: readonly string[];
  readonly failures: readonly string[];
  readonly open: readonly string[];
  readonly commits: readonly string[];
}> {
  using temp = await tempDatabase();
  const start = Date.UTC(2026, 6, 15);
  for (const [at, step] of steps.entries()) {
    saveEvent(temp.db, {
      atMs: start + at * 10_000,
      capture: captureOf(step),
      ...step.session !== undefined && { sessionId: step.session },
    });
  }
  const setBranch = temp.db.prepare("UPDATE pending_queue SET branch = ? WHERE created_at_ms = ?");
  for (const [at, { on = "main" }] of steps.entries()) setBranch.run(on, start + at * 10_000);
  drainCaptures(temp.db, { now: () => start + 1_000_000 });
  const titles = (where: string) =>
    temp.db.prepare(`SELECT title FROM observations WHERE ${where} ORDER BY id`).all()
      .map(({ title }) => String(title));
  return {
    fixes: titles("kind = 'fix'"),
    standing: titles("kind = 'fix' AND resolved_by IS NULL"),
    failures: titles("outcome = 'failure'"),
    open: titles(
      "outcome = 'failure' AND resolved_by IS NULL AND facts ->> '$.openRank' IS NOT NULL",
    ),
    commits: titles("kind = 'commit' AND resolved_by IS NULL"),
  };
}

function captureOf(step: MixedStep) {
  if ("asked" in step) {
    // As a hook saves it: it is worked in behind the commands that wait with it.
    return { ...told("UserPromptSubmit", { prompt: step.asked }), priority: "normal" as const };
  }
  if ("edited" in step) {
    const { edited, from = "a", to = "b", whole = `x = ${from}\n` } = step;
    return told("Edit", {
      tool_input: { file_path: `/p/${edited}`, old_string: from, new_string: to },
      tool_response: { originalFile: whole },
      project_dir: "/p",
    });
  }
  if ("failing" in step) {
    const { failing: command, output, exitCode = 1 } = step;
    return told("Bash", {
      tool_input: { command },
      error: `Exit code ${exitCode}\n${output}`,
      project_dir: "/p",
    }, "failure");
  }
  if ("started" in step) {
    return told("Bash", {
      tool_input: { command: step.started, run_in_background: true },
      tool_response: { stdout: "", stderr: "", backgroundTaskId: "b1" },
      project_dir: "/p",
    });
  }
  const { passing: command, output = "ok" } = step;
  return told("Bash", {
    tool_input: { command },
    tool_response: { stdout: output, stderr: "" },
    project_dir: "/p",
  });
}

function told(toolName: string, payload: unknown, outcome: "success" | "failure" = "success") {
  return { toolName, outcome, payload: JSON.stringify(payload) };
}
