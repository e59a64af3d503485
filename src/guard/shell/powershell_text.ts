/** The text of a script of PowerShell, and what of it was read. */

/** Statements and words that are read. */
const MAX_PARTS = 20_000;

export const BLANK = /(?:[ \t\f\v\u00a0]|`\r?\n|<#[^]*?(?:#>|$)|(?<![^\s;|&(){}])#[^\n]*)+/y;
export const BETWEEN = /(?:[\s;\u00a0]|`\r?\n|<#[^]*?(?:#>|$)|#[^\n]*)+/y;
export const SINGLE = /['\u2018-\u201b]/;
export const DOUBLE = /["\u201c-\u201e]/;

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

/** A text that is read from its beginning to its end. */
export class PowerShellText {
  /** Reasons why commands may be missing in the script. */
  readonly unknown = new Set<string>();
  /** True when a part of it was not read. */
  isCut = false;
  protected at = 0;
  protected readonly text: string;
  #parts = 0;

  constructor(text: string) {
    this.text = text;
  }

  protected giveUp(): void {
    this.isCut = true;
    this.at = this.text.length;
  }

  /** Counts what is read. */
  protected count(): void {
    if (++this.#parts > MAX_PARTS) this.giveUp();
  }

  protected next(): string {
    return this.text[this.at] ?? "";
  }

  protected peek(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text);
  }

  protected take(pattern: RegExp): RegExpExecArray | null {
    const found = this.peek(pattern);
    if (found !== null) this.at += found[0].length;
    return found;
  }

  /** Reads a backtick and the sign behind it. */
  protected escaped(): string {
    const [, sign = ""] = this.take(/`(\r\n|[^]?)/y)!;
    return ESCAPES[sign] ?? (/^\r?\n$/.test(sign) ? "" : sign);
  }

  /** A text in plain quotes; two of them stand for one. */
  protected quoted(quote: RegExp): string {
    let text = "";
    for (this.at++; this.at < this.text.length; this.at++) {
      const sign = this.text[this.at]!;
      if (!quote.test(sign)) text += sign;
      else if (quote.test(this.text[this.at + 1] ?? "")) text += this.text[++this.at]!;
      else {
        this.at++;
        return text;
      }
    }
    this.unknown.add("it cannot be read as a script of PowerShell");
    return text;
  }
}
