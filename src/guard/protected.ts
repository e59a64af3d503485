/** Files without which the guards would not be what they are: their policy, what they remember, and what starts them. */

import type { FileFacts } from "./files.ts";

/** The name of the rule that protects them. */
export const PROTECT_RULE = "preToolUse.protectPolicy";

/** The files that say what is guarded, the database that knows what is lifted, and what waits to go into it. */
const POLICY_FILE =
  /(?:^|\/)\.conclaude(?:$|\/(?:config\.ya?ml$|conclaude\.(?:db|log)|(?:spool|notices|backups)(?:$|\/))|(?:\.local)?\.ya?ml$)|^\/tmp\/conclaude(?:\.db|-\d+(?:$|\/))/;

/** Claude Code's own settings: they start the hooks. */
const SETTINGS_FILE = /(?:^|\/)\.claude\/settings(?:\.local)?\.json$/;
const SETTINGS_OR_FOLDER = /(?:^|\/)\.claude(?:$|\/settings(?:\.local)?\.json$)/;

/** What in those is about hooks. */
const ABOUT_HOOKS = /disableAllHooks|hooks|conclaude/;

/** What is written into a file; `unknown` of a shell command. */
export type Written = {
  /** What is put in and taken out, as one text; asked for only where it matters. */
  readonly text: () => string;
  /** Whether nothing of the file stays. */
  readonly replaces: boolean;
} | "unknown";

/**
 * Why only a person may change a file in this way; null when a tool may.
 *
 * Of Claude Code's settings a tool may change what is not about hooks, and make them where there are none.
 */
export function whyProtected(
  { spellings, exists, effect }: Pick<FileFacts, "spellings" | "exists" | "effect">,
  written: Written,
): string | null {
  // Nearly no file is one of them, and a search for a word costs nothing beside compiling a pattern.
  const is = (pattern: RegExp, word: string) =>
    spellings.some((spelling) => spelling.includes(word) && pattern.test(spelling));
  if (is(POLICY_FILE, "conclaude")) return "belongs to the guards";
  if (!is(effect === "remove" ? SETTINGS_OR_FOLDER : SETTINGS_FILE, ".claude")) return null;
  const isTouched = written === "unknown" || (written.replaces && exists) ||
    ABOUT_HOOKS.test(written.text());
  return isTouched ? "starts the hooks" : null;
}
