import type { DatabaseSync } from "node:sqlite";
import { summarizeInput } from "../capture/payload.ts";
import type { StopPolicy } from "../guard/stop.ts";
import { recentSessionsText } from "../memory/recent_sessions.ts";
import { lookAtProcesses } from "../process/identity.ts";
import { goneSessions } from "../session/liveness.ts";
import { activeSessions, markAbandoned, recentSessions } from "../store/session_registry.ts";
import { nameOf } from "./protocol.ts";
import type { Answer, HookWork } from "./handler.ts";

/** Sessions whose process is looked after at one SessionStart. */
const MAX_LOOKED_AFTER = 20;
/** Sessions in the context. */
const MAX_TOLD = 5;

/**
 * Opens the session or makes it active again, marks sessions whose process is gone as abandoned, and tells Claude what
 * was done in this project before.
 */
export async function handle(work: HookWork): Promise<Answer> {
  const others = ask(
    work.db,
    (db) => activeSessions(db, { except: work.sessionId, limit: MAX_LOOKED_AFTER }),
  ) ?? [];
  const pids = others.map(({ claudePid }) => claudePid);
  const processes = await lookAtProcesses(
    work.claudePid === null ? pids : [work.claudePid, ...pids],
  );
  await work.save({
    session: {
      effect: "revive",
      source: nameOf(work.event.own["source"]) ?? "startup",
      claudeProcess: work.claudePid === null ? null : processes.get(work.claudePid)?.mark ?? null,
    },
    metadata: work.keepsContent ? summarizeInput(work.event.own) : {},
  });
  const db = work.spareDb();
  if (db !== null && work.config.stop !== "") await lookAtRoot(db, work);
  const gone = goneSessions(others, processes, work.claudePid);
  if (gone.length > 0) ask(db, (db) => markAbandoned(db, gone, work.atMs));
  if (work.config.problems > 0) {
    work.tell(
      `conclaude: the configuration has ${work.config.problems} problem(s); the rest of it counts. ` +
        "Run `conclaude config validate`.",
    );
  }
  const context = ask(db, (db) => contextOf(db, work)) ?? "";
  return context === ""
    ? null
    : { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: context } };
}

/** Keeps which files the project's folder holds, for the stops of this session. A compaction begins no session. */
async function lookAtRoot(db: DatabaseSync, { config, event, sessionId, atMs }: HookWork) {
  const { root, preventsRootAdditions }: StopPolicy = JSON.parse(config.stop);
  if (root === null || !preventsRootAdditions || event.own["source"] === "compact") return;
  const { takeSnapshot } = await import("../gate/root_additions.ts");
  ask(db, (db) => takeSnapshot(db, { sessionId, root }, atMs));
}

function contextOf(db: DatabaseSync, work: HookWork): string {
  const project = work.repository?.commonDir ?? work.projectDir;
  if (project === null) return "";
  const sessions = recentSessions(db, { project, except: work.sessionId, limit: MAX_TOLD });
  return recentSessionsText(sessions, work.atMs);
}

/** What the database answers; undefined when there is none or it cannot, which saving the event tells of. */
function ask<Result>(
  db: DatabaseSync | null,
  question: (db: DatabaseSync) => Result,
): Result | undefined {
  try {
    return db === null ? undefined : question(db);
  } catch {
    return undefined;
  }
}
