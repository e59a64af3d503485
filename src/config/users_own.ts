/**
 * What of memory only the user's own file may say: a repository that somebody else has written must not run commands over
 * what is remembered of other projects, nor shorten how long that is kept.
 */
import type { ConfigProblem, LayerValues } from "./layer.ts";

const USERS_ONLY = ["summarizer", "retentionDays"];

/** Takes it out of a project's `memory`. @returns The keys that were there. */
export function takeOutOfProject(memory: LayerValues): string[] {
  const taken = USERS_ONLY.filter((key) => memory[key] !== undefined);
  for (const key of taken) delete memory[key];
  return taken.map((key) => `memory.${key}`);
}

/** What holds the section of the summarizer: a second one, or one that is no map, may have held a limit. */
const AROUND = "memory";
const SECTION = `${AROUND}.summarizer`;

/**
 * Takes the summarizer out of the user's `memory` where one of its limits may be lost, since what counts in its place could
 * be more than was meant: with any mistake in the section, and with one of its keys that stands elsewhere. Without a
 * command only the section itself counts: there is nothing else to switch off.
 *
 * @returns The first such mistake; null when there is none.
 */
export function switchOffSummarizer(
  memory: LayerValues,
  problems: readonly ConfigProblem[],
): ConfigProblem | null {
  const written = memory.summarizer;
  const hasCommand = typeof written === "object" && written !== null && "command" in written;
  const fault = problems.find(({ key, suggestion }) =>
    key === SECTION || key.startsWith(`${SECTION}.`) ||
    (hasCommand && (key === AROUND || (suggestion?.includes(`"${SECTION}.`) ?? false)))
  );
  if (fault === undefined) return null;
  delete memory.summarizer;
  return fault;
}
