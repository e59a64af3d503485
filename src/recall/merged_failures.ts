/** Closes failures on a branch that were mended on another one, which was merged into it since. */
import type { DatabaseSync } from "node:sqlite";
import { commandKey } from "../memory/observe/command_key.ts";
import { openFailuresOfKind } from "../store/open_failures.ts";
import type { ClaimedCapture } from "../store/queue_work.ts";
import { passesOn } from "../store/session_observations.ts";
import { mendFailure, ToldFixes } from "./mend_failure.ts";

/** A session has merged a branch: what failed here, and passed there in the same session since, is mended. */
export function mendMerged(
  db: DatabaseSync,
  { capture, merged, nowMs }: {
    readonly capture: ClaimedCapture;
    /** The branch that was merged. */
    readonly merged: string;
    readonly nowMs: number;
  },
): void {
  const { project, branch, sessionId, createdAtMs } = capture;
  if (merged === branch) return;
  const passes = passesOn(db, { sessionId, project, branch: merged, untilMs: createdAtMs })
    .map((pass) => ({ ...pass, key: commandKey(pass.command) }));
  if (passes.length === 0) return;
  const told = new ToldFixes();
  const openOn = (on: string | null) =>
    openFailuresOfKind(db, {
      kind: "any",
      project,
      branch: on,
      before: createdAtMs,
      nowMs,
    }).map((failure) => ({ failure, key: commandKey(failure.facts.command ?? "") }));
  const failing = new Set(openOn(merged).map(({ key }) => key));
  for (const { failure, key } of openOn(branch)) {
    const pass = passes.find((one) => one.key === key && one.updatedAtMs > failure.updatedAtMs);
    if (pass === undefined || failing.has(key)) continue;
    const at = { ...capture, createdAtMs: pass.updatedAtMs };
    mendFailure(db, failure, { capture: at, by: pass.id, told });
  }
}
