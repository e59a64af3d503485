/**
 * Where in a shell script a text ends: what is put there next has to be quoted for that place.
 *
 * It is not a parser of the shell. It follows quotes, comments, `$( )`, plain `${ }` and `$(( ))` and here-documents,
 * as `sh` and `bash` both read them; whatever it does not follow (backquotes, `$'…'`, arrays, anything else) makes the place
 * unknown from there on, and nothing is put into an unknown place.
 */

/** A place that a value can be put into, or why it cannot. */
export type ShellPlace =
  | { readonly kind: "plain" | "double" | "single" | "comment" }
  | { readonly kind: "unknown"; readonly why: string };

/** `${name}` and `${name:-words}` without anything that could be quoted or expanded in it. */
const PLAIN_PARAMETER = /\$\{[#!]?[\w@*?$!-]+(?:\[[\w@*]+\])?(?::?[-=+?#%/]+[\w./:, -]*)?\}/y;
const PLAIN_ARITHMETIC = /\$\(\([\w\s+*/%=!&|$,-]*\)\)/y;
const HERE_DOCUMENT = /<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n$`\\]+)"|\\?([\w.-]+))/y;
const PLAIN_DUPLICATION = /[<>]&[ \t]*(?:\d+-?|-)(?=[ \t\n;&|()<>])/y;
/** After one of these a word begins, and with it perhaps a comment. */
const ENDS_A_WORD = /[ \t\n;&|()<>]/;

/** What is open, innermost last: a command in brackets, or a text in double quotes. */
type Open = "command" | "double";

interface HereDocument {
  readonly end: string;
  readonly mayBeIndented: boolean;
}

/** `[[` without its end: bash takes what stands beside `-eq` in it for a sum, which may hold commands. */
const OPEN_TEST = /(?:^|[\s;&|(!])\[\[\s(?:(?!\s\]\])[^\n])*$/;

/** The place at the end of a script's beginning. */
export function placeAfter(script: string): ShellPlace {
  if (OPEN_TEST.test(script)) return unknown("it stands in [[ ]]; use [ ]");
  const open: Open[] = [];
  let documents: HereDocument[] = [];
  let atWordStart = true;
  let at = 0;
  while (at < script.length) {
    const sign = script[at]!;
    const isQuoted = open.at(-1) === "double";
    if (sign === "\\") {
      if (at + 1 === script.length) return unknown("a backslash stands before it");
      if (script[at + 1] !== "\n") atWordStart = false;
      // At the end of a line it joins it with the next, which may make one sign of two: `$` and `(`.
      else if ((isQuoted ? /[$\n]/ : /[^ \t\n]/).test(script[at - 1] ?? " ")) {
        return unknown("a word that goes on in the next line stands before it");
      }
      at += 2;
      continue;
    }
    if (sign === "`") return unknown("a backquote stands before it; use $( )");
    if (sign === "$") {
      if (at + 1 === script.length) return unknown("a $ stands before it");
      const end = endOfMatch(PLAIN_PARAMETER, script, at) ??
        endOfMatch(PLAIN_ARITHMETIC, script, at);
      const next = script[at + 1]!;
      atWordStart = false;
      if (end !== null) at = end;
      else if (next === "{") return unknown("a ${ } that is not plain stands before it");
      else if (script.startsWith("((", at + 1)) {
        return unknown("a $(( )) that is not plain stands before it");
      } else if (next === "(") {
        open.push("command");
        atWordStart = true;
        at += 2;
      } else if (!isQuoted && (next === "'" || next === '"')) {
        return unknown(`a $${next} stands before it`);
      } else at += next === "$" || next === "#" ? 2 : 1;
      continue;
    }
    if (isQuoted) {
      if (sign === '"') open.pop();
      at++;
      continue;
    }
    if (sign === "#" && atWordStart) {
      const end = script.indexOf("\n", at);
      if (end < 0) return { kind: "comment" };
      at = end;
      continue;
    }
    if (sign === "'") {
      const end = script.indexOf("'", at + 1);
      if (end < 0) return { kind: "single" };
      atWordStart = false;
      at = end + 1;
      continue;
    }
    if (sign === "<" && script[at + 1] === "<") {
      const end = endOfMatch(HERE_DOCUMENT, script, at);
      if (end === null || script[at + 2] === "<") return unknown("a << stands before it");
      const [, dash, ...words] = matchAt(HERE_DOCUMENT, script, at)!;
      documents.push({ end: words.find((word) => word)!, mayBeIndented: dash === "-" });
      if (!/[ \t\n;&|<>]/.test(script[end] ?? "")) {
        return unknown("a << with an end that is not plain stands before it");
      }
      atWordStart = false;
      at = end;
      continue;
    }
    if (sign === "\n" && documents.length > 0) {
      const end = endOfDocuments(script, at + 1, documents);
      if (end === null) return unknown("it lies in a here-document");
      documents = [];
      atWordStart = true;
      at = end;
      continue;
    }
    // What `>&` leads to is expanded a second time by bash, quotes or not.
    if (/[<>]/.test(sign) && script[at + 1] === "&") {
      const end = endOfMatch(PLAIN_DUPLICATION, script, at);
      if (end === null) return unknown("a >& with a word stands before it");
      atWordStart = false;
      at = end;
      continue;
    }
    // An error in one does not end a script of bash: what stands in its further lines would run.
    if (sign === "(" && script[at - 1] === "=") return unknown("an array stands before it");
    // Sums are expanded like a text in double quotes, whatever quotes are in them.
    if (script.startsWith("((", at)) return unknown("a (( stands before it");
    if (sign === "[" && /\w/.test(script[at - 1] ?? "")) {
      return unknown("an index stands before it");
    }
    // The brackets of its patterns do not come in pairs.
    if (atWordStart && open.length > 0 && /^case\s/.test(script.slice(at, at + 5))) {
      return unknown("a case in brackets stands before it");
    }
    if (sign === ")" && documents.length > 0) {
      return unknown("a << in brackets stands before it");
    }
    if (sign === '"') open.push("double");
    else if (sign === "(") open.push("command");
    else if (sign === ")" && open.at(-1) === "command") open.pop();
    atWordStart = ENDS_A_WORD.test(sign);
    at++;
  }
  if (documents.length > 0) return unknown("a here-document begins in this line");
  return { kind: open.at(-1) === "double" ? "double" : "plain" };
}

function unknown(why: string): ShellPlace {
  return { kind: "unknown", why };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function endOfMatch(pattern: RegExp, text: string, at: number): number | null {
  const match = matchAt(pattern, text, at);
  return match === null ? null : at + match[0].length;
}

/** Where the line begins that follows the last of the here-documents; null when one is not at its end. */
function endOfDocuments(
  script: string,
  start: number,
  documents: readonly HereDocument[],
): number | null {
  let at = start;
  for (const { end, mayBeIndented } of documents) {
    for (;;) {
      const lineEnd = script.indexOf("\n", at);
      if (lineEnd < 0) return null;
      const line = script.slice(at, lineEnd);
      at = lineEnd + 1;
      if ((mayBeIndented ? line.replace(/^\t+/, "") : line) === end) break;
    }
  }
  return at;
}

/** What a shell would read as part of its language although nothing in it needs quotes. */
const RESERVED = new Set(
  "if then else elif fi do done case esac while until for in function select time coproc".split(
    " ",
  ),
);

/** A text as a POSIX shell takes it literally: in single quotes unless it is plain. An empty text is `''`. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9\-_./]+$/.test(text) && !RESERVED.has(text) ? text : inSingleQuotes(text);
}

/**
 * A text as a shell takes it literally at a place. Inside of quotes the quotes are closed before it and opened again
 * after it, so that it can never end them; in a comment it is left out, since a line break would end the comment.
 *
 * @param next What follows in the script: a plain number before `>` would name a file descriptor.
 */
export function quoteAt(
  text: string,
  place: Exclude<ShellPlace["kind"], "unknown">,
  next: string,
): string {
  switch (place) {
    case "comment":
      return "";
    case "double":
      return isPlain(text) ? text : `"${inSingleQuotes(text)}"`;
    case "single":
      return isPlain(text) ? text : `'${inSingleQuotes(text)}'`;
    case "plain":
      return /^[<>=([]/.test(next) ? inSingleQuotes(text) : shellQuote(text);
  }
}

/** Whether a text stands for itself also inside of quotes. */
function isPlain(text: string): boolean {
  return /^[A-Za-z0-9\-_./]*$/.test(text);
}

function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
