/**
 * Whether a text is one that a pattern of `fnmatch` stands for, as `find -name` and git understand it: `*` also matches a
 * leading dot and `/`. Null where the pattern cannot be read.
 */
export function readWildcard(
  pattern: string,
  { ignoresCase = false }: { readonly ignoresCase?: boolean } = {},
): ((text: string) => boolean) | null {
  const source = pattern.replace(
    /\\.|\[[!^]?\]?[^\]]*\]|[*?]|[.+^${}()|[\]\\]/gs,
    (part) => {
      if (part === "*") return "\0";
      if (part === "?") return ".";
      if (part.length === 1) return `\\${part}`;
      return part.startsWith("[")
        ? part.replace(/^\[!/, "[^").replaceAll("\\", "\\\\")
        : literally(part[1]!);
    },
  );
  try {
    const regex = new RegExp(`^${withStars(source.split("\0"), ".")}$`, ignoresCase ? "si" : "s");
    return (text) => regex.test(text);
  } catch {
    return null;
  }
}

/**
 * The source of a regular expression for what stands between the stars of a pattern. The first place where a piece fits
 * is kept, which decides the same: a search that goes back to try the next one takes exponentially long.
 *
 * @param any The source for one letter that a star stands for.
 * @param id Tells the groups from those of other pieces in the same expression.
 */
export function withStars(pieces: readonly string[], any: string, id = ""): string {
  const [first = "", ...between] = pieces;
  const last = between.pop();
  if (last === undefined) return first;
  const kept = between.filter((piece) => piece !== "")
    .map((piece, i) => `(?=(?<s${id}_${i}>${any}*?${piece}))\\k<s${id}_${i}>`);
  return `${first}${kept.join("")}${any}*${last}`;
}

function literally(letter: string): string {
  return /\w/.test(letter) ? letter : `\\${letter}`;
}
