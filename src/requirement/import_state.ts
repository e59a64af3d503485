/**
 * What the older requirements framework has recorded of branches, one JSON file each, in our words. Its times are epoch
 * seconds, perhaps with a fraction; ours are milliseconds.
 */
import { normalizeSessionId, shortSessionId } from "../ids.ts";
import { type Scope, SCOPES } from "./requirement_policy.ts";
import { WHOLE_BRANCH } from "./standing.ts";

/** A satisfaction that the older framework recorded. */
export interface RecordedSatisfaction {
  /** The file that it stands in. */
  readonly path: string;
  readonly branch: string;
  readonly requirement: string;
  /** A full id, or the beginning of one; empty for the whole branch. */
  readonly sessionId: string;
  readonly scope: Scope;
  readonly atMs: number;
  /** When it was satisfied in the session that it was carried over from; else the same as `atMs`. */
  readonly originalAtMs: number;
  readonly expiresAtMs: number | null;
  /** Who said so there: `skill`, `cli`, … */
  readonly by: string | null;
  /** As it stands there; secrets are not masked yet. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What one file says. */
export interface StateReading {
  readonly satisfactions: readonly RecordedSatisfaction[];
  /** What was passed over in it, or why all of it was. */
  readonly skipped: readonly string[];
}

/** A session that somebody knows by its full id. */
export interface KnownSession {
  readonly sessionId: string;
  /** Whether it is known to be of this project. */
  readonly isHere: boolean;
}

/** The only one that there has been. */
const VERSION = "1.0";
const SECOND_MS = 1_000;
/** Later than the year 5000: no epoch seconds. */
const MAX_SECONDS = 100_000_000_000;
/** Names that our configuration can have, too. */
const NAME = /^\w[\w.-]{0,63}$/;
/** So much of an id has to be there for the rest to be looked for. */
const MIN_ID_CHARS = 4;

/**
 * Reads one file. Never throws, whatever the text is. That a requirement was triggered is passed over: it belongs to
 * sessions that are over, and a stop would ask for it for nothing.
 *
 * @param at `path`: the file, for what is said of it; `nowMs`: a time after it is taken for this one.
 */
export function readState(
  text: string,
  at: { readonly path: string; readonly nowMs: number },
): StateReading {
  const file = parsed(text);
  if (file === undefined) return { satisfactions: [], skipped: ["it is not valid JSON"] };
  if (!isMap(file)) return { satisfactions: [], skipped: ["it is no JSON object"] };
  const { version, branch, requirements } = file;
  if (version !== VERSION) {
    const found = version === undefined ? "names none" : `has ${JSON.stringify(version)}`;
    return { satisfactions: [], skipped: [`version ${VERSION} is expected, it ${found}`] };
  }
  if (typeof branch !== "string" || branch.trim() === "") {
    return { satisfactions: [], skipped: ["it does not say which branch it is about"] };
  }
  if (!isMap(requirements ?? {})) {
    return { satisfactions: [], skipped: ["its requirements are no JSON object"] };
  }
  const skipped: string[] = [];
  const satisfactions = Object.entries(requirements ?? {}).flatMap(([requirement, state]) => {
    if (!NAME.test(requirement)) {
      skipped.push(`${JSON.stringify(requirement)} cannot be a requirement's name`);
      return [];
    }
    return readRequirement(state, { ...at, file, branch, requirement, skipped });
  });
  return { satisfactions, skipped };
}

interface Place {
  readonly path: string;
  readonly nowMs: number;
  readonly file: Readonly<Record<string, unknown>>;
  readonly branch: string;
  readonly requirement: string;
  readonly skipped: string[];
}

function readRequirement(state: unknown, place: Place): RecordedSatisfaction[] {
  const { requirement, skipped } = place;
  if (!isMap(state)) {
    skipped.push(`${requirement}: it is no JSON object`);
    return [];
  }
  const scope = SCOPES.find((one) => one === (state["scope"] ?? "session"));
  if (scope === undefined) {
    skipped.push(`${requirement}: there is no scope ${JSON.stringify(state["scope"])}`);
    return [];
  }
  const { sessions = {} } = state;
  if (!isMap(sessions)) skipped.push(`${requirement}: its sessions are no JSON object`);
  const found = Object.entries(isMap(sessions) ? sessions : {}).flatMap(([key, entry]) => {
    const sessionId = isBranchKey(key) ? WHOLE_BRANCH : normalizeSessionId(key);
    // Without an id it would count for the whole branch.
    if (sessionId === undefined) skipped.push(`${requirement}: an entry names no session`);
    else if (!isMap(entry)) skipped.push(`${requirement}, ${key}: it is no JSON object`);
    else return readEntry(entry, { ...place, scope, sessionId });
    return [];
  });
  return [...readEntry(state, { ...place, scope, sessionId: WHOLE_BRANCH }), ...found];
}

function readEntry(
  entry: Readonly<Record<string, unknown>>,
  place: Place & { readonly scope: Scope; readonly sessionId: string },
): RecordedSatisfaction[] {
  const { path, branch, requirement, scope, sessionId, nowMs, file, skipped } = place;
  if (entry["satisfied"] !== true) return [];
  const who = sessionId === WHOLE_BRANCH ? requirement : `${requirement}, ${sessionId}`;
  const atMs = timeOf(entry["satisfied_at"] ?? file["updated_at"] ?? file["created_at"]);
  if (atMs === null) {
    skipped.push(`${who}: it does not say when it was satisfied`);
    return [];
  }
  const expires = entry["expires_at"] ?? null;
  const expiresAtMs = expires === null ? null : timeOf(expires);
  if (expires !== null && expiresAtMs === null) {
    skipped.push(`${who}: ${JSON.stringify(expires)} is no time at which it could expire`);
    return [];
  }
  const { metadata, satisfied_by: by } = entry;
  const details = isMap(metadata) ? metadata : {};
  // Nothing is to be carried on for ever, so the first time counts.
  const carried = by === "carry_over" ? timeOf(details["original_satisfied_at"]) : null;
  return [{
    path,
    branch,
    requirement,
    sessionId,
    scope,
    atMs: Math.min(atMs, nowMs),
    originalAtMs: Math.min(carried ?? atMs, atMs, nowMs),
    expiresAtMs,
    by: typeof by === "string" ? by : null,
    metadata: details,
  }];
}

/**
 * The full id that a recorded one means: itself where it is whole, else the only known session that begins like it, those
 * of this project first.
 *
 * @returns The recorded id where none or several are known.
 */
export function resolveSession(recorded: string, known: readonly KnownSession[]): string {
  const beginning = keyOf(recorded);
  if (recorded === WHOLE_BRANCH || beginning.length < MIN_ID_CHARS) return recorded;
  if (known.some(({ sessionId }) => sessionId === recorded)) return recorded;
  const alike = known.filter(({ sessionId }) => keyOf(sessionId).startsWith(beginning));
  for (const found of [alike.filter(({ isHere }) => isHere), alike]) {
    const ids = new Set(found.map(({ sessionId }) => sessionId));
    if (ids.size === 1) return [...ids][0]!;
  }
  return recorded;
}

/** Of several satisfactions of one requirement on one branch for one owner, the newest. */
export function newestOnly(found: readonly RecordedSatisfaction[]): RecordedSatisfaction[] {
  const newest = new Map<string, RecordedSatisfaction>();
  for (const one of found) {
    const key = JSON.stringify([one.branch, one.requirement, one.sessionId]);
    const other = newest.get(key);
    if (other === undefined || other.atMs < one.atMs) newest.set(key, one);
  }
  return [...newest.values()];
}

/** Whether it counts no more; what is permanent always counts. */
export function isOver({ scope, expiresAtMs }: RecordedSatisfaction, nowMs: number): boolean {
  return scope !== "permanent" && expiresAtMs !== null && expiresAtMs <= nowMs;
}

/**
 * The full ids in the older framework's registry of sessions, and which of them are of this project.
 *
 * @param isHere Whether a folder belongs to this project.
 * @returns Null when the text is no registry.
 */
export function readRegistry(
  text: string,
  isHere: (folder: string) => boolean,
): KnownSession[] | null {
  const file = parsed(text);
  const sessions = isMap(file) ? file["sessions"] ?? {} : null;
  if (!isMap(sessions)) return null;
  return Object.entries(sessions).flatMap(([key, entry]): KnownSession[] => {
    const sessionId = normalizeSessionId(key);
    if (sessionId === undefined || shortSessionId(sessionId) === sessionId) return [];
    const folder = isMap(entry) ? entry["project_dir"] : undefined;
    return [{ sessionId, isHere: typeof folder === "string" && isHere(folder) }];
  });
}

/**
 * Satisfactions of a whole branch were also kept as those of a session named `branch-override`, which the framework cut
 * to `branchov` like any id. No id begins like that.
 */
function isBranchKey(key: string): boolean {
  return /^branch/i.test(key.trim());
}

function keyOf(sessionId: string): string {
  return sessionId.replaceAll("-", "").toLowerCase();
}

/** Milliseconds; null for what is no time in epoch seconds. */
function timeOf(value: unknown): number | null {
  const isTime = typeof value === "number" && value > 0 && value < MAX_SECONDS;
  return isTime ? Math.round(value * SECOND_MS) : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
