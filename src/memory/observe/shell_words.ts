/**
 * Parses a shell script into its commands, as far as memory needs them: which programs ran with which words. It expands
 * nothing: variables and substitutions stay as they are written.
 */

export interface ScriptCommand {
  /** The program and its arguments, without quotes, redirections, and variables that are set for it alone. */
  readonly words: readonly string[];
  /** The ids of the `( )` around the command, outermost first. A `cd` inside of them does not count outside. */
  readonly shells: readonly number[];
  readonly source: string;
  /** The operators before and after the command: `&&`, `||`, `;`, `|`, `&`; empty at the ends of the script. */
  readonly before: string;
  readonly after: string;
  /** The text of the command's here-document; null when it has none. */
  readonly input: string | null;
}

const MAX_CHARS = 20_000;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** Matches the start of `$(cat <<'EOF'`, whose output is known. */
const PRINTED_DOCUMENT = /\$\(\s*cat\s+<<-?\s*(['"]?)(\w+)\1[ \t]*\n/y;
const DOCUMENT = /<<-?\s*\\?(['"]?)(\w+)\1/y;
const SEPARATOR = /&&|\|\||;;?|\|&?|&(?!>)|\n|[()]/y;
const REDIRECTION = /&>>?|\d?(?:>>|>\||>&|<&|<>|[<>])/y;

/** Returns the commands of a script in order. A text that is not a script gives some commands as well. */
export function scriptCommands(source: string): ScriptCommand[] {
  return new ScriptReader(source.slice(0, MAX_CHARS)).read();
}

/** Whether a command must have passed if the whole script exited with 0. */
export function mustHavePassed(commands: readonly ScriptCommand[], at: number): boolean {
  return commands[at]?.before !== "||" && statusComesThrough(commands, at);
}

/** Whether the script would have failed if the command had. */
function statusComesThrough(commands: readonly ScriptCommand[], from: number): boolean {
  let stops = false;
  let hasPipes = false;
  return commands.every(({ words: [program, ...args], after }, at) => {
    if (program === "set") {
      stops ||= args.some((word) => /^-[a-z]*e|^errexit$/.test(word));
      hasPipes ||= args.includes("pipefail");
      return after !== "|" && after !== "&";
    }
    return at < from || after === "&&" || after === "" || stops && after === ";" ||
      // In `a && b | c` the pipe does not run when `a` fails.
      after === "|" && (hasPipes || at > from);
  });
}

class ScriptReader {
  readonly #text: string;
  #at = 0;
  #word: string | null = null;
  #words: string[] = [];
  readonly #shells: number[] = [];
  #brackets = 0;
  #before = "";
  /** Where the command begins that is being read. */
  #from = 0;
  /** Whether the next word is the target of a redirection. */
  #isTarget = false;
  readonly #documentEnds: string[] = [];
  readonly #commands: ScriptCommand[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): ScriptCommand[] {
    while (this.#at < this.#text.length) this.#step();
    this.#endCommand("");
    const last = this.#commands.at(-1);
    if (last?.after === ";") this.#commands[this.#commands.length - 1] = { ...last, after: "" };
    return this.#commands;
  }

  #step(): void {
    const char = this.#text[this.#at]!;
    if (char === "\\") return this.#escape();
    if (char === "'") return this.#quote(this.#text.indexOf("'", this.#at + 1));
    if (char === '"') return this.#doubleQuote();
    if (char === "`") {
      return this.#take(indexPast(this.#text.indexOf("`", this.#at + 1), this.#text));
    }
    if (char === "$" && this.#text[this.#at + 1] === "(") return this.#substitution();
    if (char === "#" && this.#word === null) {
      this.#at = endOfLine(this.#text, this.#at);
      return;
    }
    const [operator] = this.#match(SEPARATOR) ?? [];
    if (operator !== undefined) {
      this.#endCommand(/^(?:&&|\|\||\||&)/.exec(operator)?.[0] ?? ";");
      this.#at += operator.length;
      if (operator === "(") this.#shells.push(++this.#brackets);
      if (operator === ")") this.#shells.pop();
      this.#from = this.#at;
      if (operator === "\n") this.#readDocuments();
      return;
    }
    if (char === " " || char === "\t" || char === "\r") {
      this.#endWord();
      this.#at++;
      return;
    }
    if (!this.#redirect()) this.#take(this.#at + 1);
  }

  #redirect(): boolean {
    const canBeDescriptor = this.#word === null;
    const document = this.#text.startsWith("<<", this.#at) ? this.#match(DOCUMENT) : null;
    if (document !== null) {
      this.#documentEnds.push(document[2]!);
      this.#at += document[0].length;
      return true;
    }
    const [operator] = this.#match(REDIRECTION) ?? [];
    if (operator === undefined || (!canBeDescriptor && /^\d/.test(operator))) return false;
    this.#endWord();
    this.#at += operator.length;
    this.#isTarget = true;
    return true;
  }

  /** Reads here-documents. They follow the line of their command. */
  #readDocuments(): void {
    for (const name of this.#documentEnds.splice(0)) {
      const end = endOfDocument(this.#text, { from: this.#at, name });
      const last = this.#commands.at(-1);
      if (last !== undefined) {
        this.#commands[this.#commands.length - 1] = {
          ...last,
          input: this.#text.slice(this.#at, end.textEnd),
        };
      }
      this.#at = end.next;
    }
    this.#from = this.#at;
  }

  #escape(): void {
    const next = this.#text[this.#at + 1] ?? "";
    if (next !== "\n") this.#word = (this.#word ?? "") + next;
    this.#at += 2;
  }

  #quote(end: number): void {
    const until = end < 0 ? this.#text.length : end;
    this.#word = (this.#word ?? "") + this.#text.slice(this.#at + 1, until);
    this.#at = until + 1;
  }

  #doubleQuote(): void {
    this.#word ??= "";
    this.#at++;
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]!;
      if (char === '"') break;
      if (char === "\\" && /["\\$`\n]/.test(this.#text[this.#at + 1] ?? "")) this.#escape();
      else if (char === "$" && this.#text[this.#at + 1] === "(") this.#substitution();
      else this.#take(this.#at + 1);
    }
    this.#at++;
  }

  #substitution(): void {
    const document = this.#match(PRINTED_DOCUMENT);
    if (document === null) return this.#take(endOfSubstitution(this.#text, this.#at));
    const from = this.#at + document[0].length;
    const { textEnd, next } = endOfDocument(this.#text, { from, name: document[2]! });
    this.#word = (this.#word ?? "") + this.#text.slice(from, textEnd);
    this.#at = indexPast(this.#text.indexOf(")", next), this.#text);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text);
  }

  #take(until: number): void {
    this.#word = (this.#word ?? "") + this.#text.slice(this.#at, until);
    this.#at = until;
  }

  #endWord(): void {
    if (this.#word === null) return;
    const word = this.#word;
    this.#word = null;
    if (this.#isTarget) this.#isTarget = false;
    else if (this.#words.length > 0 || !ASSIGNMENT.test(word)) this.#words.push(word);
  }

  #endCommand(operator: string): void {
    this.#endWord();
    this.#isTarget = false;
    if (this.#words.length > 0) {
      this.#commands.push({
        words: this.#words,
        shells: [...this.#shells],
        source: this.#text.slice(this.#from, this.#at).replace(/^(?:\\\n|\s)+/, "").trimEnd(),
        before: this.#before,
        after: operator,
        input: null,
      });
    }
    // The operator of a command in brackets stands after the closing bracket.
    const last = this.#commands.at(-1);
    if (this.#words.length === 0 && last?.after === ";" && operator !== "") {
      this.#commands[this.#commands.length - 1] = { ...last, after: operator };
    }
    if (this.#words.length > 0 || operator !== ";") this.#before = operator;
    this.#words = [];
  }
}

/** Returns the index after the closing bracket of a substitution. */
function endOfSubstitution(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return at + 1;
    else if (char === "'") {
      const end = text.indexOf("'", at + 1);
      if (end > 0) at = end;
    }
  }
  return text.length;
}

/** Returns the end of a here-document's text, and the index at which the script goes on. */
function endOfDocument(
  text: string,
  { from, name }: { readonly from: number; readonly name: string },
): { readonly textEnd: number; readonly next: number } {
  for (let at = from; at < text.length;) {
    const end = endOfLine(text, at);
    if (text.slice(at, end).trim() === name) {
      return { textEnd: at, next: Math.min(end + 1, text.length) };
    }
    at = end + 1;
  }
  return { textEnd: text.length, next: text.length };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

function indexPast(at: number, text: string): number {
  return at < 0 ? text.length : at + 1;
}
