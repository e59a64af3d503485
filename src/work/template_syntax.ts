/**
 * Parses templates: text with tags `{{ … }}`, a subset of Go's text/template. A tag holds a path (`.task.title`,
 * `.run-tests.output`), a constant, or a function with arguments, and may be a pipeline (`.title | upper`). `{{-` and
 * `-}}` remove the white space beside the tag; a tag that begins with `/*` is a comment.
 */

export type TemplateValue =
  | null
  | boolean
  | number
  | string
  | readonly TemplateValue[]
  | { readonly [name: string]: TemplateValue };

export type TemplateContext = { readonly [name: string]: TemplateValue };

/** Reports a wrong template, or a missing value; the message names the tag. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

export type Expression =
  | { readonly kind: "path"; readonly path: readonly string[] }
  | { readonly kind: "constant"; readonly value: TemplateValue }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Expression[] };

export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tag"; readonly tag: string; readonly expression: Expression };

/** Matches one word of a tag; the last alternative matches any character that is not allowed. */
const WORDS =
  /\s+|"(?:[^"\\\n]|\\.)*"|`[^`]*`|\.[A-Za-z0-9_][\w-]*(?:\.[A-Za-z0-9_][\w-]*)*|-?\d+(?:\.\d+)?(?![\w.])|[A-Za-z_]\w*|[()|]|[\s\S]/gy;

const MAX_DEPTH = 50;

/** Cuts a template into its parts. @throws TemplateError when a tag has no end, or wrong syntax. */
export function parseTemplate(template: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  let trimsStart = false;
  for (;;) {
    const start = template.indexOf("{{", at);
    let text = template.slice(at, start < 0 ? undefined : start);
    if (trimsStart) text = text.trimStart();
    if (start >= 0 && /^\{\{-\s/.test(template.slice(start, start + 4))) text = text.trimEnd();
    if (text !== "") parts.push({ kind: "text", text });
    if (start < 0) return parts;
    const end = endOfTag(template, start);
    const tag = template.slice(start, end);
    trimsStart = /\s-\}\}$/.test(tag);
    const inner = tag.slice(2, -2).replace(/^-\s/, "").replace(/\s-$/, "").trim();
    if (!/^\/\*[\s\S]*\*\/$/.test(inner)) {
      parts.push({ kind: "tag", tag, expression: new TagReader(inner, tag).read() });
    }
    at = end;
  }
}

/** Finds the end of the tag at `start`; `}}` in a constant does not end it. */
function endOfTag(template: string, start: number): number {
  const pieces = /"(?:[^"\\\n]|\\.)*"|`[^`]*`|\/\*[\s\S]*?\*\/|\}\}|\{\{|[\s\S]/gy;
  pieces.lastIndex = start + 2;
  for (let match = pieces.exec(template); match !== null; match = pieces.exec(template)) {
    if (match[0] === "}}") return pieces.lastIndex;
    if (match[0] === "{{") break;
  }
  const line = template.slice(start, start + 40).split("\n", 1)[0];
  throw new TemplateError(`"${line}" is not closed: "}}" is missing`);
}

class TagReader {
  readonly #words: string[];
  readonly #tag: string;
  #at = 0;
  #depth = 0;

  constructor(inner: string, tag: string) {
    this.#words = (inner.match(WORDS) ?? []).filter((word) => word.trim() !== "");
    this.#tag = tag;
  }

  read(): Expression {
    const expression = this.#readPipeline();
    if (this.#at < this.#words.length) this.#fail(`"${this.#words[this.#at]}" is not expected`);
    return expression;
  }

  #readPipeline(): Expression {
    let expression = this.#readCall(null);
    while (this.#words[this.#at] === "|") {
      this.#at++;
      expression = this.#readCall(expression);
    }
    return expression;
  }

  /** Reads a function with its arguments, or a term. @param piped The value before the bar, the last argument. */
  #readCall(piped: Expression | null): Expression {
    const name = this.#words[this.#at];
    if (name === undefined) this.#fail("it is empty");
    if (!/^[A-Za-z_]/.test(name) || isConstant(name)) {
      if (piped !== null) this.#fail(`"${name}" is no function`);
      return this.#readTerm();
    }
    this.#at++;
    const args: Expression[] = [];
    while (this.#at < this.#words.length && !["|", ")"].includes(this.#words[this.#at]!)) {
      args.push(this.#readTerm());
    }
    if (piped !== null) args.push(piped);
    return { kind: "call", name, args };
  }

  #readTerm(): Expression {
    const word = this.#words[this.#at++];
    if (word === undefined) this.#fail("it ends too early");
    if (word === "(") {
      if (++this.#depth > MAX_DEPTH) this.#fail("it has too many brackets");
      const expression = this.#readPipeline();
      if (this.#words[this.#at++] !== ")") this.#fail('")" is missing');
      this.#depth--;
      return expression;
    }
    if (/^\../.test(word)) return { kind: "path", path: word.slice(1).split(".") };
    const constant = (value: TemplateValue): Expression => ({ kind: "constant", value });
    if (word.length > 1 && word.startsWith("`")) return constant(word.slice(1, -1));
    if (word.length > 1 && word.startsWith('"')) return constant(this.#unescape(word));
    if (/^-?\d/.test(word)) return constant(Number(word));
    if (isConstant(word)) return constant(word === "true");
    if (/^[A-Za-z_]/.test(word)) return { kind: "call", name: word, args: [] };
    this.#fail(`"${word}" is not expected`);
  }

  #unescape(word: string): string {
    try {
      return JSON.parse(word);
    } catch {
      this.#fail(`${word} is no text: after a backslash may stand " \\ n t r or uXXXX`);
    }
  }

  #fail(why: string): never {
    throw new TemplateError(`${this.#tag}: ${why}`);
  }
}

function isConstant(word: string): boolean {
  return word === "true" || word === "false";
}
