/**
 * Finds how a value is to stand at the end of a piece of a shell script. The script never holds the value itself but a
 * variable: whatever the value is, the shell takes it as text. So a place that is read wrongly gives a wrong word and
 * runs nothing; the places where a shell runs what a variable holds are refused.
 */

/** Places that are refused, with the rest of a sentence. Lines that are continued are joined before. */
const REFUSED: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/(?:^|[^\\])(?:\\\\)*\\$/, "a backslash stands before it"],
  [/\$$/, "a $ stands before it"],
  [/<<-?[ \t]*$/, "a << stands before it"],
  // A shell computes a variable in these, and what is computed may hold commands.
  [/\(\((?:(?!\)\))[^])*$/, "it stands in (( ))"],
  [/\[\[(?:(?!\]\])[^])*$/, "it stands in [[ ]]; use [ ]"],
  [/[$\w]\[[^\]\n]*$/, "it stands in an index"],
  // bash expands the target of `>&` a second time.
  [/[<>]&(?![ \t]*(?:\d+|-)[\s;|&()<>])[^\n]*$/, "a >& with a word stands before it"],
];

const HERE_DOCUMENT = /<<-?[ \t]*(['"\\]?)([\w.-]+)\1[^\n]*\n(?:[^\n]*\n)*?\t*\2(?:\n|$)/g;
const OPEN_DOCUMENT = /(?<!<)<<(?!<)/;

/** What changes the place, inside and outside of double quotes; texts in single quotes and comments are whole. */
const INSIDE = /\\[^]|"|\$\(/g;
const OUTSIDE = /\\[^]|"|\(|\)|'[^']*(?:'|$)|(?<![^\s;&|()])#[^\n]*/g;

type ShellPlace = "plain" | "double" | "single" | { readonly why: string };

/** The place after the beginning of a script. */
export function placeAfter(beginning: string): ShellPlace {
  const script = beginning.replaceAll("\\\n", "").replace(HERE_DOCUMENT, "\n");
  for (const [pattern, why] of REFUSED) if (pattern.test(script)) return { why };
  /** Double quotes and commands in brackets that are open, innermost last. */
  const open: string[] = [];
  let bare = "";
  for (let at = 0; at < script.length;) {
    const signs = open.at(-1) === '"' ? INSIDE : OUTSIDE;
    signs.lastIndex = at;
    const [sign, index] = [signs.exec(script)?.[0], signs.lastIndex];
    if (open.at(-1) !== '"') {
      bare += script.slice(at, sign === undefined ? undefined : index - sign.length);
    }
    if (sign === undefined) break;
    at = index;
    if (sign.startsWith("'") && (sign.length === 1 || !sign.endsWith("'"))) return "single";
    const isEnd = sign === '"' ? open.at(-1) === '"' : sign === ")" && open.at(-1) === "(";
    if (isEnd) open.pop();
    else if (sign === '"' || sign.endsWith("(")) open.push(sign.at(-1)!);
  }
  if (OPEN_DOCUMENT.test(bare)) {
    return { why: "it lies in a here-document, or in the line that begins one" };
  }
  return open.at(-1) === '"' ? "double" : "plain";
}

/** How a variable stands at a place, as one word or a part of one. */
export function variableAt(name: string, place: Exclude<ShellPlace, object>): string {
  const value = `\${${name}}`;
  return place === "double" ? value : place === "plain" ? `"${value}"` : `'"${value}"'`;
}
