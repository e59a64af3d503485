/** Files without which the guards would not be what they are: their policy, what they remember, and what starts them. */

import type { TextChange } from "./edits.ts";
import type { FileFacts } from "./files.ts";
import { changesHooks } from "./settings_file.ts";

/** The name of the rule that protects them. */
export const PROTECT_RULE = "preToolUse.protectPolicy";

/** The files that say what is guarded, the database that knows what is lifted, and what waits to go into it. */
const POLICY_FILE =
  /(?:^|\/)\.conclaude(?:$|\/(?:config\.ya?ml$|conclaude\.(?:db|log)|(?:spool|notices|backups)(?:$|\/))|(?:\.local)?\.ya?ml$)|^\/tmp\/conclaude(?:\.db|-\d+(?:$|\/))/;

/** Claude Code's own settings: they start the hooks. */
const SETTINGS_FILE = /(?:^|\/)\.claude\/settings(?:\.local)?\.json$/;
const SETTINGS_OR_FOLDER = /(?:^|\/)\.claude(?:$|\/settings(?:\.local)?\.json$)/;

/** What a tool makes of a file: its text, where that can be worked out before; `unknown` of a shell command. */
export type Written = TextChange | "unknown";

/**
 * Why only a person may change a file in this way; null when a tool may.
 *
 * Of Claude Code's settings a tool may change all but the hooks, and make them where there are none.
 */
export function whyProtected(
  file: Pick<FileFacts, "spellings" | "text" | "effect">,
  written: Written,
): string | null {
  // Nearly no file is one of them, and a search for a word costs nothing beside compiling a pattern.
  const is = (pattern: RegExp, word: string) =>
    file.spellings.some((spelling) => spelling.includes(word) && pattern.test(spelling));
  if (is(POLICY_FILE, "conclaude")) return "belongs to the guards";
  if (!is(file.effect === "remove" ? SETTINGS_OR_FOLDER : SETTINGS_FILE, ".claude")) return null;
  return writesHooks(file, written) ? "starts the hooks" : null;
}

function writesHooks({ text }: Pick<FileFacts, "text">, written: Written): boolean {
  if (written === "unknown") return true;
  const before = text();
  const after = written(before);
  return after !== null && changesHooks(before, after);
}
