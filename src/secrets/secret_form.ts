/** Defines a row of the tables of secrets, finds the rows that may match a text, and masks what they find. */
/** A part of a text, and the mask that replaces it. */
export interface MaskedSpan {
  readonly start: number;
  readonly end: number;
  readonly mask: string;
}

/** A row whose pattern runs only on texts with one of its literals. */
export interface Prefiltered {
  /** Literals in small letters; every match contains one of them. */
  readonly prefilter: readonly string[];
  /** Makes the pattern, which is global, at its first use, since a process uses few patterns. */
  readonly pattern: () => RegExp;
  /** A text that matches, and a similar one that does not. */
  readonly example: string;
  readonly counterexample: string;
}

/** A form of secrets. The first group that matches, or else the match, is the secret; both end together. */
export interface SecretForm extends Prefiltered {
  /** The name in the mask: `[redacted:<name>]`. */
  readonly name: string;
  readonly validate?: (secret: string) => boolean;
}

export function maskOf(name: string): string {
  return `[redacted:${name}]`;
}

/** Searches a text once for the literals of all rows. */
export interface LiteralSearch<Row> {
  /** Returns the first literal at or after an index, the longest one of those that begin there. */
  readonly next: (text: string, from: number) => { index: number; literal: string } | null;
  /** Returns the rows of a found literal and of the shorter literals that it begins with. */
  readonly rowsAt: (literal: string) => readonly Row[];
}

/** The length of the parts of a text that are searched: beyond 50,000 steps the engine changes to a slower way. */
const PART_CHARS = 16_384;

export function searchFor<Row>(
  rows: readonly Row[],
  literalsOf: (row: Row) => readonly string[],
): LiteralSearch<Row> {
  const pairs = rows.flatMap((row) => literalsOf(row).map((literal) => ({ literal, row })));
  const byLiteral = Map.groupBy(pairs, ({ literal }) => literal);
  const ordered = [...byLiteral.keys()].toSorted((one, two) => two.length - one.length);
  const known = new Map<string, readonly Row[]>();
  const pattern = new RegExp(ordered.map((literal) => RegExp.escape(literal)).join("|"));
  const longest = ordered[0]?.length ?? 0;
  return {
    next(text, from) {
      for (let start = from; start < text.length; start += PART_CHARS) {
        const found = pattern.exec(text.slice(start, start + PART_CHARS + longest));
        if (found !== null && found.index < PART_CHARS) {
          return { index: start + found.index, literal: found[0] };
        }
      }
      return null;
    },
    rowsAt(literal) {
      const found = known.get(literal) ??
        ordered.filter((other) => literal.startsWith(other))
          .flatMap((other) => byLiteral.get(other)!.map(({ row }) => row));
      known.set(literal, found);
      return found;
    },
  };
}

const searches = new WeakMap<readonly Prefiltered[], LiteralSearch<Prefiltered>>();
const patterns = new WeakMap<object, RegExp>();

/** Returns the pattern of a row, compiled at first use. */
export function patternOf(form: { readonly pattern: () => RegExp }): RegExp {
  const made = patterns.get(form) ?? form.pattern();
  patterns.set(form, made);
  return made;
}

/** Returns the forms of which the text contains a literal. */
export function formsIn<Form extends Prefiltered>(text: string, forms: readonly Form[]): Form[] {
  const search = searches.get(forms) ?? searchFor(forms, ({ prefilter }) => prefilter);
  searches.set(forms, search);
  const found = new Set<Prefiltered>();
  const { next, rowsAt } = search;
  const lowered = text.toLowerCase();
  for (let at = next(lowered, 0); at !== null; at = next(lowered, at.index + 1)) {
    for (const form of rowsAt(at.literal)) found.add(form);
  }
  return found.size === 0 ? [] : forms.filter((form) => found.has(form));
}

/** Returns the spans of the secrets that some forms find in a text. */
export function findForms(text: string, forms: readonly SecretForm[]): MaskedSpan[] {
  const spans: MaskedSpan[] = [];
  for (const form of formsIn(text, forms)) {
    const { name, validate } = form;
    for (const match of text.matchAll(patternOf(form))) {
      const secret = match.slice(1).find((group) => group !== undefined) ?? match[0];
      const end = match.index + match[0].length;
      if (secret.startsWith("[redacted") || validate?.(secret) === false) continue;
      spans.push({ start: end - secret.length, end, mask: maskOf(name) });
    }
  }
  return spans;
}

/** Masks spans in the lines of one text. Where spans overlap, the one that begins first counts, then the longer. */
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
