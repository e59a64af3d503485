/**
 * PowerShell as a script of the POSIX shell: the same commands with the same words, so that what reads Bash reads it. What
 * a cmdlet does is in `cmdlets.ts`. Nothing is run.
 */
import { calledAs } from "./cmdlets.ts";

/** A script that was written in another language. */
export interface Translated {
  readonly script: string;
  /** What cannot be said in the shell's language, one reason each. */
  readonly unknown: readonly string[];
  /** Whether it is so long, or nested so deeply, that a part of it was not read. */
  readonly isCut: boolean;
}

/** A word: for the shell as it has to be written there, and as a text where that is known. */
interface Word {
  readonly bash: string;
  readonly text: string | null;
  /** Whether all of it is bare: signs of a pattern in it count for every program. */
  readonly isBare?: boolean;
  /** Whether commands stand in it. */
  readonly runs?: true;
}

/** What a part of a script comes to: its commands, and its values where it is nothing but these. */
interface Read {
  readonly code: string;
  readonly words: readonly Word[] | null;
}

const MAX_DEPTH = 24;
/** Statements and words that are read. */
const MAX_PARTS = 20_000;

/** A variable that nothing gives a value. */
const UNKNOWN: Word = { bash: '"$unknown"', text: null };

const BLANK = /(?:[ \t\f\v\u00a0]|`\r?\n|<#[^]*?(?:#>|$)|(?<![^\s;|&(){}])#[^\n]*)+/y;
const BETWEEN = /(?:[\s;\u00a0]|`\r?\n|<#[^]*?(?:#>|$)|#[^\n]*)+/y;
const SINGLE = /['\u2018-\u201b]/;
const DOUBLE = /["\u201c-\u201e]/;
const VARIABLE = /\$(?:\{([^}]*)\}|((?:\w+:)?\w+|[?^$]))/y;
const ASSIGNED =
  /(?:\[[\w.[\], ]+\]\s*)*\$(?:\{((?:\w+:)?\w+)\}|((?:\w+:)?\w+))[ \t]*(\+?)=(?!=)\s*/y;
const TYPE = /\[([\w.]+(?:\[[\w.,\[\] ]*\])?)\]/y;
const MEMBER = /(?:\?\.|::|\.(?!\.))\s*(?:(\w+)|(?=["'$(]))/y;
const OPERATOR = /-[a-z]+(?![\w-])|\.\.|[+\-*/%]?=|[*/%+-](?![\w-]*=)|\?\?|[?:](?=\s)/iy;
const REDIRECTION = /[1-6*]?>>?(?:&[1-6])?/y;
const KEYWORD =
  /(if|elseif|else|while|until|for|foreach|switch|do|try|catch|finally|trap|begin|process|end|clean|function|filter|param|return|throw|exit|class|enum|using|break|continue)(?![\w-])(?!\s*=)/iy;
/** Words that the POSIX shell would not take for a name. */
const RESERVED =
  /^(?:if|then|elif|else|fi|for|in|while|until|do|done|case|esac|function|select|time|coproc|\d+)$/;
const NUMBER = /[\d.]+\w*/y;
/** Where a word of a command ends. */
const ENDS_WORD = /[\s;|&(){},<>]/;

/** Methods that only tell something, or make one text of another. */
const HARMLESS_METHODS = new Set(
  ("tostring trim trimstart trimend split replace substring startswith endswith contains tolower toupper indexof " +
    "lastindexof padleft padright format join gettype equals compareto adddays addhours addminutes parse tryparse " +
    "combine getfilename getextension getdirectoryname getfullpath getfilenamewithoutextension exists readalltext " +
    "readalllines readallbytes isnullorempty isnullorwhitespace round floor ceiling abs max min count add newguid " +
    "getenvironmentvariable match matches ismatch escape where foreach totalseconds tostring getvalue keys length")
    .split(" "),
);

/** Methods of `[IO.File]` and `[IO.Directory]`, by the command that does the same. */
const FILE_METHODS: readonly (readonly [methods: RegExp, command: string])[] = [
  [
    /^(?:writeall\w*|appendall\w*|appendtext|create|createtext|openwrite|open|setattributes|setlast\w+)$/,
    "touch",
  ],
  [/^delete$/, "rm -r"],
  [/^(?:move|replace)$/, "mv"],
  [/^copy$/, "cp"],
  [/^createdirectory$/, "mkdir -p"],
];

/** Writes a script of PowerShell as one of the POSIX shell. Never throws. */
export function fromPowerShell(source: string): Translated {
  const translator = new Translator(source);
  const { code } = translator.script("");
  return {
    script: code,
    unknown: [...translator.unknown],
    isCut: translator.isCut,
  };
}

class Translator {
  readonly unknown = new Set<string>();
  isCut = false;
  readonly #text: string;
  /** The variables that were given more than one value. */
  readonly #lists = new Set<string>();
  #at = 0;
  #depth = 0;
  #parts = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads statements up to a sign, which is taken as well; of nothing but values in brackets these come back. */
  script(end: "" | ")" | "}" | "]"): Read {
    if (++this.#depth > MAX_DEPTH) this.#giveUp();
    const read: Read[] = [];
    for (;;) {
      this.#take(BETWEEN);
      if (this.#at >= this.#text.length) {
        if (end !== "") this.unknown.add("it cannot be read as a script of PowerShell");
        break;
      }
      const before = this.#at;
      if (this.#next() === end) {
        this.#at++;
        break;
      }
      read.push(this.#statement());
      // A sign that nothing begins with.
      if (this.#at === before) this.#at++;
    }
    this.#depth--;
    const [only] = read;
    return {
      code: read.map(({ code }) => code).filter((code) => code !== "").join("\n"),
      words: read.length === 1 ? only!.words : null,
    };
  }

  #giveUp(): void {
    this.isCut = true;
    this.#at = this.#text.length;
  }

  /** Counts what is read. */
  #count(): void {
    if (++this.#parts > MAX_PARTS) this.#giveUp();
  }

  #statement(): Read {
    this.#count();
    const [, keyword] = this.#peek(KEYWORD) ?? [];
    if (keyword === undefined) return this.#chain();
    this.#take(KEYWORD);
    return { code: this.#structure(keyword.toLowerCase()), words: null };
  }

  /** What stands behind a word of the language itself. */
  #structure(keyword: string): string {
    this.#take(BLANK);
    switch (keyword) {
      case "function":
      case "filter": {
        const [name] = this.#take(/[^\s({]+/y) ?? [""];
        const given = this.#inBrackets();
        const body = this.#block();
        return /^[\w-]+$/.test(name) && !RESERVED.test(name)
          ? `${given}\n${name}() {\n:\n${body}\n}`
          : `${given}\n${sometimes(body)}`;
      }
      case "foreach": {
        const [, name] = this.#take(/\(\s*\$(\w+)\s+in(?!\w)/iy) ?? [];
        if (name === undefined) return `${this.#inBrackets()}\n${sometimes(this.#block())}`;
        const { code, words } = this.script(")");
        const values = words === null ? `$(\n${code}\n)` : words.map(({ bash }) => bash).join(" ");
        return `for ${name.toLowerCase()} in ${values}\ndo\n:\n${this.#block()}\ndone`;
      }
      case "param":
        return this.#inBrackets();
      case "return":
      case "throw":
      case "exit":
        return this.#chain().code;
      case "using":
      case "break":
      case "continue":
        this.#take(/[^\n;}]*/y);
        return "";
      case "class":
      case "enum":
        this.unknown.add("what a class of the script does");
        this.#take(/[^{\n]*/y);
        return sometimes(this.#block());
      case "catch":
        this.#take(/(?:\[[\w.]+\][\s,]*)*/y);
        return sometimes(this.#block());
      case "switch": {
        this.#take(/(?:-\w+\s*)*/y);
        const given = this.#inBrackets();
        return `${given}\n${this.#cases()}`;
      }
      default: {
        const given = this.#inBrackets();
        const body = this.#block();
        const isSure = /^(?:try|finally|do|begin|process|end|clean)$/.test(keyword);
        return `${given}\n${isSure ? body : sometimes(body)}`;
      }
    }
  }

  /** The commands in round brackets, where some come next. */
  #inBrackets(): string {
    this.#take(BETWEEN);
    if (this.#next() !== "(") return "";
    this.#at++;
    return this.script(")").code;
  }

  /** The commands in curly brackets, where some come next. */
  #block(): string {
    this.#take(BETWEEN);
    if (this.#next() !== "{") return "";
    this.#at++;
    return this.script("}").code;
  }

  /** The blocks of a `switch`, each behind what it is for. */
  #cases(): string {
    this.#take(BETWEEN);
    if (this.#next() !== "{") return "";
    this.#at++;
    const codes: string[] = [];
    for (;;) {
      this.#take(BETWEEN);
      const sign = this.#next();
      if (sign === "" || sign === "}") break;
      const before = this.#at;
      if (sign === "{") codes.push(sometimes(this.#block()));
      else this.#argument();
      if (this.#at === before) this.#at++;
    }
    this.#at++;
    return codes.join("\n");
  }

  /** Pipelines with `&&` and `||` between them. */
  #chain(): Read {
    let { code, words } = this.#pipeline();
    for (;;) {
      this.#take(BLANK);
      const [sign] = this.#take(/&&|\|\||&/y) ?? [];
      if (sign === undefined) return { code, words };
      words = null;
      if (sign === "&") code = `${code || ":"} &`;
      else {
        this.#take(/\s*/y);
        code = `${code || ":"} ${sign} ${this.#pipeline().code || ":"}`;
      }
      if (sign === "&") return { code, words };
    }
  }

  #pipeline(): Read {
    const assigned = this.#assignment();
    if (assigned !== null) return { code: assigned, words: null };
    const parts: string[] = [];
    let words: readonly Word[] | null = null;
    do {
      this.#take(/\s*/y);
      this.#take(BLANK);
      const read = this.#element(parts.length === 0);
      words = parts.length === 0 ? read.words : null;
      if (read.code !== "") parts.push(read.code);
      this.#take(BLANK);
      // A pipe may also begin the next line.
    } while (this.#take(/\s*\|(?!\|)/y) !== null);
    return { code: parts.join(" | "), words: parts.length > 1 ? null : words };
  }

  /** `$x = …`, `$env:X += …`; null where none comes next. */
  #assignment(): string | null {
    const [all, braced, plain, adds] = this.#take(ASSIGNED) ?? [];
    if (all === undefined) return null;
    const { code, words } = this.#statement();
    const values = words?.map(({ bash }) => bash);
    const name = variableName(braced ?? plain!);
    if (name === null) return values === undefined ? code : `: ${values.join(" ")}`;
    if (values !== undefined && values.length !== 1) this.#lists.add(name);
    else if (adds === "") this.#lists.delete(name);
    const value = values === undefined
      ? `"$(\n${code}\n)"`
      : values.length === 1
      ? values[0]
      : `(${values.join(" ")})`;
    const exports = /^env:/i.test(braced ?? plain!) ? "export " : "";
    return `${exports}${name}${adds}=${value}`;
  }

  /** One part of a pipeline: a value, which is printed, or a command. */
  #element(isFirst: boolean): Read {
    const called = this.#take(/&(?!&)\s*|\.(?=[\s"'$({])\s*/y) !== null;
    const sign = this.#next();
    if (called && sign === "{") return { code: grouped(this.#block()), words: null };
    if (called || !isFirst || !/["'$(@[{\d!+,\u2018-\u201e-]/.test(sign)) {
      return { code: this.#command(called), words: null };
    }
    const words = this.#expression();
    const redirects = this.#redirections();
    if (redirects.length > 0) {
      return { code: `${printing(words)} ${redirects.join(" ")}`, words: null };
    }
    return { code: printing(words), words };
  }

  #command(isCalled: boolean): string {
    const program = this.#argument(isCalled);
    if (program === null) return "";
    const words: (Word | ",")[] = [];
    const redirects: string[] = [];
    const blocks: string[] = [];
    for (;;) {
      this.#take(BLANK);
      const redirected = this.#redirections();
      redirects.push(...redirected);
      const sign = this.#next();
      if (redirected.length > 0) continue;
      if (sign === "" || /[\n\r;|&})]/.test(sign)) break;
      if (this.#take(/--%/y) !== null) {
        const [rest] = this.#take(/[^|\n]*/y)!;
        words.push(...rest.split(/\s+/).filter((word) => word !== "").map(known));
      } else if (sign === "{") blocks.push(this.#block());
      else if (sign === ",") {
        this.#at++;
        this.#take(/\s*/y);
        words.push(",");
      } else if (sign === "@" && /\w/.test(this.#text[this.#at + 1] ?? "")) {
        this.#take(/@\w+/y);
        words.push(UNKNOWN);
      } else if (sign === "(" || sign === "@") words.push(...this.#operand());
      else {
        const word = this.#argument();
        if (word === null) this.#at++;
        else words.push(word);
      }
    }
    const code = [...spelled(program, words), ...redirects].join(" ");
    // What is done to each thing that comes through the pipe.
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
    let plain = "";
    const flush = () => {
      if (plain !== "") parts.push(known(plain));
      plain = "";
    };
    for (;;) {
      const sign = this.#next();
      if (sign === "") break;
      if (sign === "`") {
        plain += this.#escaped();
        continue;
      }
      const isOpening = sign === "(" && isValue && parts.length === 0 && plain === "";
      if (!isOpening && ENDS_WORD.test(sign)) break;
      if (isOpening || sign === "$" || SINGLE.test(sign) || DOUBLE.test(sign)) {
        flush();
        isBare &&= sign === "$";
        parts.push(...this.#primary());
        if (parts.length === 1 && sign === "$") this.#members(parts);
        continue;
      }
      const [text] = this.#take(/[^\s;|&(){},<>`$'"\u2018-\u201e]+/y) ?? [sign];
      if (text === sign && this.#next() === sign) this.#at++;
      plain += text;
    }
    flush();
    if (parts.length === 0) return null;
    return { ...joined(parts), isBare };
  }

  /** Values with operators between them. */
  #expression(): readonly Word[] {
    let words = this.#operands();
    for (;;) {
      this.#take(BLANK);
      if (this.#take(/\+\+|--/y) !== null) continue;
      const [operator] = this.#take(OPERATOR) ?? [];
      if (operator === undefined) return words;
      this.#take(/\s*/y);
      if (operator.endsWith("=")) {
        const { code } = this.#chain();
        return [unknownBy(code)];
      }
      words = applied(operator.toLowerCase(), words, this.#operands());
    }
  }

  /** Values with commas between them. */
  #operands(): readonly Word[] {
    const words = [...this.#operand()];
    while (this.#take(/\s*,\s*/y) !== null) words.push(...this.#operand());
    return words;
  }

  #operand(): readonly Word[] {
    this.#count();
    this.#take(BLANK);
    // Signs before a value.
    while (
      this.#take(/(?:!|\+\+|--|,|-(?:not|bnot|join|split)(?!\w)|[+-](?=[\s$(\d]))\s*/iy) !== null
    );
    const parts = [...this.#primary()];
    this.#members(parts);
    return parts;
  }

  /** A value by itself. */
  #primary(): readonly Word[] {
    const sign = this.#next();
    if (sign === "@") {
      const here = this.#take(/@(['"])[ \t]*\r?\n([^]*?)(?:\r?\n\1@|$)/y);
      if (here !== null) return here[1] === "'" ? [known(here[2]!)] : [this.#filled(here[2]!)];
      this.#at++;
      if (this.#next() === "{") return [this.#table()];
      return this.#next() === "(" ? this.#primary() : [UNKNOWN];
    }
    if (sign === "(") {
      this.#at++;
      const { code, words } = this.script(")");
      return words ?? [printedBy(code)];
    }
    if (sign === "{") return [unknownBy(this.#block())];
    if (sign === "[") return this.#typed();
    if (SINGLE.test(sign)) return [known(this.#quoted(SINGLE))];
    if (DOUBLE.test(sign)) return [this.#doubleQuoted()];
    if (sign === "$") return [this.#variable()];
    const [text] = this.#take(NUMBER) ?? this.#take(/[^\s;|&(){},<>`$'"[\]=+*/%-]+/y) ?? [];
    return text === undefined ? [UNKNOWN] : [known(text)];
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
      this.#at++;
      const words = this.#given();
      const [, kind] = /^(?:system\.)?io\.(file|directory)$/i.exec(type) ?? [];
      const [, does] = FILE_METHODS.find(([methods]) => methods.test(member.toLowerCase())) ?? [];
      if (kind !== undefined && does !== undefined) {
        const files = /^(?:mv|cp)/.test(does) ? words.slice(0, 2) : words.slice(0, 1);
        const code = [does, ...files.map((word) => pathWord(word, false))].join(" ");
        return [unknownBy(code)];
      }
      this.#note(`[${type}]::${member}()`, member);
      return [unknownOf(words)];
    }
    this.#take(BLANK);
    return /["'$(@[{\d]/.test(this.#next()) ? this.#operand() : [UNKNOWN];
  }

  /** `.Name`, `.Method(…)` and `[0]` behind a value: what they come to is not known. */
  #members(parts: Word[]): void {
    for (;;) {
      const member = this.#take(MEMBER);
      if (member !== null) {
        if (member[1] === undefined) this.#primary();
        if (this.#next() === "(") {
          this.#at++;
          const words = this.#given();
          this.#note(`.${member[1] ?? ""}()`, member[1] ?? "");
          parts.splice(0, parts.length, unknownOf([...parts, ...words]));
        } else parts.splice(0, parts.length, unknownOf(parts));
      } else if (this.#next() === "[") {
        this.#at++;
        const { code } = this.script("]");
        parts.splice(
          0,
          parts.length,
          unknownOf([...parts, printedBy(code)]),
        );
      } else return;
    }
  }

  /** What stands in the brackets of a method, or of an index. */
  #given(end: ")" | "]" = ")"): readonly Word[] {
    const { code, words } = this.script(end);
    return words ?? [printedBy(code)];
  }

  #note(call: string, method: string): void {
    if (!HARMLESS_METHODS.has(method.toLowerCase())) this.unknown.add(`what ${call} does`);
  }

  /** `@{ name = value }`: its values are read. */
  #table(): Word {
    this.#at++;
    const codes: string[] = [];
    for (;;) {
      this.#take(BETWEEN);
      const sign = this.#next();
      if (sign === "" || sign === "}") break;
      const before = this.#at;
      if (this.#take(/[\w-]+\s*=\s*/y) === null) this.#primary();
      this.#take(/\s*=\s*/y);
      codes.push(this.#chain().code);
      if (this.#at === before) this.#at++;
    }
    this.#at++;
    return unknownBy(codes.join("\n"));
  }

  #variable(): Word {
    if (this.#text[this.#at + 1] === "(") {
      this.#at += 2;
      const { code, words } = this.script(")");
      if (words?.length === 1) return words[0]!;
      return printedBy(code);
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

  /** A text in plain quotes; two of them stand for one. */
  #quoted(quote: RegExp): string {
    let text = "";
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const sign = this.#text[this.#at]!;
      if (!quote.test(sign)) text += sign;
      else if (quote.test(this.#text[this.#at + 1] ?? "")) text += this.#text[++this.#at]!;
      else {
        this.#at++;
        return text;
      }
    }
    this.unknown.add("it cannot be read as a script of PowerShell");
    return text;
  }

  #doubleQuoted(): Word {
    this.#at++;
    const word = this.#pieces(DOUBLE);
    if (this.#at >= this.#text.length) {
      this.unknown.add("it cannot be read as a script of PowerShell");
    }
    this.#at++;
    return word;
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
    let plain = "";
    while (this.#at < this.#text.length) {
      const sign = this.#next();
      if (quote?.test(sign)) {
        if (!quote.test(this.#text[this.#at + 1] ?? "")) break;
        plain += sign;
        this.#at += 2;
      } else if (sign === "`") plain += this.#escaped();
      else if (sign === "$" && /[\w{(?]/.test(this.#text[this.#at + 1] ?? "")) {
        parts.push(known(plain), this.#variable());
        plain = "";
      } else {
        plain += sign;
        this.#at++;
      }
    }
    return joined([...parts, known(plain)]);
  }

  /** What a backtick and the sign behind it stand for. */
  #escaped(): string {
    const [, sign = ""] = this.#take(/`(\r\n|[^]?)/y)!;
    return ESCAPES[sign] ?? (/^\r?\n$/.test(sign) ? "" : sign);
  }

  #next(): string {
    return this.#text[this.#at] ?? "";
  }

  #peek(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text);
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    const found = this.#peek(pattern);
    if (found !== null) this.#at += found[0].length;
    return found;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  "0": "",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** What commands print, and a value that is not known, with the commands by which it comes about. */
function printedBy(code: string): Word {
  return { bash: `"$(\n${code}\n)"`, text: null, runs: true };
}

function unknownBy(code: string): Word {
  return { bash: `"$unknown$(\n${code}\n)"`, text: null, runs: true };
}

function known(text: string): Word {
  return { bash: quoted(text), text };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A value that is not known, with the commands that stand in what it is made of. */
function unknownOf(words: readonly Word[]): Word {
  const inside = words.filter(({ runs }) => runs);
  return inside.length === 0 ? UNKNOWN : joined([UNKNOWN, ...inside]);
}

function joined(parts: readonly Word[]): Word {
  const isKnown = parts.every(({ text }) => text !== null);
  if (isKnown) return known(parts.map(({ text }) => text).join(""));
  const runs = parts.some(({ runs }) => runs) ? { runs: true as const } : {};
  // Not `join`, which would copy what is there already.
  return { bash: parts.reduce((all, { bash }) => all + bash, ""), text: null, ...runs };
}

/** What an operator makes of the values beside it. */
function applied(operator: string, left: readonly Word[], right: readonly Word[]): readonly Word[] {
  const [first] = left;
  const [last] = right;
  if (operator === "+") {
    return left.length === 1 && right.length === 1
      ? [joined([first!, last!])]
      : [...left, ...right];
  }
  if (operator === "-join" && right.length === 1) {
    return [joined(left.flatMap((word, i) => i === 0 ? [word] : [last!, word]))];
  }
  if (operator === "-f" && first?.text != null && left.length === 1) {
    const pieces = first.text.split(/\{(\d+)\}/);
    return [
      joined(
        pieces.map((piece, i) => i % 2 === 0 ? known(piece) : right[Number(piece)] ?? UNKNOWN),
      ),
    ];
  }
  return [unknownOf([...left, ...right])];
}

/** The name that a variable has in the shell; null where only the running script knows what it is. */
function variableName(written: string): string | null {
  const [, scope = "", name = ""] = /^(?:(\w+):)?(\w+)$/.exec(written) ?? [];
  const plain = name.toLowerCase();
  if (plain === "" || /^(?:_|\d+|args|input|matches|this|psitem|unknown)$/.test(plain)) return null;
  if (/^(?:home|userprofile)$/.test(plain)) return "HOME";
  if (plain === "pwd") return "PWD";
  if (/^env$/i.test(scope)) return name;
  return /^(?:|global|script|local|private|using|variable)$/i.test(scope) ? plain : null;
}

/** Values as a command that prints them. */
function printing(words: readonly Word[]): string {
  return words.length === 0 ? "" : `printf '%s\\n' ${words.map(({ bash }) => bash).join(" ")}`;
}

/** Commands that may run. */
function sometimes(code: string): string {
  return code === "" ? "" : `if test "$unknown"\nthen\n${code}\nfi`;
}

function grouped(code: string): string {
  return `{\n:\n${code}\n}`;
}

/** A path as the shell writes it: `/` in the place of `\`, the home for `~`, and patterns as such. */
function pathWord({ bash, text, isBare = false }: Word, expands: boolean): string {
  if (text === null) return bash;
  const dashed = text.replace(/^[\u2013-\u2015]/, "-");
  if (/\s/.test(dashed)) return quoted(dashed);
  const path = dashed.replace(/^.*FileSystem::/i, "").replaceAll("\\", "/");
  const [home = ""] = /^~(?=\/|$)/.exec(path) ?? [];
  const rest = path.slice(home.length);
  const pieces = expands || isBare ? rest.split(/([*?]|\[[^\]/]*\])/) : [rest];
  const written = pieces.map((piece, i) => i % 2 === 1 ? piece : piece === "" ? "" : quoted(piece));
  return (home === "" ? "" : '"$HOME"') + written.join("") || "''";
}

/** A command with its words. A list is one for a cmdlet, for any other program its values are words. */
function spelled(program: Word, given: readonly (Word | ",")[]): readonly string[] {
  const texts = given.map((word) => word === "," ? "," : word.text ?? "");
  const name = program.text?.replaceAll("\\", "/") ?? null;
  const called = name === null ? null : calledAs(name, texts);
  const words = given.flatMap((word) =>
    word !== "," ? [pathWord(word, called?.isCmdlet ?? false)] : called?.isCmdlet ? ["','"] : []
  );
  if (called === null) return [program.bash, ...words];
  const written = [quoted(called.name), ...words];
  // What the shell does itself knows no parameters with names.
  const plain = written.filter((word) =>
    !/^'-(?:path|literalpath|name|value|passthru|option|force)'$/i.test(word)
  );
  if (called.name === "alias") return ["alias", plain.slice(1).join("=")];
  return /^(?:cd|pushd)$/.test(called.name) ? plain : written;
}
