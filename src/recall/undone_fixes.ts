/** Undoes what a command has taken back: commits that it reverts, and the fixes whose changes are gone with that. */
import type { DatabaseSync } from "node:sqlite";
import { loggedCommits } from "../git/branch_log.ts";
import { takenBackOn } from "../git/taken_back.ts";
import { digestOf } from "../memory/fnv.ts";
import type { Observed } from "../memory/observation.ts";
import { gitArguments } from "../memory/observe/git_words.ts";
import { isRestored, restoredBy, staysHere } from "../memory/observe/restored_files.ts";
import { revertedSubject, revertsLast } from "../memory/observe/reverted_commit.ts";
import { failingAgain } from "../memory/observe/mended_tests.ts";
import { whatIsWrong } from "../memory/observe/same_failure.ts";
import { scriptCommands } from "../memory/observe/shell_words.ts";
import { lastContent } from "../store/memory_context.ts";
import { retellObservation } from "../store/observations.ts";
import { asideSince, resolveObservation, sameFailure } from "../store/open_failures.ts";
import { askForSummary, type ClaimedCapture } from "../store/queue_work.ts";
import { type Pass, scriptsBetween } from "../store/session_observations.ts";
import { isEditedBetween } from "../store/redone_work.ts";
import type { DoneBy } from "./done_by.ts";
import { redo, redoByEdit, redoByRestore } from "./redone_fixes.ts";
import { type EditedFiles, editsIn, editsPutBack, standingEdits } from "../store/edits_put_back.ts";
import {
  commitsBetween,
  type CommitSpan,
  commitSpans,
  failuresMendedBy,
  type MendedFailure,
  reopenFailure,
  standingCommit,
  standingFixes,
} from "../store/undone_work.ts";

/** A command or an edit that may have undone something. */
interface Undoing extends Pick<DoneBy, "capture" | "by"> {
  /** The commits that it has reset away, with what they had changed. */
  readonly dropped: readonly number[];
}

/**
 * Closes what a command or an edit has undone. A fix is undone where all that it is credited to is: an edit of a file that was put back
 * as git has it, with no commit since that may hold it, or that another one took back, or edits that went into a commit which is taken back.
 */
export function undoBy(db: DatabaseSync, observed: Observed, undoing: Undoing): void {
  const { by, capture } = undoing;
  const { project, branch, createdAtMs: atMs } = capture;
  const { command = "" } = observed.facts;
  const stash = DROPS_STASH.test(command) ? lastStash(db, capture) : undefined;
  const restored = restoredFiles(db, observed, { ...undoing, stash });
  if (restored.length > 0) takeBackEdits(db, restored, undoing);
  const gone = [...goneCommits(db, observed, undoing), ...editsTakenBack(db, observed, undoing)];
  const isUndone = [...restored, ...gone];
  if (isUndone.length === 0) return;
  // What was changed and has passed since it was put aside is there still.
  const isOnlyDrop = stash !== undefined && gone.length === 0 &&
    restoredBy(command, observed.text).length === 0;
  const goneAtMs = isOnlyDrop ? stash.updatedAtMs : atMs;
  const between = { project, branch, fromMs: goneAtMs, untilMs: atMs };
  for (
    const fix of standingFixes(db, { project, branch, untilMs: atMs })
  ) {
    const edits = editsIn(db, fix.by);
    if (edits === null || !isUndone.some((isGone) => isGone(edits))) continue;
    const failures = failuresMendedBy(db, { fix, untilMs: goneAtMs });
    const isMendedAnew = goneAtMs < atMs && failures.length === 0 &&
      edits.every(({ files }) => files.every((path) => isEditedBetween(db, { ...between, path })));
    if (isMendedAnew) continue;
    for (const failure of failures) {
      const again = failingAgain(failure, fix.uid);
      if (again === null) continue;
      // What was changed until then is undone, and no fix of it.
      const since = { sameAs: sameAsOf(again), atMs: goneAtMs + 1 };
      if (reopenFailure(db, failure.id, since)) retellObservation(db, failure.id, again);
      askForSummary(db, failure.sessionId);
    }
    resolveObservation(db, fix.id, by);
    askForSummary(db, fix.sessionId);
  }
}

/** Closes the edits that git has put back: a file that was not there before is there still. */
function takeBackEdits(db: DatabaseSync, restored: readonly AreGone[], { capture, by }: Undoing) {
  const { project, branch, createdAtMs: untilMs } = capture;
  for (const edit of standingEdits(db, { project, branch, untilMs })) {
    if (!edit.hadFile || !restored.some((isGone) => isGone([edit]))) continue;
    resolveObservation(db, edit.id, by);
    askForSummary(db, edit.sessionId);
  }
}

/** What the repeats of a failure have in common, as it was before it was mended; null where that is not known. */
function sameAsOf({ facts }: Pick<MendedFailure, "facts">): string | null {
  const { of, failing = [], error = null, errors = [] } = facts;
  if (of === undefined) return null;
  return sameFailure(of, digestOf(whatIsWrong({ failing, error, errors })));
}

type AreGone = (edits: readonly EditedFiles[]) => boolean;

/** What takes files out of reach of what puts them back, until they are committed, or aside. */
const STAGING = /^(?:(?:add|stage)\b|reset (?:.* )?--soft\b)/;
const STASHING = /^stash\b/;
/** What leaves nothing staged. */
const UNSTAGING = /^reset(?: -q| --quiet| --mixed| --hard)*(?: (?:HEAD|@)[~^\d]*)?$/;

function restoredFiles(
  db: DatabaseSync,
  { outcome, text, facts }: Observed,
  { capture, by, stash }: Undoing & { readonly stash: Pass | undefined },
): AreGone[] {
  const { project, branch, sessionId, createdAtMs: untilMs } = capture;
  // What is put aside comes back.
  const { aside } = facts;
  const isAside = aside !== undefined && (aside.isAway || aside.what !== "stash");
  const { command = "", isUntold, isElsewhere } = facts;
  if (outcome !== "success" && !isUntold || isAside || !command.includes("git")) return [];
  if (isElsewhere && !staysHere(command)) return [];
  const restored = restoredBy(stash === undefined ? command : `${stash.command}; ${command}`, text);
  if (restored.length === 0) return [];
  const beforeMs = stash?.updatedAtMs ?? untilMs;
  redoByRestore(db, restored, capture);
  const logged = loggedHere(capture).filter(({ subject }) => subject !== facts.commit?.subject);
  const commitsSince = (fromMs: number) =>
    Math.max(
      commitsBetween(db, { project, branch, fromMs, untilMs, but: by }),
      logged.filter(({ atMs }) => atMs > fromMs && atMs <= untilMs).length,
    );
  const isKept = (fromMs: number, from: number | null) => {
    if (commitsSince(fromMs) > (from ?? 0)) return true;
    const verbs = scriptsBetween(db, sessionId, { fromMs, untilMs: beforeMs - 1, holding: "git" })
      .toSorted((one, other) => one.updatedAtMs - other.updatedAtMs)
      .flatMap(({ command }) => scriptCommands(command))
      .map(({ words }) => (gitArguments(words) ?? []).join(" "));
    const lastStaged = verbs.findLastIndex((verb) => STAGING.test(verb));
    const isStaged = lastStaged > verbs.findLastIndex((verb) => UNSTAGING.test(verb));
    return verbs.some((verb) => STASHING.test(verb)) || from === null && isStaged;
  };
  return [(edits) => {
    const fromMs = Math.min(...edits.map(({ atMs }) => atMs));
    // What was put back last is there.
    const isGone = (path: string) => {
      const last = restored.findLast((one) => isRestored(path, [one]));
      return last !== undefined && !isKept(fromMs, last.from);
    };
    return edits.every(({ files, atMs }) =>
      atMs < beforeMs && files.length > 0 && files.every(isGone)
    );
  }];
}

/** The last commits of a branch of which git's log tells, but for those that were taken back. */
function loggedHere({ project, branch }: Pick<ClaimedCapture, "project" | "branch">) {
  if (project === null || branch === null) return [];
  const back = new Set(takenBackOn({ commonDir: project }, branch).map(({ id }) => id));
  return loggedCommits({ commonDir: project }, branch).filter(({ id }) => !back.has(id));
}

const DROPS_STASH = /^git stash (?:drop|clear)\b/;
const LOOKS_AT_STASH = /^git stash (?:list|show)\b/;

/** The script of a session that has put its work aside which is not back; undefined where none has. */
function lastStash(
  db: DatabaseSync,
  { sessionId, createdAtMs }: ClaimedCapture,
): Pass | undefined {
  const fromMs = asideSince(db, sessionId, createdAtMs - 1);
  if (fromMs === null) return undefined;
  const between = { fromMs, untilMs: createdAtMs - 1, holding: "git stash" };
  return scriptsBetween(db, sessionId, between)
    .findLast(({ command }) => !LOOKS_AT_STASH.test(command));
}

/** The commits that are gone, those that are reverted closed. */
function goneCommits(
  db: DatabaseSync,
  observed: Observed,
  { capture, by, dropped }: Undoing,
): AreGone[] {
  const { project, branch, createdAtMs: untilMs } = capture;
  const here = { project, branch, untilMs, but: by };
  const spans = dropped.length === 0 ? [] : commitSpans(db, dropped);
  const close = ({ id, sessionId }: CommitSpan) => {
    resolveObservation(db, id, by);
    askForSummary(db, sessionId);
  };
  const takeBack = (commit: CommitSpan) => {
    close(commit);
    const before = revertedSubject(commit.subject);
    if (before === null) return spans.push(commit);
    redo(db, commit, { capture });
    // It had put back itself what another one took back, and holds no edits.
    const subject = revertedSubject(before);
    const first = subject === null ? undefined : standingCommit(db, { ...here, subject });
    if (first === undefined) return;
    close(first);
    if (revertedSubject(first.subject) === null) spans.push(first);
  };
  for (let told: Observed | undefined = observed; told !== undefined; told = told.besides) {
    const subject = told.kind === "commit"
      ? revertedSubject(told.facts.commit?.subject ?? null)
      : null;
    const commit = subject === null ? undefined : standingCommit(db, { ...here, subject });
    if (commit !== undefined) takeBack(commit);
  }
  const last = observed.outcome === "success" && revertsLast(observed.facts.command ?? "")
    ? lastCommit(db, here, observed)
    : undefined;
  if (last !== undefined && observed.kind === "commit") takeBack(last);
  // It may be given up before it is committed.
  else if (last !== undefined && revertedSubject(last.subject) === null) spans.push(last);
  return spans.map(({ atMs: madeAtMs, afterMs }) => (edits) =>
    edits.every(({ atMs }) => atMs > afterMs && atMs <= madeAtMs)
  );
}

/** The commit that a branch ended with before a command; undefined where git's log tells of another one. */
function lastCommit(
  db: DatabaseSync,
  here: Parameters<typeof standingCommit>[1],
  { facts: { commit } }: Observed,
): CommitSpan | undefined {
  const { project, branch, untilMs } = here;
  const last = standingCommit(db, here);
  const logged = project === null || branch === null
    ? undefined
    : loggedCommits({ commonDir: project }, branch)
      .findLast(({ atMs, subject }) => atMs <= untilMs && subject !== commit?.subject);
  return logged === undefined || logged.subject === last?.subject ? last : undefined;
}

/** Edits of files that are by now what they were before the first of them, this one by an edit. */
function editsTakenBack(
  db: DatabaseSync,
  { kind, files: [file], facts: { before } }: Observed,
  { capture, by }: Undoing,
): AreGone[] {
  if (kind !== "edit" || file === undefined || file.digest === null) return [];
  const { project, branch, sessionId, createdAtMs: untilMs } = capture;
  const { path, digest } = file;
  const edits = editsPutBack(db, { project, branch, untilMs, path, digest });
  if (edits.length === 0) return [];
  if (before !== undefined) redoByEdit(db, before, { capture, by, edits });
  const contentOf = (one: string) =>
    one === path ? digest : lastContent(db, { sessionId, path: one, untilMs });
  return [(edits) =>
    edits.some(({ files }) => files.includes(path)) &&
    edits.every(({ files, atMs }) =>
      atMs < untilMs && files.length > 0 && files.every((one) => {
        const first = edits.find(({ files }) => files.includes(one));
        return first?.before != null && contentOf(one) === first.before;
      })
    )];
}
