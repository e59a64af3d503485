/** What is dropped as a whole: text that someone marked as private, and private keys. */
import { findPrivateKeys } from "./private_keys.ts";
import { mayHoldBlock } from "./triggers.ts";

const PRIVATE_MASK = "[private removed]";

/** A part of a text, and what stands in its place. */
export interface MaskedSpan {
  readonly start: number;
  readonly end: number;
  readonly mask: string;
}

/**
 * The parts without private blocks and PEM keys. The parts are the lines of one text (the hunks of an
 * edit are lists of lines), so a block that starts in one may end in a later one.
 */
export function dropBlocks(parts: readonly string[]): readonly string[] {
  if (!parts.some((part) => mayHoldBlock(part, part.toLowerCase()))) return parts;
  const text = parts.join("\n");
  const spans = [...findPrivateBlocks(text), ...findPrivateKeys(text)]
    .sort((a, b) => a.start - b.start);
  let next = 0;
  let offset = 0;
  return parts.map((part) => {
    const end = offset + part.length;
    let kept = "";
    let at = offset;
    for (; next < spans.length; next++) {
      const span = spans[next]!;
      if (span.start >= end) break;
      if (span.end > at) {
        kept += text.slice(at, Math.max(at, span.start)) + span.mask;
        at = Math.min(end, span.end);
      }
      if (span.end > end) break;
    }
    kept += text.slice(at, end);
    offset = end + 1;
    return kept;
  });
}

/** `<private>…</private>`, nested ones by depth; an unclosed one reaches to the end. */
function findPrivateBlocks(text: string): MaskedSpan[] {
  const spans: MaskedSpan[] = [];
  const tag = /<(?: ?|(\/)\s{0,8})private(?=[\s>/\\])/gi;
  let depth = 0;
  let start = 0;
  for (let found = tag.exec(text); found !== null; found = tag.exec(text)) {
    const close = text.indexOf(">", tag.lastIndex);
    if (close === -1) break;
    tag.lastIndex = close + 1;
    if (found[1] === "/") {
      if (depth > 0 && --depth === 0) spans.push({ start, end: close + 1, mask: PRIVATE_MASK });
    } else if (text[close - 1] !== "/") {
      if (depth++ === 0) start = found.index;
    }
  }
  if (depth > 0) spans.push({ start, end: text.length, mask: PRIVATE_MASK });
  return spans;
}
