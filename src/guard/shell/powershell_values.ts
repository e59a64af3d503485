/** The values of PowerShell: texts, variables, calls of methods, and operators between them. */
import { BETWEEN, BLANK, DOUBLE, PowerShellText, SINGLE } from "./powershell_text.ts";
import {
  applied,
  joined,
  known,
  pathWord,
  printedBy,
  type Read,
  UNKNOWN,
  unknownBy,
  unknownOf,
  variableName,
  type Word,
} from "./powershell_words.ts";

const VARIABLE = /\$(?:\{([^}]*)\}|((?:\w+:)?\w+|[?^$]))/y;
const TYPE = /\[([\w.]+(?:\[[\w.,\[\] ]*\])?)\]/y;
const MEMBER = /(?:\?\.|::|\.(?!\.))\s*(?:(\w+)|(?=["'$(]))/y;
const OPERATOR = /-[a-z]+(?![\w-])|\.\.|[+\-*/%]?=|[*/%+-](?![\w-]*=)|\?\?|[?:](?=\s)/iy;
const NUMBER = /[\d.]+\w*/y;
/** Ends a word of a command. */
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

/** Reads values; what stands in brackets are statements. */
export abstract class PowerShellValues extends PowerShellText {
  /** The variables that were given more than one value. */
  protected readonly lists = new Set<string>();

  abstract script(end: "" | ")" | "}" | "]"): Read;
  protected abstract chain(): Read;
  protected abstract block(): string;
  protected abstract inside(text: string): PowerShellValues;

  /** One word of a command; null where none begins. */
  protected argument(isValue = false): Word | null {
    this.count();
    const parts: Word[] = [];
    let isBare = true;
    let plain = "";
    const flush = () => {
      if (plain !== "") parts.push(known(plain));
      plain = "";
    };
    for (;;) {
      const sign = this.next();
      if (sign === "") break;
      if (sign === "`") {
        plain += this.escaped();
        continue;
      }
      const isOpening = sign === "(" && isValue && parts.length === 0 && plain === "";
      if (!isOpening && ENDS_WORD.test(sign)) break;
      if (isOpening || sign === "$" || SINGLE.test(sign) || DOUBLE.test(sign)) {
        flush();
        isBare &&= sign === "$";
        parts.push(...this.primary());
        if (parts.length === 1 && sign === "$") this.members(parts);
        continue;
      }
      const [text] = this.take(/[^\s;|&(){},<>`$'"\u2018-\u201e]+/y) ?? [sign];
      if (text === sign && this.next() === sign) this.at++;
      plain += text;
    }
    flush();
    if (parts.length === 0) return null;
    return { ...joined(parts), isBare };
  }

  /** Values with operators between them. */
  protected expression(): readonly Word[] {
    let words = this.operands();
    for (;;) {
      this.take(BLANK);
      if (this.take(/\+\+|--/y) !== null) continue;
      const [operator] = this.take(OPERATOR) ?? [];
      if (operator === undefined) return words;
      this.take(/\s*/y);
      if (operator.endsWith("=")) {
        const { code } = this.chain();
        return [unknownBy(code)];
      }
      words = applied(operator.toLowerCase(), words, this.operands());
    }
  }

  /** Values with commas between them. */
  protected operands(): readonly Word[] {
    const words = [...this.operand()];
    while (this.take(/\s*,\s*/y) !== null) words.push(...this.operand());
    return words;
  }

  protected operand(): readonly Word[] {
    this.count();
    this.take(BLANK);
    // Signs before a value.
    while (
      this.take(/(?:!|\+\+|--|,|-(?:not|bnot|join|split)(?!\w)|[+-](?=[\s$(\d]))\s*/iy) !== null
    );
    const parts = [...this.primary()];
    this.members(parts);
    return parts;
  }

  /** A value by itself. */
  protected primary(): readonly Word[] {
    const sign = this.next();
    if (sign === "@") {
      const here = this.take(/@(['"])[ \t]*\r?\n([^]*?)(?:\r?\n\1@|$)/y);
      if (here !== null) return here[1] === "'" ? [known(here[2]!)] : [this.filled(here[2]!)];
      this.at++;
      if (this.next() === "{") return [this.table()];
      return this.next() === "(" ? this.primary() : [UNKNOWN];
    }
    if (sign === "(") {
      this.at++;
      const { code, words } = this.script(")");
      return words ?? [printedBy(code)];
    }
    if (sign === "{") return [unknownBy(this.block())];
    if (sign === "[") return this.typed();
    if (SINGLE.test(sign)) return [known(this.quoted(SINGLE))];
    if (DOUBLE.test(sign)) return [this.doubleQuoted()];
    if (sign === "$") return [this.variable()];
    const [text] = this.take(NUMBER) ?? this.take(/[^\s;|&(){},<>`$'"[\]=+*/%-]+/y) ?? [];
    return text === undefined ? [UNKNOWN] : [known(text)];
  }

  /** `[Type]::Method(…)`, or a value with its type before it. */
  protected typed(): readonly Word[] {
    const [, type] = this.take(TYPE) ?? [];
    if (type === undefined) {
      this.at++;
      return [UNKNOWN];
    }
    if (this.text.startsWith("::", this.at)) {
      const [, member = ""] = this.take(MEMBER) ?? [];
      if (this.next() !== "(") return [UNKNOWN];
      this.at++;
      const words = this.given();
      const [, kind] = /^(?:system\.)?io\.(file|directory)$/i.exec(type) ?? [];
      const [, does] = FILE_METHODS.find(([methods]) => methods.test(member.toLowerCase())) ?? [];
      if (kind !== undefined && does !== undefined) {
        const files = /^(?:mv|cp)/.test(does) ? words.slice(0, 2) : words.slice(0, 1);
        const code = [does, ...files.map((word) => pathWord(word, false))].join(" ");
        return [unknownBy(code)];
      }
      this.note(`[${type}]::${member}()`, member);
      return [unknownOf(words)];
    }
    this.take(BLANK);
    return /["'$(@[{\d]/.test(this.next()) ? this.operand() : [UNKNOWN];
  }

  /** `.Name`, `.Method(…)` and `[0]` behind a value: what they come to is not known. */
  protected members(parts: Word[]): void {
    for (;;) {
      const member = this.take(MEMBER);
      if (member !== null) {
        if (member[1] === undefined) this.primary();
        if (this.next() === "(") {
          this.at++;
          const words = this.given();
          this.note(`.${member[1] ?? ""}()`, member[1] ?? "");
          parts.splice(0, parts.length, unknownOf([...parts, ...words]));
        } else parts.splice(0, parts.length, unknownOf(parts));
      } else if (this.next() === "[") {
        this.at++;
        const { code } = this.script("]");
        parts.splice(
          0,
          parts.length,
          unknownOf([...parts, printedBy(code)]),
        );
      } else return;
    }
  }

  /** Reads the values in the brackets of a method, or of an index. */
  protected given(end: ")" | "]" = ")"): readonly Word[] {
    const { code, words } = this.script(end);
    return words ?? [printedBy(code)];
  }

  protected note(call: string, method: string): void {
    if (!HARMLESS_METHODS.has(method.toLowerCase())) this.unknown.add(`what ${call} does`);
  }

  /** `@{ name = value }`: its values are read. */
  protected table(): Word {
    this.at++;
    const codes: string[] = [];
    for (;;) {
      this.take(BETWEEN);
      const sign = this.next();
      if (sign === "" || sign === "}") break;
      const before = this.at;
      if (this.take(/[\w-]+\s*=\s*/y) === null) this.primary();
      this.take(/\s*=\s*/y);
      codes.push(this.chain().code);
      if (this.at === before) this.at++;
    }
    this.at++;
    return unknownBy(codes.join("\n"));
  }

  protected variable(): Word {
    if (this.text[this.at + 1] === "(") {
      this.at += 2;
      const { code, words } = this.script(")");
      if (words?.length === 1) return words[0]!;
      return printedBy(code);
    }
    const [all, braced, plain] = this.take(VARIABLE) ?? [];
    if (all === undefined) {
      this.at++;
      return known("$");
    }
    const name = variableName(braced ?? plain!);
    if (name === "null") return known("");
    if (name === "true" || name === "false") return known(name);
    if (name === null) return UNKNOWN;
    return { bash: this.lists.has(name) ? `"\${${name}[@]}"` : `"$${name}"`, text: null };
  }

  protected doubleQuoted(): Word {
    this.at++;
    const word = this.pieces(DOUBLE);
    if (this.at >= this.text.length) {
      this.unknown.add("it cannot be read as a script of PowerShell");
    }
    this.at++;
    return word;
  }

  /** The text of a here-string, with its variables. */
  protected filled(text: string): Word {
    const inside = this.inside(text);
    const word = inside.pieces(null);
    for (const why of inside.unknown) this.unknown.add(why);
    this.isCut ||= inside.isCut;
    return word;
  }

  /** Text with variables and commands in it, up to a quote. */
  protected pieces(quote: RegExp | null): Word {
    const parts: Word[] = [];
    let plain = "";
    while (this.at < this.text.length) {
      const sign = this.next();
      if (quote?.test(sign)) {
        if (!quote.test(this.text[this.at + 1] ?? "")) break;
        plain += sign;
        this.at += 2;
      } else if (sign === "`") plain += this.escaped();
      else if (sign === "$" && /[\w{(?]/.test(this.text[this.at + 1] ?? "")) {
        parts.push(known(plain), this.variable());
        plain = "";
      } else {
        plain += sign;
        this.at++;
      }
    }
    return joined([...parts, known(plain)]);
  }
}
