/** Runs git commands that change something, with the environment of the person's own git. */
import { messageOf } from "../../base/errors.ts";
import { runWords } from "../process/run_program.ts";

/** How a run of git ended. */
export interface GitResult {
  /** The exit status; -1 when git could not be started, or did not end in time. */
  readonly code: number;
  readonly stdout: string;
  /** The first lines of git's error output, joined to one line for people. */
  readonly complaint: string;
}

/** In milliseconds; long, because git hooks of the repository may run tests. */
const TIMEOUT_MS = 600_000;

/** Variables that would lead git to another repository than the folder's. */
const MISLEADING = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX"];

/** Runs git to its end, without prompts. Never throws. */
export async function runGit(
  args: readonly string[],
  { folder, variables = {}, timeoutMs = TIMEOUT_MS }: {
    readonly folder: string;
    readonly variables?: Readonly<Record<string, string>>;
    readonly timeoutMs?: number;
  },
): Promise<GitResult> {
  try {
    const unset = MISLEADING.filter((name) => !(name in variables)).flatMap((name) => ["-u", name]);
    const end = await runWords(["env", ...unset, "git", ...args], {
      folder,
      variables: { LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true", ...variables },
      timeoutMs,
    });
    return end === null
      ? { code: -1, stdout: "", complaint: `git ${args[0]} did not end in time` }
      : { code: end.code, stdout: end.stdout, complaint: complaintOf(end.stderr) };
  } catch (thrown) {
    return { code: -1, stdout: "", complaint: messageOf(thrown) };
  }
}

/** Joins lines of an error output without git's advice (`hint:`), which is for people at a terminal. */
function complaintOf(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim()).filter((line) =>
    line !== "" && !line.startsWith("hint:")
  );
  // A line that ends with a colon belongs to the next one.
  return lines.slice(0, 6).join("; ").replaceAll(":; ", ": ").slice(0, 500);
}
