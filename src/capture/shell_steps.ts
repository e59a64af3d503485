/** The commands of a shell's script, one after the other: enough of its grammar to tell which of them print something. */

/** Commands of which each reads what the one before it prints: `a | b`. */
export interface Pipeline {
  /** The words of each. A word in quotes stands there without them. */
  readonly commands: readonly (readonly string[])[];
  /** Whether what it prints goes to a file. */
  readonly isSilent: boolean;
}

/** Between two pipelines stands any of these; between two commands of one, `|`. */
const SEPARATOR = /&&|\|\||\|&?|[;&\n()]/y;
const BLANKS = /(?:[ \t\r]|\\\r?\n)+/y;
/** Also with the file that it is from or to; `2>&1` is none of standard output. */
const REDIRECTION = /(\d?)(<{1,3}-?|&?>{1,2}[|&]?)[ \t]*/y;
const COMMENT = /#[^\n]*/y;
/** What stands before a command, and what is none: `if`, `then`, `{`. */
const KEYWORDS = new Set("if then elif else while until do time ! { } done fi esac".split(" "));
const OPENS = new Map([["(", ")"], ["{", "}"]]);
const OPTION_IN_QUOTES = /^(-{0,2}[\w.-]{1,40}=)(["'])([^]*)\2$/;

/** The pipelines of a script, in order. Never throws; what is not closed reaches to the end. */
export function pipelinesOf(script: string): readonly Pipeline[] {
  const pipelines: Pipeline[] = [];
  let commands: string[][] = [[]];
  let isSilent = false;
  /** Whether a redirection stands in front of the next word. */
  let isApart = false;
  const end = () => {
    const filled = commands.filter(({ length }) => length > 0);
    if (filled.length > 0) pipelines.push({ commands: filled, isSilent });
    [commands, isSilent, isApart] = [[[]], false, false];
  };
  let at = 0;
  /** Whether the pattern stands here; then what is behind it comes next. */
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(script);
    at = found === null ? at : pattern.lastIndex;
    return found;
  };
  while (at < script.length) {
    if (take(BLANKS) !== null) continue;
    const words = commands.at(-1)!;
    const redirection = take(REDIRECTION);
    if (redirection !== null) {
      const [, from = "", sign = ""] = redirection;
      const target = wordAt(script, at);
      at = target.end;
      isApart = true;
      // What is read there is told by what it is called: `tr -d x < /dev/urandom`.
      if (sign === "<") words.push(target.word);
      else if (sign.includes(">") && from !== "2") {
        isSilent ||= !/^(?:[12-]|\/dev\/std)/.test(target.word);
      }
      continue;
    }
    const separator = take(SEPARATOR);
    if (separator !== null) {
      if (!/^\|&?$/.test(separator[0])) end();
      else commands.push([]);
      isApart = false;
      continue;
    }
    if (words.length === 0 && take(COMMENT) !== null) continue;
    const { word, end: next } = wordAt(script, at);
    at = Math.max(next, at + 1);
    // Words on both sides of one are not beside each other.
    if (isApart && words.length > 0) words.push(">");
    if (words.length > 0 || !KEYWORDS.has(word)) words.push(word);
    isApart = false;
  }
  end();
  return pipelines;
}

/** The word that begins here, and where it ends. */
function wordAt(script: string, start: number): { readonly word: string; readonly end: number } {
  let end = start;
  while (end < script.length && !/[ \t\r\n;&|<>()]/.test(script[end]!)) end = pieceEnd(script, end);
  const raw = script.slice(start, end);
  const isQuoted = /^["']/.test(raw) && pieceEnd(script, start) === end;
  const bare = isQuoted ? raw.slice(1, -1) : raw.replace(OPTION_IN_QUOTES, "$1$3");
  return { word: raw.startsWith('"') ? bare.replace(/\\(["$`\\])/g, "$1") : bare, end };
}

/** Where a quoted text, a substitution or a letter ends. */
function pieceEnd(script: string, start: number): number {
  const sign = script[start]!;
  if (sign === "\\") return start + 2;
  if (sign === "'" || sign === "`") return closed(script, script.indexOf(sign, start + 1));
  if (sign === '"') {
    let at = start + 1;
    while (at < script.length && script[at] !== '"') at = pieceEndInQuotes(script, at);
    return at + 1;
  }
  const closer = sign === "$" ? OPENS.get(script[start + 1] ?? "") : undefined;
  return closer === undefined ? start + 1 : substitutionEnd(script, start + 1, closer);
}

function pieceEndInQuotes(script: string, at: number): number {
  return script[at] === "'" ? at + 1 : pieceEnd(script, at);
}

/** Behind the sign that closes what the sign here opens. */
function substitutionEnd(script: string, start: number, closer: string): number {
  let depth = 0;
  for (let at = start; at < script.length; at++) {
    if (script[at] === script[start]) depth++;
    else if (script[at] === closer && --depth === 0) return at + 1;
  }
  return script.length;
}

function closed(script: string, at: number): number {
  return at === -1 ? script.length : at + 1;
}

/** The scripts in `$(…)` and in backticks, wherever they stand in a word. */
export function substitutionsIn(word: string): readonly string[] {
  const scripts: string[] = [];
  for (let at = 0; at < word.length; at++) {
    const isBacktick = word[at] === "`";
    if (!isBacktick && !word.startsWith("$(", at)) continue;
    const end = isBacktick
      ? closed(word, word.indexOf("`", at + 1))
      : substitutionEnd(word, at + 1, ")");
    scripts.push(word.slice(at + (isBacktick ? 1 : 2), end - 1));
    at = end - 1;
  }
  return scripts;
}
