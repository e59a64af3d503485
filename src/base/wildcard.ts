/** Stands for a star until the pattern is whole. */
const STAR = "\0";

/** Compiles an `fnmatch` pattern, whose `*` matches a leading dot and `/` too; returns null for an invalid one. */
export function readWildcard(
  pattern: string,
  { ignoresCase = false }: { readonly ignoresCase?: boolean } = {},
): ((text: string) => boolean) | null {
  const source = pattern.replace(
    /\\.|\[[!^]?\]?[^\]]*\]|[*?]|[.+^${}()|[\]\\]/gs,
    (part) => {
      if (part === "*") return STAR;
      if (part === "?") return ".";
      if (part.length === 1) return `\\${part}`;
      return part.startsWith("[")
        // A bracket that comes first in a class is one of its characters.
        ? part.replaceAll("\\", "\\\\").replace(/^\[!/, "[^").replace(/^(\[\^?)\]/, "$1\\]")
        // `\d` is the letter d.
        : part.replace(/\\(?=\w)/, "");
    },
  );
  try {
    const regex = new RegExp(`^${withStars(source.split(STAR))}$`, ignoresCase ? "si" : "s");
    // The engine compiles a pattern at its first use, and only then finds it too large.
    regex.test("");
    return (text) => regex.test(text);
  } catch {
    return null;
  }
}

/**
 * Returns a regular expression for the pieces between the stars of a pattern. Each piece keeps the first place where it
 * fits (a lookahead and a back-reference do not go back): later places would take exponential time and decide the same.
 */
function withStars(pieces: readonly string[]): string {
  const [first = "", ...between] = pieces;
  const last = between.pop();
  if (last === undefined) return first;
  const atFirst = between.filter((piece) => piece !== "")
    .map((piece, i) => `(?=(?<s${i}>.*?${piece}))\\k<s${i}>`);
  return `${first}${atFirst.join("")}.*${last}`;
}
