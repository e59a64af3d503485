/** Which texts of a transcript somebody said, among those that Claude Code writes there itself. */

/** Lines of what was done in Claude Code and not sent to Claude. */
const OWN_TEXT =
  /^\s*(?:<(?:local-command-|bash-|user-memory-input|command-name>)|\[Request interrupted by user)/;

/** A command that becomes a prompt; one that Claude Code carries out itself names itself first. */
const EXPANDED = /^\s*<command-message>/;

/** Stands where a person has stopped Claude. */
const INTERRUPTED = /^\s*\[Request interrupted by user/;

/** The text of a message: of its blocks those that are text, a line each. Reminders that were put beside them are none. */
export function messageText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter((block) => Object(block).type === "text" && typeof Object(block).text === "string")
    .map((block) => String(block.text))
    .filter((text) => !text.startsWith("<system-reminder>"))
    .join("\n");
}

/** The prompt as it was typed; null where a person has sent none. */
export function promptOf(content: unknown): string | null {
  const text = messageText(content);
  if (text.trim() === "" || OWN_TEXT.test(text) || text.startsWith("<system-reminder>")) {
    return null;
  }
  if (!EXPANDED.test(text)) return text;
  const typed = `${within(text, "command-name")} ${within(text, "command-args")}`.trim();
  return typed === "" ? null : typed;
}

/** The text in the first tag of a name; empty where the tag is not closed. */
function within(text: string, name: string): string {
  const start = text.indexOf(`<${name}>`);
  const end = text.indexOf(`</${name}>`, start);
  return start === -1 || end === -1 ? "" : text.slice(start + name.length + 2, end).trim();
}

/** Whether a message says that a person has stopped Claude. */
export function saysInterrupted(content: unknown): boolean {
  return INTERRUPTED.test(messageText(content));
}

/** The text that Claude Code writes around the summary of a compaction. */
const BEFORE_SUMMARY = /^This session is being continued from[^\n]*\n+/;
const REMINDER = /^<system-reminder>[\s\S]*?<\/system-reminder>\s*/;
const AFTER_SUMMARY =
  /\n(?:If you need specific details from before compaction|(?:Please )?[Cc]ontinue the conversation from|Recent messages are preserved)[\s\S]*$/;

/** The summary itself, of what a transcript holds or of what a hook was told. */
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

/** How the title of what a compaction kept begins: it tells of all turns before it, and ends none. */
export const COMPACTION = "Compaction: ";

/** How what a compacted session goes on with begins: the summary of what was there before. */
const CONTINUED = "This session is being continued from ";

/** Whether a prompt is Claude Code's own: in a tag (a finished background task), or the summary that a session goes on with. */
export function isOwnPrompt(prompt: string): boolean {
  const text = prompt.trimStart();
  return text.startsWith("<") || text.startsWith(CONTINUED);
}

/** Whether it is such a summary. */
export function isContinuation(prompt: string): boolean {
  return prompt.trimStart().startsWith(CONTINUED);
}
