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
      if (part === "*") return ".*";
      if (part === "?") return ".";
      if (part.length === 1) return `\\${part}`;
      return part.startsWith("[")
        ? part.replace(/^\[!/, "[^").replaceAll("\\", "\\\\")
        : literally(part[1]!);
    },
  );
  try {
    const regex = new RegExp(`^${source}$`, ignoresCase ? "si" : "s");
    return (text) => regex.test(text);
  } catch {
    return null;
  }
}

function literally(letter: string): string {
  return /\w/.test(letter) ? letter : `\\${letter}`;
}
