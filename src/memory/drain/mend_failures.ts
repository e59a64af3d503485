/** Closes a failure when a command with the same key passes later on its branch. The changes in between are the fix. */
import type { DatabaseSync } from "node:sqlite";
import { creditedChanges, describeFix, type PossibleFix } from "./describe_fix.ts";
import { digestOf } from "../../base/fnv.ts";
import { isSameValue } from "../../base/likeness.ts";
import type { CommandKey, ObservedFile } from "../observe/observation.ts";
import { changingPart } from "../observe/changing_commands.ts";
import { failureKey } from "../observe/command_key.ts";
import { MAX_COMMAND_CHARS } from "../observe/command_text.ts";
import { saysNothingToCommit } from "../observe/open_rank.ts";
import { indexedTerms } from "../search/terms.ts";
import { digestsOf } from "../tell/memory_context_table.ts";
import { saveObservation } from "./observations_table.ts";
import { type OpenFailure, openFailures, resolveObservation } from "../tell/open_failures_table.ts";
import { shortened } from "../text.ts";
import { askForSummary, type ClaimedCapture } from "../../db/queue_work.ts";
import { type Change, changesBetween } from "../observe/session_observations_table.ts";

interface Pass {
  readonly capture: ClaimedCapture;
  readonly passes: readonly CommandKey[];
  /** The command as it was typed; empty for a tool other than the shell. */
  readonly command: string;
  /** The number of the observation of the pass. */
  readonly by: number;
  /** Epoch milliseconds. Failures with a later date were stored before the clock was set back. */
  readonly nowMs: number;
}

type PossibleChange = Change & PossibleFix;

/** The most edits and commands that are read between a failure and a pass. */
const MAX_CHANGES = 400;
const NOT_ALL = /^panic: |\[(?:build|setup) failed\]/m;

/** Closes the open failures on the branch whose tests and files the passing command has covered. */
export function mendFailures(db: DatabaseSync, pass: Pass): void {
  const { capture: { sessionId, project, branch, createdAtMs: before }, passes, by, nowMs } = pass;
  const fixes = new Map<string, number>();
  for (const key of passes) {
    const of = key.isLine === true
      ? { line: shortened(key.what, MAX_COMMAND_CHARS) }
      : { sameAs: digestOf(failureKey(key.what)) };
    // During a rebase HEAD is on no branch, so failures of git are only closed within their session.
    const session = key.what.startsWith("git ") ? sessionId : null;
    const open = openFailures(db, of, { session, project, branch, before, nowMs })
      .filter((failure) => failure.id !== by && covers(key, failure));
    for (const failure of open) {
      // A later failure with another error shows that this one was mended before.
      const next = open.findLast(({ createdAtMs }) => createdAtMs > failure.updatedAtMs);
      const untilMs = next?.createdAtMs ?? before;
      const fix = saveFix(db, failure, { pass, fixes, untilMs });
      resolveObservation(db, failure.id, fix ?? by);
      if (failure.sessionId !== sessionId) askForSummary(db, failure.sessionId);
    }
  }
}

/** Saves the fix of a failure; null when no change may have mended it. Failures with equal fixes share one row. */
function saveFix(
  db: DatabaseSync,
  failure: OpenFailure,
  { pass, fixes, untilMs }: Readonly<{ pass: Pass; fixes: Map<string, number>; untilMs: number }>,
): number | null {
  const { id, sessionId, project, branch, createdAtMs } = pass.capture;
  const changes = [untilMs, createdAtMs].values()
    .map((until) => changesSince(db, failure, { sessionId, untilMs: until }))
    .find((found) => found.length > 0);
  if (changes === undefined) return null;
  const { files, ...fix } = describeFix(failure, changes, pass.command);
  const known = fixes.get(fix.title);
  if (known !== undefined) return known;
  const fixId = saveObservation(db, {
    ...fix,
    uid: `${id}/fix/${failure.id}`,
    sessionId,
    project,
    branch,
    kind: "fix",
    outcome: "success",
    terms: indexedTerms([fix.title, fix.text, ...files].join("\n"), project),
    files: filesOf(db, changes, files),
    sameAs: null,
    atMs: createdAtMs,
  });
  fixes.set(fix.title, fixId);
  return fixId;
}

/** Returns changes of a session between a failure and a pass that may have mended the failure, oldest first. */
function changesSince(
  db: DatabaseSync,
  failure: OpenFailure,
  { sessionId, untilMs }: { readonly sessionId: string; readonly untilMs: number },
) {
  const { command, error = failure.title } = failure.facts;
  // Tools other than the shell fail because of their input.
  if (command === undefined || saysNothingToCommit(error)) return [];
  const between = { fromMs: failure.updatedAtMs, untilMs, limit: MAX_CHANGES };
  const changes = changesBetween(db, sessionId, between).flatMap((change): PossibleChange[] => {
    if (change.kind === "edit") return [change];
    const changing = changingPart(change.facts.command ?? "");
    return changing === null ? [] : [{ ...change, ...changing, files: [] }];
  });
  return creditedChanges(failure, changes);
}

/** Returns the files that these changes touched, each with the digest that its last change left. */
function filesOf(
  db: DatabaseSync,
  changes: readonly Pick<Change, "id">[],
  paths: readonly string[],
): ObservedFile[] {
  const digests = digestsOf(db, changes.map(({ id }) => id));
  const all = changes.flatMap(({ id }) => digests.get(id) ?? []);
  const lastOf = (path: string) => all.findLast((one) => one.path === path)?.digest ?? null;
  return paths.map((path) => ({ path, digest: lastOf(path) }));
}

/** Tells whether a passing command, with the same key, has covered all tests and files that failed. */
function covers(passed: CommandKey, failure: OpenFailure): boolean {
  const { command = "", paths = [], chosen = [], failed = 0, passed: counted } = failure.facts;
  const { failing: named = [] } = failure.facts;
  // Go prints no counts: more tests may have failed than a filter shows, or a package was not built.
  const isPart = counted === undefined && (command.includes("|") || NOT_ALL.test(failure.text));
  const failing = named.length >= failed && !isPart ? named : [];
  const isChosen = passed.chosen.length === 0 || isSameValue(passed.chosen, chosen) ||
    failing.length > 0 && failing.every((name) => passed.chosen.some((one) => chooses(one, name)));
  const isThere = passed.paths.length === 0 ||
    paths.length > 0 && paths.every((path) => isWithin(path, passed.paths)) ||
    failing.length > 0 && failing.every((name) => isWithin(name, passed.paths));
  return isChosen && isThere;
}

/** Characters that can follow a path in the name of something inside of it. */
const WITHIN = /^[/:[# ]/;

function isWithin(path: string, paths: readonly string[]): boolean {
  return paths.some((one) =>
    path === one ||
    // Python also names tests by modules: `tests.a.B`.
    path.startsWith(one) && (one.includes("/") ? WITHIN : /^\W/).test(path.slice(one.length))
  );
}

/** Tells whether an option that selects tests by name (`^TestA$|TestB`, `a or b`) selects this one. */
function chooses(option: string, name: string): boolean {
  const parts = option.split(/\||\bor\b/).map((part) => part.replace(/[\^$()\\]/g, "").trim());
  return parts.some((part) => part !== "" && name.includes(part));
}
