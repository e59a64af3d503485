/** Observes the commits that a command made. */
import type { Observed } from "./observation.ts";
import { headAndTail, shortened, titleLine } from "../text.ts";
import { chainObservations } from "./observe_words.ts";
import { KEPT_OUTPUT, MAX_COMMAND_CHARS, textOf } from "./command_text.ts";
import type { EndedCommand } from "./ended_command.ts";
import { gitArguments } from "./git_words.ts";

/** The commits of a command: the first one, with the others in `besides`. */
export function commitOf(run: EndedCommand): Observed | null {
  if (!/\bgit\b[^]*\b(?:commit|cherry-pick|revert|merge)\b/.test(run.command)) return null;
  const made = madeCommits(run);
  // With several commits it is not known which files belong to which.
  const files = made.length === 1 ? committedFiles(run.output) : [];
  return chainObservations(made.map((commit) => ({
    ...observedCommit(run, commit),
    files: files.map((path) => ({ path, digest: null })),
  })));
}

function observedCommit({ command, output }: EndedCommand, commit: MadeCommit): Observed {
  const { hash, subject, branch, isAmended } = commit;
  const name = `${hash.slice(0, 7)} on ${branch}${isAmended ? ", amended" : ""}`;
  return {
    kind: "commit",
    outcome: "success",
    title: titleLine(`Commit ${name}: ${subject}`),
    text: textOf(command, headAndTail(output, KEPT_OUTPUT)),
    files: [],
    facts: {
      command: shortened(command, MAX_COMMAND_CHARS),
      commit: { hash, subject, ...(isAmended ? { amended: true } : {}) },
    },
    sameAs: `commit ${hash}`,
  };
}

const MODE = /^ (?:create|delete) mode \d{6} (.+)$/;
const RENAMED = /^ (?:rename|copy) (.+) \(\d+%\)$/;
const REWRITTEN = /^ rewrite (.+) \(\d+%\)$/;
/** `src/{a.ts => b.ts}`, `a.ts => b.ts` */
const FROM_TO = /^(.*?)\{(.*) => (.*)\}(.*)$|^(.+) => (.+)$/;
const MAX_FILES = 50;
const MAX_LINES = 2_000;

/** The paths that the output of `git commit` or `git merge` names, relative to the top of the repository. */
export function committedFiles(output: string): string[] {
  const files = new Set<string>();
  for (const line of output.split("\n", MAX_LINES)) {
    const [, renamed] = RENAMED.exec(line) ?? [];
    const [, plain] = MODE.exec(line) ?? REWRITTEN.exec(line) ?? [];
    for (const path of renamed === undefined ? [plain] : fromAndTo(renamed)) {
      if (path !== undefined && files.size < MAX_FILES) files.add(path);
    }
  }
  return [...files];
}

function fromAndTo(renamed: string): string[] {
  const [, head = "", from, to, tail = "", whole = "", other = ""] = FROM_TO.exec(renamed) ?? [];
  if (from === undefined) return [whole, other].filter((path) => path !== "");
  return [from, to].map((part) => `${head}${part}${tail}`.replace("//", "/"));
}

interface MadeCommit {
  readonly hash: string;
  readonly subject: string;
  readonly branch: string;
  /** Whether it replaced the commit before it. */
  readonly isAmended: boolean;
}

/** `[main 1a2b3c4] subject`, `[main (root-commit) 1a2b3c4] subject` */
const COMMITTED = /^\[([^\]\n]+?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)$/gm;
const COMMITTING: ReadonlySet<string> = new Set(["commit", "cherry-pick", "revert", "merge"]);

/** The commits that git printed, the oldest first: as many as the command may have made. */
function madeCommits({ commands, output, outcome }: EndedCommand): MadeCommit[] {
  const making = commands.flatMap(({ words }, at) => {
    const [verb = "", ...args] = gitArguments(words) ?? [];
    return COMMITTING.has(verb) ? [{ at, args }] : [];
  });
  // A failed commit prints no such line itself, but a check that it ran may.
  const isLast = (making[0]?.at ?? commands.length) >= commands.length - 1;
  if (outcome === "failure" && isLast) return [];
  const printed = [...output.matchAll(COMMITTED)].slice(0, Math.max(1, making.length));
  return printed.map(([, branch, hash, subject], at) => {
    const by = printed.length === making.length ? making[at] : making[0];
    const isAmended = by?.args.includes("--amend") === true;
    return { hash: hash!, subject: subject!, branch: branch!, isAmended };
  });
}
