/**
 * What the older requirements framework has recorded of branches, one JSON file each, in our words. Its times are epoch
 * seconds, perhaps with a fraction; ours are milliseconds.
 */
import { normalizeSessionId, shortSessionId } from "../ids.ts";
import { type Scope } from "./requirement_policy.ts";
import { SCOPES } from "./requirement_policy.ts";
import { WHOLE_BRANCH } from "./standing.ts";

/** A satisfaction that the framework recorded. */
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

/** A session that somebody knows by its full id. */
export interface KnownSession {
  readonly sessionId: string;
  /** Whether it is known to be of this project. */
  readonly isHere: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** The only version that there has been. */
const VERSION = "1.0";
/** Later than the year 5000: no epoch seconds. */
const MAX_SECONDS = 100_000_000_000;
/** Names that our configuration can have, too. */
const NAME = /^\w[\w.-]{0,63}$/;
/** So much of an id has to be there for the rest to be looked for. */
const MIN_ID_CHARS = 4;

/**
 * Reads one file. That a requirement was triggered is passed over: it belongs to sessions that are over, and a stop
 * would ask for it for nothing.
 *
 * @param at `nowMs`: a time after it is taken for this one; `skip`: is told what is passed over, and why.
 */
export function readState(text: string, at: {
  readonly path: string;
  readonly nowMs: number;
  readonly skip: (why: string) => void;
}): RecordedSatisfaction[] {
  const { path, nowMs, skip } = at;
  const file = parsed(text);
  const { version, branch, requirements = {} } = isMap(file) ? file : {} as Fields;
  const why = file === undefined
    ? "it is not valid JSON"
    : !isMap(file)
    ? "it is no JSON object"
    : version !== VERSION
    ? `version ${VERSION} is expected, it has ${JSON.stringify(version) ?? "none"}`
    : typeof branch !== "string" || branch.trim() === ""
    ? "it does not say which branch it is about"
    : !isMap(requirements)
    ? "its requirements are no JSON object"
    : null;
  if (why !== null) skip(why);
  if (why !== null || !isMap(file)) return [];
  const entryOf = (
    entry: Fields,
    owner: Pick<RecordedSatisfaction, "requirement" | "sessionId" | "scope">,
  ): RecordedSatisfaction[] => {
    if (entry["satisfied"] !== true) return [];
    const { requirement, sessionId } = owner;
    const who = sessionId === WHOLE_BRANCH ? requirement : `${requirement}, ${sessionId}`;
    const atMs = timeOf(entry["satisfied_at"] ?? file["updated_at"] ?? file["created_at"]);
    const expires = entry["expires_at"] ?? null;
    const expiresAtMs = expires === null ? null : timeOf(expires);
    if (atMs === null) skip(`${who}: it does not say when it was satisfied`);
    else if (expires !== null && expiresAtMs === null) {
      skip(`${who}: ${JSON.stringify(expires)} is no time at which it could expire`);
    } else {
      const { metadata, satisfied_by: by } = entry;
      const details = isMap(metadata) ? metadata : {};
      // Nothing is to be carried on for ever, so the first time counts.
      const first = by === "carry_over" ? timeOf(details["original_satisfied_at"]) : null;
      return [{
        path,
        branch: String(branch),
        ...owner,
        atMs: Math.min(atMs, nowMs),
        originalAtMs: Math.min(first ?? atMs, atMs, nowMs),
        expiresAtMs,
        by: typeof by === "string" ? by : null,
        metadata: details,
      }];
    }
    return [];
  };
  return Object.entries(requirements as Fields).flatMap(([requirement, state]) => {
    const scope = isMap(state) ? SCOPES.find((one) => one === (state["scope"] ?? "session")) : null;
    if (!NAME.test(requirement)) {
      skip(`${JSON.stringify(requirement)} cannot be a requirement's name`);
    } else if (!isMap(state)) skip(`${requirement}: it is no JSON object`);
    else if (scope == null) {
      skip(`${requirement}: there is no scope ${JSON.stringify(state["scope"])}`);
    } else {
      const { sessions = {} } = state;
      if (!isMap(sessions)) skip(`${requirement}: its sessions are no JSON object`);
      const found = Object.entries(isMap(sessions) ? sessions : {}).flatMap(([key, entry]) => {
        const sessionId = isBranchKey(key) ? WHOLE_BRANCH : normalizeSessionId(key);
        // Without an id it would count for the whole branch.
        if (sessionId === undefined) skip(`${requirement}: an entry names no session`);
        else if (!isMap(entry)) skip(`${requirement}, ${key}: it is no JSON object`);
        else return entryOf(entry, { requirement, scope, sessionId });
        return [];
      });
      return [...entryOf(state, { requirement, scope, sessionId: WHOLE_BRANCH }), ...found];
    }
    return [];
  });
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
export function newestOnly<One extends RecordedSatisfaction>(found: readonly One[]): One[] {
  const newest = new Map<string, One>();
  for (const one of found) {
    const key = JSON.stringify([one.branch, one.requirement, one.sessionId]);
    if ((newest.get(key)?.atMs ?? -1) < one.atMs) newest.set(key, one);
  }
  return [...newest.values()];
}

/**
 * The full ids in the framework's registry of sessions, and which of them are of this project.
 *
 * @param isHere Whether a folder belongs to this project. @returns Null when the text is no registry.
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

/** Satisfactions of a whole branch were also kept as those of a session `branch-override`, cut to `branchov` like any id. */
function isBranchKey(key: string): boolean {
  return /^branch/i.test(key.trim());
}

function keyOf(sessionId: string): string {
  return sessionId.replaceAll("-", "").toLowerCase();
}

/** Milliseconds; null for what is no time in epoch seconds. */
function timeOf(value: unknown): number | null {
  const isTime = typeof value === "number" && value > 0 && value < MAX_SECONDS;
  return isTime ? Math.round(value * 1_000) : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

function isMap(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
