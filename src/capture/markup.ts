/**
 * Secrets in HTML and XML: `<code>DB_PASSWORD=hunter2</code>`. To a reader each tag ends what stands before it, and what
 * stands behind it begins anew; to the rules for text it would be a part of the value, or of a line that has to be one of
 * its own.
 */
import { masksOf } from "./behind_leads.ts";
import { maskSpans } from "./blocks.ts";
import { closedElements, withoutMarkup } from "./tags.ts";
import { mayHoldSecret } from "./triggers.ts";

/**
 * The parts with what is masked in them without their markup masked in its place; the markup stays.
 *
 * @param mask What masks the secrets of parts, by nothing but `[redacted:…]` in their place.
 */
export function maskInMarkup(
  parts: readonly string[],
  mask: (parts: readonly string[]) => readonly string[],
): readonly string[] {
  if (!parts.some((part) => part.includes("<") || part.includes("&"))) return parts;
  const closed = new Set(parts.flatMap(closedElements));
  const bare = parts.map((part) => withoutMarkup(part, closed));
  if (bare.every(({ text }, index) => text === parts[index])) return parts;
  if (!bare.some(({ text }) => mayHoldSecret(text))) return parts;
  const masked = mask(bare.map(({ text }) => text));
  return parts.map((part, index) => maskSpans([part], masksOf(bare[index]!, masked[index]!))[0]!);
}
