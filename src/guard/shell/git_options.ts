import type { Argument } from "./word.ts";

/** Options of git itself, before its verb, that take the next word as their value. */
const VALUED: ReadonlySet<string> = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--exec-path",
  "--super-prefix",
  "--config-env",
]);

/** What git is told before its verb. */
export interface GitOptions {
  /** Its arguments from the verb on. */
  readonly words: readonly Argument[];
  /** The folder that `-C` names. */
  readonly folder: Argument | null;
  /** The repository that `--git-dir` names. */
  readonly gitDir: Argument | null;
}

/** Takes git's own options off its arguments. */
export function withoutGitOptions(rest: readonly Argument[]): GitOptions {
  let at = 0;
  let folder: Argument | null = null;
  let gitDir: Argument | null = null;
  while (rest[at]?.text.startsWith("-")) {
    const option = rest[at]!;
    const value = rest[at + 1] ?? null;
    if (option.text === "-C") folder = value;
    if (option.text === "--git-dir") gitDir = value;
    if (option.text.startsWith(GIT_DIR)) {
      gitDir = { ...option, text: option.text.slice(GIT_DIR.length) };
    }
    at += VALUED.has(option.text) ? 2 : 1;
  }
  return { words: rest.slice(at), folder, gitDir };
}

const GIT_DIR = "--git-dir=";
