/** Masks secrets in a text and removes private text. It is pure, linear in time, idempotent, and never throws. */
import { withoutColours, withoutNuls } from "./colours.ts";
import { findAssignments } from "./assignments.ts";
import { COMMAND_FORMS, GENERAL_FORMS } from "./general_forms.ts";
import { findPrivateKeys } from "./private_keys.ts";
import { findEscapedPrivate, findPrivate, PRIVATE_MASK } from "./private_tags.ts";
import { findForms, type MaskedSpan, maskOf, maskSpans } from "./secret_form.ts";
import { findTableValues } from "./table_values.ts";
import { findVendorTokens } from "./vendor_forms.ts";
import { isOddWord, isPlain } from "./secret_names.ts";

export interface RedactRules {
  /** The user's own patterns; the user must keep them fast. */
  readonly patterns: readonly RegExp[];
}

/** The user's compiled patterns, and the sources that are no regular expressions. */
export interface CompiledRedactPatterns extends RedactRules {
  readonly invalid: readonly { readonly source: string; readonly reason: string }[];
}

/** Compiles the user's patterns: JavaScript syntax, case-sensitive outside of `(?i:…)`. Never throws. */
export function compileRedactPatterns(sources: readonly string[]): CompiledRedactPatterns {
  const patterns: RegExp[] = [];
  const invalid: { source: string; reason: string }[] = [];
  for (const source of sources) {
    try {
      patterns.push(new RegExp(source, "g"));
    } catch (error) {
      invalid.push({ source, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { patterns, invalid };
}

/** Receives each masked secret in its original form. */
export type OnSecret = (secret: string) => void;

/** Masks secrets in a text as `[redacted:<kind>]`, masks private parts, and replaces NULs by blanks. */
export function redactText(given: string, rules: RedactRules, onSecret?: OnSecret): string {
  return redactLines([given], rules, onSecret)[0]!;
}

/** Redacts the lines of one text together, since a secret may begin in one line and end in a later one. */
export function redactLines(
  given: readonly string[],
  rules: RedactRules,
  onSecret?: OnSecret,
): readonly string[] {
  const lines = given.map(withoutNuls);
  const masked = settle(lines, rules, onSecret);
  const plain = masked.map(withoutColours);
  if (plain.every((line, index) => line === masked[index])) return masked;
  // Colour codes may split a secret that a terminal shows whole.
  const maskedPlain = settle(plain, rules, onSecret);
  return maskedPlain.every((line, index) => line === plain[index]) ? masked : maskedPlain;
}

/** The least length of a text with a secret: `pwd=x`. */
const MIN_CHARS = 5;
const MAX_ROUNDS = 6;

/** Masks repeatedly until nothing changes, since a mask can cause a new match. */
function settle(
  given: readonly string[],
  { patterns }: RedactRules,
  onSecret?: OnSecret,
): readonly string[] {
  let lines = given;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const text = lines.join("\n");
    if (text.length < MIN_CHARS && patterns.length === 0) return lines;
    const secrets = findSecrets(text);
    for (const { start, end } of onSecret === undefined ? [] : secrets) {
      onSecret!(text.slice(start, end));
    }
    const spans = [...findPrivateBlocks(text), ...secrets];
    const masked = spans.length === 0 ? lines : maskSpans(lines, spans);
    const next = patterns.length === 0 ? masked : masked.map((line) => maskOwn(line, patterns));
    if (next.every((line, index) => line === lines[index])) return lines;
    lines = next;
  }
  return given.map(() => TEXT_MASK);
}

function findSecrets(text: string): MaskedSpan[] {
  return [
    ...findVendorTokens(text),
    ...text.includes("PRIVATE KEY") || text.includes("Private-Lines:") ? findPrivateKeys(text) : [],
    ...findForms(text, GENERAL_FORMS),
    ...findForms(text, COMMAND_FORMS),
    ...findKubernetesSecrets(text),
    ...findListed(text),
    ...findTableValues(text),
    ...findAssignments(text),
  ];
}

/** Finds private text; ignores a closing tag at the start of a text. */
function findPrivateBlocks(text: string): MaskedSpan[] {
  if (!/private/i.test(text)) return [];
  const { spans, closesAt } = findPrivate(text);
  const first = closesAt > 0 && holdsNothing(text.slice(0, closesAt)) ? spans.slice(1) : spans;
  return [...first, ...findEscapedPrivate(text)].map((span) => ({ ...span, mask: PRIVATE_MASK }));
}

/** Whether a text consists of blanks and one tag. */
function holdsNothing(text: string): boolean {
  return /^\s*<[^<>]*>$/.test(text);
}

/** Replaces a whole text if masking still changes it after `MAX_ROUNDS` or a user's pattern fails. */
const TEXT_MASK = "[redacted:text]";

const MASK = String.raw`\[redacted:[a-z\d\-]+\]|\[private removed\]`;
const IS_MASK = new RegExp(`^(?:${MASK})$`);

/** Masks the matches of the user's patterns. Each pattern first tries to match a mask, so masks stay whole. */
function maskOwn(text: string, patterns: readonly RegExp[]): string {
  return patterns.reduce((masked, { source, flags }) => {
    try {
      const guarded = new RegExp(`${MASK}|(?:${source})`, flags.replace(/[gy]/g, "") + "g");
      return masked.replace(
        guarded,
        (match) => match === "" || IS_MASK.test(match) ? match : "[redacted:custom]",
      );
    } catch {
      return TEXT_MASK; // too deep for the engine
    }
  }, text);
}

const KIND = /kind["']?:[ \t]{0,4}["']?Secret["']?(?=[\s,}]|$)/g;
/** The greatest distance of the values from the kind, which they may precede or follow. */
const MAX_CHARS = 8_000;
const DATA = /(?<!\w)["']?(?:data|stringData)["']?:[ \t]{0,4}(?:\{\s{0,20}|[^\S\n]{0,4}\n)/g;
/** An entry with a value of one line; the group is the value. */
const ENTRY =
  /\s{0,20}["']?[\w.-]{1,80}["']?:[ \t]{1,4}(?:[|>][-+]?[ \t]{0,4}\n[ \t]{0,20})?["']?([^\s"',]{3,})["']?,?[ \t]{0,4}/y;

/** A plural name (`passwords`) and the opening of its values: an indented block or a list in brackets. */
const LISTED =
  /(?<![a-z])(?:secrets|passwords|tokens|credentials|api_?keys)["']?\s{0,3}[:=]\s{0,3}(?:\[|\{|(?:\r?\n|\\n)(?=[-+\s]))/gi;
/** An item of such a block or list, with or without a dash or key; the group is the value. */
const ITEM =
  /[+]?[ \t]{0,40}(?:- )?(?:["']?[A-Za-z_][\w.-]{0,60}["']?:[ \t]{0,4})?(?:["']?([^\s"',{}[\]\\]{3,300})["']?)?,?[ \t]{0,8}(?:#[^\n]{0,200})?(?:\r?\n|\\n|$|(?=[\]}])|(?<=,[ \t]{0,8}))/y;
const MAX_ITEMS = 200;

function findListed(text: string): MaskedSpan[] {
  const spans: MaskedSpan[] = [];
  let done = 0;
  for (const { index, 0: head } of text.matchAll(LISTED)) {
    if (index < done) continue;
    const isBlock = /\n$/.test(head);
    ITEM.lastIndex = index + head.length;
    for (let count = 0; count < MAX_ITEMS; count++) {
      const from = ITEM.lastIndex;
      // A line without indentation ends the block.
      if (isBlock && !/[-+ \t]/.test(text[from] ?? "")) break;
      const item = ITEM.exec(text);
      if (item === null || item[0] === "") break;
      const value = item[1] ?? "";
      if (!isOddWord(value) || /^[\w.-]{1,60}:$/.test(value)) continue;
      const start = from + item[0].lastIndexOf(value);
      spans.push({ start, end: start + value.length, mask: maskOf("secret") });
      done = ITEM.lastIndex;
    }
  }
  return spans;
}

function findKubernetesSecrets(text: string): MaskedSpan[] {
  if (!text.includes("Secret")) return [];
  const spans: MaskedSpan[] = [];
  let done = 0;
  for (const { index } of text.matchAll(KIND)) {
    const before = Math.max(done, text.lastIndexOf("\n---", index), index - MAX_CHARS);
    const next = text.indexOf("\n---", index);
    const end = Math.min(next === -1 ? text.length : next, index + MAX_CHARS);
    const part = text.slice(before, end);
    for (const found of part.matchAll(DATA)) {
      ENTRY.lastIndex = found.index + found[0].length;
      for (let entry = ENTRY.exec(part); entry !== null; entry = ENTRY.exec(part)) {
        const start = before + entry.index + entry[0].lastIndexOf(entry[1]!);
        if (isPlain(entry[1]!)) continue;
        spans.push({ start, end: start + entry[1]!.length, mask: maskOf("secret") });
      }
    }
    done = end;
  }
  return spans;
}
