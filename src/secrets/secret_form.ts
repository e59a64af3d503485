/** A row of the tables of secrets, and the loops that read such rows. */

/** A part of a text, and what stands in its place. */
export interface MaskedSpan {
  readonly start: number;
  readonly end: number;
  readonly mask: string;
}

/** A form of secrets, found wherever its pattern matches. */
export interface SecretForm {
  /** Stands in the mask: `[redacted:<name>]`. */
  readonly name: string;
  /** Every match holds one of these, in small letters. */
  readonly prefilter: readonly string[];
  /** Global. Its first group that matched is the secret and ends the match; without a group the whole match is the secret. */
  readonly pattern: RegExp;
  readonly validate?: (secret: string) => boolean;
  /** A text with such a secret in it, and a similar one without. */
  readonly example: string;
  readonly counterexample: string;
}

export function maskOf(name: string): string {
  return `[redacted:${name}]`;
}

/** A search for many literals at once, with one look at a text. */
export interface LiteralSearch {
  /** Global; matches the longest literal of each place. */
  readonly pattern: RegExp;
  /** For each literal, the literals that it begins with, itself included: they occur wherever it occurs. */
  readonly beginnings: ReadonlyMap<string, readonly string[]>;
}

export function searchFor(literals: readonly string[]): LiteralSearch {
  const ordered = [...new Set(literals)].toSorted((one, two) => two.length - one.length);
  return {
    pattern: new RegExp(ordered.map((literal) => RegExp.escape(literal)).join("|"), "g"),
    beginnings: new Map(
      ordered.map((literal) => [literal, ordered.filter((other) => literal.startsWith(other))]),
    ),
  };
}

const searches = new WeakMap<readonly SecretForm[], LiteralSearch>();

/** Which literals of some forms stand in a text of small letters. */
function literalsIn(lowered: string, forms: readonly SecretForm[]): ReadonlySet<string> {
  const search = searches.get(forms) ?? searchFor(forms.flatMap(({ prefilter }) => prefilter));
  searches.set(forms, search);
  const found = new Set<string>();
  const { pattern, beginnings } = search;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(lowered); match !== null; match = pattern.exec(lowered)) {
    pattern.lastIndex = match.index + 1;
    if (!found.has(match[0])) {
      for (const literal of beginnings.get(match[0])!) found.add(literal);
    }
  }
  return found;
}

/** Where the secrets of some forms stand in a text. */
export function findForms(text: string, forms: readonly SecretForm[]): MaskedSpan[] {
  const literals = literalsIn(text.toLowerCase(), forms);
  const spans: MaskedSpan[] = [];
  for (const { name, prefilter, pattern, validate } of forms) {
    if (!prefilter.some((literal) => literals.has(literal))) continue;
    for (const match of text.matchAll(pattern)) {
      const secret = match.slice(1).find((group) => group !== undefined) ?? match[0];
      const end = match.index + match[0].length;
      if (secret.startsWith("[redacted") || validate?.(secret) === false) continue;
      spans.push({ start: end - secret.length, end, mask: maskOf(name) });
    }
  }
  return spans;
}

/**
 * The lines of one text, joined by `\n`, with spans of it replaced. A span over several lines leaves a mask in each of them.
 * Of spans that overlap the first one counts, of two that begin together the longer.
 */
export function maskSpans(lines: readonly string[], spans: readonly MaskedSpan[]): string[] {
  const ordered = spans.toSorted((one, two) => one.start - two.start || two.end - one.end);
  let next = 0;
  let lineStart = 0;
  return lines.map((line) => {
    const lineEnd = lineStart + line.length;
    let masked = "";
    let at = lineStart;
    for (; next < ordered.length; next++) {
      const { start, end, mask } = ordered[next]!;
      if (start >= lineEnd && end > lineEnd) break;
      if (end > at && (start >= at || start < lineStart)) {
        masked += line.slice(at - lineStart, Math.max(at, start) - lineStart) + mask;
      }
      at = Math.max(at, Math.min(end, lineEnd));
      if (end > lineEnd) break;
    }
    masked += line.slice(at - lineStart);
    lineStart = lineEnd + 1;
    return masked;
  });
}
