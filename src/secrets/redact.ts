/**
 * What must not be kept: secrets are masked, and what someone marked as private is dropped.
 *
 * Everything here is pure, never throws, takes time linear in its input, and changes nothing when it sees its own result again.
 */
import { withoutColours, withoutNuls } from "./colours.ts";
import { findAssignments } from "./assignments.ts";
import { COMMAND_FORMS } from "./command_forms.ts";
import { GENERAL_FORMS } from "./general_forms.ts";
import { findBlockValues } from "./block_values.ts";
import { maskOwn, TEXT_MASK } from "./own_patterns.ts";
import { findPrivateKeys } from "./private_keys.ts";
import { findEscapedPrivate, findPrivate, PRIVATE_MASK } from "./private_tags.ts";
import { findForms, type MaskedSpan, maskSpans } from "./secret_form.ts";
import { findTableValues } from "./table_values.ts";
import { findVendorTokens } from "./vendor_forms.ts";

/** What to mask beside the built-in forms. */
export interface RedactRules {
  /** The user's own patterns. They are theirs to keep fast. */
  readonly patterns: readonly RegExp[];
}

/** The user's patterns, ready to use, and those that are no regular expressions. */
export interface CompiledRedactPatterns extends RedactRules {
  readonly invalid: readonly { readonly source: string; readonly reason: string }[];
}

/** Compiles the user's patterns (JavaScript syntax, case-sensitive; `(?i:…)` is not). Never throws. */
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

/** Told of each secret that is masked, as it stood in the text. */
export type OnSecret = (secret: string) => void;

/** The text with its secrets masked as `[redacted:<kind>]`, its private parts dropped, and blanks for NULs. */
export function redactText(given: string, rules: RedactRules, onSecret?: OnSecret): string {
  return redactLines([given], rules, onSecret)[0]!;
}

/** The lines of one text, each redacted: a secret may begin in one and end in a later one. */
export function redactLines(
  given: readonly string[],
  rules: RedactRules,
  onSecret?: OnSecret,
): readonly string[] {
  const lines = given.map(withoutNuls);
  const masked = settle(lines, rules, onSecret);
  const plain = masked.map(withoutColours);
  if (plain.every((line, index) => line === masked[index])) return masked;
  // Colours may take a secret apart, and whoever reads the text without them puts it together again.
  const maskedPlain = settle(plain, rules, onSecret);
  return maskedPlain.every((line, index) => line === plain[index]) ? masked : maskedPlain;
}

/** No secret is shorter with its name: `pwd=x`. */
const MIN_CHARS = 5;
const MAX_ROUNDS = 6;

/** Masks until nothing changes any more: a mask can bring a new match about. */
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
    ...text.includes("PRIVATE KEY-") || text.includes("Private-Lines:")
      ? findPrivateKeys(text)
      : [],
    ...findForms(text, GENERAL_FORMS),
    ...findForms(text, COMMAND_FORMS),
    ...findBlockValues(text),
    ...findTableValues(text),
    ...findAssignments(text),
  ];
}

/** Where private text stands; a tag that closes nothing may stay. */
function findPrivateBlocks(text: string): MaskedSpan[] {
  if (!/private/i.test(text)) return [];
  const { spans, closesAt } = findPrivate(text);
  const first = closesAt > 0 && holdsNothing(text.slice(0, closesAt)) ? spans.slice(1) : spans;
  return [...first, ...findEscapedPrivate(text)].map((span) => ({ ...span, mask: PRIVATE_MASK }));
}

/** Whether there is nothing but blanks in front of the one tag that a text ends with. */
function holdsNothing(text: string): boolean {
  return /^\s*<[^<>]*>$/.test(text);
}
