/** Finds tokens and keys of services by their fixed letters, such as `ghp_`. */
import { ODD_RUN } from "./secret_names.ts";
import ROWS from "./vendor_forms.json" with { type: "json" };
import {
  type LiteralSearch,
  type MaskedSpan,
  maskOf,
  patternOf,
  searchFor,
} from "./secret_form.ts";

/** Short names for parts of patterns. `mixed` demands letters of both cases and a digit in the next 60 characters. */
const PATTERN_PARTS: Readonly<Record<string, string>> = {
  mixed: String.raw`(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[A-Z])(?=[\w-]{0,60}[a-z])`,
  // A longer run is no token but, for example, a piece of base64.
  end: String.raw`(?![\w+/])`,
  uuid: String.raw`[a-f\d]{8}-(?:[a-f\d]{4}-){3}[a-f\d]{12}`,
};
/** Parts of the examples, kept apart so that no scanner takes the table for a leak. */
const EXAMPLE_PARTS: Readonly<Record<string, string>> = {
  mixed: "aB3xY7",
  hex: "0a1f9c",
  upper: "AB12",
  uuid: "0a1f9c0a-0a1f-0a1f-0a1f-0a1f9c0a1f9c",
};

/** A form that is found by its literal, so that one search of a text serves all forms. */
interface VendorForm {
  readonly name: string;
  readonly literal: string;
  readonly pattern: () => RegExp;
  /** The number of the token's characters before its literal. */
  readonly lead: number;
  /** Whether ordinary words may end in the literal: then no letter, digit or dash may precede the token. */
  readonly isWord: boolean;
  readonly example: string;
  readonly counterexample: string;
}

export const VENDOR_FORMS: readonly VendorForm[] = ROWS.flatMap((row) =>
  row.literals.map((literal): VendorForm => {
    const { name, lead = "", rest, anywhere = false, example, counterexample } = row;
    const expanded = (text: string) => text.replace(/<(\w+)>/g, (_, part) => PATTERN_PARTS[part]!);
    const filled = (text: string) =>
      text.replaceAll("<literal>", literal).replace(/<(\w+)(?: (\d+))?>/g, (_, part, length) => {
        const word = EXAMPLE_PARTS[part]!;
        return word.repeat(Number(length ?? 1)).slice(0, Number(length ?? word.length));
      });
    return {
      name,
      literal,
      pattern: () => new RegExp(lead + RegExp.escape(literal) + expanded(rest), "y"),
      lead: Number(/\{(\d+)\}$/.exec(lead)?.[1] ?? 0),
      isWord: !anywhere,
      get example() {
        return filled(example);
      },
      get counterexample() {
        return filled(counterexample);
      },
    };
  })
);

/** What may precede a token: no letter, digit, `+` or `-`, except a diff's sign, an escape or the end of a colour. */
const APART = /(?:^|[^\w+-]|(?:^|[\r\n]|\\[nrt])[+-]?|%[\dA-F]{2}|\\u[\da-f]{4}|\[[\d;]{0,16}m)$/;

function isApart(text: string, start: number): boolean {
  const before = text[start - 1] ?? " ";
  return !/[\w+-]/.test(before) || APART.test(text.slice(Math.max(0, start - 20), start));
}

let search: LiteralSearch<VendorForm> | undefined;

export function findVendorTokens(text: string): MaskedSpan[] {
  const spans: MaskedSpan[] = [];
  const { next, rowsAt } = search ??= searchFor(VENDOR_FORMS, ({ literal }) => [literal]);
  let from = 0;
  for (let found = next(text, from); found !== null; found = next(text, from)) {
    // The next literal may begin within this one, but not within a found token.
    from = found.index + 1;
    for (const form of rowsAt(found.literal)) {
      const { name, lead, isWord } = form;
      const start = found.index - lead;
      // The cheap test comes first, since a token may be as long as the text.
      if (start < 0 || isWord && !isApart(text, start)) continue;
      const token = patternOf(form);
      token.lastIndex = start;
      if (!token.test(text)) continue;
      const end = token.lastIndex;
      if (!ODD_RUN.test(text.slice(start, end))) {
        from = Math.max(from, end);
        continue;
      }
      spans.push({ start, end, mask: maskOf(name) });
      from = end;
      break;
    }
  }
  return spans;
}
