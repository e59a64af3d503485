/** What an edit makes of private text is private, too, though the file that is kept beside it is the one from before. */

/** Texts that are known to be private, and what edits make of them. */
export interface PrivateTexts {
  readonly add: (text: string) => void;
  /**
   * An edit replaces one text by another.
   *
   * @returns The lines that it makes of private ones, none also where there are too many edits to tell; null where it is
   * about other text.
   */
  readonly edit: (old: string, made: string) => readonly string[] | null;
}

/** How many characters are looked through, and how many are made: a payload may tell of a million edits. */
const MAX_READ_CHARS = 40_000_000;
const MAX_MADE_CHARS = 200_000;

/** None yet. */
export function privateTexts(): PrivateTexts {
  const texts: string[] = [];
  const known = new Map<string, readonly string[]>();
  let chars = 0;
  let toRead = MAX_READ_CHARS;
  let toMake = MAX_MADE_CHARS;
  const add = (text: string) => {
    texts.push(text);
    chars += text.length;
  };
  return {
    add,
    edit(old, made) {
      if (old.trim() === "") return null;
      const key = `${old.length} ${old}${made}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      toRead -= chars;
      if (toRead < 0) return [];
      const holders = texts.filter((text) => text.includes(old));
      if (holders.length === 0) return null;
      const lines: string[] = [];
      for (const line of holders.flatMap((text) => linesAround(text, old))) {
        const count = line.split(old).length - 1;
        toMake -= 2 * (line.length + count * made.length);
        if (toMake < 0) break;
        // One of them was replaced, or all.
        lines.push(line.replace(old, () => made), line.replaceAll(old, () => made));
      }
      new Set(lines).forEach(add);
      known.set(key, lines);
      return lines;
    },
  };
}

/** The lines that hold a text, which may itself go over several. */
function linesAround(text: string, part: string): string[] {
  const found: string[] = [];
  let end = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, end)) {
    const start = text.lastIndexOf("\n", at - 1) + 1;
    const next = text.indexOf("\n", at + part.length);
    end = next === -1 ? text.length : next + 1;
    found.push(text.slice(at === 0 ? 0 : start, next === -1 ? end : next));
  }
  return found;
}
