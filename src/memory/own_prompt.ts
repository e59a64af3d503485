/** Prompts that Claude Code sends in a person's place. */

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
