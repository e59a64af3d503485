/** Which files a script has put back as git has them: what was edited in them is gone. */
import { resolvePath } from "../../paths.ts";
import { gitArguments, gitFolders, isGit } from "./git_words.ts";
import { folderBefore, isHarmless, plainPath } from "./script_words.ts";
import { type ScriptCommand, scriptCommands, tellsItsStatus } from "./shell_words.ts";

/** Files that were put back. */
export interface Restored {
  /** A file or a folder, from the project's folder; `.` is all of it. */
  readonly path: string;
  /** As the commit has them that lies so many before the last one, 0 and up; null as they were staged. */
  readonly from: number | null;
}

/** What a command puts back: paths from its folder. */
type Put = Pick<Restored, "from"> & { readonly paths: readonly string[] };

/** What has an ending names a file as a rule; a branch that does, no file that was edited. */
const NAMED_FILE = /^[^-].*\.[a-z]\w*$/i;
const COMMIT = /^(?:HEAD|@)(?:(\^+)|~(\d{0,3}))?$/;
const ALL: readonly string[] = ["."];

/** Options that change nothing in what a verb puts back. */
const PLAIN_OPTIONS: Readonly<Record<string, RegExp>> = {
  checkout: /^(?:-q|--quiet|--no-overlay|-f|--force)$/,
  restore: /^(?:-q|--quiet|-W|--worktree|--no-overlay|-S|--staged|-SW|-WS|-s|--source(?:=.*)?)$/,
  reset: /^(?:-q|--quiet|--hard)$/,
  switch: /^(?:-q|--quiet|-f|--force|--discard-changes)$/,
  stash: /^(?:-q|--quiet|-u|--include-untracked|-a|--all|-m|--message(?:=.*)?|--)$/,
  diff: /^(?:--binary|--no-color|--)$/,
};

/** By the verb of git. */
const PUTS: Readonly<Record<string, (args: readonly string[]) => Put | null>> = {
  checkout: (args) => {
    const words = args.filter((word) => !PLAIN_OPTIONS["checkout"]!.test(word));
    // It throws away what is staged as well.
    const isForced = args.some((word) => /^(?:-f|--force)$/.test(word));
    if (isForced && /^(?:HEAD|@|main|master|)$/.test(words.join(" "))) {
      return { paths: ALL, from: 0 };
    }
    const from = stepsOf(words[0]);
    const [first, ...rest] = from === null ? words : words.slice(1);
    if (first === "--") return { paths: rest, from };
    const paths = first === undefined ? [] : [first, ...rest];
    const isFiles = paths.join(" ") === "." || paths.every((word) => NAMED_FILE.test(word));
    return isFiles ? { paths, from } : null;
  },
  restore: (args) => {
    const has = (option: RegExp) => args.some((word) => option.test(word));
    const isStaged = has(/^(?:-S|--staged|-SW|-WS)$/);
    if (isStaged && !has(/^(?:-W|--worktree|-SW|-WS)$/)) return null;
    const at = args.findIndex((word) => /^(?:-s|--source)$/.test(word));
    const source = at < 0
      ? args.find((word) => word.startsWith("--source="))?.slice("--source=".length)
      : args[at + 1] ?? "";
    const paths = args.filter((word, nth) =>
      (at < 0 || nth !== at + 1) && word !== "--" && !PLAIN_OPTIONS["restore"]!.test(word)
    );
    if (source !== undefined) return { paths, from: stepsOf(source) ?? Infinity };
    return { paths, from: isStaged ? 0 : null };
  },
  reset: (args) => {
    const [to = "HEAD", ...more] = args.filter((word) => !PLAIN_OPTIONS["reset"]!.test(word));
    const from = args.includes("--hard") && more.length === 0 ? stepsOf(to) : null;
    return from === null ? null : { paths: ALL, from };
  },
  switch: (args) => {
    const words = args.filter((word) => !PLAIN_OPTIONS["switch"]!.test(word));
    const isForced = args.some((word) => /^(?:-f|--force|--discard-changes)$/.test(word));
    return isForced && words.length === 1 && /^\w/.test(words[0]!) ? { paths: ALL, from: 0 } : null;
  },
};

/**
 * What a script has put back that went well.
 *
 * @param output What it has printed, by which a command is known to have gone well whose status is another's; null where
 *   that is not known.
 */
export function restoredBy(script: string, output: string | null = null): Restored[] {
  const commands = scriptCommands(script);
  const isSure = tellsItsStatus(commands);
  if (!isSure && (output === null || FAILED.test(output))) return [];
  return commands.flatMap((_, at) => {
    const put = putBy(commands, at, output);
    if (put === null || put.from === Infinity || !isSure && !hasRun(commands, at)) return [];
    const folders = [folderBefore(commands, at), ...gitFolders(commands[at]!.words)];
    return put.paths.filter((path) => !path.startsWith("-"))
      .map((path) => ({ path: pathFrom([...folders, path]), from: put.from }));
  });
}

/** Stands for the project's folder, which a script may leave. */
const PROJECT = "/project";

/** Where some steps lead, one after the other, from the project's folder; `.` is that. */
function pathFrom(steps: readonly string[]): string {
  const path = steps.reduce((folder, step) => resolvePath(step, { folder }), PROJECT);
  if (path === PROJECT) return ".";
  return path.startsWith(`${PROJECT}/`) ? path.slice(PROJECT.length + 1) : path;
}

/** Whether a script does not go to another branch, or to another state of all files, but by what it puts back. */
export function staysHere(script: string): boolean {
  const commands = scriptCommands(script);
  return commands.every(({ words }, at) =>
    !GOES.test(gitArguments(words)?.[0] ?? "") || putBy(commands, at, null) !== null
  );
}

const GOES = /^(?:checkout|switch|worktree|bisect|stash)$/;

/** Whether a file is among those that were put back. */
export function isRestored(path: string, restored: readonly Pick<Restored, "path">[]): boolean {
  return restored.some((one) =>
    one.path === "." || one.path === path || path.startsWith(`${one.path}/`)
  );
}

/** What a command prints that has not gone well. */
const FAILED = /^(?:error|fatal): |: (?:No such file|command not found)/m;
const HIDES_ERRORS = /(?:2|&)>/;

/** Whether a command has run whose status is another's, and would have said so where it failed. */
function hasRun(commands: readonly ScriptCommand[], at: number): boolean {
  const { source, after } = commands[at]!;
  if (HIDES_ERRORS.test(source) || after !== "" && after !== ";" && after !== "&&") return false;
  for (let one = at; commands[one]!.before !== "" && commands[one]!.before !== ";"; one--) {
    const previous = commands[one - 1];
    const isSame = commands[one]!.before === "&&" || commands[one]!.before === "|" && one === at;
    if (!isSame || previous === undefined) return false;
    if (!isGit(previous.words) && !isHarmless(previous)) return false;
  }
  return true;
}

function putBy(commands: readonly ScriptCommand[], at: number, output: string | null): Put | null {
  const { words, source, before } = commands[at]!;
  const [verb = "", ...args] = gitArguments(words) ?? [];
  if (verb === "show") return putByShow(args, source);
  if (verb === "apply") return before === "|" ? putByPatch(args, commands[at - 1]) : null;
  if (verb === "stash") {
    return DROPS.test(args.join(" ")) ? putByStash(commands.slice(0, at), output) : null;
  }
  const put = Object.hasOwn(PUTS, verb) ? PUTS[verb]!(args) : null;
  return put === null || put.paths.some((path) => path.startsWith("-")) ? null : put;
}

/** `git show HEAD:a.py > a.py` */
function putByShow(args: readonly string[], source: string): Put | null {
  const [, commit, path = ""] = /^(.+?):(.+)$/.exec(args.at(-1) ?? "") ?? [];
  const [, target = ""] = /[^>&\d]>\s*(["']?)([^\s"'>|;&]+)\1$/.exec(source)?.slice(1) ?? [];
  const from = stepsOf(commit);
  return from !== null && args.length === 1 && plainPath(target) === plainPath(path)
    ? { paths: [path], from }
    : null;
}

/** `git diff | git apply -R` */
function putByPatch(args: readonly string[], from: ScriptCommand | undefined): Put | null {
  const [verb, ...of] = gitArguments(from?.words ?? []) ?? [];
  if (verb !== "diff" || !/^(?:-R|--reverse)$/.test(args.join(" "))) return null;
  const words = of.filter((word) => !PLAIN_OPTIONS["diff"]!.test(word));
  const steps = stepsOf(words[0]);
  const paths = steps === null ? words : words.slice(1);
  // What it tells of two commits, or of what is staged, is not what is in the files.
  if (paths.some((word) => word.startsWith("-") || !NAMED_FILE.test(word) || /\.\./.test(word))) {
    return null;
  }
  return { paths: paths.length === 0 ? ALL : paths, from: steps };
}

/** `git stash && git stash drop` */
function putByStash(before: readonly ScriptCommand[], output: string | null): Put | null {
  if (NOTHING_STASHED.test(output ?? "")) return null;
  const last = before.map(({ words }) => gitArguments(words) ?? [])
    .findLast(([verb]) => verb === "stash");
  if (last === undefined) return null;
  const [, first = "push", ...rest] = last;
  const args = first.startsWith("-") ? [first, ...rest] : rest;
  if (!/^(?:push|save|-.*)$/.test(first)) return null;
  const isMessage = (at: number) => /^(?:-m|--message)$/.test(args[at - 1] ?? "");
  const paths = args.filter((word, at) => !isMessage(at) && !PLAIN_OPTIONS["stash"]!.test(word));
  if (paths.some((word) => word.startsWith("-"))) return null;
  return { paths: paths.length === 0 || first === "save" ? ALL : paths, from: 0 };
}

/** Of the newest stash, or of all. */
const DROPS = /^(?:drop(?: -q| --quiet| stash@\{0\})*|clear)$/;
const NOTHING_STASHED = /^No local changes to save$/m;

/** How many commits before the last one that is which is named; null where that is none of them. */
function stepsOf(commit: string | undefined): number | null {
  const [isOne, carets, steps] = COMMIT.exec(commit ?? "") ?? [];
  if (isOne === undefined) return null;
  if (carets !== undefined) return carets.length;
  return steps === undefined ? 0 : Number(steps || 1);
}
