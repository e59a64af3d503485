/** A row of the tables of secrets, and the loops that read such rows. */
/** A part of a text, and what stands in its place. */
export interface MaskedSpan {
  readonly start: number;
  readonly end: number;
  readonly mask: string;
}

/** A row that is looked at only where one of its literals stands. */
export interface Prefiltered {
  /** Every match holds one of these, in small letters. */
  readonly prefilter: readonly string[];
  /** Makes the pattern, at its first use: a process uses few of them. */
  readonly pattern: () => RegExp;
  /** A text that matches, and a similar one that does not. */
  readonly example: string;
  readonly counterexample: string;
}

/** A form of secrets. Its pattern is global; the first group that matched ends the match and is the secret, else all of it. */
export interface SecretForm extends Prefiltered {
  /** Stands in the mask: `[redacted:<name>]`. */
  readonly name: string;
  readonly validate?: (secret: string) => boolean;
}

export function maskOf(name: string): string {
  return `[redacted:${name}]`;
}

/** A search for the rows whose literals stand in a text, with one look at it. What no text asks for is not made. */
export interface LiteralSearch<Row> {
  /** The first place from an index on with a literal, and the longest literal there. */
  readonly next: (text: string, from: number) => { index: number; literal: string } | null;
  /** The rows of a literal that was matched, and of those that it begins with: they stand there as well. */
  readonly rowsAt: (literal: string) => readonly Row[];
}

/** A long text is searched part by part: beyond 50,000 steps a search the engine takes another, much slower way. */
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

/** The pattern of a row, made at its first use. */
export function patternOf(form: { readonly pattern: () => RegExp }): RegExp {
  const made = patterns.get(form) ?? form.pattern();
  patterns.set(form, made);
  return made;
}

/** The forms with a literal that stands in a text. */
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

/** Where the secrets of some forms stand in a text. */
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

/** Masks spans in the lines of one text, in each line that they touch. Where two overlap, the first, else the longer, counts. */
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
