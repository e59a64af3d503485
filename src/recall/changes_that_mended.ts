/** What was changed between a failure and its success that may have mended it. */
import type { DatabaseSync } from "node:sqlite";
import {
  creditedChanges,
  isNamedIn,
  likeliestChanges,
  namesOneOf,
  speaksOf,
  withoutThoseOfOthers,
} from "../memory/credited_changes.ts";
import { commandKey } from "../memory/observe/command_key.ts";
import { givenPart } from "../memory/observe/given_since.ts";
import { hadNothingToCommit } from "../memory/observe/open_rank.ts";
import { isGoneIn } from "../memory/observe/same_failure.ts";
import { isOfSurroundings, lackedBy } from "../memory/observe/surroundings.ts";
import { restoredBy } from "../memory/observe/restored_files.ts";
import { optionPart } from "../memory/observe/option_part.ts";
import { startedPart } from "../memory/observe/started_services.ts";
import {
  bringingPart,
  type Changed,
  onlyInstalls,
  writingPart,
} from "../memory/observe/writing_commands.ts";
import {
  type Change,
  changesBetween,
  commandsBetween,
  failuresUntil,
  scriptsBetween,
} from "../store/session_observations.ts";
import { failuresOfCommand, type OpenFailure } from "../store/open_failures.ts";
import { hasPutBack } from "../store/edits_put_back.ts";
import { mayBeOfOthers, type SuccessPlace } from "./work_of_others.ts";
import { withoutUndone } from "./undone_edits.ts";

/** What is between a failure and its success, at most; of edits so many are looked through for these. */
const MAX_CHANGES = 20;
const MAX_EDITS = 200;
/** What ran there is looked through for what changed something. */
const MAX_COMMANDS = 200;
/** Of what failed beside it so many are looked at. */
const MAX_FAILURES = 20;

/** What may have mended a failure. */
interface MendingChanges {
  /** Edits, and commands that change something; oldest first. */
  readonly changes: readonly Change[];
  /** The parts of those commands that do. */
  readonly commands: readonly string[];
}

interface Between {
  readonly sessionId: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * What a session changed until the failure was gone that may have mended it: what it edited, or else the commands that
 * change something. Of what surrounds a project these come first, and beside them what is edited for it; of what is only
 * installed no other edits count.
 */
export function changesThatMended(
  db: DatabaseSync,
  failure: OpenFailure,
  { sessionId, untilMs, ...place }: Pick<Between, "sessionId" | "untilMs"> & SuccessPlace,
): MendingChanges {
  if (hadNothingToCommit(failure)) return together([], []);
  const fromMs = failure.updatedAtMs;
  const seen = { sessionId, fromMs, untilMs };
  const between = { ...seen, untilMs: goneAtMs(db, failure, seen) };
  const partThatGives = givenPart(failure);
  if (partThatGives !== null) {
    const given = partsOf(db, failure, between, () => null, partThatGives);
    if (given.length > 0) return together([], given.slice(-1));
  }
  const all = changesBetween(db, sessionId, { ...between, limit: MAX_EDITS });
  const scripts = all.length === 0
    ? []
    : scriptsBetween(db, sessionId, { ...between, holding: "git" });
  const edited = creditedChanges(
    failure,
    withoutUndone(db, all, { ...between, firstMs: failure.createdAtMs, scripts }),
  );
  const isAlone = onlyInstalls(failure.facts.command ?? "");
  const ofFailure = edited.filter(({ files }) => files.some((path) => isOf(path, failure)));
  const edits = isAlone ? ofFailure : edited;
  const lacked = lackedBy(failure);
  const brought = lacked.length === 0 ? [] : written(db, failure, between, lacked);
  if (brought.length > 0) return together(ofFailure, brought);
  if (edits.length === 0) return together([], written(db, failure, between));
  const own = likeliestChanges(failure, {
    changes: withoutOthers(db, failure, { edits, ...seen }),
    most: MAX_CHANGES,
  });
  const isAbout = speaksOf(failure);
  if (own.some(({ files }) => files.some(isAbout))) return together(own, []);
  // What others did since may have mended it as well.
  if (scripts.some(({ command }) => bringingPart(command) !== null)) {
    return together([], partsOf(db, failure, between, (script) => bringingPart(script)));
  }
  return together(
    mayBeOfOthers(db, failure, { ...between, ...place }) ? [] : own,
    [],
  );
}

/** The edits without those that were made for another failure, as far as both name what is wrong. */
function withoutOthers(
  db: DatabaseSync,
  failure: OpenFailure,
  { edits, sessionId, untilMs }: Between & { readonly edits: readonly Change[] },
): readonly Change[] {
  if (!namesOneOf(failure, edits)) return edits;
  const beside = failuresUntil(db, sessionId, { untilMs, limit: MAX_FAILURES })
    .filter(({ id, facts }) => id !== failure.id && facts.of !== failure.facts.of);
  return withoutThoseOfOthers(failure, { edits, beside });
}

/** When the same command has failed without it, in another way: what was changed later did not mend it. */
function goneAtMs(db: DatabaseSync, failure: OpenFailure, between: Between): number {
  const { of } = failure.facts;
  if (of === undefined) return between.untilMs;
  return failuresOfCommand(db, { ...between, of })
    .find((later) => isGoneIn(failure, later))?.createdAtMs ?? between.untilMs;
}

function isOf(path: string, { text }: OpenFailure): boolean {
  return isOfSurroundings(path) || isNamedIn(text, path);
}

interface Written {
  readonly change: Change;
  readonly part: string;
}

function together(edits: readonly Change[], commands: readonly Written[]): MendingChanges {
  return {
    changes: [...edits, ...commands.map(({ change }) => change)],
    commands: commands.map(({ part }) => part),
  };
}

/**
 * The commands that may have mended something: those that change files, packages or services, and the same command with an
 * option by which it gets through.
 */
function written(
  db: DatabaseSync,
  failure: OpenFailure,
  between: Between,
  changed?: readonly Changed[],
): Written[] {
  const isOfServices = changed?.includes("services") === true;
  const own = changed === undefined ? optionPart(failure.facts.command ?? "") : () => null;
  return partsOf(db, failure, between, (script, isStarted) => {
    if (isStarted && !isOfServices) return null;
    const writes = writingPart(script, changed);
    // What had no port got none by what is started.
    if (writes !== null || !isOfServices || changed.includes("ended")) return writes;
    return startedPart(script, isStarted);
  }, own);
}

/** The commands of a session a part of which may have mended something. */
function partsOf(
  db: DatabaseSync,
  { facts }: OpenFailure,
  { sessionId, ...between }: Between,
  partOf: (script: string, isStarted: boolean) => string | null,
  ownPart: (script: string) => string | null = () => null,
): Written[] {
  // That the command works now that failed is not what made it work.
  const failed = commandKey(facts.command ?? "");
  return commandsBetween(db, sessionId, { ...between, limit: MAX_COMMANDS }).flatMap((change) => {
    const { command = "", isStarted = false } = change.facts;
    const own = ownPart(command);
    if (own !== null) return [{ change, part: own }];
    const part = partOf(command, isStarted);
    if (part === null || failed.includes(commandKey(part))) return [];
    // What takes back an edit only leaves things as they were before it.
    const isBack = restoredBy(part).length > 0 && hasPutBack(db, { id: change.id, sessionId });
    return isBack ? [] : [{ change, part }];
  }).slice(-MAX_CHANGES);
}
