/** The commits that a command has made, as observations. */
import type { Observed } from "./observation.ts";
import { headAndTail, shortened, titleLine } from "../text.ts";
import { chained } from "./observe_words.ts";
import { KEPT_OUTPUT, MAX_COMMAND_CHARS, textOf } from "./command_text.ts";
import { type MadeCommit, madeCommits } from "./commits.ts";
import type { EndedCommand } from "./ended_command.ts";

/** The commits of a command: the first one, with the others in `besides`. */
export function commitOf(run: EndedCommand): Observed | null {
  const made = madeCommits({ ...run, surroundings: run });
  // Of several nobody knows which files are whose.
  const files = made.length === 1 ? committedFiles(run.output) : [];
  return chained(made.map((commit) => ({
    ...observedCommit(run, commit),
    files: files.map((path) => ({ path, digest: null })),
  })));
}

function observedCommit({ command, output }: EndedCommand, commit: MadeCommit): Observed {
  const { hash, subject, branch, origin, isAmended } = commit;
  const name = `${hash === null ? "" : ` ${hash.slice(0, 7)}`}${
    branch === null ? "" : ` on ${branch}`
  }${isAmended && origin !== "amended" ? ", amended" : ""}`;
  return {
    kind: "commit",
    outcome: "success",
    title: titleLine(`Commit${name}${subject === null ? ` ${origin}` : `: ${subject}`}`),
    text: textOf(command, headAndTail(output, KEPT_OUTPUT)),
    files: [],
    facts: {
      command: shortened(command, MAX_COMMAND_CHARS),
      commit: { hash, subject, ...(isAmended ? { amended: true } : {}) },
    },
    sameAs: hash === null && subject === null ? null : `commit ${hash ?? subject}`,
  };
}

const MODE = /^ (?:create|delete) mode \d{6} (.+)$/;
const RENAMED = /^ (?:rename|copy) (.+) \(\d+%\)$/;
const REWRITTEN = /^ rewrite (.+) \(\d+%\)$/;
/** `src/{a.ts => b.ts}`, `a.ts => b.ts` */
const FROM_TO = /^(.*?)\{(.*) => (.*)\}(.*)$|^(.+) => (.+)$/;
const MAX_FILES = 50;
const MAX_LINES = 2_000;

/** The paths, from the top of the repository, that an output of `git commit` or `git merge` names; none where it is quiet. */
export function committedFiles(output: string): string[] {
  const files = new Set<string>();
  for (const line of output.split("\n", MAX_LINES)) {
    const [, renamed] = RENAMED.exec(line) ?? [];
    const [, plain] = MODE.exec(line) ?? REWRITTEN.exec(line) ?? [];
    for (const path of renamed === undefined ? [plain] : fromAndTo(renamed)) {
      if (path !== undefined && files.size < MAX_FILES) files.add(unquoted(path));
    }
  }
  return [...files];
}

function fromAndTo(renamed: string): string[] {
  const [, head = "", from, to, tail = "", whole = "", other = ""] = FROM_TO.exec(renamed) ?? [];
  if (from === undefined) return [whole, other].filter((path) => path !== "");
  return [from, to].map((part) => `${head}${part}${tail}`.replace("//", "/"));
}

/** Git puts a path in quotes that has other letters than ASCII in it. */
function unquoted(path: string): string {
  if (!/^".*"$/.test(path)) return path;
  const bytes = path.slice(1, -1).replace(/%/g, "%25")
    .replace(/\\([0-7]{3})/g, (_, octal) => `%${parseInt(octal, 8).toString(16).padStart(2, "0")}`)
    .replace(/\\(["\\])/g, "$1");
  try {
    return decodeURIComponent(bytes);
  } catch {
    return path;
  }
}
