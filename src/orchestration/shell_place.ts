/**
 * Tells at which place of a shell script a text ends, and quotes a value for that place. It is no shell parser: it
 * follows quotes, comments, `$( )`, plain `${ }` and `$(( ))` and here-documents, as `sh` and `bash` both read them.
 * Anything else makes the rest of the script an unknown place, into which nothing is put.
 */

export type ShellPlace =
  | { readonly kind: "plain" | "double" | "single" | "comment" }
  | { readonly kind: "unknown"; readonly why: string };

/** `${name}` and `${name:-words}` without quotes and expansions inside. */
const PLAIN_PARAMETER = /\$\{[#!]?[\w@*?$!-]+(?:\[[\w@*]+\])?(?::?[-=+?#%/]+[\w./:, -]*)?\}/y;
const PLAIN_ARITHMETIC = /\$\(\([\w\s+*/%=!&|$,-]*\)\)/y;
const HERE_DOCUMENT = /<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n$`\\]+)"|\\?([\w.-]+))/y;
const PLAIN_DUPLICATION = /[<>]&[ \t]*(?:\d+-?|-)(?=[ \t\n;&|()<>])/y;
/** After these a word begins, and perhaps a comment. */
const ENDS_A_WORD = /[ \t\n;&|()<>]/;

/** What is open, innermost last. */
type Open = "command" | "double";

interface HereDocument {
  readonly end: string;
  readonly mayBeIndented: boolean;
}

/** An open `[[`: bash evaluates what stands beside `-eq` in it as a sum, which may hold commands. */
const OPEN_TEST = /(?:^|[\s;&|(!])\[\[\s(?:(?!\s\]\])[^\n])*$/;

/** The place after the beginning of a script. */
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
      // It joins two lines, which may make one sign of two: `$` and `(`.
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
    // bash expands the target of `>&` a second time.
    if (/[<>]/.test(sign) && script[at + 1] === "&") {
      const end = endOfMatch(PLAIN_DUPLICATION, script, at);
      if (end === null) return unknown("a >& with a word stands before it");
      atWordStart = false;
      at = end;
      continue;
    }
    // After an error in an array, bash runs its further lines.
    if (sign === "(" && script[at - 1] === "=") return unknown("an array stands before it");
    // Sums are expanded like double quotes, whatever quotes they hold.
    if (script.startsWith("((", at)) return unknown("a (( stands before it");
    if (sign === "[" && /\w/.test(script[at - 1] ?? "")) {
      return unknown("an index stands before it");
    }
    // The brackets of `case` patterns have no pairs.
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

/** Where the line after the here-documents begins; null when one has no end. */
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

/** Words of the shell's language. */
const RESERVED = new Set(
  "if then else elif fi do done case esac while until for in function select time coproc".split(
    " ",
  ),
);

/** A text as a POSIX shell takes it literally: in single quotes unless it is plain. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9\-_./]+$/.test(text) && !RESERVED.has(text) ? text : inSingleQuotes(text);
}

/**
 * A text as a shell takes it literally at a place. Inside of quotes it closes the quotes before the text and opens them
 * after it. In a comment the text is left out, since a line break would end the comment.
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

/** Whether a text means itself also inside of quotes. */
function isPlain(text: string): boolean {
  return /^[A-Za-z0-9\-_./]*$/.test(text);
}

function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
