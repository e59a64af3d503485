/** Gives the command that finishes a `memory forget` which was stopped. */
import { folderOfProject } from "../../memory/project_paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import type { Receipt } from "./forget_receipts_table.ts";

/** Placeholders for what no receipt holds. The command refuses them, so that a pasted command forgets nothing else. */
export const SAME_TEXT = "<the same text>";
export const SAME_FILE = "<the same file>";

/** The command that forgets a text again. */
export const TEXT_AGAIN = `conclaude memory forget --text ${quoteWord(SAME_TEXT)}`;

/**
 * The command that forgets again what a receipt is about. A receipt holds neither a text nor a file: a placeholder stands for
 * them, and the command asks before it does anything.
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

/** Of some receipts those of the same choice. @param chosenWith The choice, as a receipt with this salt holds it. */
export function stoppedOf(
  receipts: readonly Receipt[],
  chosenWith: (salt: string) => Receipt["chosen"],
): Receipt[] {
  return receipts.filter(({ chosen, salt }) =>
    JSON.stringify(chosen) === JSON.stringify(chosenWith(salt))
  );
}
