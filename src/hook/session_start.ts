import { count } from "../counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { summarizeInput } from "../capture/payload.ts";
import { isLeftOut } from "../config/discover.ts";
import type { HookConfig } from "../config/hook_config.ts";
import { messageOf } from "../errors.ts";
import type { GuardPolicy } from "../guard/guard_policy.ts";
import type { StopPolicy } from "../guard/stop_policy.ts";
import {
  type ContextBudget,
  contextChars,
  MAX_CONTEXT_CHARS,
  toldIn,
  waitingText,
} from "../memory/context_text.ts";
import { recentSessionsText } from "../memory/recent_sessions.ts";
import { lookAtProcesses, lookForLife } from "../process/identity.ts";
import { goneSessions, type SessionProcess } from "../session/liveness.ts";
import { type ContextPlace, type SessionContext, sessionContext } from "../recall/context.ts";
import { lastSeenAtMs } from "../store/memory_context.ts";
import { countWaiting, hasWaiting } from "../store/queue_waiting.ts";
import { sessionsToSummarize } from "../store/queue_work.ts";
import { activeSessions, recentSessions } from "../store/session_registry.ts";
import { noteTold } from "../store/told_observations.ts";
import type { Answer, HookWork } from "./handler.ts";
import { nameOf } from "./protocol.ts";

const MAX_LOOKED_AFTER = 20;
const MAX_TOLD = 5;
const DRAIN_MS = 30;
const NOTHING: SessionContext = { text: "", gone: [] };

/**
 * Opens the session or makes it active again, marks sessions whose process is gone as abandoned, and tells Claude
 * what was done in this project before.
 */
export async function handle(work: HookWork): Promise<Answer> {
  await (await import("./told.ts")).saveTold(work);
  const seenAtMs = ask(work.db, (db) => lastSeenAtMs(db, work.sessionId)) ?? null;
  const others = ask(
    work.db,
    (db) => activeSessions(db, { except: work.sessionId, limit: MAX_LOOKED_AFTER }),
  ) ?? [];
  const processes = await lookAfter(others, work.claudePid);
  const required = work.config.requirements === ""
    ? null
    : (await import("./session_requirements.ts")).beginRequirements(work);
  await work.save({
    session: {
      effect: "revive",
      source: nameOf(work.event.own["source"]) ?? "startup",
      claudeProcess: work.claudePid === null ? null : processes.get(work.claudePid)?.mark ?? null,
    },
    metadata: work.keepsContent ? summarizeInput(work.event.own) : {},
    ...(required === null || required.changes.length === 0 ? {} : { changes: required.changes }),
  }, required?.apply);
  const db = work.spareDb();
  if (db !== null && work.config.stop !== "") await lookAtRoot(db, work);
  const gone = goneSessions(others, processes, work.claudePid);
  if (gone.length > 0) {
    const { abandonSessions } = await import("../store/session_agents.ts");
    ask(db, (db) => abandonSessions(db, gone, work.atMs));
  }
  await tellLeftOut(work);
  const { problems, problemKeys, brokenRequirements, unreadable } = work.config;
  if (problems > work.configFiles.filter(isLeftOut).length || isLocked(work.config)) {
    const more = problems > problemKeys.length ? " and more" : "";
    const what = unreadable === ""
      ? `the configuration has ${count(problems, "problem")}, in ${problemKeys.join(", ")}${more}`
      : unreadable;
    const meaning = isLocked(work.config)
      ? "Its rules were strict, so every change is refused until it can be read."
      : unreadable === ""
      ? "The rest of it counts."
      : "Nothing of that file counts.";
    const off = brokenRequirements === ""
      ? ""
      : ` Switched off by it: the requirements ${brokenRequirements}.`;
    work.tell(`conclaude: ${what}.${off} ${meaning} Run \`conclaude config validate\`.`);
  }
  const project = work.configFiles.at(-1);
  if (work.config.isSilentAboutRoot && project !== undefined && db !== null) {
    const { rootNotice } = await import("../gate/root_additions.ts");
    const notice = ask(db, (db) => rootNotice(db, project.path)) ?? null;
    if (notice !== null) work.tell(notice);
  }
  if (mayGuard(work.config) && work.projectDir !== null) {
    const { unarmedNotice } = await import("../gate/armed_gates.ts");
    const notice = unarmedNotice(work.config, {
      projectDir: work.projectDir,
      home: work.home,
      environment: work.environment,
    });
    if (notice !== null) work.tell(notice);
  }
  if (work.environment.variable("CONCLAUDE_TOKEN") !== undefined) {
    work.tell(
      "conclaude: Claude Code was started with CONCLAUDE_TOKEN, so its agent can read a person's token. Start it " +
        "without; `conclaude token --revoke` on a terminal makes the token worthless.",
    );
  }
  const isBehind = db !== null && await drainAWhile(db, work);
  const briefing = await required?.text() ?? "";
  const untold = (why: string) =>
    work.tell(`conclaude: what is remembered cannot be told (${why}). Run \`conclaude doctor\`.`);
  const tell = () =>
    ask(db, (db) => contextOf(db, work, { seenAtMs, isBehind, before: briefing }), untold);
  const first = tell();
  const isMoved = first !== undefined && await isLeftElsewhere(db, work, first.gone);
  const memory = (isMoved ? tell() : first)?.text ?? "";
  if (work.config.recallsPrompts || work.config.recallsEdits) {
    ask(db, (db) => noteTold(db, work.sessionId, toldIn(memory), work.atMs));
  }
  const context = [briefing, memory].filter((text) => text !== "").join("\n\n");
  return context === ""
    ? null
    : { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: context } };
}

/**
 * The processes of other sessions. A tool is started only where one has to be told from a later process with the same
 * number; it also finds this session's own mark, which the drain beside the first Stop keeps otherwise.
 */
async function lookAfter(others: readonly SessionProcess[], own: number | null) {
  const elsewhere = others.filter(({ claudePid }) => claudePid !== own);
  const pids = elsewhere.map(({ claudePid }) => claudePid);
  if (elsewhere.every(({ claudeProcess }) => claudeProcess === null)) {
    return await lookForLife(pids);
  }
  return await lookAtProcesses(own === null ? pids : [own, ...pids]);
}

/** Whether a section is there that may ask for a gate. */
function mayGuard({ guards, requirements, stop, subagentStop, prompts }: HookConfig): boolean {
  return [guards, requirements, stop, subagentStop, prompts].some((section) => section !== "");
}

/** Whether nothing may be changed because a strict policy cannot be read. */
function isLocked({ unreadable, guards }: HookConfig): boolean {
  if (unreadable === "" || guards === "") return false;
  const { lock }: GuardPolicy = JSON.parse(guards);
  return lock !== null;
}

/** Names the files that are ignored because other users could have written them. A compaction begins no session. */
async function tellLeftOut(work: HookWork): Promise<void> {
  const { configFiles, event, projectDir, repository } = work;
  const mayBe = configFiles.some(isLeftOut) ||
    [projectDir, repository?.root].some((folder) => folder && isThere(`${folder}/.conclaude`));
  if (!mayBe || event.own["source"] === "compact") return;
  const { leftOutNotice } = await import("../config/left_out.ts");
  const notice = leftOutNotice(configFiles, projectDir, work.locations);
  if (notice !== null) work.tell(notice);
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Stores which files the project's folder holds, for the stops of this session. A compaction begins no session. */
async function lookAtRoot(db: DatabaseSync, { config, event, sessionId, atMs }: HookWork) {
  const { root, preventsRootAdditions }: StopPolicy = JSON.parse(config.stop);
  if (root === null || !preventsRootAdditions || event.own["source"] === "compact") return;
  const { takeSnapshot } = await import("../gate/root_additions.ts");
  ask(db, (db) => takeSnapshot(db, { sessionId, root }, atMs));
}

/**
 * Works waiting captures into memory for a moment, so that the context tells of them, or at least of what was asked.
 * @returns Whether anything waited; some of it may still wait.
 */
async function drainAWhile(db: DatabaseSync, work: HookWork): Promise<boolean> {
  if (!work.config.memoryEnabled) return false;
  const isWaiting = ask(db, (db) => hasWaiting(db, work.atMs)) === true;
  const isBehind = isWaiting || ask(db, (db) => sessionsToSummarize(db, 1).length > 0) === true;
  if (!isBehind) return false;
  const { drainBefore } = await import("./stop_drain.ts");
  await drainBefore(DRAIN_MS, db, work, { project: projectOf(work), isWaiting });
  return isWaiting;
}

/** The common git directory, or the folder where there is none, as it is stored. */
function projectOf({ hide, repository, projectDir }: HookWork): string | null {
  return hide(repository?.commonDir ?? projectDir);
}

/** Whether open failures of branches that were merged and are gone now count for the branch they were merged into. */
async function isLeftElsewhere(
  db: DatabaseSync | null,
  { environment, repository, atMs: nowMs }: HookWork,
  gone: readonly string[],
): Promise<boolean> {
  if (db === null || repository === undefined || gone.length === 0) return false;
  const { moveMerged } = await import("../recall/merged_branches.ts");
  const { commonDir: project, branch, root } = repository;
  try {
    return await moveMerged(db, { project, branch, root, nowMs, environment }, gone);
  } catch {
    // Another process writes; the next session asks again.
    return false;
  }
}

function contextOf(
  db: DatabaseSync,
  work: HookWork,
  { seenAtMs, isBehind, before }: {
    readonly seenAtMs: number | null;
    readonly isBehind: boolean;
    readonly before: string;
  },
): SessionContext {
  const { config, repository, projectDir, sessionId, atMs, home, hide } = work;
  const project = projectOf(work);
  if (project === null || !config.memoryEnabled || config.contextTokens === 0) return NOTHING;
  const source = nameOf(work.event.own["source"]) ?? "startup";
  const place = {
    sessionId,
    project,
    branch: hide(repository?.branch ?? null),
    root: repository?.root ?? projectDir,
    source,
    seenAtMs,
    isBehind,
    nowMs: atMs,
    home,
    configDir: work.environment.variable("CLAUDE_CONFIG_DIR"),
  };
  const most = contextChars({
    tokens: config.contextTokens,
    room: MAX_CONTEXT_CHARS - before.length,
  });
  const waits = isBehind ? waitingText(countWaiting(db, { project, except: sessionId })) : "";
  // Where there is hardly any room, memory comes before the count of waiting captures.
  const waiting = 2 * waits.length > most ? "" : waits;
  const room = waiting === "" ? most : most - waiting.length - "\n".length;
  const told = toldOf(db, place, { tokens: config.contextTokens, room });
  return { ...told, text: [told.text, waiting].filter((text) => text !== "").join("\n") };
}

/** What is known, or at least which sessions there were. */
function toldOf(db: DatabaseSync, place: ContextPlace, budget: ContextBudget): SessionContext {
  const { project, sessionId, seenAtMs, source, nowMs } = place;
  const memory = sessionContext(db, place, budget);
  if (memory.text !== "" || seenAtMs !== null || source === "fork") return memory;
  const sessions = recentSessions(db, { project, except: sessionId, limit: MAX_TOLD });
  const text = recentSessionsText(sessions, { nowMs, maxChars: contextChars(budget) });
  return { ...memory, text };
}

/**
 * What the database answers; undefined when there is none or it fails.
 * @param onFault Is told why it fails; without it saving the event tells that.
 */
function ask<Result>(
  db: DatabaseSync | null,
  question: (db: DatabaseSync) => Result,
  onFault?: (why: string) => void,
): Result | undefined {
  try {
    return db === null ? undefined : question(db);
  } catch (thrown) {
    onFault?.(messageOf(thrown));
    return undefined;
  }
}
