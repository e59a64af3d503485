/** Which commit a command has made: what git says of it, else what the command line tells of one that is quiet. */
import { type ScriptCommand, scriptCommands } from "./shell_words.ts";

/** A commit, as far as it is told. */
export interface MadeCommit {
  /** Null when nothing printed it. */
  readonly hash: string | null;
  readonly subject: string;
  /** Null when git did not say. */
  readonly branch: string | null;
}

/** `[main 1a2b3c4] subject`, `[main (root-commit) 1a2b3c4] subject` */
const COMMITTED = /^\[([^\]\n]+?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)$/m;
/** As `git log --oneline` tells one, with its branches and its line of a graph where they are asked for. */
const LOGGED = /^(?:\* )?([0-9a-f]{7,40}) (?:\([^()]*\) )?(\S.*)$/;
const LOGGED_WHOLE = /^commit ([0-9a-f]{40})\b/;
const HASH = /^[0-9a-f]{7,40}$/;
const WITH_VALUE: ReadonlySet<string> = new Set(["-c", "-C", "--git-dir", "--work-tree"]);
const ONLY_TRIED: ReadonlySet<string> = new Set([
  "--dry-run",
  "--short",
  "--porcelain",
  "--long",
  "-h",
  "--help",
]);
/** What is said when nothing was committed, for where the status is another program's. */
const CHANGED = /^ ?\d+ files? changed\b/m;
const MAX_LINES = 200;

/**
 * The commit that a command has made.
 *
 * @param command One that succeeded. @returns Null when it made none, or that is not sure.
 */
export function madeCommit(command: string, output: string): MadeCommit | null {
  const git = command.indexOf("git");
  if (git < 0 || !/\b(?:commit|cherry-pick|revert|merge)\b/.test(command.slice(git))) return null;
  const [line, branch, hash, subject] = COMMITTED.exec(output) ?? [];
  if (line !== undefined) return { hash: hash!, subject: subject!, branch: branch! };
  return quietCommit(scriptCommands(command), output);
}

function quietCommit(commands: readonly ScriptCommand[], output: string): MadeCommit | null {
  const at = commands.findLastIndex((one) => gitArguments(one.words)?.[0] === "commit");
  const made = commands[at];
  const args = gitArguments(made?.words ?? [])?.slice(1) ?? [];
  if (made === undefined || made.before === "||" || args.some((word) => ONLY_TRIED.has(word))) {
    return null;
  }
  const lines = output.split("\n", MAX_LINES);
  const behind = commands.slice(at + 1).map(({ words }) => gitArguments(words)?.[0]);
  const shows = behind.some((verb) => verb === "log" || verb === "show");
  const told = subjectOf(args, made.input);
  const logged = lines.map((line) => LOGGED.exec(line))
    .find((found) => found !== null && (told === null ? shows : found[2] === told));
  const subject = told ?? logged?.[2];
  if (subject === undefined) return null;
  const isShown = logged !== undefined && logged !== null ||
    shows && lines.some((line) => line.trim() === subject);
  // Its own status is that of the whole only where nothing but `&&` comes behind.
  const succeeded = commands.slice(at).every(({ after }) => after === "&&" || after === "");
  if (!succeeded && !isShown && output.trim() !== "" && !CHANGED.test(output)) return null;
  return { hash: logged?.[1] ?? hashIn(lines, { isShown, behind }), subject, branch: null };
}

/** The words behind `git` and its own options; null for another program. */
function gitArguments(words: readonly string[]): readonly string[] | null {
  if (!/^(?:.*\/)?git$/.test(words[0] ?? "")) return null;
  let at = 1;
  while (words[at]?.startsWith("-")) at += WITH_VALUE.has(words[at]!) ? 2 : 1;
  return words.slice(at);
}

/** The first line of the message, where the command line has it. */
function subjectOf(args: readonly string[], input: string | null): string | null {
  for (let at = 0; at < args.length; at++) {
    const [, flag, attached] = /^-[aeinopqsvz]*([mF])([\s\S]*)$/.exec(args[at]!) ??
      /^--(message|file)(?:=([\s\S]*))?$/.exec(args[at]!) ?? [];
    if (flag === undefined) continue;
    const value = attached ? attached : args[at + 1] ?? "";
    const message = flag === "m" || flag === "message" ? value : value === "-" ? input ?? "" : "";
    const line = message.split("\n").find((line) => line.trim() !== "")?.trim() ?? "";
    return line === "" || /^[$`]/.test(line) ? null : line;
  }
  return null;
}

function hashIn(
  lines: readonly string[],
  { isShown, behind }: {
    readonly isShown: boolean;
    readonly behind: readonly (string | undefined)[];
  },
): string | null {
  if (behind.includes("rev-parse")) {
    return lines.findLast((line) => HASH.test(line.trim()))?.trim() ?? null;
  }
  if (!isShown) return null;
  return lines.map((line) => LOGGED_WHOLE.exec(line)?.[1]).find((hash) => hash !== undefined) ??
    null;
}
