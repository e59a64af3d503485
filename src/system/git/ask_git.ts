import type { Environment } from "../environment.ts";
import { runTool } from "../process/run_program.ts";

/** A replaced object would be told in place of the one that is asked for. */
const GIT =
  "git --literal-pathspecs --no-optional-locks --no-replace-objects -c core.fsmonitor=false"
    .split(" ");
const TIMEOUT_MS = 3_000;

export interface Asking {
  readonly environment: Pick<Environment, "variable">;
  /** What git reads on its standard input. */
  readonly input?: string;
}

/** The lines that git prints, without empty ones; none where it does not answer. */
export async function askGitLines(...asked: Parameters<typeof askGit>): Promise<string[]> {
  return (await askGit(...asked) ?? "").split("\n").filter((line) => line !== "");
}

/** What git prints in a folder; null where it fails or does not answer in three seconds. It changes nothing. */
export async function askGit(
  folder: string,
  words: readonly string[],
  asking: Asking,
): Promise<string | null> {
  const options = { ...asking, folder, timeoutMs: TIMEOUT_MS, isAlone: true };
  const output = await runTool([...GIT, ...words], options);
  return output?.code === 0 ? output.stdout : null;
}
