/** Tables of the forms that secrets have: how their patterns are looked for in a text. */

/** What a secret, or what leads to it, looks like. */
export interface Form {
  /** A regular expression; in a table of {@linkcode formsMask} it ignores case. */
  readonly pattern: string;
  /** One of them, in small letters, is in every match: most texts have none. */
  readonly hints?: readonly string[] | undefined;
  /** What cannot be told from an ordinary word by its place has to look like a secret. */
  readonly isOpen?: boolean;
}

/** Whether a form may match in a text, in small letters. */
export function mayMatch({ hints }: Pick<Form, "hints">, lowered: string): boolean {
  return hints === undefined || hints.some((hint) => lowered.includes(hint));
}

/** Masks those of a form's matches that are secrets. The next one is looked for from the pattern's `lastIndex`. */
export type MaskMatches = (text: string, matches: Matches) => string;

/** A form's matches in a text, in order. */
export interface Matches extends Iterable<RegExpExecArray> {
  readonly pattern: RegExp;
  readonly isOpen: boolean;
}

/**
 * What masks the forms of a table one after the other. A text is read once for all patterns that begin with the same name,
 * not once for each: only where one of them matches are they asked for their own matches.
 *
 * @param name What those patterns begin with.
 */
export function formsMask(
  forms: readonly Form[],
  name: string,
  mask: MaskMatches,
): (text: string) => string {
  const named = forms.flatMap(({ pattern }) => behindName(pattern, name) ?? []);
  const anyNamed = new RegExp(`(?=${name}(?:${named.join("|")}))`, "gi");
  const compiled = forms.map(({ pattern, hints, isOpen = false }) => {
    const isNamed = behindName(pattern, name) !== undefined;
    return { hints, isOpen, isNamed, pattern: new RegExp(pattern, isNamed ? "giy" : "gi") };
  });
  return (text) => {
    const lowered = text.toLowerCase();
    let masked = text;
    let places: readonly number[] | undefined;
    for (const form of compiled) {
      if (!mayMatch(form, lowered)) continue;
      const { isNamed, pattern, isOpen } = form;
      if (isNamed) places ??= placesOf(anyNamed, masked);
      const matches = isNamed ? matchesAt(places!, pattern, masked) : allMatches(pattern, masked);
      pattern.lastIndex = 0;
      const next = mask(masked, { pattern, isOpen, [Symbol.iterator]: () => matches });
      if (next !== masked) places = undefined;
      masked = next;
    }
    return masked;
  };
}

/** A pattern without the name that it begins with, also where that is the beginning of its first group. */
function behindName(pattern: string, name: string): string | undefined {
  const start = pattern.startsWith(`(${name}`) ? "(" : "";
  return pattern.startsWith(start + name)
    ? start + pattern.slice(start.length + name.length)
    : undefined;
}

/** Where a pattern matches that has no length. */
function placesOf(pattern: RegExp, text: string): number[] {
  const places: number[] = [];
  for (pattern.lastIndex = 0; pattern.test(text); pattern.lastIndex++) {
    places.push(pattern.lastIndex);
  }
  return places;
}

function* allMatches(pattern: RegExp, text: string): Generator<RegExpExecArray> {
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) yield found;
}

/** The same for a sticky pattern that matches nowhere else. */
function* matchesAt(
  places: readonly number[],
  pattern: RegExp,
  text: string,
): Generator<RegExpExecArray> {
  for (const place of places) {
    if (place < pattern.lastIndex) continue;
    pattern.lastIndex = place;
    const found = pattern.exec(text);
    if (found !== null) yield found;
  }
}
