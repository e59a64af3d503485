/** Finds the one session or capture that a person names by the beginning of its id. */
import type { DatabaseSync } from "node:sqlite";
import { plain } from "../base/plain.ts";
import { UserError } from "../base/errors.ts";
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import { normalizeSessionId } from "../base/ids.ts";
import { joinPath, withParents } from "../base/paths.ts";
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
  type SessionRow,
  tellingId,
} from "../db/sessions.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import { relativeTime } from "../base/time.ts";
import type { CliContext } from "./context.ts";
import { findQueueItems, type QueueItem } from "../db/queue.ts";

/** Only the beginning of a UUID, as Claude Code's ids are, is completed to a session's id. */
const PART_OF_UUID = /^[0-9a-f-]+$/i;

/** The session whose id begins like this. @throws {UserError} When that is not one. */
export function sessionOf(db: DatabaseSync, text: string): SessionRow {
  const found = findSessions(db, text.trim());
  if (found.length === 0) throw unknownSession(text);
  return onlyOne(text, found, ({ sessionId }) => sessionId);
}

/** {@linkcode sessionOf}; without a text the newest session of this project. @throws {UserError} */
export function sessionOrNewest(
  db: DatabaseSync,
  { cwd }: Pick<CliContext, "cwd">,
  text: string | undefined,
): SessionRow {
  if (text !== undefined) return sessionOf(db, text);
  const [newest] = listSessions(db, { project: projectHere(cwd), status: null, limit: 1 });
  if (newest !== undefined) return newest;
  throw new UserError("Cannot tell which session is meant", {
    why: "no session of this project is known",
    next: "conclaude session list",
  });
}

/** The full id that a flag names, with or without a session of its own; null without the flag. @throws {UserError} */
export function sessionFilterOf(db: DatabaseSync, text: string | undefined): string | null {
  if (text === undefined) return null;
  const sessions = findSessions(db, text.trim()).map(({ sessionId }) => sessionId);
  const found = sessions.length > 0 ? sessions : findIdsWithoutSession(db, text.trim());
  if (found.length === 0) throw unknownSession(text);
  return onlyOne(text, found, (id) => id);
}

/** The full id of a counter's session; an unknown id is taken as it is, for scripts. @throws {UserError} */
export function counterOwnerOf(db: DatabaseSync, text: string): string {
  const id = normalizeSessionId(text) ?? "";
  const found = findSessions(db, id).filter(({ sessionId, shortId }) =>
    PART_OF_UUID.test(id) || id === sessionId || id === shortId
  );
  return found.length === 0 ? id : onlyOne(text, found, ({ sessionId }) => sessionId).sessionId;
}

/** The live session that this command descends from, else the only live one here. @throws {UserError} */
export async function currentSession(
  db: DatabaseSync,
  context: CliContext,
  { command }: { readonly command: string },
): Promise<SessionRow> {
  const { cwd } = context;
  const repository = findRepository(lookUpwards(cwd));
  const projects = repository === undefined ? withParents(cwd) : [repository.commonDir];
  const live = await stillLive(nearestProject(listActive(db, projects)));
  const own = ancestors().flatMap(({ pid, mark }) =>
    live.filter(({ session, claudeProcess }) =>
      session.claudePid === pid && (claudeProcess === null || claudeProcess === mark)
    )
  );
  const [found] = own.length > 0 ? own : live;
  if (found !== undefined && (own.length > 0 || live.length === 1)) return found.session;
  throw new UserError("Cannot tell which session is meant", {
    why: found === undefined
      ? `no session of Claude Code is live in this project (${cwd})`
      : `this command runs in none of the ${live.length} live sessions of this project: ` +
        `${live.map(({ session }) => candidate(db, session)).join("; ")}; ` +
        "choose one of them with `--session`",
    next: found === undefined
      ? "conclaude session list"
      : `conclaude ${command} --session ${tellingId(db, found.session.sessionId)}`,
  });
}

function candidate(db: DatabaseSync, session: SessionRow): string {
  const { sessionId, cwd, projectDir, branch, updatedAtMs } = session;
  const place = `in ${cwd ?? projectDir}${branch === null ? "" : ` on ${branch}`}`;
  return plain(`${tellingId(db, sessionId)} ${place}, ${relativeTime(updatedAtMs, Date.now())}`);
}

/** The sessions of the innermost project, where folders of projects lie in one another. */
function nearestProject(sessions: readonly ActiveSession[]): ActiveSession[] {
  const length = ({ session }: ActiveSession) =>
    session.repository === null ? session.projectDir?.length ?? 0 : 0;
  const longest = Math.max(0, ...sessions.map(length));
  return sessions.filter((one) => length(one) === longest);
}

async function stillLive(sessions: readonly ActiveSession[]): Promise<ActiveSession[]> {
  const known = sessions.flatMap(({ session: { sessionId, claudePid }, claudeProcess }) =>
    claudePid === null ? [] : [{ sessionId, claudePid, claudeProcess }]
  );
  const processes = await lookAtProcesses(known.map(({ claudePid }) => claudePid));
  const gone = new Set(goneSessions(known, processes, null));
  return sessions.filter(({ session }) => !gone.has(session.sessionId));
}

/** What the sessions of the project around this folder have in common: the common git directory, or the folder. */
export function projectHere(cwd: string): string {
  return findRepository(lookUpwards(cwd))?.commonDir ?? cwd;
}

/** The top of the working tree of a folder, else the folder. */
export function folderHere(cwd: string): string {
  return findRepository(lookUpwards(cwd))?.root ?? cwd;
}

/** Whether a list needs a column for projects: something in it is of another project than this folder's. */
export function isAnyOfOthers(
  all: readonly { readonly project: string | null }[],
  cwd: string,
): boolean {
  const project = all[0]?.project;
  if (project === undefined || all.some((one) => one.project !== project)) return all.length > 0;
  // In the top folder of the repository nothing has to be looked up.
  return project !== joinPath(cwd, ".git") && project !== projectHere(cwd);
}

function onlyOne<Found>(
  text: string,
  found: readonly Found[],
  idOf: (one: Found) => string,
): Found {
  const show = `session show ${quoteWord(idOf(found[0]!))}`;
  return onlyNamed({ noun: "session", text, show }, found, idOf);
}

function unknownSession(text: string): UserError {
  const length = text.trim().replaceAll("-", "").length;
  return new UserError(`Cannot find the session "${text}"`, {
    why: length < MIN_ID_BEGINNING
      ? `no session has this id, and its beginning must have at least ${MIN_ID_BEGINNING} characters`
      : "no session has an id that begins like this",
    next: "conclaude session list",
  });
}

export const NAMED_IDS = 5;

/** The one of several that were found. @throws {UserError} When there are several; it names the first five. */
export function onlyNamed<Found>(
  { noun, text, show }: { readonly noun: string; readonly text: string; readonly show: string },
  found: readonly Found[],
  nameOf: (one: Found) => string,
): Found {
  if (found.length === 1) return found[0]!;
  const named = found.slice(0, NAMED_IDS).map(nameOf).join(", ");
  throw new UserError(`Cannot tell which ${noun} "${text}" is`, {
    why: `several ids begin like this: ${named}${found.length > NAMED_IDS ? ", …" : ""}`,
    next: `conclaude ${show}`,
  });
}

/** The capture whose id begins like this. @throws {UserError} When that is not one. */
export function queueItemOf(db: DatabaseSync, text: string): QueueItem {
  const id = text.trim().toLowerCase();
  const found = findQueueItems(db, id, NAMED_IDS + 1);
  const [first] = found;
  if (first === undefined) {
    throw new UserError(`Cannot find the capture "${text}"`, {
      why: "no capture has an id that begins like this",
      next: "conclaude queue list",
    });
  }
  const named = { noun: "capture", text, show: `queue show ${first.id}` };
  return found.find((item) => item.id === id) ?? onlyNamed(named, found, (item) => item.id);
}
