/** Finds the one session or capture that a person names, and the session and project of a command. */
import type { DatabaseSync } from "node:sqlite";
import { plain } from "../base/plain.ts";
import { UserError } from "../base/errors.ts";
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import { normalizeSessionId } from "../base/ids.ts";
import { withParents } from "../base/paths.ts";
import { ancestors } from "../system/process/ancestors.ts";
import { lookAtProcesses } from "../system/process/process_identity.ts";
import {
  type ActiveSession,
  findIdsWithoutSession,
  findSessions,
  goneSessions,
  listActive,
  listSessions,
  MIN_ID_BEGINNING,
  type SessionProcess,
  type SessionRow,
  tellingId,
} from "../db/sessions.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import { relativeTime } from "../base/time.ts";
import type { CliContext } from "./context.ts";
import { findQueueItems, type QueueItem } from "../db/queue.ts";

/** Claude Code's ids are UUIDs; only the beginning of one may stand for a whole id. */
const PART_OF_UUID = /^[0-9a-f-]+$/i;

/** Returns the session whose id begins with the text. @throws {UserError} If not exactly one does. */
export function sessionOf(db: DatabaseSync, text: string): SessionRow {
  return onlySession(text, findSessions(db, text.trim()), ({ sessionId }) => sessionId);
}

/** {@linkcode sessionOf}, or without a text the newest session of this project. @throws {UserError} */
export function sessionOrNewest(
  db: DatabaseSync,
  { cwd }: Pick<CliContext, "cwd">,
  text: string | undefined,
): SessionRow {
  if (text !== undefined) return sessionOf(db, text);
  const here = { project: projectHere(cwd), status: null, onlyWorked: true };
  const [newest] = listSessions(db, { ...here, limit: 1 });
  if (newest === undefined) throw unclear("no session of this project is known");
  return newest;
}

/** Returns the full id that a flag names, even if its session has no row; null without the flag. @throws {UserError} */
export function sessionFilterOf(db: DatabaseSync, text: string | undefined): string | null {
  if (text === undefined) return null;
  const sessions = findSessions(db, text.trim()).map(({ sessionId }) => sessionId);
  const found = sessions.length > 0 ? sessions : findIdsWithoutSession(db, text.trim());
  return onlySession(text, found, (id) => id);
}

/** Returns the full id of a counter's session; an unknown id of a script stays as it is. @throws {UserError} */
export function counterOwnerOf(db: DatabaseSync, text: string): string {
  const id = normalizeSessionId(text) ?? "";
  const found = findSessions(db, id).filter(({ sessionId, shortId }) =>
    PART_OF_UUID.test(id) || id === sessionId || id === shortId
  );
  return found.length === 0 ? id : onlySession(text, found, ({ sessionId }) => sessionId).sessionId;
}

/** Returns the live session that this command descends from, or the only live one here. @throws {UserError} */
export async function currentSession(
  db: DatabaseSync,
  context: CliContext,
  { command }: { readonly command: string },
): Promise<SessionRow> {
  const { cwd } = context;
  const repository = findRepository(lookUpwards(cwd));
  const projects = repository === undefined ? withParents(cwd) : [repository.commonDir];
  const nearest = nearestProject(listActive(db, projects));
  const processes = nearest.flatMap(({ session: { sessionId, claudePid }, claudeProcess }) =>
    claudePid === null ? [] : [{ sessionId, claudePid, claudeProcess }]
  );
  const gone = await goneNow(processes);
  const live = nearest.filter(({ session }) => !gone.has(session.sessionId));
  const own = ancestors().flatMap(({ pid, mark }) =>
    live.filter(({ session, claudeProcess }) =>
      session.claudePid === pid && (claudeProcess === null || claudeProcess === mark)
    )
  );
  const [found] = own.length > 0 ? own : live;
  if (found === undefined) {
    throw unclear(`no session of Claude Code is live in this project (${cwd})`);
  }
  if (own.length > 0 || live.length === 1) return found.session;
  const candidates = live.map(
    ({ session: { sessionId, cwd, projectDir, branch, updatedAtMs } }) => {
      const place = `in ${cwd ?? projectDir}${branch === null ? "" : ` on ${branch}`}`;
      return plain(
        `${tellingId(db, sessionId)} ${place}, ${relativeTime(updatedAtMs, Date.now())}`,
      );
    },
  );
  throw unclear(
    `this command runs in none of the ${live.length} live sessions of this project: ` +
      `${candidates.join("; ")}; choose one of them with \`--session\``,
    `conclaude ${command} --session ${tellingId(db, found.session.sessionId)}`,
  );
}

function unclear(why: string, next = "conclaude session list"): UserError {
  return new UserError("Cannot tell which session is meant", { why, next });
}

/** Returns the sessions of the innermost project if folders of projects are nested. */
function nearestProject(sessions: readonly ActiveSession[]): readonly ActiveSession[] {
  const depths = Map.groupBy(
    sessions,
    ({ session: { repository, projectDir } }) => repository === null ? projectDir?.length ?? 0 : 0,
  );
  return depths.get(Math.max(...depths.keys())) ?? [];
}

/** Returns the ids of the sessions whose process has ended. The next SessionStart marks them as abandoned. */
export async function goneNow(sessions: readonly SessionProcess[]): Promise<ReadonlySet<string>> {
  const processes = await lookAtProcesses(sessions.map(({ claudePid }) => claudePid));
  return new Set(goneSessions(sessions, processes, null));
}

/** Returns the key of this folder's project: the common git directory, or outside a repository the folder. */
export function projectHere(cwd: string): string {
  return findRepository(lookUpwards(cwd))?.commonDir ?? cwd;
}

/** Returns the top of the folder's working tree, or outside a repository the folder. */
export function folderHere(cwd: string): string {
  return findRepository(lookUpwards(cwd))?.root ?? cwd;
}

/** Tells whether a list needs a column for projects, since some row belongs to another project than this folder's. */
export function isAnyOfOthers(
  all: readonly { readonly project: string | null }[],
  cwd: string,
): boolean {
  const here = projectHere(cwd);
  return all.some(({ project }) => project !== here);
}

/** Returns the only session that was found. @param show The command that its id completes. @throws {UserError} */
export function onlySession<Found>(
  text: string,
  found: readonly Found[],
  idOf: (one: Found) => string,
  show = "session show",
): Found {
  const isShort = text.trim().replaceAll("-", "").length < MIN_ID_BEGINNING;
  return onlyNamed(found, idOf, {
    noun: "session",
    text,
    why: isShort
      ? `no session has this id, and its beginning must have at least ${MIN_ID_BEGINNING} characters`
      : "no session has an id that begins like this",
    next: "conclaude session list",
    show: (one) => `${show} ${quoteWord(idOf(one))}`,
  });
}

export const NAMED_IDS = 5;

/** Returns the only item that was found. @throws {UserError} If there is none, or several: it names the first five. */
export function onlyNamed<Found>(
  found: readonly Found[],
  nameOf: (one: Found) => string,
  { noun, text, show, ...none }: {
    readonly noun: string;
    readonly text: string;
    /** The command that shows one of several, without the program's name. */
    readonly show: (one: Found) => string;
    readonly why: string;
    readonly next: string;
  },
): Found {
  const [first] = found;
  if (first === undefined) throw new UserError(`Cannot find the ${noun} "${text}"`, none);
  if (found.length === 1) return first;
  const named = found.slice(0, NAMED_IDS).map(nameOf).join(", ");
  throw new UserError(`Cannot tell which ${noun} "${text}" is`, {
    why: `several ids begin like this: ${named}${found.length > NAMED_IDS ? ", …" : ""}`,
    next: `conclaude ${show(first)}`,
  });
}

/** Returns the capture whose id begins with the text. @throws {UserError} If not exactly one does. */
export function queueItemOf(db: DatabaseSync, text: string): QueueItem {
  const whole = text.trim().toLowerCase();
  const found = findQueueItems(db, whole, NAMED_IDS + 1);
  return found.find(({ id }) => id === whole) ?? onlyNamed(found, ({ id }) => id, {
    noun: "capture",
    text,
    why: "no capture has an id that begins like this",
    next: "conclaude queue list",
    show: ({ id }) => `queue show ${id}`,
  });
}
