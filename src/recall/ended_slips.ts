/** Closes failures of calls that were wrong themselves: the same program was called in another way since. */
import type { DatabaseSync } from "node:sqlite";
import { commandKey } from "../memory/observe/command_key.ts";
import { openFailuresOfKind, resolveFailure } from "../store/open_failures.ts";
import type { ClaimedCapture } from "../store/queue_work.ts";

/** Failures that are looked at: the right call follows soon. */
const MAX_COMPARED = 12;

/** Programs ran in a session: what it called wrongly of them before is over, without a fix. */
export function endSlips(
  db: DatabaseSync,
  { capture, command, calls, by, nowMs }: {
    readonly capture: ClaimedCapture;
    readonly command: string;
    readonly calls: readonly string[];
    /** The observation of the command. */
    readonly by: number;
    readonly nowMs: number;
  },
): void {
  const { project, branch, createdAtMs, sessionId } = capture;
  const open = openFailuresOfKind(db, {
    kind: "slip",
    project,
    branch,
    before: createdAtMs,
    nowMs,
    among: MAX_COMPARED,
  });
  for (const { id, facts, sessionId: of } of open) {
    const isOther = commandKey(facts.command ?? "") !== commandKey(command);
    if (of === sessionId && isOther && calls.includes(facts.slip ?? "")) {
      resolveFailure(db, id, by);
    }
  }
}
