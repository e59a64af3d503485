/** What an observation mends of what failed before it. */
import type { DatabaseSync } from "node:sqlite";
import type { Observed } from "../memory/observation.ts";
import type { DoneBy } from "./done_by.ts";
import { endOperations } from "./ended_operations.ts";
import type { OpenSlips } from "./ended_slips.ts";
import { type LoggedCommits, supersedeCommits } from "./superseded_commits.ts";
import { mendMerged } from "./merged_failures.ts";
import { redoByReset } from "./redone_fixes.ts";
import { undoBy } from "./undone_fixes.ts";
import { mendConnections } from "./mended_connections.ts";
import { mendServers } from "./mended_servers.ts";
import { mendFailures, mendShownFailures, mendTestsThatPass } from "./mended_failures.ts";

/** Closes what an observation has mended, ended or shown to be right. */
export function mendBy(
  db: DatabaseSync,
  observed: Observed,
  at: DoneBy & {
    readonly slips: OpenSlips;
    readonly logged: LoggedCommits;
  },
): void {
  const {
    ended,
    took,
    mends,
    mendsParts = [],
    mendsShown,
    passes = [],
    checks = [],
    taken,
    takenBack,
    merged,
    calls = [],
  } = observed;
  const { command, slip } = observed.facts;
  const { sessionId } = at.capture;
  if (ended !== undefined) endOperations(db, { ...at, command, ended });
  const all = [...mends === null ? [] : [mends], ...mendsParts];
  if (all.length > 0) {
    const whole = mends === null ? undefined : command;
    mendFailures(db, { ...at, command: whole, mends: all, passes, checks, taken });
  }
  if (mendsShown !== undefined && command !== undefined) {
    mendShownFailures(db, { ...at, shown: { ...mendsShown, command } });
  }
  if (observed.kind === "command") {
    mendServers(db, observed, at);
    mendConnections(db, observed, at);
  }
  if (slip !== undefined) at.slips.add(sessionId, slip);
  if (calls.length > 0 && command !== undefined) {
    at.slips.end(db, { ...at, sessionId, atMs: at.capture.createdAtMs, command, calls });
  }
  if (merged !== undefined) mendMerged(db, { ...at, merged });
  const back = takenBack === undefined ? [] : supersedeCommits(db, { ...at, takenBack });
  if (command?.includes("git")) {
    undoBy(db, observed, { ...at, dropped: isHard(command) ? back : [] });
    if (isHard(command) && observed.outcome === "success") redoByReset(db, command, at.capture);
    at.logged.add(at.capture, isReset(command) ? at.by : null);
  }
  if (observed.kind === "edit") undoBy(db, observed, { ...at, dropped: [] });
  if (took !== undefined) mendTestsThatPass(db, { ...at, took });
}

function isReset(command: string): boolean {
  return / reset\b/.test(command);
}

/** Whether a reset takes the work of its commits with it. */
function isHard(command: string): boolean {
  return / reset (?:.* )?--(?:hard|keep|merge)\b/.test(command);
}
