/** Observes the commits that a command made. */
import { quietly } from "../../base/errors.ts";
import { makeObserved, type Observed } from "./observation.ts";
import { shortened } from "../text.ts";
import { chainObservations } from "./observe_words.ts";
import { MAX_COMMAND_CHARS, textOf } from "./command_text.ts";
import type { ScriptRun } from "./ended_command.ts";
import { isOutside } from "./command_folder.ts";
import { gitArguments, mustHavePassed } from "./shell_words.ts";

/** Observes the commits of a command: the first one, with the others in `besides`; null when it made none. */
export function commitOf(run: ScriptRun): Observed | null {
  const { command, output } = run;
  if (!/\bgit\b[^]*\b(?:commit|cherry-pick|revert|merge)\b/.test(command)) return null;
  const made = madeCommits(run);
  // With several commits nobody can tell which files belong to which.
  const files = made.length === 1 ? committedFiles(output) : [];
  return chainObservations(made.map(({ hash, subject, branch, isAmended }) => {
    const number = hash === null ? "" : ` ${hash.slice(0, 7)}`;
    const name = `${number}${branch === null ? "" : ` on ${branch}`}${
      isAmended ? ", amended" : ""
    }`;
    return makeObserved("commit", `Commit${name}: ${subject}`, {
      outcome: "success",
      text: textOf({ ...run, about: "" }),
      files: files.map((path) => ({ path, digest: null })),
      facts: {
        command: shortened(command, MAX_COMMAND_CHARS),
        commit: { hash, subject, ...(isAmended ? { amended: true } : {}) },
      },
      sameAs: `commit ${hash ?? subject}`,
    });
  }));
}

/** Matches git's lines for new, deleted, rewritten, renamed and copied files. */
const FILE = /^ (?:(?:create|delete) mode \d{6} (.+)|(?:rewrite|rename|copy) (.+) \(\d+%\))$/gm;
/** Matches a renamed path: `src/{a.ts => b.ts}`, `a.ts => b.ts`. */
const FROM_TO = /^(.*?)\{(.*) => (.*)\}(.*)$|^(.+) => (.+)$/;
const MAX_FILES = 50;

/** Returns the paths in the output of `git commit` or `git merge`, relative to the top of the repository. */
export function committedFiles(output: string): string[] {
  const paths = output.matchAll(FILE)
    .flatMap(([, path, changed]) => path === undefined ? fromAndTo(changed!) : [path])
    .map(unquoted);
  return [...new Set(paths)].slice(0, MAX_FILES);
}

/** Removes the quotes that git puts around a path with letters beyond ASCII: `"\\303\\244.txt"`. */
function unquoted(path: string): string {
  if (!/^".*"$/.test(path)) return path;
  const bytes = path.slice(1, -1).replaceAll("%", "%25")
    .replace(/\\([0-7]{3})/g, (_, octal) => `%${parseInt(octal, 8).toString(16).padStart(2, "0")}`)
    .replace(/\\(["\\])/g, "$1");
  return quietly(() => decodeURIComponent(bytes)) ?? path;
}

function fromAndTo(renamed: string): string[] {
  const [, head = "", from, to, tail = "", old = "", fresh = ""] = FROM_TO.exec(renamed) ?? [];
  if (old !== "") return [old, fresh];
  if (from === undefined) return [renamed];
  return [from, to].map((part) => `${head}${part}${tail}`.replace("//", "/"));
}

interface MadeCommit {
  /** The commit's id; null when the output does not show it. */
  readonly hash: string | null;
  readonly subject: string;
  /** The branch; null when the output does not show it. */
  readonly branch: string | null;
  /** Whether the commit replaced the one before it. */
  readonly isAmended: boolean;
}

/** Matches git's line for a commit: `[main 1a2b3c4] subject`, `[main (root-commit) 1a2b3c4] subject`. */
const COMMITTED = /^\[([^\]\n]+?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)$/gm;
/** Matches the line below the one with the id. A filter may show this line alone. */
const CHANGED = /^ ?\d+ files? changed\b/m;
/** Matches a commit in `git log --oneline`, with or without branches and graph. */
const LOGGED = /^(?:\* )?([0-9a-f]{7,40}) (?:\([^()]*\) )?(\S.*)$/gm;
const COMMITTING: ReadonlySet<string> = new Set(["commit", "cherry-pick", "revert", "merge"]);
/** Options with which `git commit` makes no commit. */
const ONLY_TRIED = /^(?:--dry-run|--short|--porcelain|--long|-h|--help)$/;
const MESSAGE = /^(?:-[aeinopqsvz]*m|--message(?:=|$))([\s\S]*)$/;
const MAX_COMMITS = 20;

/**
 * Returns the commits that a command made in its project, oldest first: the commits that git printed. When git printed
 * none, returns passing commits whose message stands in the command line.
 */
function madeCommits({ commands, output, outcome, ...surroundings }: ScriptRun): MadeCommit[] {
  const making = commands.flatMap(({ words }, at) => {
    const [verb = "", ...args] = gitArguments(words) ?? [];
    if (!COMMITTING.has(verb)) return [];
    return [{ at, verb, args, isOutside: isOutside(commands, at, surroundings) }];
  }).slice(0, MAX_COMMITS);
  // A failed commit prints no such line itself, but a check that it started may print one.
  const isLast = (making[0]?.at ?? commands.length) >= commands.length - 1;
  if (outcome === "failure" && isLast) return [];
  const printed = [...output.matchAll(COMMITTED)].slice(0, Math.max(1, making.length));
  if (printed.length > 0) {
    const isKnown = printed.length === making.length;
    if (!isKnown && making.some((one) => one.isOutside)) return [];
    return printed.flatMap(([, branch, hash, subject], at): MadeCommit[] => {
      const maker = making[isKnown ? at : 0];
      if (maker?.isOutside === true) return [];
      const isAmended = maker?.args.includes("--amend") === true;
      return [{ hash: hash!, subject: subject!, branch: branch!, isAmended }];
    });
  }
  if (outcome === "failure") return [];
  return making.flatMap(({ at, verb, args, isOutside }): MadeCommit[] => {
    const subject = subjectOf(args);
    const hash = output.matchAll(LOGGED).find(([, , text]) => text === subject)?.[1] ?? null;
    const isSeen = hash !== null || CHANGED.test(output);
    const isSure = mustHavePassed(commands, at) || commands[at]!.before !== "||" && isSeen;
    if (verb !== "commit" || isOutside || !isSure || subject === "") return [];
    if (args.some((word) => ONLY_TRIED.test(word))) return [];
    return [{ hash, subject, branch: null, isAmended: args.includes("--amend") }];
  });
}

/** Returns the first line of the message in a command line; empty without a message, or if the shell expands it. */
function subjectOf(args: readonly string[]): string {
  const at = args.findIndex((word) => MESSAGE.test(word));
  const text = at < 0 ? "" : MESSAGE.exec(args[at]!)![1] || (args[at + 1] ?? "");
  const line = text.split("\n").find((one) => one.trim() !== "")?.trim() ?? "";
  return /^[$`]/.test(line) ? "" : line;
}
