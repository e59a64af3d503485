/** Puts back what was undone: a revert is reverted, a reset taken back, and the fixes are there again with their commits. */
import type { DatabaseSync } from "node:sqlite";
import { mendedAgain } from "../memory/observe/mended_tests.ts";
import { gitArguments } from "../memory/observe/git_words.ts";
import { isRestored, type Restored } from "../memory/observe/restored_files.ts";
import { scriptCommands, tellsItsStatus } from "../memory/observe/shell_words.ts";
import { retellObservation } from "../store/observations.ts";
import { resolveObservation } from "../store/open_failures.ts";
import { askForSummary, type ClaimedCapture } from "../store/queue_work.ts";
import { scriptsBetween } from "../store/session_observations.ts";
import {
  isEditedBetween,
  lastUndoing,
  standAgain,
  undoneBy,
  type UndoneRow,
} from "../store/redone_work.ts";
import { type EditPutBack, editsIn } from "../store/edits_put_back.ts";
import { commitsBetween, commitSpans, failuresMendedBy } from "../store/undone_work.ts";
import type { DoneBy } from "./done_by.ts";

/** What has undone something, and is taken back itself. */
interface Undoing {
  readonly id: number;
  /** When it was done, epoch milliseconds. */
  readonly atMs: number;
}

/**
 * What an observation had undone is there again: of its commits all, or those up to one; of its fixes those whose edits
 * are in these, where nothing was edited since. What has failed with them is closed by them once more.
 *
 * @param upTo The beginning of the hash of the last commit that is there again; null for all of them.
 */
export function redo(
  db: DatabaseSync,
  { id: by, atMs }: Undoing,
  { capture, upTo = null }: { readonly capture: ClaimedCapture; readonly upTo?: string | null },
): void {
  const { project, branch, createdAtMs: untilMs } = capture;
  const undone = undoneBy(db, { project, branch, by });
  const commits = undone.filter(({ kind }) => kind === "commit");
  const last = upTo === null
    ? commits.length - 1
    : commits.findIndex(({ hash }) => isOf(hash, upTo));
  const back = commits.slice(0, last + 1);
  back.forEach((commit) => putBack(db, commit));
  if (back.length === 0 || isEditedBetween(db, { project, branch, fromMs: atMs, untilMs })) return;
  const spans = commitSpans(db, back.map(({ id }) => id));
  for (const fix of undone.filter(({ kind }) => kind === "fix")) {
    const isBack = editsIn(db, fix.by)?.every((edit) =>
      spans.some(({ atMs, afterMs }) => edit.atMs > afterMs && edit.atMs <= atMs)
    );
    if (isBack === true) putBackFix(db, fix, untilMs);
  }
}

/**
 * An edit takes back the one before it, which had undone a fix: the file is again as that has left it.
 *
 * @param before Digest of the file before the edit.
 */
export function redoByEdit(
  db: DatabaseSync,
  before: string,
  { capture, by, edits }: Pick<DoneBy, "capture" | "by"> & {
    /** What the file was before these is what it is now. */
    readonly edits: readonly EditPutBack[];
  },
): void {
  const { project, branch, createdAtMs: untilMs } = capture;
  const last = edits.find(({ id, digest }) => id !== by && digest === before);
  if (last === undefined) return;
  const between = { project, branch, fromMs: last.atMs, untilMs, but: by };
  const fixes = undoneBy(db, { project, branch, by: last.id });
  if (fixes.length === 0 || isEditedBetween(db, between)) return;
  for (const fix of fixes) putBackFix(db, fix, untilMs);
}

/**
 * The files of a fix are put back as the last commit has them, which holds it, after a command had put them back as an
 * earlier one has them: `git checkout HEAD~1 -- a.py`, and `git checkout HEAD -- a.py`.
 */
export function redoByRestore(
  db: DatabaseSync,
  restored: readonly Restored[],
  capture: ClaimedCapture,
): void {
  const { project, branch, sessionId, createdAtMs: untilMs } = capture;
  const here = { project, branch, untilMs };
  const last = restored.filter(({ from }) => from === 0);
  const undoing = last.length === 0 ? undefined : lastUndoing(db, { ...here, sessionId });
  if (undoing === undefined || / reset /.test(undoing.command)) return;
  const since = { ...here, fromMs: undoing.atMs };
  if (isEditedBetween(db, since) || commitsBetween(db, { ...since, but: 0 }) > 0) return;
  for (const fix of undoneBy(db, { project, branch, by: undoing.id })) {
    const edits = fix.kind === "fix" ? editsIn(db, fix.by) : null;
    if (edits?.every(({ files }) => files.every((path) => isRestored(path, last))) !== true) {
      continue;
    }
    const fromMs = Math.max(...edits.map(({ atMs }) => atMs));
    const isHeld =
      commitsBetween(db, { ...here, fromMs, untilMs: undoing.atMs, but: undoing.id }) > 0;
    if (isHeld) putBackFix(db, fix, untilMs);
  }
}

/** @param untilMs What failed and has passed since is left as it is. */
function putBackFix(db: DatabaseSync, fix: UndoneRow, untilMs: number): void {
  putBack(db, fix);
  for (const failure of failuresMendedBy(db, { fix, untilMs })) {
    const left = mendedAgain(failure, fix.uid);
    if (left === null) continue;
    retellObservation(db, failure.id, left);
    if (!left.isOpen) resolveObservation(db, failure.id, fix.id);
    askForSummary(db, failure.sessionId);
  }
}

function putBack(db: DatabaseSync, { id, sessionId }: UndoneRow): void {
  standAgain(db, id);
  askForSummary(db, sessionId);
}

function isOf(hash: string | null, other: string): boolean {
  return hash !== null && hash !== "" && (hash.startsWith(other) || other.startsWith(hash));
}

/** What moves a branch, or leaves it, so that what was there before the last move is something else. */
const MOVES = /^(?:commit|merge|pull|rebase|cherry-pick|revert|am|reset|checkout|switch)$/;
const BEFORE_LAST = /^(?:(?:HEAD)?@\{1\}|ORIG_HEAD)$/;
const HASH = /^[0-9a-f]{7,40}$/;

/** `git reset --hard HEAD@{1}` behind a reset, which is taken back with it. */
export function redoByReset(db: DatabaseSync, command: string, capture: ClaimedCapture): void {
  const commands = scriptCommands(command);
  const moves = commands.map(({ words }) => gitArguments(words) ?? [])
    .filter(([verb = ""]) => MOVES.test(verb));
  const [verb, ...args] = moves[0] ?? [];
  if (moves.length !== 1 || verb !== "reset" || !tellsItsStatus(commands)) return;
  const [to = "", ...more] = args.filter((word) =>
    !/^(?:--(?:hard|keep|merge|quiet)|-q)$/.test(word)
  );
  const isHash = HASH.test(to);
  if (more.length > 0 || !isHash && !BEFORE_LAST.test(to)) return;
  const { project, branch, sessionId, createdAtMs: untilMs } = capture;
  const undoing = lastUndoing(db, { project, branch, sessionId, untilMs });
  if (undoing === undefined || !/ reset /.test(undoing.command)) return;
  const between = { fromMs: undoing.atMs + 1, untilMs: untilMs - 1, holding: "git" };
  const hasMoved = scriptsBetween(db, sessionId, between).some(({ command }) =>
    scriptCommands(command).some(({ words }) => MOVES.test(gitArguments(words)?.[0] ?? ""))
  );
  if (!hasMoved) redo(db, undoing, { capture, upTo: isHash ? to : null });
}
