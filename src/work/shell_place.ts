/**
 * Finds how to write a value at the end of a piece of a shell script. The script holds a variable and never the value
 * itself, so the shell takes any value as text. A misread place gives a wrong word but runs nothing; places where a
 * shell would run the content of a variable are refused.
 */

/** Places that are refused, and why. The caller has joined continued lines. */
const REFUSED: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/(?:^|[^\\])(?:\\\\)*\\$/, "a backslash stands before it"],
  [/\$$/, "a $ stands before it"],
  [/<<-?[ \t]*$/, "a << stands before it"],
  // In these places, a shell evaluates the variable as arithmetic, which may run commands.
  [/\(\((?:(?!\)\))[^])*$/, "it stands in (( ))"],
  [/\[\[(?:(?!\]\])[^])*$/, "it stands in [[ ]]; use [ ]"],
  [/[$\w]\[[^\]\n]*$/, "it stands in an index"],
  // bash expands the target of `>&` a second time.
  [/[<>]&(?![ \t]*(?:\d+|-)[\s;|&()<>])[^\n]*$/, "a >& with a word stands before it"],
];

const HERE_DOCUMENT = /<<-?[ \t]*(['"\\]?)([\w.-]+)\1[^\n]*\n(?:[^\n]*\n)*?\t*\2(?:\n|$)/g;
const OPEN_DOCUMENT = /(?<!<)<<(?!<)/;

/** Match signs that change the place inside and outside of double quotes, and whole single quotes and comments. */
const INSIDE = /\\[^]|"|\$\(/g;
const OUTSIDE = /\\[^]|"|\(|\)|'[^']*(?:'|$)|(?<![^\s;&|()])#[^\n]*/g;

type ShellPlace = "plain" | "double" | "single" | { readonly why: string };

export function placeAfter(beginning: string): ShellPlace {
  const script = beginning.replaceAll("\\\n", "").replace(HERE_DOCUMENT, "\n");
  for (const [pattern, why] of REFUSED) if (pattern.test(script)) return { why };
  /** The open double quotes and brackets, innermost last. */
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

/** Writes a variable for a place, as one word or a part of one. */
export function variableAt(name: string, place: Exclude<ShellPlace, object>): string {
  const value = `\${${name}}`;
  return place === "double" ? value : place === "plain" ? `"${value}"` : `'"${value}"'`;
}
