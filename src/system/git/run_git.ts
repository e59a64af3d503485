/** Runs git: asks it questions that change nothing, and runs commands with the environment of the person's own git. */
import type { Environment } from "../environment.ts";
import { runTool, runWords } from "../process/run_program.ts";

/** Replacements stay off, since git would show a replacing object in place of the one that was asked for. */
const ASKING =
  "git --literal-pathspecs --no-optional-locks --no-replace-objects -c core.fsmonitor=false"
    .split(" ");
const ANSWER_MS = 3_000;

export interface GitContext {
  readonly environment: Pick<Environment, "variable">;
  /** What git reads on its standard input. */
  readonly input?: string;
  /** How long git may take, by default three seconds. */
  readonly timeoutMs?: number;
}

/** Returns the lines that git prints, without empty ones; none where it does not answer. */
export async function askGitLines(...question: Parameters<typeof askGit>): Promise<string[]> {
  return (await askGit(...question) ?? "").split("\n").filter((line) => line !== "");
}

/** Returns what git prints in a folder; null where git fails or does not answer in time. */
export async function askGit(
  folder: string,
  words: readonly string[],
  { timeoutMs = ANSWER_MS, ...context }: GitContext,
): Promise<string | null> {
  const options = { ...context, folder, timeoutMs, isAlone: true };
  const output = await runTool([...ASKING, ...words], options);
  return output?.code === 0 ? output.stdout : null;
}

interface GitResult {
  /** The exit status; -1 when git could not be started, or did not end in time. */
  readonly code: number;
  readonly stdout: string;
  /** The first lines of git's error output, joined to one line for people. */
  readonly complaint: string;
}

/** How long git may run, in milliseconds: its hooks in the repository may run tests. */
const RUN_MS = 600_000;

/** Variables that would lead git to another repository than the folder's. */
const MISLEADING = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX"];

export function gitIn(folder: string, ...words: readonly string[]): Promise<GitResult> {
  return runGit(words, { folder });
}

/** Runs git to its end, without prompts. Never throws. */
export async function runGit(
  words: readonly string[],
  { folder, variables = {}, timeoutMs = RUN_MS }: {
    readonly folder: string;
    readonly variables?: Readonly<Record<string, string>>;
    readonly timeoutMs?: number;
  },
): Promise<GitResult> {
  const unset = MISLEADING.filter((name) => !(name in variables)).flatMap((name) => ["-u", name]);
  const end = await runWords(["env", ...unset, "git", ...words], {
    folder,
    variables: { LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true", ...variables },
    timeoutMs,
  });
  if (end.kind === "ended") return { ...end, complaint: complaintOf(end.stderr) };
  const complaint = end.kind === "late" ? `git ${words[0]} did not end in time` : end.why;
  return { code: -1, stdout: "", complaint };
}

/** Joins lines of an error output without git's advice (`hint:`), which is for people at a terminal. */
function complaintOf(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim()).filter((line) =>
    line !== "" && !line.startsWith("hint:")
  );
  // A line that ends with a colon belongs to the next one.
  return lines.slice(0, 6).join("; ").replaceAll(":; ", ": ").slice(0, 500);
}
