/** Forgetting that was stopped before it was done: which that was, and the command that finishes it. */
import { folderOfProject } from "../memory/paths.ts";
import { quoteWord } from "../settings/hooks.ts";
import type { Receipt } from "../store/forget_receipts.ts";

/** Stand for what is not written down. The command refuses them: pasted as it is, it must not forget something else. */
export const SAME_TEXT = "<the same text>";
export const SAME_FILE = "<the same file>";

/** The command that does once more what a receipt of a text alone tells. */
export const TEXT_AGAIN = `conclaude memory forget --text ${quoteWord(SAME_TEXT)}`;

/**
 * The command that does once more what a receipt tells. A text and a file are not written down: something that is to be
 * replaced stands for them, and the command asks before it does anything.
 */
export function commandAgain(chosen: Receipt["chosen"]): string {
  const { ids, session, project, file, text, sinceMs, untilMs } = chosen;
  const flag = (name: string, value: string | null) => value === null ? [] : [`--${name}`, value];
  const word = (value: unknown) => typeof value === "string" ? quoteWord(value) : null;
  const time = (value: unknown) => typeof value === "number" ? new Date(value).toISOString() : null;
  const folder = typeof project === "string" ? folderOfProject(project) : project;
  return [
    "conclaude memory forget",
    ...(Array.isArray(ids) ? ids.map((id) => quoteWord(String(id))) : []),
    ...flag("session", word(session)),
    ...flag("project", word(folder)),
    ...flag("file", file === undefined ? null : quoteWord(SAME_FILE)),
    ...flag("text", text === undefined ? null : quoteWord(SAME_TEXT)),
    ...flag("since", time(sinceMs)),
    ...flag("until", time(untilMs)),
    ...(file === undefined && text === undefined ? ["--yes"] : []),
  ].join(" ");
}

/**
 * Those that were stopped, of the same choice.
 *
 * @param chosenWith What is asked for, as a receipt with this key has it.
 */
export function stoppedOf(
  receipts: readonly Receipt[],
  chosenWith: (salt: string) => Receipt["chosen"],
): Receipt[] {
  return receipts.filter(({ chosen, salt }) =>
    JSON.stringify(chosen) === JSON.stringify(chosenWith(salt))
  );
}
