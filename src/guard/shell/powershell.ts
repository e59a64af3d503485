/**
 * PowerShell as a script of the POSIX shell: the same commands with the same words, so that what reads Bash reads it. What
 * a cmdlet does is in `cmdlets.ts`. Nothing is run.
 */
import { BETWEEN, BLANK } from "./powershell_text.ts";
import { PowerShellValues } from "./powershell_values.ts";
import {
  grouped,
  known,
  pathWord,
  printing,
  type Read,
  sometimes,
  spelled,
  UNKNOWN,
  variableName,
  type Word,
} from "./powershell_words.ts";

/** A script that was written in another language. */
export interface Translated {
  readonly script: string;
  /** Reasons why commands may be missing in the script. */
  readonly unknown: readonly string[];
  /** True when a part was not read: the source is too long, or nested too deeply. */
  readonly isCut: boolean;
}

const MAX_DEPTH = 24;

const ASSIGNED =
  /(?:\[[\w.[\], ]+\]\s*)*\$(?:\{((?:\w+:)?\w+)\}|((?:\w+:)?\w+))[ \t]*(\+?)=(?!=)\s*/y;
const REDIRECTION = /[1-6*]?>>?(?:&[1-6])?/y;
const KEYWORD =
  /(if|elseif|else|while|until|for|foreach|switch|do|try|catch|finally|trap|begin|process|end|clean|function|filter|param|return|throw|exit|class|enum|using|break|continue)(?![\w-])(?!\s*=)/iy;
/** Words that the POSIX shell would not take for a name. */
const RESERVED =
  /^(?:if|then|elif|else|fi|for|in|while|until|do|done|case|esac|function|select|time|coproc|\d+)$/;

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

class Translator extends PowerShellValues {
  #depth = 0;

  /** Reads statements up to a sign, which is taken as well; of nothing but values in brackets these come back. */
  script(end: "" | ")" | "}" | "]"): Read {
    if (++this.#depth > MAX_DEPTH) this.giveUp();
    const read: Read[] = [];
    for (;;) {
      this.take(BETWEEN);
      if (this.at >= this.text.length) {
        if (end !== "") this.unknown.add("it cannot be read as a script of PowerShell");
        break;
      }
      const before = this.at;
      if (this.next() === end) {
        this.at++;
        break;
      }
      read.push(this.statement());
      // A sign that nothing begins with.
      if (this.at === before) this.at++;
    }
    this.#depth--;
    const [only] = read;
    return {
      code: read.map(({ code }) => code).filter((code) => code !== "").join("\n"),
      words: read.length === 1 ? only!.words : null,
    };
  }

  protected statement(): Read {
    this.count();
    const [, keyword] = this.peek(KEYWORD) ?? [];
    if (keyword === undefined) return this.chain();
    this.take(KEYWORD);
    return { code: this.structure(keyword.toLowerCase()), words: null };
  }

  /** Reads the rest of a statement that begins with a keyword. */
  protected structure(keyword: string): string {
    this.take(BLANK);
    switch (keyword) {
      case "function":
      case "filter": {
        const [name] = this.take(/[^\s({]+/y) ?? [""];
        const given = this.inBrackets();
        const body = this.block();
        return /^[\w-]+$/.test(name) && !RESERVED.test(name)
          ? `${given}\n${name}() {\n:\n${body}\n}`
          : `${given}\n${sometimes(body)}`;
      }
      case "foreach": {
        const [, name] = this.take(/\(\s*\$(\w+)\s+in(?!\w)/iy) ?? [];
        if (name === undefined) return `${this.inBrackets()}\n${sometimes(this.block())}`;
        const { code, words } = this.script(")");
        const values = words === null ? `$(\n${code}\n)` : words.map(({ bash }) => bash).join(" ");
        return `for ${name.toLowerCase()} in ${values}\ndo\n:\n${this.block()}\ndone`;
      }
      case "param":
        return this.inBrackets();
      case "return":
      case "throw":
      case "exit":
        return this.chain().code;
      case "using":
      case "break":
      case "continue":
        this.take(/[^\n;}]*/y);
        return "";
      case "class":
      case "enum":
        this.unknown.add("what a class of the script does");
        this.take(/[^{\n]*/y);
        return sometimes(this.block());
      case "catch":
        this.take(/(?:\[[\w.]+\][\s,]*)*/y);
        return sometimes(this.block());
      case "switch": {
        this.take(/(?:-\w+\s*)*/y);
        const given = this.inBrackets();
        return `${given}\n${this.cases()}`;
      }
      default: {
        const given = this.inBrackets();
        const body = this.block();
        const isSure = /^(?:try|finally|do|begin|process|end|clean)$/.test(keyword);
        return `${given}\n${isSure ? body : sometimes(body)}`;
      }
    }
  }

  /** The commands in round brackets, where some come next. */
  protected inBrackets(): string {
    this.take(BETWEEN);
    if (this.next() !== "(") return "";
    this.at++;
    return this.script(")").code;
  }

  /** The commands in curly brackets, where some come next. */
  protected block(): string {
    this.take(BETWEEN);
    if (this.next() !== "{") return "";
    this.at++;
    return this.script("}").code;
  }

  /** The blocks of a `switch`, each behind what it is for. */
  protected cases(): string {
    this.take(BETWEEN);
    if (this.next() !== "{") return "";
    this.at++;
    const codes: string[] = [];
    for (;;) {
      this.take(BETWEEN);
      const sign = this.next();
      if (sign === "" || sign === "}") break;
      const before = this.at;
      if (sign === "{") codes.push(sometimes(this.block()));
      else this.argument();
      if (this.at === before) this.at++;
    }
    this.at++;
    return codes.join("\n");
  }

  /** Pipelines with `&&` and `||` between them. */
  protected chain(): Read {
    let { code, words } = this.pipeline();
    for (;;) {
      this.take(BLANK);
      const [sign] = this.take(/&&|\|\||&/y) ?? [];
      if (sign === undefined) return { code, words };
      words = null;
      if (sign === "&") code = `${code || ":"} &`;
      else {
        this.take(/\s*/y);
        code = `${code || ":"} ${sign} ${this.pipeline().code || ":"}`;
      }
      if (sign === "&") return { code, words };
    }
  }

  protected pipeline(): Read {
    const assigned = this.assignment();
    if (assigned !== null) return { code: assigned, words: null };
    const parts: string[] = [];
    let words: readonly Word[] | null = null;
    do {
      this.take(/\s*/y);
      this.take(BLANK);
      const read = this.element(parts.length === 0);
      words = parts.length === 0 ? read.words : null;
      if (read.code !== "") parts.push(read.code);
      this.take(BLANK);
      // A pipe may also begin the next line.
    } while (this.take(/\s*\|(?!\|)/y) !== null);
    return { code: parts.join(" | "), words: parts.length > 1 ? null : words };
  }

  /** `$x = …`, `$env:X += …`; null where none comes next. */
  protected assignment(): string | null {
    const [all, braced, plain, adds] = this.take(ASSIGNED) ?? [];
    if (all === undefined) return null;
    const { code, words } = this.statement();
    const values = words?.map(({ bash }) => bash);
    const name = variableName(braced ?? plain!);
    if (name === null) return values === undefined ? code : `: ${values.join(" ")}`;
    if (values !== undefined && values.length !== 1) this.lists.add(name);
    else if (adds === "") this.lists.delete(name);
    const value = values === undefined
      ? `"$(\n${code}\n)"`
      : values.length === 1
      ? values[0]
      : `(${values.join(" ")})`;
    const exports = /^env:/i.test(braced ?? plain!) ? "export " : "";
    return `${exports}${name}${adds}=${value}`;
  }

  /** One part of a pipeline: a value, which is printed, or a command. */
  protected element(isFirst: boolean): Read {
    const called = this.take(/&(?!&)\s*|\.(?=[\s"'$({])\s*/y) !== null;
    const sign = this.next();
    if (called && sign === "{") return { code: grouped(this.block()), words: null };
    if (called || !isFirst || !/["'$(@[{\d!+,\u2018-\u201e-]/.test(sign)) {
      return { code: this.command(called), words: null };
    }
    const words = this.expression();
    const redirects = this.redirections();
    if (redirects.length > 0) {
      return { code: `${printing(words)} ${redirects.join(" ")}`, words: null };
    }
    return { code: printing(words), words };
  }

  protected command(isCalled: boolean): string {
    const program = this.argument(isCalled);
    if (program === null) return "";
    const words: (Word | ",")[] = [];
    const redirects: string[] = [];
    const blocks: string[] = [];
    for (;;) {
      this.take(BLANK);
      const redirected = this.redirections();
      redirects.push(...redirected);
      const sign = this.next();
      if (redirected.length > 0) continue;
      if (sign === "" || /[\n\r;|&})]/.test(sign)) break;
      if (this.take(/--%/y) !== null) {
        const [rest] = this.take(/[^|\n]*/y)!;
        words.push(...rest.split(/\s+/).filter((word) => word !== "").map(known));
      } else if (sign === "{") blocks.push(this.block());
      else if (sign === ",") {
        this.at++;
        this.take(/\s*/y);
        words.push(",");
      } else if (sign === "@" && /\w/.test(this.text[this.at + 1] ?? "")) {
        this.take(/@\w+/y);
        words.push(UNKNOWN);
      } else if (sign === "(" || sign === "@") words.push(...this.operand());
      else {
        const word = this.argument();
        if (word === null) this.at++;
        else words.push(word);
      }
    }
    const code = [...spelled(program, words), ...redirects].join(" ");
    // Script blocks run for each value that comes through the pipe.
    return [code, ...blocks.map(grouped)].join(" | ");
  }

  protected redirections(): string[] {
    const redirects: string[] = [];
    for (;;) {
      this.take(BLANK);
      const [sign] = this.take(REDIRECTION) ?? [];
      if (sign === undefined) return redirects;
      const operator = sign.replace("*", "&").replace(/^1(?=>)/, "");
      this.take(BLANK);
      redirects.push(
        sign.includes("&") ? sign : `${operator} ${pathWord(this.argument() ?? UNKNOWN, true)}`,
      );
    }
  }

  protected inside(text: string): PowerShellValues {
    return new Translator(text);
  }
}
