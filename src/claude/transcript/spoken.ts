/** Distinguishes texts of a transcript that somebody said from texts that Claude Code writes itself. */

/** Matches the beginning of a text that was not sent to Claude, such as the output of a local command. */
const OWN_TEXT =
  /^\s*(?:<(?:local-command-|bash-|user-memory-input|command-name>)|\[Request interrupted by user)/;

/** Matches a slash command that becomes a prompt; one that Claude Code runs itself begins with `<command-name>`. */
const EXPANDED = /^\s*<command-message>/;

/** Matches what Claude Code writes when a person interrupts Claude. */
const INTERRUPTED = /^\s*\[Request interrupted by user/;

/** Returns the text of a message: its text blocks joined by line breaks, without reminders of Claude Code. */
export function messageText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map(Object)
    .flatMap(({ type, text }) => type === "text" && typeof text === "string" ? [text] : [])
    .filter((text) => !text.startsWith("<system-reminder>"))
    .join("\n");
}

/** Returns the prompt as a person typed it; null if the message is not a prompt. */
export function promptOf(content: unknown): string | null {
  const text = messageText(content);
  if (text.trim() === "" || OWN_TEXT.test(text) || text.startsWith("<system-reminder>")) {
    return null;
  }
  if (!EXPANDED.test(text)) return text;
  const typed = `${within(text, "command-name")} ${within(text, "command-args")}`.trim();
  return typed === "" ? null : typed;
}

/** Returns the text inside the first element of a name; empty if it is not closed. */
function within(text: string, name: string): string {
  const start = text.indexOf(`<${name}>`);
  const end = text.indexOf(`</${name}>`, start);
  return start === -1 || end === -1 ? "" : text.slice(start + name.length + 2, end).trim();
}

/** Tells whether a message says that a person interrupted Claude. */
export function saysInterrupted(content: unknown): boolean {
  return INTERRUPTED.test(messageText(content));
}

/** The texts that Claude Code writes around the summary of a compaction. */
const BEFORE_SUMMARY = /^This session is being continued from[^\n]*\n+/;
const REMINDER = /^<system-reminder>[\s\S]*?<\/system-reminder>\s*/;
const AFTER_SUMMARY =
  /\n(?:If you need specific details from before compaction|(?:Please )?[Cc]ontinue the conversation from|Recent messages are preserved)[\s\S]*$/;

/** Returns the summary of a compaction alone, from the text of a transcript or of a hook. */
export function bareSummary(text: string): string {
  const [, marked] = /<summary>([\s\S]*?)(?:<\/summary>|$)/.exec(text) ?? [];
  if (marked !== undefined) return marked.trim();
  return text.trim()
    .replace(BEFORE_SUMMARY, "")
    .replace(REMINDER, "")
    .replace(/^(?:Analysis:[\s\S]*?\n)?Summary:\s*/, "")
    .replace(AFTER_SUMMARY, "")
    .trim();
}

/** The beginning of a compaction's title. A compaction covers all turns before it, and ends none. */
export const COMPACTION = "Compaction: ";

/** The beginning of the summary with which a compacted session continues. */
const CONTINUED = "This session is being continued from ";

/** Tells whether Claude Code wrote a prompt: text in a tag (a finished background task), or a compaction's summary. */
export function isOwnPrompt(prompt: string): boolean {
  const text = prompt.trimStart();
  return text.startsWith("<") || text.startsWith(CONTINUED);
}

/** Tells whether a prompt is the summary with which a compacted session continues. */
export function isContinuation(prompt: string): boolean {
  return prompt.trimStart().startsWith(CONTINUED);
}
