/** What is dropped as a whole: text that someone marked as private, and private keys. */
import { findPrivateKeys } from "./private/keys.ts";
import { findEscapedPrivate, findPrivate, PRIVATE_MASK } from "./private/tags.ts";
import { mayHoldBlock } from "./triggers.ts";

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
  return maskSpans(parts, spans);
}

/** The lines of one text with parts of it masked: spans in their order, each in one line or in several. */
export function maskSpans(
  parts: readonly string[],
  spans: readonly MaskedSpan[],
): readonly string[] {
  const text = parts.join("\n");
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

/** What is private; a tag alone that closes nothing may stay. */
function findPrivateBlocks(text: string): MaskedSpan[] {
  const { spans, closesAt } = findPrivate(text);
  const first = closesAt > 0 && holdsNothing(text.slice(0, closesAt)) ? spans.slice(1) : spans;
  return [...first, ...findEscapedPrivate(text)].map((span) => ({ ...span, mask: PRIVATE_MASK }));
}

/** Whether there is nothing but blanks in front of the one tag that a text ends with. */
function holdsNothing(text: string): boolean {
  return /^\s*<[^<>]*>$/.test(text);
}
