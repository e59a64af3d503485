/** Which mistake in the user's own file switches the summarizer off: a limit that cannot be read is none that may be lifted. */
import type { ConfigProblem } from "./layer.ts";

const SECTION = "memory.summarizer";
/** What holds the section: a second one, or one that is no map, may have held a limit. */
const AROUND = "memory";

/**
 * The first problem by which a limit of `memory.summarizer` may be lost: any in the section, and one of its keys that
 * stands elsewhere. Without a command only the section itself counts: there is nothing else to switch off.
 *
 * @param hasCommand Whether a command is named.
 * @returns Null when there is none.
 */
export function summarizerFault(
  problems: readonly ConfigProblem[],
  hasCommand: boolean,
): ConfigProblem | null {
  return problems.find(({ key, suggestion }) =>
    key === SECTION || key.startsWith(`${SECTION}.`) ||
    (hasCommand && (key === AROUND || (suggestion?.includes(`"${SECTION}.`) ?? false)))
  ) ?? null;
}
