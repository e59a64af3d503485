/**
 * Secrets in lines that something stands in front of: in a diff, in numbered lines, in what a search found, in a log. What
 * the lines hold without that is masked in its place by the rules for any other text.
 */
import { type MaskedSpan, maskSpans } from "./blocks.ts";
import { type BareText, bareTexts } from "./line_leads.ts";
import { mayHoldSecret } from "./triggers.ts";

const MASK = /\[redacted:[a-z\d-]+\]/g;
const KUBERNETES = /kind\W{1,40}secret/i;
/** What each line of a patch begins with, also where all of it is masked. */
const OF_PATCH = /^(?:[-+ \\]|$|\[(?:redacted:|private removed))/;

/**
 * The parts with what is masked in their bare lines masked.
 *
 * @param parts A text, or the lines of a patch; other lists stay as they are, for each of their texts is its own.
 * @param mask What masks the secrets of a text, by nothing but `[redacted:…]` in their place.
 */
export function maskBehindLeads(
  parts: readonly string[],
  mask: (text: string) => string,
): readonly string[] {
  if (parts.length > 1 && !parts.every((part) => OF_PATCH.test(part))) return parts;
  const text = parts.join("\n");
  if (!mayHoldSecret(text)) return parts;
  // What a Secret of Kubernetes holds has no names that tell of it.
  const isSuspect = KUBERNETES.test(text) ? () => true : mayHoldSecret;
  const spans = bareTexts(text, isSuspect).flatMap((bare) => masksOf(bare, mask(bare.text)))
    .filter(({ start, end, mask }) => text.slice(start, end) !== mask);
  return spans.length === 0 ? parts : maskSpans(parts, apart(spans));
}

/** What was masked in a bare text, where it stands in the whole. */
export function masksOf(bare: BareText, masked: string): MaskedSpan[] {
  if (masked === bare.text) return [];
  const spans: MaskedSpan[] = [];
  let at = 0;
  let kept = 0;
  let last: { readonly start: number; readonly mask: string } | undefined;
  const close = (end: number) => {
    if (last === undefined) return;
    const { mask } = last;
    spans.push(...bare.spansOf(last.start, end).map((span) => ({ ...span, mask })));
  };
  // Where several places fit, each gives the same masked text.
  for (const { 0: mask, index } of masked.matchAll(MASK)) {
    const between = masked.slice(kept, index);
    const found = last === undefined ? at : bare.text.indexOf(between, at);
    if (found === -1) return spans;
    close(found);
    at = found + between.length;
    kept = index + mask.length;
    last = { start: at, mask };
  }
  close(bare.text.length - (masked.length - kept));
  return spans;
}

/** In their order, those that overlap as one. */
function apart(spans: readonly MaskedSpan[]): MaskedSpan[] {
  const all: MaskedSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last === undefined || span.start >= last.end) all.push(span);
    else if (span.end > last.end) all[all.length - 1] = { ...last, end: span.end };
  }
  return all;
}
