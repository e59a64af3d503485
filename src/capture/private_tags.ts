/** Where the tags of `<private>…</private>` stand in a text, and what they make private of it. */

/** What stands in the place of private text. */
export const PRIVATE_MASK = "[private removed]";

/** A part of a text, its tags included. */
export interface PrivateSpan {
  readonly start: number;
  readonly end: number;
}

/** What is private in a text. */
export interface PrivateParts {
  /** In order, apart from each other. */
  readonly spans: readonly PrivateSpan[];
  /** Where the last tag ends that closes what was opened before the text begins; 0 when there is none. */
  readonly closesAt: number;
  /** Whether what is opened last is not closed: it goes on behind the text. */
  readonly isOpen: boolean;
}

const NOTHING: PrivateParts = { spans: [], closesAt: 0, isOpen: false };

/** A tag, before its attributes. */
const TAG = /<(?: ?|(\/)\s{0,8})private(?=[\s>/\\])/gi;

/** Whether a text may hold such a tag, whatever its letters. */
function mayHoldTag(text: string): boolean {
  return text.includes("<") && /<[ /]?\s{0,8}private/i.test(text);
}

/**
 * The private parts, nested ones by depth. What is never closed reaches to the end. What was opened before the text
 * begins reaches from its beginning to the tag that closes it: nobody can tell where it was opened. A closing tag in
 * quotes, with other words on its line, is one that the text speaks of.
 */
export function findPrivate(text: string): PrivateParts {
  if (!mayHoldTag(text)) return NOTHING;
  const tag = new RegExp(TAG);
  let spans: PrivateSpan[] = [];
  let closesAt = 0;
  let depth = 0;
  let start = 0;
  for (let found = tag.exec(text); found !== null; found = tag.exec(text)) {
    const close = text.indexOf(">", tag.lastIndex);
    if (close === -1) break;
    const end = close + 1;
    tag.lastIndex = end;
    if (found[1] !== "/") {
      if (text[close - 1] !== "/" && depth++ === 0) start = found.index;
    } else if (depth > 0) {
      if (--depth === 0) spans.push({ start, end });
    } else if (found[0].length <= "</ private".length && !isQuoted(text, found.index, end)) {
      closesAt = end;
      spans = [{ start: 0, end }];
    }
  }
  if (depth > 0) spans.push({ start, end: text.length });
  return { spans, closesAt, isOpen: depth > 0 };
}

/** How far the rest of a line is looked at. */
const NEAR_CHARS = 200;

function isQuoted(text: string, start: number, end: number): boolean {
  const quote = text[start - 1] ?? "";
  if (quote === "" || !"\"'`".includes(quote) || text[end] !== quote) return false;
  const before = text.slice(Math.max(0, start - NEAR_CHARS), start - 1);
  const after = text.slice(end + 1, end + NEAR_CHARS);
  return /\w/.test(before.slice(before.lastIndexOf("\n") + 1) + after.split("\n", 1)[0]);
}
