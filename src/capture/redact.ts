/**
 * What must not be kept: secrets are masked, and what someone marked as private is dropped.
 *
 * Everything here is pure, never throws, takes time linear in its input, and changes nothing when it
 * sees its own result again.
 */
import { isNoSecret, isSecretName, maskAssignments, VALUE_MASK } from "./assignments.ts";
import { maskKnownForms } from "./secrets.ts";
import { mayAssign, mayHoldBlock } from "./triggers.ts";

/** What to mask beside the built-in kinds. */
export interface RedactRules {
  /** The user's own patterns. They are theirs to keep fast. */
  readonly patterns: readonly RegExp[];
}

/** The built-in kinds alone: a user's pattern is about values, and keys are names that others look for. */
const BUILT_IN: RedactRules = { patterns: [] };

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

const PRIVATE_MASK = "[private removed]";
const KEY_MASK = "[redacted:private-key]";
/** Stands for a text as a whole when its masking does not come to rest or a user's pattern fails. */
const TEXT_MASK = "[redacted:text]";
const MAX_ROUNDS = 6;
/** `pwd=x`, and no secret is shorter. */
const MIN_LENGTH = 5;

/** The text with its secrets masked as `[redacted:<kind>]` and its private parts dropped. */
export function redactText(text: string, rules: RedactRules): string {
  return settle([text], rules)[0] ?? TEXT_MASK;
}

/** Masks the parts of one text until nothing changes any more: a mask can bring a new match about. */
function settle(parts: readonly string[], rules: RedactRules): readonly string[] {
  let current = parts;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = dropBlocks(current).map((part) => maskOnce(part, rules));
    if (next.every((part, index) => part === current[index])) return next;
    current = next;
  }
  return parts.map(() => TEXT_MASK);
}

function maskOnce(text: string, rules: RedactRules): string {
  const lowered = text.toLowerCase();
  let masked = text;
  if (text.length >= MIN_LENGTH) {
    masked = maskKnownForms(text);
    if (mayAssign(lowered)) masked = maskAssignments(masked);
  }
  for (const pattern of rules.patterns) masked = maskPattern(masked, pattern);
  return masked;
}

/** The user's pattern, with the masks that stand already as its first alternative: they stay whole. */
function maskPattern(text: string, pattern: RegExp): string {
  const flags = pattern.flags.replace(/[gy]/g, "") + "g";
  try {
    const guarded = new RegExp(
      String.raw`\[redacted:[a-z\d\-]+\]|\[private removed\]|(?:${pattern.source})`,
      flags,
    );
    return text.replace(
      guarded,
      (match) => match === "" || isMask(match) ? match : "[redacted:custom]",
    );
  } catch {
    return TEXT_MASK; // too deep for the engine
  }
}

function isMask(text: string): boolean {
  return /^\[(?:redacted:[a-z\d-]+|private removed)\]$/.test(text);
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly mask: string;
}

/**
 * The parts without private blocks and PEM keys. The parts are the lines of one text (the hunks of an
 * edit are lists of lines), so a block that starts in one may end in a later one.
 */
function dropBlocks(parts: readonly string[]): readonly string[] {
  if (!parts.some((part) => mayHoldBlock(part, part.toLowerCase()))) return parts;
  const text = parts.join("\n");
  const spans = [...findPrivateBlocks(text), ...findPrivateKeys(text)]
    .sort((a, b) => a.start - b.start);
  let next = 0;
  let offset = 0;
  return parts.map((part) => {
    const end = offset + part.length;
    let kept = "";
    let at = offset;
    for (; next < spans.length; next++) {
      const span = spans[next]!;
      if (span.start >= end) break;
      if (span.end > at) {
        kept += text.slice(at, Math.max(at, span.start)) + span.mask;
        at = Math.min(end, span.end);
      }
      if (span.end > end) break;
    }
    kept += text.slice(at, end);
    offset = end + 1;
    return kept;
  });
}

/** `<private>…</private>`, nested ones by depth; an unclosed one reaches to the end. */
function findPrivateBlocks(text: string): Span[] {
  const spans: Span[] = [];
  const tag = /<(?: ?|(\/)\s{0,8})private(?=[\s>/\\])/gi;
  let depth = 0;
  let start = 0;
  for (let found = tag.exec(text); found !== null; found = tag.exec(text)) {
    const close = text.indexOf(">", tag.lastIndex);
    if (close === -1) break;
    tag.lastIndex = close + 1;
    if (found[1] === "/") {
      if (depth > 0 && --depth === 0) spans.push({ start, end: close + 1, mask: PRIVATE_MASK });
    } else if (text[close - 1] !== "/") {
      if (depth++ === 0) start = found.index;
    }
  }
  if (depth > 0) spans.push({ start, end: text.length, mask: PRIVATE_MASK });
  return spans;
}

/** PEM private keys; of one whose end is missing, what looks like its body. */
function findPrivateKeys(text: string): Span[] {
  const spans: Span[] = [];
  const begin = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
  const end = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
  const begins = [...text.matchAll(begin)];
  const ends = [...text.matchAll(end)];
  let next = 0;
  begins.forEach((found, index) => {
    const body = found.index + found[0].length;
    const limit = begins[index + 1]?.index ?? text.length;
    while (next < ends.length && ends[next]!.index < body) next++;
    const closing = ends[next];
    if (closing !== undefined && closing.index < limit) {
      spans.push({ start: found.index, end: closing.index + closing[0].length, mask: KEY_MASK });
    } else {
      const rest = /^[\w+/=\s\\:,.→|>"'#*-]*/.exec(text.slice(body, limit))?.[0] ?? "";
      if (/[A-Za-z0-9+/]{32}/.test(rest)) {
        spans.push({ start: found.index, end: body + rest.length, mask: KEY_MASK });
      }
    }
  });
  return spans;
}

/**
 * A copy of parsed JSON with every string and key redacted; below a key with a secret name
 * (`{"password": …}`) strings and numbers are masked for its sake. Any depth; what is not JSON stays.
 */
export function redactValue(value: unknown, rules: RedactRules): unknown {
  const pending: Container[] = [];
  const copy: Copy = (source, isSecret, name = "") => {
    if (typeof source === "string") {
      const redacted = redactText(source, rules);
      return isSecret && !isNoSecret(name, redacted) ? VALUE_MASK : redacted;
    }
    if (typeof source !== "object" || source === null) return source;
    const target = Array.isArray(source) ? [] : {};
    pending.push({ source, target, isSecret });
    return target;
  };
  const result = copy(value, false);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next.target)) redactItems(next, copy, rules);
    else redactEntries(next, copy, rules);
  }
  return result;
}

/** An object or array, and the copy that waits to be filled. */
interface Container {
  readonly source: object;
  readonly target: object;
  /** Below a secret name: every string is a secret. */
  readonly isSecret: boolean;
}

type Copy = (source: unknown, isSecret: boolean, name?: string) => unknown;

/** Lists of strings are taken as the lines of one text, and `--token` makes a secret of what follows. */
function redactItems(container: Container, copy: Copy, rules: RedactRules): void {
  const source = container.source as readonly unknown[];
  const target = container.target as unknown[];
  const isText = source.length > 1 && source.every((item) => typeof item === "string");
  const items = isText ? settle(source as readonly string[], rules) : source;
  items.forEach((item, index) => {
    const before = items[index - 1];
    const isFlagged = typeof before === "string" && before.startsWith("-") && isSecretName(before);
    target.push(copy(item, container.isSecret || isFlagged && typeof item === "string"));
  });
}

function redactEntries(container: Container, copy: Copy, rules: RedactRules): void {
  const target = container.target as Record<string, unknown>;
  Object.entries(container.source).forEach(([key, item], index) => {
    const redactedKey = redactText(key, BUILT_IN);
    const isSecret = container.isSecret || isSecretName(key) || isSecretName(redactedKey);
    const isNumber = typeof item === "number" && isSecret;
    // Two keys may become the same mask: the later one gets another mask behind it.
    const targetKey = Object.hasOwn(target, redactedKey)
      ? redactText(`${redactedKey}[redacted:key-${index}]`, rules)
      : redactedKey;
    // A key "__proto__" is one like any other: Deno has no setter of that name.
    target[targetKey] = isNumber ? VALUE_MASK : copy(item, isSecret, redactedKey);
  });
}
