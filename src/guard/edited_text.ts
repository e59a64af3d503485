/** What a file holds after an editing tool, worked out as Claude Code's tools do it. */

/** From the text before to the text after. Null stands for no file before, and for a failing tool after. */
export type TextChange = (before: string | null) => string | null;

/** What a tool would make of a file's text; null for a tool that does not work on text. */
export function textAfter(tool: string, input: unknown): TextChange | null {
  const { content, edits } = Object(input);
  if (tool === "Write") return () => textOf(content);
  if (tool === "Edit") return (before) => edited(before, input);
  if (tool !== "MultiEdit") return null;
  return (before) => Array.isArray(edits) ? afterAll(edits, before) : null;
}

/** One edit after the other; when one fails, none is done. */
function afterAll(edits: readonly unknown[], before: string | null): string | null {
  let text = before;
  for (const edit of edits) {
    text = edited(text, edit);
    if (text === null) return null;
  }
  return text;
}

/** One replacement. A text that occurs several times is replaced only with `replace_all`. */
function edited(before: string | null, edit: unknown): string | null {
  const { old_string, new_string, replace_all } = Object(edit);
  const from = textOf(old_string);
  const to = textOf(new_string);
  if (from === null || to === null) return null;
  if (from === "") return before === null || before === "" ? to : null;
  // As the tool reads it.
  const text = (before ?? "").replaceAll("\r\n", "\n");
  const found = text.includes(from) ? from : meant(text, from);
  if (found === null) return null;
  const pieces = text.split(found);
  if (replace_all === true) return pieces.join(to);
  return pieces.length === 2 ? pieces.join(to) : null;
}

/** Where the text is not found, the tool takes curly quotes for straight ones. */
function meant(text: string, from: string): string | null {
  const at = straight(text).indexOf(straight(from));
  return at < 0 ? null : text.slice(at, at + from.length);
}

function straight(text: string): string {
  return text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"');
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
