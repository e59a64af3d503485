/**
 * Tells at which place of a shell script a text ends, and quotes a value for that place. It is not a shell parser: it
 * follows quotes, comments, `$( )`, plain `${ }` and `$(( ))` and here-documents, as `sh` and `bash` both read them.
 * Anything else makes the rest of the script an unknown place, into which nothing is put.
 */

type ShellPlace =
  | { readonly kind: "plain" | "double" | "single" | "comment" }
  | { readonly kind: "unknown"; readonly why: string };

/** A piece of a script, outside or inside of double quotes, or in both. */
interface Piece {
  readonly pattern: RegExp;
  readonly only?: "outside" | "inside";
}

/** Pieces that every shell reads in the same way, and that begin no word. */
const PLAIN: readonly Piece[] = [
  { pattern: /\\[^\n]/y },
  // `${name}` and `${name:-words}` without quotes and expansions inside.
  { pattern: /\$\{[#!]?[\w@*?$!-]+(?:\[[\w@*]+\])?(?::?[-=+?#%/]+[\w./:, -]*)?\}/y },
  { pattern: /\$\(\([\w\s+*/%=!&|$,-]*\)\)/y },
  { pattern: /\$[$#]/y },
  { pattern: /'[^']*'/y, only: "outside" },
  { pattern: /[<>]&[ \t]*(?:\d+-?|-)(?=[ \t\n;&|()<>])/y, only: "outside" },
];

const HERE_DOCUMENT = /<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n$`\\]+)"|\\?([\w.-]+))(?=[ \t\n;&|<>])/y;

const JOINED = "a word that goes on in the next line stands before it";

/** Pieces after which the place is unknown. */
const UNCLEAR: readonly (Piece & { readonly why: string })[] = [
  { pattern: /\\$/y, why: "a backslash stands before it" },
  // Joining two lines may make one sign of two: `$` and `(`.
  { pattern: /(?<=[$\n])\\\n/y, only: "inside", why: JOINED },
  { pattern: /(?<=[^ \t\n])\\\n/y, only: "outside", why: JOINED },
  { pattern: /`/y, why: "a backquote stands before it; use $( )" },
  { pattern: /\$$/y, why: "a $ stands before it" },
  { pattern: /\$\{/y, why: "a ${ } that is not plain stands before it" },
  { pattern: /\$\(\(/y, why: "a $(( )) that is not plain stands before it" },
  { pattern: /\$['"]/y, only: "outside", why: "a quote after a $ stands before it" },
  { pattern: /<</y, only: "outside", why: "a << that is not plain stands before it" },
  // bash expands the target of `>&` a second time.
  { pattern: /[<>]&/y, only: "outside", why: "a >& with a word stands before it" },
  // After an error in an array, bash runs its further lines.
  { pattern: /(?<==)\(/y, only: "outside", why: "an array stands before it" },
  // Sums are expanded like double quotes, whatever quotes they hold.
  { pattern: /\(\(/y, only: "outside", why: "a (( stands before it" },
  { pattern: /(?<=\w)\[/y, only: "outside", why: "an index stands before it" },
];

/** After these a word begins, and perhaps a comment. */
const ENDS_A_WORD = /[ \t\n;&|()<>]/;

interface HereDocument {
  readonly end: string;
  readonly mayBeIndented: boolean;
}

/** An open `[[`: bash evaluates what stands beside `-eq` in it as a sum, which may hold commands. */
const OPEN_TEST = /(?:^|[\s;&|(!])\[\[\s(?:(?!\s\]\])[^\n])*$/;

/** The place after the beginning of a script. */
export function placeAfter(script: string): ShellPlace {
  if (OPEN_TEST.test(script)) return unknown("it stands in [[ ]]; use [ ]");
  /** Commands in brackets and double quotes that are open, innermost last. */
  const open: ("command" | "double")[] = [];
  let documents: HereDocument[] = [];
  let atWordStart = true;
  let at = 0;
  while (at < script.length) {
    const sign = script[at]!;
    const side = open.at(-1) === "double" ? "inside" : "outside";
    const ends = ({ pattern, only = side }: Piece) =>
      only === side ? endOfMatch(pattern, script, at) : null;
    const plain = PLAIN.map(ends).find((end) => end !== null);
    const document = side === "outside" ? matchAt(HERE_DOCUMENT, script, at) : null;
    if (plain || document !== null) {
      if (document !== null) {
        const [, dash, ...words] = document;
        documents.push({ end: words.find((word) => word)!, mayBeIndented: dash === "-" });
      }
      at = plain ?? at + document![0].length;
      atWordStart = false;
      continue;
    }
    const unclear = UNCLEAR.find((piece) => ends(piece) !== null);
    if (unclear !== undefined) return unknown(unclear.why);
    if (script.startsWith("\\\n", at)) {
      at += 2;
    } else if (script.startsWith("$(", at)) {
      open.push("command");
      atWordStart = true;
      at += 2;
    } else if (side === "inside") {
      if (sign === '"') open.pop();
      atWordStart = false;
      at++;
    } else if (sign === "#" && atWordStart) {
      const end = script.indexOf("\n", at);
      if (end < 0) return { kind: "comment" };
      at = end;
    } else if (sign === "'") {
      return { kind: "single" };
    } else if (sign === "\n" && documents.length > 0) {
      const end = endOfDocuments(script, at + 1, documents);
      if (end === null) return unknown("it lies in a here-document");
      documents = [];
      atWordStart = true;
      at = end;
    } else {
      // The brackets of `case` patterns have no pairs.
      if (atWordStart && open.length > 0 && /^case\s/.test(script.slice(at, at + 5))) {
        return unknown("a case in brackets stands before it");
      }
      if (sign === ")" && documents.length > 0) return unknown("a << in brackets stands before it");
      if (sign === '"') open.push("double");
      else if (sign === "(") open.push("command");
      else if (sign === ")" && open.at(-1) === "command") open.pop();
      atWordStart = ENDS_A_WORD.test(sign);
      at++;
    }
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
