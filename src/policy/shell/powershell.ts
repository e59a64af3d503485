/**
 * Writes a script of PowerShell as one of the POSIX shell, with the same commands and words, so that one reader does
 * for both. Blocks of conditions and loops become blocks that may run. `cmdlets.ts` says what a cmdlet does.
 */
import { inCmdlet, isCmdlet, namesOfCmdlet } from "./cmdlets.ts";
import {
  ESCAPES,
  grouped,
  HARMLESS_METHODS,
  joined,
  known,
  only,
  pathWord,
  printedBy,
  printing,
  type Read,
  sometimes,
  spelled,
  UNKNOWN,
  unknownBy,
  unknownOf,
  variableName,
  type Word,
} from "./powershell_words.ts";

interface Translated {
  readonly script: string;
  /** Why commands may be missing in the script. */
  readonly unknown: readonly string[];
  /** Whether a part was not read: the source is too long, or nested too deeply. */
  readonly isCut: boolean;
}

const MAX_DEPTH = 24;
const MAX_PARTS = 20_000;

const BLANK = /(?:[ \t\f\v\u00a0]|`\r?\n|<#[^]*?(?:#>|$)|(?<![^\s;|&(){}])#[^\n]*)+/y;
const BETWEEN = /(?:[\s;\u00a0]|`\r?\n|<#[^]*?(?:#>|$)|#[^\n]*)+/y;
/** A text in plain quotes, in which two of them stand for one. */
const SINGLE = /['\u2018-\u201b]((?:[^'\u2018-\u201b]|['\u2018-\u201b]{2})*)(['\u2018-\u201b]?)/y;
const TWICE = /(['\u2018-\u201b])['\u2018-\u201b]/g;
const DOUBLE = /["\u201c-\u201e]/;
const QUOTE = /['"\u2018-\u201e]/;
/** Signs between two commands; a pipe may also begin the next line. */
const JOINING = /\s*\|(?!\|)|&&|\|\||&/y;
const EACH = /\(\s*\$(\w+)\s+in(?!\w)/iy;
const ASSIGNED =
  /(?:\[[\w.[\], ]+\]\s*)*\$(?:\{((?:\w+:)?\w+)\}|((?:\w+:)?\w+))[ \t]*(\+?)=(?!=)\s*/y;
const REDIRECTION = /[1-6*]?>>?(?:&[1-6])?/y;
const KEYWORD =
  /(if|elseif|else|while|until|for|foreach|switch|default|do|try|catch|finally|trap|begin|process|end|clean|function|filter|param|return|throw|exit|class|enum|using|break|continue)(?![\w-])(?!\s*=)/iy;
/** Names that the POSIX shell does not take for functions. */
const RESERVED =
  /^(?:if|then|elif|else|fi|for|in|while|until|do|done|case|esac|function|select|time|coproc|\d+)$/;
const VARIABLE = /\$(?:\{([^}]*)\}|((?:\w+:)?\w+|[?^$]))/y;
const TYPE = /\[([\w.]+(?:\[[\w.,\[\] ]*\])?)\]/y;
const MEMBER = /(?:\?\.|::|\.(?!\.))\s*(?:(\w+)|(?=["'$(]))/y;
const OPERATOR =
  /\s*,|\+\+|--|-[a-z]+(?![\w-])|\.\.|[+\-*/%]?=|[*/%+-](?![\w-]*=)|\?\?|[?:](?=\s)/iy;
const SIGNS = /(?:!|\+\+|--|,|-(?:not|bnot|join|split)(?!\w)|[+-](?=[\s$(\d]))\s*/iy;
const ENDS_WORD = /[\s;|&(){},<>]/;
const UNREADABLE = "it cannot be read as a script of PowerShell";

/** Everything that reads PowerShell, loaded on demand. */
export const POWERSHELL = { fromPowerShell, inCmdlet, isCmdlet, namesOfCmdlet };

function fromPowerShell(source: string): Translated {
  const translator = new Translator(source);
  const { code } = translator.script("");
  return { script: code, unknown: [...translator.unknown], isCut: translator.isCut };
}

class Translator {
  readonly unknown = new Set<string>();
  isCut = false;
  readonly #text: string;
  #at = 0;
  #parts = 0;
  #depth = 0;
  /** Variables that hold more than one value. */
  readonly #lists = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads statements up to the sign `end`. If there are only values, it returns them. */
  script(end: "" | ")" | "}" | "]"): Read {
    if (++this.#depth > MAX_DEPTH) this.#giveUp();
    const read: Read[] = [];
    for (;;) {
      this.#take(BETWEEN);
      if (this.#at >= this.#text.length) {
        if (end !== "") this.unknown.add(UNREADABLE);
        break;
      }
      const before = this.#at;
      if (this.#next() === end) {
        this.#at++;
        break;
      }
      read.push(this.#statement());
      // No statement begins with this sign.
      if (this.#at === before) this.#at++;
    }
    this.#depth--;
    return {
      code: read.map(({ code }) => code).filter((code) => code !== "").join("\n"),
      words: read.length === 1 ? read[0]!.words : null,
    };
  }

  #statement(): Read {
    this.#count();
    const [, keyword = ""] = this.#take(KEYWORD) ?? [];
    this.#take(BLANK);
    if (/^(?:function|filter)$/i.test(keyword)) return only(this.#function());
    const [, name] = (/^foreach$/i.test(keyword) && this.#take(EACH)) || [];
    if (name !== undefined) return only(this.#loop(name));
    if (this.#next() === "{") return only(sometimes(this.#block()));
    // A table has entries `name = value`.
    this.#take(/[\w-]+\s*=(?!=)\s*/y);
    return this.#commands();
  }

  #function(): string {
    const [name] = this.#take(/[^\s({]+/y) ?? [""];
    this.#take(BETWEEN);
    const given = this.#next() === "(" ? printing(this.#primary()) : "";
    const body = this.#block();
    return /^[\w-]+$/.test(name) && !RESERVED.test(name)
      ? `${given}\n${name}() {\n:\n${body}\n}`
      : `${given}\n${sometimes(body)}`;
  }

  #loop(name: string): string {
    const { code, words } = this.script(")");
    const values = words === null ? `$(\n${code}\n)` : words.map(({ bash }) => bash).join(" ");
    return `for ${name.toLowerCase()} in ${values}\ndo\n:\n${this.#block()}\ndone`;
  }

  /** The commands of a block in curly brackets; empty where none follows. */
  #block(): string {
    this.#take(BETWEEN);
    if (this.#next() !== "{") return "";
    this.#at++;
    return this.script("}").code;
  }

  /** Commands with pipes, `&&` and `||` between them. */
  #commands(): Read {
    let { code, words } = this.#assignment() ?? this.#element(true);
    for (;;) {
      this.#take(BLANK);
      const [sign] = this.#take(JOINING) ?? [];
      if (sign === undefined) return { code, words };
      words = null;
      code = `${code || ":"} ${sign.trim()} `;
      if (sign === "&") return { code, words };
      this.#take(/\s*/y);
      this.#take(BLANK);
      const next = this.#element(!/^\s*\|$/.test(sign));
      code += next.code || ":";
    }
  }

  /** `$x = …`, `$env:X += …`; null where no assignment follows. */
  #assignment(): Read | null {
    const [all, braced, plain, adds] = this.#take(ASSIGNED) ?? [];
    if (all === undefined) return null;
    const { code, words } = this.#statement();
    const values = words?.map(({ bash }) => bash);
    const name = variableName(braced ?? plain!);
    if (name === null) return only(values === undefined ? code : `: ${values.join(" ")}`);
    if (values !== undefined && values.length !== 1) this.#lists.add(name);
    else if (adds === "") this.#lists.delete(name);
    const value = values === undefined
      ? `"$(\n${code}\n)"`
      : values.length === 1
      ? values[0]
      : `(${values.join(" ")})`;
    const exports = /^env:/i.test(braced ?? plain!) ? "export " : "";
    return only(`${exports}${name}${adds}=${value}`);
  }

  /** One part of a pipeline: a value, which is printed, or a command. */
  #element(isFirst: boolean): Read {
    const called = this.#take(/&(?!&)\s*|\.(?=[\s"'$({])\s*/y) !== null;
    const sign = this.#next();
    if (called && sign === "{") return only(grouped(this.#block()));
    if (called || !isFirst || !/["'$(@[{\d!+,\u2018-\u201e-]/.test(sign)) {
      return only(this.#command(called));
    }
    const words = this.#expression();
    const redirects = this.#redirections();
    return redirects.length > 0
      ? only(`${printing(words)} ${redirects.join(" ")}`)
      : { code: printing(words), words };
  }

  #command(isCalled: boolean): string {
    const program = this.#argument(isCalled);
    if (program === null) return "";
    const words: (Word | ",")[] = [];
    const redirects: string[] = [];
    const blocks: string[] = [];
    for (;;) {
      redirects.push(...this.#redirections());
      const sign = this.#next();
      if (sign === "" || /[\n\r;|&})]/.test(sign)) break;
      if (this.#take(/--%/y) !== null) continue;
      if (sign === "{") blocks.push(this.#block());
      else if (this.#take(/,\s*/y) !== null) words.push(",");
      else if (this.#take(/@\w+/y) !== null) words.push(UNKNOWN);
      else if (sign === "(" || sign === "@") words.push(...this.#operand());
      else {
        const word = this.#argument();
        if (word === null) this.#at++;
        else words.push(word);
      }
    }
    const code = [...spelled(program, words), ...redirects].join(" ");
    // Script blocks run for each value that comes through the pipe.
    return [code, ...blocks.map(grouped)].join(" | ");
  }

  #redirections(): string[] {
    const redirects: string[] = [];
    for (;;) {
      this.#take(BLANK);
      const [sign] = this.#take(REDIRECTION) ?? [];
      if (sign === undefined) return redirects;
      const operator = sign.replace("*", "&").replace(/^1(?=>)/, "");
      this.#take(BLANK);
      redirects.push(
        sign.includes("&") ? sign : `${operator} ${pathWord(this.#argument() ?? UNKNOWN, true)}`,
      );
    }
  }

  /** One word of a command; null where none begins. */
  #argument(isValue = false): Word | null {
    this.#count();
    const parts: Word[] = [];
    let isBare = true;
    for (;;) {
      const sign = this.#next();
      const isOpening = sign === "(" && isValue && parts.length === 0;
      if (sign === "" || (!isOpening && ENDS_WORD.test(sign))) break;
      if (isOpening || sign === "$" || QUOTE.test(sign)) {
        isBare &&= sign === "$";
        parts.push(...this.#primary());
        if (parts.length === 1 && sign === "$") this.#members(parts);
      } else parts.push(known(this.#plain(/[^\s;|&(){},<>`$'"\u2018-\u201e]+/y)));
    }
    return parts.length === 0 ? null : { ...joined(parts), isBare };
  }

  /** Values with operators between them; a comma makes a list. */
  #expression(): readonly Word[] {
    let words = this.#operand();
    for (;;) {
      this.#take(BLANK);
      const [operator] = this.#take(OPERATOR) ?? [];
      if (operator === undefined) return words;
      if (operator === "++" || operator === "--") continue;
      this.#take(/\s*/y);
      if (operator.endsWith("=")) return [unknownBy(this.#commands().code)];
      const right = this.#operand();
      const all = [...words, ...right];
      words = operator === "+" && all.length === 2
        ? [joined(all)]
        : /^[+,]$/.test(operator)
        ? all
        : [unknownOf(all)];
    }
  }

  #operand(): readonly Word[] {
    this.#count();
    this.#take(BLANK);
    while (this.#take(SIGNS) !== null);
    const parts = [...this.#primary()];
    this.#members(parts);
    return parts;
  }

  #primary(): readonly Word[] {
    const sign = this.#next();
    if (sign === "@") {
      const here = this.#take(/@(['"])[ \t]*\r?\n([^]*?)(?:\r?\n\1@|$)/y);
      if (here !== null) return [here[1] === "'" ? known(here[2]!) : this.#filled(here[2]!)];
      this.#at++;
      return /[({]/.test(this.#next()) ? this.#primary() : [UNKNOWN];
    }
    if (sign === "(") return this.#given(")");
    if (sign === "{") return [unknownBy(this.#block())];
    if (sign === "[") return this.#typed();
    if (sign === "$") return [this.#variable()];
    const [, single, end] = this.#take(SINGLE) ?? [];
    if (single !== undefined) return [known(this.#ended(end).concat(single).replace(TWICE, "$1"))];
    if (QUOTE.test(sign)) {
      this.#at++;
      const word = this.#pieces(DOUBLE);
      this.#ended(this.#next());
      this.#at++;
      return [word];
    }
    const [text] = this.#take(/[\d.]+\w*|[^\s;|&(){},<>`$'"[\]=+*/%-]+/y) ?? [];
    return text === undefined ? [UNKNOWN] : [known(text)];
  }

  #given(end: ")" | "]"): readonly Word[] {
    this.#at++;
    const { code, words } = this.script(end);
    return words ?? [printedBy(code)];
  }

  /** `[Type]::Method(…)`, or a value with its type before it. */
  #typed(): readonly Word[] {
    const [, type] = this.#take(TYPE) ?? [];
    if (type === undefined) {
      this.#at++;
      return [UNKNOWN];
    }
    if (this.#text.startsWith("::", this.#at)) {
      const [, member = ""] = this.#take(MEMBER) ?? [];
      if (this.#next() !== "(") return [UNKNOWN];
      const words = this.#given(")");
      this.#note(`[${type}]::${member}()`, member);
      return [unknownOf(words)];
    }
    this.#take(BLANK);
    return /["'$(@[{\d]/.test(this.#next()) ? this.#operand() : [UNKNOWN];
  }

  /** `.Name`, `.Method(…)` and `[0]` behind a value: the result is unknown. */
  #members(parts: Word[]): void {
    for (;;) {
      const member = this.#take(MEMBER);
      if (member === null && this.#next() !== "[") return;
      if (member !== null && member[1] === undefined) this.#primary();
      const isCall = member !== null && this.#next() === "(";
      const words = member === null ? this.#given("]") : isCall ? this.#given(")") : [];
      if (isCall) this.#note(`.${member[1] ?? ""}()`, member[1] ?? "");
      parts.splice(0, parts.length, unknownOf([...parts, ...words]));
    }
  }

  #note(call: string, method: string): void {
    if (!HARMLESS_METHODS.has(method.toLowerCase())) this.unknown.add(`what ${call} does`);
  }

  #variable(): Word {
    if (this.#text[this.#at + 1] === "(") {
      this.#at++;
      const words = this.#given(")");
      return words.length === 1 ? words[0]! : printedBy(printing(words));
    }
    const [all, braced, plain] = this.#take(VARIABLE) ?? [];
    if (all === undefined) {
      this.#at++;
      return known("$");
    }
    const name = variableName(braced ?? plain!);
    if (name === "null") return known("");
    if (name === "true" || name === "false") return known(name);
    if (name === null) return UNKNOWN;
    return { bash: this.#lists.has(name) ? `"\${${name}[@]}"` : `"$${name}"`, text: null };
  }

  /** The text of a here-string, with its variables. */
  #filled(text: string): Word {
    const inside = new Translator(text);
    const word = inside.#pieces(null);
    for (const why of inside.unknown) this.unknown.add(why);
    this.isCut ||= inside.isCut;
    return word;
  }

  /** Text with variables and commands in it, up to a quote. */
  #pieces(quote: RegExp | null): Word {
    const parts: Word[] = [];
    while (this.#at < this.#text.length) {
      const sign = this.#next();
      if (quote?.test(sign)) {
        if (!quote.test(this.#text[this.#at + 1] ?? "")) break;
        this.#at++;
        parts.push(known(this.#text[this.#at++]!));
      } else if (/^\$[\w{(?]/.test(this.#text.slice(this.#at, this.#at + 2))) {
        parts.push(this.#variable());
      } else parts.push(known(this.#plain(/[^`$"\u201c-\u201e]+/y)));
    }
    return joined([known(""), ...parts]);
  }

  /** Text that a pattern matches, the sign behind a backtick, or one sign. */
  #plain(pattern: RegExp): string {
    const [, escaped] = this.#take(/`(\r\n|[^]?)/y) ?? [];
    if (escaped !== undefined) return ESCAPES[escaped] ?? escaped;
    return (this.#take(pattern) ?? this.#take(/[^]/y)!)[0];
  }

  /** Notes that a quote has no end. */
  #ended(quote: string | undefined): string {
    if (!quote) this.unknown.add(UNREADABLE);
    return "";
  }

  #giveUp(): void {
    this.isCut = true;
    this.#at = this.#text.length;
  }

  #count(): void {
    if (++this.#parts > MAX_PARTS) this.#giveUp();
  }

  #next(): string {
    return this.#text[this.#at] ?? "";
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at += found[0].length;
    return found;
  }
}
