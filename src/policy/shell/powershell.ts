/**
 * Reads a script of PowerShell: follows the variables, translates each command that the script would start into words
 * of the POSIX shell, and passes it to the reader of that shell. `cmdlets.ts` says what a cmdlet does.
 */
import {
  inCmdlet,
  isCmdlet,
  joined,
  namesOfCmdlet,
  shellWords,
  texted,
  variableName,
  type Word,
} from "./cmdlets.ts";
import type { ShellCommand } from "./shell_command.ts";
import { copyOf, forgetChanges, setVariable, setWords, type State } from "./state.ts";
import { type Argument, type Budget, literal, OPEN, textIn, TooMuchWork } from "./word.ts";
import WORDS from "./powershell.json" with { type: "json" };

/** What the reader of the POSIX shell provides. */
export interface Ground {
  readonly budget: Budget;
  /** Why the script may start more commands. */
  readonly unknown: Set<string>;
  /** Adds a command, and follows how it changes the shell. */
  readonly run: (
    command: Pick<ShellCommand, "words" | "redirects" | "input"> & { readonly isFed: boolean },
    state: State,
  ) => void;
}

/** The values of a part of the script; the output of most commands is unknown. */
type Values = readonly Word[];

const MAX_DEPTH = 24;
const STEPS_OF_PART = 12;

const BLANK = /(?:[ \t\f\v\u00a0]|`\r?\n|<#[^]*?(?:#>|$)|(?<![^\s;|&(){}])#[^\n]*)+/y;
const BETWEEN = /(?:[\s;\u00a0]|`\r?\n|<#[^]*?(?:#>|$)|#[^\n]*)+/y;
/** A text in single quotes, in which two quotes stand for one. */
const SINGLE = /['\u2018-\u201b]((?:[^'\u2018-\u201b]|['\u2018-\u201b]{2})*)(['\u2018-\u201b]?)/y;
const TWICE = /(['\u2018-\u201b])['\u2018-\u201b]/g;
const DOUBLE = /["\u201c-\u201e]/;
const QUOTE = /['"\u2018-\u201e]/;
const HERE = /@(['"])[ \t]*\r?\n([^]*?)(?:\r?\n\1@|$)/y;
/** Signs between two commands; a pipe may also begin the next line. */
const JOINING = /\s*\|(?!\|)|&&|\|\||&/y;
const EACH = /\(\s*\$(\w+)\s+in(?!\w)/iy;
const ASSIGNED =
  /(?:\[[\w.[\], ]+\]\s*)*\$(?:\{((?:\w+:)?\w+)\}|((?:\w+:)?\w+))[ \t]*(\+?)=(?!=)\s*/y;
const REDIRECTION = /[1-6*]?>>?(?:&[1-6])?/y;
const KEYWORD =
  /(if|elseif|else|while|until|for|foreach|switch|default|do|try|catch|finally|trap|begin|process|end|clean|function|filter|param|return|throw|exit|class|enum|using|break|continue)(?![\w-])(?!\s*=)/iy;
const VARIABLE = /\$(?:\{([^}]*)\}|((?:\w+:)?\w+|[?^$]))/y;
const TYPE = /\[[\w.]+(?:\[[\w.,\[\] ]*\])?\][ \t]*/y;
const MEMBER = /(?:\?\.|::|\.(?!\.))\s*(?:(\w+)|(?=["'$(]))/y;
const OPERATOR =
  /\s*,|\+\+|--|-[a-z]+(?![\w-])|\.\.|[+\-*/%]?=|[*/%+-](?![\w-]*=)|\?\?|[?:](?=\s)/iy;
const SIGNS = /(?:!|\+\+|--|,|-(?:not|bnot|join|split)(?!\w)|[+-](?=[\s$(\d]))\s*/iy;
const ENDS_WORD = /[\s;|&(){},<>]/;
const UNREADABLE = "it cannot be read as a script of PowerShell";

/** Methods that only return a value, and change nothing. */
const HARMLESS_METHODS: ReadonlySet<string> = new Set(WORDS.harmlessMethods);

/** The texts for which a backtick with the next sign stands. */
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", "\n": "", "\r\n": "" };

/** The functions that read PowerShell, loaded on demand. */
export const POWERSHELL = { readPowerShell, inCmdlet, isCmdlet, namesOfCmdlet };

/** Reads a script. @throws {TooMuchWork} If it is too long, or nested too deeply. */
function readPowerShell(source: string, state: State, ground: Ground): void {
  new Reader(source, state, ground).script("");
}

class Reader {
  readonly #ground: Ground;
  readonly #text: string;
  #state: State;
  #at = 0;
  #depth = 0;

  constructor(text: string, state: State, ground: Ground) {
    this.#text = text;
    this.#state = state;
    this.#ground = ground;
  }

  /** Reads statements up to the sign `end`, and returns what they print. */
  script(end: "" | ")" | "}" | "]"): Values {
    if (++this.#depth > MAX_DEPTH) throw new TooMuchWork();
    const read: Values[] = [];
    for (;;) {
      this.#take(BETWEEN);
      if (this.#at >= this.#text.length) {
        if (end !== "") this.#ground.unknown.add(UNREADABLE);
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
    return read.length > 1 ? [OPEN] : read[0] ?? [];
  }

  #statement(): Values {
    this.#spend();
    const [, keyword = ""] = this.#take(KEYWORD) ?? [];
    this.#take(BLANK);
    const [, each] = this.#take(EACH) ?? [];
    if (each !== undefined) {
      setVariable(each.toLowerCase(), undefined, this.#state);
      return this.script(")");
    }
    if (this.#next() === "{") return this.#conditionally(() => this.#block());
    if (/^for$/i.test(keyword) && this.#next() === "(") {
      return this.#conditionally(() => this.#bracketed(")"));
    }
    // A table has entries `name = value`.
    this.#take(/[\w-]+\s*=(?!=)\s*/y);
    return this.#commands();
  }

  /** Reads a part that may run more than once, or never. */
  #conditionally(read: () => unknown): Values {
    const before = copyOf(this.#state);
    read();
    forgetChanges(this.#state, before);
    return [OPEN];
  }

  /** Reads a block in curly brackets, if one follows. */
  #block(): Values {
    this.#take(BETWEEN);
    if (this.#next() === "{") this.#bracketed("}");
    return [OPEN];
  }

  /** Reads commands with pipes, `&&` and `||` between them. */
  #commands(): Values {
    let values = this.#assignment() ?? this.#element(null);
    for (;;) {
      this.#take(BLANK);
      const [sign] = this.#take(JOINING) ?? [];
      if (sign === undefined || sign === "&") return values;
      this.#take(/\s*/y);
      this.#take(BLANK);
      values = this.#element(/^\s*\|$/.test(sign) ? values : null);
    }
  }

  /** Reads an assignment, `$x = …` or `$env:X += …`; null where none follows. */
  #assignment(): Values | null {
    const [all, braced, plain, adds] = this.#take(ASSIGNED) ?? [];
    if (all === undefined) return null;
    const values = this.#statement();
    const name = variableName(braced ?? plain!);
    if (name === null) return [];
    if (adds === "" && values.length === 1) setVariable(name, values[0], this.#state);
    else setWords(name, adds === "" ? values : undefined, this.#state);
    return [];
  }

  /** Reads one part of a pipeline: a value, or a command that gets the values in `piped`. */
  #element(piped: Values | null): Values {
    const called = this.#take(/&(?!&)\s*|\.(?=[\s"'$({])\s*/y) !== null;
    const sign = this.#next();
    if (called && sign === "{") return this.#block();
    if (called || piped !== null || !/["'$(@[{\d!+,\u2018-\u201e-]/.test(sign)) {
      return this.#command(called, piped);
    }
    const values = this.#expression();
    const redirects = this.#redirections();
    if (redirects.length > 0) this.#run([], redirects, piped);
    return values;
  }

  #command(isCalled: boolean, piped: Values | null): Values {
    const [program, ...words] = this.#argument(isCalled);
    if (program === undefined) return [];
    const redirects: ShellCommand["redirects"][number][] = [];
    for (;;) {
      redirects.push(...this.#redirections());
      const sign = this.#next();
      if (sign === "" || /[\n\r;|&})]/.test(sign)) break;
      // A script block runs for each value that comes through the pipe.
      if (sign === "{") this.#conditionally(() => this.#block());
      else if (this.#take(/,\s*/y) !== null) words.push(literal(","));
      else if (sign === "(" || sign === "@") words.push(...this.#operand());
      else {
        const read = this.#argument();
        if (read.length === 0) this.#at++;
        words.push(...read);
      }
    }
    const { words: spelled, prints } = shellWords(program, words, this.#home());
    this.#run(spelled, redirects, piped);
    return prints;
  }

  #run(words: Values, redirects: ShellCommand["redirects"], piped: Values | null): void {
    if (words.length + redirects.length === 0) return;
    const isKnown = piped !== null && piped.length > 0 && piped.every(({ isOpen }) => !isOpen);
    const input = isKnown ? piped.map(({ text }) => text).join("\n") : undefined;
    this.#ground.run({ words, redirects, input, isFed: piped !== null }, this.#state);
  }

  #home(): string | undefined {
    return textIn(this.#state.variables, "HOME");
  }

  #redirections(): ShellCommand["redirects"] {
    const redirects: ShellCommand["redirects"][number][] = [];
    for (;;) {
      this.#take(BLANK);
      const [sign] = this.#take(REDIRECTION) ?? [];
      if (sign === undefined) return redirects;
      if (sign.includes("&")) continue;
      this.#take(BLANK);
      const [target = OPEN] = this.#argument();
      const operator = sign.replace("*", "&").replace(/^[1-6]/, "");
      redirects.push({ operator, target: texted(target, { expands: true, home: this.#home() }) });
    }
  }

  /** Reads one word of a command, or the words of a variable; none where no word begins. */
  #argument(isValue = false): Values {
    this.#spend();
    const parts: Values[] = [];
    let isBare = true;
    for (;;) {
      const sign = this.#next();
      const isOpening = sign === "(" && isValue && parts.length === 0;
      if (sign === "" || (!isOpening && ENDS_WORD.test(sign))) break;
      if (isOpening || sign === "$" || QUOTE.test(sign)) {
        isBare &&= sign === "$";
        const values = this.#primary();
        parts.push(parts.length === 0 && sign === "$" ? this.#members(values) : values);
      } else parts.push([literal(this.#plain(/[^\s;|&(){},<>`$'"\u2018-\u201e]+/y))]);
    }
    const words = parts.length > 1
      ? [joined(parts.map((values) => joined(values, " ")))]
      : parts[0] ?? [];
    return words.map((word) => ({ ...word, isBare }));
  }

  /** Reads values with operators between them; a comma makes a list. */
  #expression(): Values {
    let values = this.#operand();
    for (;;) {
      this.#take(BLANK);
      const [operator] = this.#take(OPERATOR) ?? [];
      if (operator === undefined) return values;
      if (operator === "++" || operator === "--") continue;
      this.#take(/\s*/y);
      const right = operator.endsWith("=") ? [...this.#commands(), OPEN] : this.#operand();
      const all = [...values, ...right];
      values = operator === "+" && all.length === 2
        ? [joined(all)]
        : /^\s*[+,]$/.test(operator)
        ? all
        : [OPEN];
    }
  }

  #operand(): Values {
    this.#spend();
    this.#take(BLANK);
    while (this.#take(SIGNS) !== null);
    return this.#members(this.#primary());
  }

  #primary(): Values {
    const sign = this.#next();
    if (sign === "@") {
      const [, quote, text] = this.#take(HERE) ?? [];
      if (quote === "'") return [literal(text!)];
      if (quote === '"') return [new Reader(text!, this.#state, this.#ground).#pieces(null)];
      this.#take(/@\w*/y);
      return /[({]/.test(this.#next()) ? this.#primary() : [OPEN];
    }
    if (sign === "(") return this.#bracketed(")");
    if (sign === "[") {
      // A type stands before a value or a method.
      if (this.#take(TYPE) === null) this.#at++;
      return /["'$(@[{\d]/.test(this.#next()) ? this.#operand() : [OPEN];
    }
    if (sign === "$") return this.#variable();
    if (sign === "{") return this.#block();
    const [, single, end] = this.#take(SINGLE) ?? [];
    if (end === "") this.#ground.unknown.add(UNREADABLE);
    if (single !== undefined) return [literal(single.replace(TWICE, "$1"))];
    if (QUOTE.test(sign)) {
      this.#at++;
      const word = this.#pieces(DOUBLE);
      if (this.#next() === "") this.#ground.unknown.add(UNREADABLE);
      this.#at++;
      return [word];
    }
    const [text] = this.#take(/[\d.]+\w*|[^\s;|&(){},<>`$'"[\]=+*/%-]+/y) ?? [];
    return text === undefined ? [OPEN] : [literal(text)];
  }

  /** Reads what stands in brackets. */
  #bracketed(end: ")" | "]" | "}"): Values {
    this.#at++;
    return this.script(end);
  }

  /** Returns the values, or an unknown one if `.Name`, `::Method(…)` or `[0]` follows. */
  #members(values: Values): Values {
    let found = values;
    for (;;) {
      const [member, name = ""] = this.#take(MEMBER) ?? [];
      if (member === undefined && this.#next() !== "[") return found;
      found = [OPEN];
      if (member === undefined) this.#bracketed("]");
      else {
        if (name === "") this.#primary();
        if (this.#next() !== "(") continue;
        this.#bracketed(")");
        if (HARMLESS_METHODS.has(name.toLowerCase())) continue;
        this.#ground.unknown.add(`what ${member.trim()}() does`);
      }
    }
  }

  #variable(): Values {
    if (this.#text[this.#at + 1] === "(") {
      this.#at++;
      return this.#bracketed(")");
    }
    const [all, braced, plain] = this.#take(VARIABLE) ?? [];
    if (all === undefined) {
      this.#at++;
      return [literal("$")];
    }
    const name = variableName(braced ?? plain!);
    if (name === "null") return [literal("")];
    if (name === "true" || name === "false") return [literal(name)];
    return this.#state.variables.get(name ?? "") ?? [{ ...OPEN, source: all }];
  }

  /** Reads a text with variables and commands in it, up to a quote. */
  #pieces(quote: RegExp | null): Argument {
    const parts: Argument[] = [];
    while (this.#at < this.#text.length) {
      const sign = this.#next();
      if (quote?.test(sign)) {
        if (!quote.test(this.#text[this.#at + 1] ?? "")) break;
        this.#at++;
        parts.push(literal(this.#text[this.#at++]!));
      } else if (/^\$[\w{(?]/.test(this.#text.slice(this.#at, this.#at + 2))) {
        parts.push(joined(this.#variable(), " "));
      } else parts.push(literal(this.#plain(/[^`$"\u201c-\u201e]+/y)));
    }
    return joined(parts);
  }

  /** Reads the text that a pattern matches, the sign behind a backtick, or one sign. */
  #plain(pattern: RegExp): string {
    const [, escaped] = this.#take(/`(\r\n|[^]?)/y) ?? [];
    if (escaped !== undefined) return ESCAPES[escaped] ?? escaped;
    return (this.#take(pattern) ?? this.#take(/[^]/y)!)[0];
  }

  #spend(): void {
    this.#ground.budget.spend(STEPS_OF_PART);
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
