/** Which commit a command has made: what git says of it, else what the command line tells of one that is quiet. */
import { shortened } from "../text.ts";
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
  /** What is known in place of the subject: "with the message in msg.txt"; the empty text when that is known. */
  readonly origin: string;
}

/** `[main 1a2b3c4] subject`, `[main (root-commit) 1a2b3c4] subject` */
const COMMITTED = /^\[([^\]\n]+?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)$/m;
/** As `git log --oneline` tells one, with its branches and its line of a graph where they are asked for. */
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
/** What git says of a commit that was made, for where the status is another program's. */
const CHANGED = /^ ?\d+ files? changed\b/m;
/** What a push says that was refused: all that `&&` joins before it has gone well. */
const REFUSED_PUSH = /^(?:error: failed to push some refs| ! \[(?:remote )?rejected\])/m;
/** How a commit gets its message. */
interface MessageFlag {
  /** Its value is the first group, or the next word. */
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
const MAX_ORIGIN_CHARS = 80;

/** What is known of the command that a commit is looked for in. */
interface CommitRun {
  readonly command: string;
  readonly commands: readonly ScriptCommand[];
  readonly output: string;
  readonly outcome: "success" | "failure";
}

/** The commit that a command has made. @returns Null when it made none, or that is not sure. */
export function madeCommit({ command, commands, output, outcome }: CommitRun): MadeCommit | null {
  const git = command.indexOf("git");
  if (git < 0 || !/\b(?:commit|cherry-pick|revert|merge)\b/.test(command.slice(git))) return null;
  // What fails behind it leaves it made; when it fails itself, the line is another program's.
  if (outcome === "failure" && !goesOnBehindCommit(commands)) return null;
  const [line, branch, hash, subject] = COMMITTED.exec(output) ?? [];
  if (line !== undefined) return { hash: hash!, subject: subject!, branch: branch!, origin: "" };
  return outcome === "success"
    ? quietCommit(commands, output)
    : REFUSED_PUSH.test(output)
    ? quietCommit(beforePush(commands), "")
    : null;
}

function beforePush(commands: readonly ScriptCommand[]): readonly ScriptCommand[] {
  const at = commands.findIndex(({ words }) => gitArguments(words)?.[0] === "push");
  return commands.slice(0, Math.max(0, at));
}

function goesOnBehindCommit(commands: readonly ScriptCommand[]): boolean {
  const at = commands.findIndex(({ words }) => COMMITTING.has(gitArguments(words)?.[0] ?? ""));
  return at >= 0 && at < commands.length - 1;
}

function quietCommit(commands: readonly ScriptCommand[], output: string): MadeCommit | null {
  const at = commands.findLastIndex((one) => gitArguments(one.words)?.[0] === "commit");
  const made = commands[at];
  const args = gitArguments(made?.words ?? [])?.slice(1) ?? [];
  if (made === undefined || made.before === "||" || args.some((word) => ONLY_TRIED.has(word))) {
    return null;
  }
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
