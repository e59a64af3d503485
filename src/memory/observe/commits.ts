/** Finds the commits that a command has made: in git's output, or for a quiet commit in the command line. */
import { shortened } from "../text.ts";
import { isOutside, type Surroundings } from "./command_folder.ts";
import { gitArguments } from "./git_words.ts";
import { type ScriptCommand, tellsStatusOf } from "./shell_words.ts";

/** A commit, as far as it is told. */
export interface MadeCommit {
  /** Null when nothing printed it. */
  readonly hash: string | null;
  /** Null when its message is somewhere else: in a file, or in another commit. */
  readonly subject: string | null;
  /** Null when git did not say. */
  readonly branch: string | null;
  /** Says where the message is, when the subject is not known: "with the message in msg.txt"; else empty. */
  readonly origin: string;
  /** Whether it took the place of the one before it. */
  readonly isAmended: boolean;
}

/** `[main 1a2b3c4] subject`, `[main (root-commit) 1a2b3c4] subject` */
const COMMITTED = /^\[([^\]\n]+?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)$/gm;
/** A commit as `git log --oneline` prints it, with or without branches and graph. */
const LOGGED = /^(?:\* )?([0-9a-f]{7,40}) (?:\([^()]*\) )?(\S.*)$/;
const LOGGED_WHOLE = /^commit ([0-9a-f]{40})\b/;
const HASH = /^[0-9a-f]{7,40}$/;
const COMMITTING: ReadonlySet<string> = new Set(["commit", "cherry-pick", "revert", "merge"]);
const ONLY_TRIED: ReadonlySet<string> = new Set([
  "--dry-run",
  "--short",
  "--porcelain",
  "--long",
  "-h",
  "--help",
]);
/** A line that git prints after a commit. It counts where the status is that of another program. */
const CHANGED = /^ ?\d+ files? changed\b/m;
const MERGED = /^Merge made by /m;
const QUIET_FLAG = /^(?:--quiet|-[aeinopsvz]*q.*)$/;
/** The output of a refused push. All that `&&` joins before it has passed. */
const REFUSED_PUSH = /^(?:error: failed to push some refs| ?! \[(?:remote )?rejected\])/m;
/** The output of git when it does not reach the remote. */
const NO_REMOTE =
  /^(?:fatal: (?:unable to access |Could not read from remote repository|The current branch .{1,200} has no upstream branch|.{1,200} does not appear to be a git repository|No configured push destination|Authentication failed|could not read (?:Username|Password))|.{0,200}\bPermission denied \(|(?:ssh: Could not resolve|ERROR: Repository not found))/m;
const FROM_REMOTE: ReadonlySet<string | undefined> = new Set(
  ["pull", "fetch", "clone", "ls-remote", "submodule", "remote", "push"],
);
/** How a commit gets its message. */
interface MessageFlag {
  /** The flag. Its value is the first group, or the next word. */
  readonly flag: RegExp;
  readonly origin: (value: string) => string;
  /** The message, where the command line has it. */
  readonly message?: (value: string, input: string | null) => string;
}

/** The first that is there counts. */
const MESSAGES: readonly MessageFlag[] = [
  { flag: /^--fixup(?:=([\s\S]*))?$/, origin: (commit) => `that fixes up ${commit}` },
  { flag: /^--squash(?:=([\s\S]*))?$/, origin: (commit) => `to be squashed into ${commit}` },
  {
    flag: /^(?:-[aeinopqsvz]*m|--message(?:=|$))([\s\S]*)$/,
    origin: (text) => `with the message ${text}`,
    message: (text) => text,
  },
  {
    flag: /^(?:-[aeinopqsvz]*F|--file(?:=|$))([\s\S]*)$/,
    origin: (file) => file === "-" ? "with a message from a pipe" : `with the message in ${file}`,
    message: (file, input) => file === "-" ? input ?? "" : "",
  },
  {
    flag: /^(?:-[aeinopqsvz]*[cC]|--re(?:use|edit)-message(?:=|$))([\s\S]*)$/,
    origin: (commit) => `with the message of ${commit}`,
  },
  { flag: /^--amend$/, origin: () => "amended" },
];
const MAX_LINES = 200;
const MAX_COMMITS = 20;
const MAX_ORIGIN_CHARS = 80;

/** The command in which a commit is looked for. */
interface CommitRun {
  readonly command: string;
  readonly commands: readonly ScriptCommand[];
  readonly output: string;
  readonly outcome: "success" | "failure";
  readonly surroundings: Surroundings;
}

/** A command of a script that makes a commit. */
interface Committing {
  readonly at: number;
  readonly verb: string;
  readonly args: readonly string[];
  readonly isOutside: boolean;
}

/** The commits that a command has made in its project, the oldest first; none when it made none, or that is not sure. */
export function madeCommits(run: CommitRun): readonly MadeCommit[] {
  const { command, commands, output, outcome, surroundings } = run;
  const git = command.indexOf("git");
  if (git < 0 || !/\b(?:commit|cherry-pick|revert|merge)\b/.test(command.slice(git))) return [];
  const making = committingIn(commands, surroundings);
  // What fails behind it leaves it made; when it fails itself, the line is another program's.
  if (outcome === "failure" && (making[0]?.at ?? commands.length) >= commands.length - 1) return [];
  const printed = [...output.matchAll(COMMITTED)].slice(0, Math.max(1, making.length));
  if (printed.length > 0) return printedCommits(commands, { printed, making });
  if (outcome === "success") return quietCommits(commands, { making, output });
  const push = commands.findIndex(({ words }) => gitArguments(words)?.[0] === "push");
  const before = making.filter(({ at }) => at < push);
  return wasRefused(commands, { output, until: before[0]?.at ?? 0 })
    ? quietCommits(commands.slice(0, Math.max(0, push)), { making: before, output: "" })
    : [];
}

function committingIn(
  commands: readonly ScriptCommand[],
  surroundings: Surroundings,
): readonly Committing[] {
  const making: Committing[] = [];
  for (const [at, { words }] of commands.entries()) {
    const [verb = "", ...args] = gitArguments(words) ?? [];
    if (!COMMITTING.has(verb)) continue;
    making.push({ at, verb, args, isOutside: isOutside(commands, { at, surroundings }) });
    if (making.length >= MAX_COMMITS) break;
  }
  return making;
}

/** Whether a push has failed, and nothing before the commits can have said the same. */
function wasRefused(
  commands: readonly ScriptCommand[],
  { output, until }: { readonly output: string; readonly until: number },
): boolean {
  if (REFUSED_PUSH.test(output)) return true;
  return NO_REMOTE.test(output) &&
    !commands.slice(0, until).some(({ words }) => FROM_REMOTE.has(gitArguments(words)?.[0]));
}

function printedCommits(
  commands: readonly ScriptCommand[],
  { printed, making }: {
    readonly printed: readonly RegExpExecArray[];
    readonly making: readonly Committing[];
  },
): readonly MadeCommit[] {
  const inside = making.filter((one) => !one.isOutside);
  if (making.length > 0 && inside.length === 0) return [];
  const isLoud = ({ args, verb }: Committing) =>
    verb !== "merge" && !args.some((word) => QUIET_FLAG.test(word));
  const loud = making.filter(isLoud);
  if (loud.length !== printed.length) {
    // Which line is whose is not known.
    const isAmended = making.length > 0 && making.every(amends);
    return inside.length < making.length
      ? []
      : printed.map((line) => printedCommit(line, { isAmended }));
  }
  return inside.flatMap((one) => {
    const line = printed[loud.indexOf(one)];
    if (line !== undefined) return printedCommit(line, { isAmended: amends(one) });
    return quietCommits(commands, { making: [one], output: "" });
  });
}

function printedCommit(
  [, branch, hash, subject]: RegExpExecArray,
  { isAmended }: { readonly isAmended: boolean },
): MadeCommit {
  return { hash: hash!, subject: subject!, branch: branch!, origin: "", isAmended };
}

function amends({ args }: Committing): boolean {
  return args.includes("--amend");
}

/** Commits of which git says nothing: each that is known by its status, and the last by what is shown behind it. */
function quietCommits(
  commands: readonly ScriptCommand[],
  { making, output }: { readonly making: readonly Committing[]; readonly output: string },
): readonly MadeCommit[] {
  const own = making.filter(({ verb }) =>
    verb === "commit" || verb === "merge" && MERGED.test(output)
  );
  return own.filter((one) => !one.isOutside).flatMap((one) => {
    if (one.verb === "merge") return mergeCommit(one);
    const isLast = one === own.at(-1);
    return quietCommit(commands, { one, output: isLast ? output : "" }) ?? [];
  });
}

/** A merge of which git says only that it was made. */
function mergeCommit({ args }: Committing): MadeCommit {
  const message = messageOf(args, null);
  const other = args.findLast((word, at) =>
    !word.startsWith("-") && !/^-[msX]$/.test(args[at - 1] ?? "")
  );
  return {
    hash: null,
    subject: message?.subject ?? null,
    branch: null,
    origin: message?.subject == null
      ? `that merges ${shortened(other ?? "", MAX_ORIGIN_CHARS)}`.trim()
      : "",
    isAmended: false,
  };
}

function quietCommit(
  commands: readonly ScriptCommand[],
  { one: { at, args }, output }: { readonly one: Committing; readonly output: string },
): MadeCommit | null {
  const made = commands[at]!;
  if (made.before === "||" || args.some((word) => ONLY_TRIED.has(word))) return null;
  const message = messageOf(args, made.input);
  if (message === null) return null;
  const lines = output.split("\n", MAX_LINES);
  const behind = commands.slice(at + 1).map(({ words }) => gitArguments(words)?.[0]);
  const shows = behind.some((verb) => verb === "log" || verb === "show");
  const logged = lines.map((line) => LOGGED.exec(line)).find((found) =>
    found !== null && (message.subject === null ? shows : found[2] === message.subject)
  );
  const subject = message.subject ?? logged?.[2] ?? null;
  const isShown = logged !== undefined && logged !== null ||
    shows && lines.some((line) => line.trim() === subject);
  // Where the status is another's, a log shows some commit: only by its subject is it known for this one.
  const isSeen = isShown && message.subject !== null || CHANGED.test(output);
  if (!isSeen && !tellsStatusOf(commands, at)) return null;
  return {
    hash: logged?.[1] ?? hashIn(lines, { isShown, behind }),
    subject,
    branch: null,
    origin: subject === null ? message.origin : "",
    isAmended: args.includes("--amend"),
  };
}

/** The first line of the message where the command line has it, else where it comes from; null when nothing tells. */
function messageOf(
  args: readonly string[],
  input: string | null,
): Pick<MadeCommit, "subject" | "origin"> | null {
  for (const { flag, origin, message } of MESSAGES) {
    const at = args.findIndex((word) => flag.test(word));
    if (at < 0) continue;
    const value = flag.exec(args[at]!)?.[1] || (args[at + 1] ?? "");
    const line = firstLine(message?.(value, input) ?? "");
    // What the shell makes of it is not known.
    const subject = line === "" || /^[$`]/.test(line) ? null : line;
    return { subject, origin: shortened(origin(firstLine(value)), MAX_ORIGIN_CHARS) };
  }
  return null;
}

function firstLine(text: string): string {
  return text.split("\n").find((line) => line.trim() !== "")?.trim() ?? "";
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
