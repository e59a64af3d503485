/**
 * What must not be kept: secrets are masked, and what someone marked as private is dropped.
 *
 * Everything here is pure, never throws, takes time linear in its input, and changes nothing when it
 * sees its own result again.
 */
import { maskAsked } from "./asked/secrets.ts";
import { maskAssignments } from "./assignments.ts";
import { maskAuthorization } from "./authorization.ts";
import { maskBehindLeads } from "./behind_leads.ts";
import { dropBlocks } from "./blocks.ts";
import { maskCarried } from "./carried.ts";
import { maskArguments, maskNetrc } from "./commands.ts";
import { isSigningKey } from "./configured.ts";
import { withoutColours, withoutNuls } from "./colours.ts";
import { isCookieName, maskCookies, maskCookieValue } from "./cookies.ts";
import { maskHeaderPairs, maskHeaderValue } from "./header_pairs.ts";
import { isListed, maskLists, type Secrecy, secrecyBelow } from "./lists.ts";
import { maskIniLines } from "./ini_lines.ts";
import { maskInMarkup } from "./markup.ts";
import { maskOwn, TEXT_MASK } from "./own_patterns.ts";
import { hidePrivate } from "./private/payload.ts";
import { maskInserts, maskKubernetes, maskMadePasswords } from "./kept_secrets.ts";
import { isEntered, maskPaired, nameOfPair, secretFieldOf } from "./pairs.ts";
import { maskTables } from "./tables.ts";
import { maskToldForms } from "./told_forms.ts";
import { maskBelow, maskNearNames } from "./near_names.ts";
import { maskNamedForms } from "./named_forms.ts";
import { isBarePass, isNoSecret, isOpenName, isSecretName, VALUE_MASK } from "./secret_names.ts";
import { maskSecretFile } from "./secret_files.ts";
import { maskSecretMaps } from "./secret_maps.ts";
import { maskKnownForms } from "./secrets.ts";
import { mayAssign } from "./name_triggers.ts";
import { maskVariables } from "./variables.ts";

/** What to mask beside the built-in kinds. */
export interface RedactRules {
  /** The user's own patterns. They are theirs to keep fast. */
  readonly patterns: readonly RegExp[];
}

/** Rules, and the parts of texts that came to rest under them already, as JSON. */
interface Settling extends RedactRules {
  readonly settled?: Set<string>;
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

const MAX_ROUNDS = 6;
/** `pwd=x`, and no secret is shorter. */
const MIN_LENGTH = 5;

/** The text with its secrets masked as `[redacted:<kind>]`, its private parts dropped, and blanks for NULs. */
export function redactText(given: string, rules: Settling): string {
  const text = withoutNuls(given);
  const masked = settle([text], rules)[0] ?? TEXT_MASK;
  const plain = withoutColours(masked);
  if (plain === masked) return masked;
  // Whoever reads it without its colours must not read a secret that they take apart.
  const maskedPlain = settle([plain], rules)[0] ?? TEXT_MASK;
  return maskedPlain === plain ? masked : maskedPlain;
}

/** Masks the parts of one text until nothing changes any more: a mask can bring a new match about. */
function settle(parts: readonly string[], rules: Settling): readonly string[] {
  if (rules.settled?.has(JSON.stringify(parts))) return parts;
  const builtIn = sparing(maskBuiltIn);
  let current = parts;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = maskInMarkup(
      maskParts(dropBlocks(current), (part) => maskOwn(builtIn(part), rules.patterns), builtIn),
      (parts) => maskParts(parts, builtIn, builtIn),
    );
    if (next.every((part, index) => part === current[index])) {
      rules.settled?.add(JSON.stringify(next));
      return next;
    }
    current = next;
  }
  return parts.map(() => TEXT_MASK);
}

type Mask = (text: string) => string;

/** The mask, spared the texts that it has left as they were. */
function sparing(mask: Mask): Mask {
  const kept = new Set<string>();
  return (text) => {
    const masked = kept.has(text) ? text : mask(text);
    if (masked === text) kept.add(text);
    return masked;
  };
}

/** The parts masked each, and together without what stands in front of their lines. */
function maskParts(parts: readonly string[], mask: Mask, builtIn: Mask): readonly string[] {
  return maskBehindLeads(parts.map(mask), builtIn);
}

function maskBuiltIn(text: string): string {
  if (text.length < MIN_LENGTH) return text;
  if (!mayAssign(text)) return maskKnownForms(text);
  let masked = maskKubernetes(maskKnownForms(text, ["configured", "placed"]));
  masked = maskNetrc(maskSecretMaps(maskInserts(maskMadePasswords(masked))));
  masked = maskVariables(
    maskAssignments(maskToldForms(maskNamedForms(maskHeaderPairs(maskAuthorization(masked))))),
  );
  return maskNearNames(maskIniLines(maskTables(maskLists(maskCookies(masked)))));
}

/**
 * A copy of parsed JSON with every string and key redacted; below a key with a secret name
 * (`{"password": …}`) strings and numbers are masked for its sake. Any depth; what is not JSON stays. Private text is
 * dropped also where it goes on over several strings, and what is masked in one string is masked in all of them.
 */
export function redactValue(value: unknown, { patterns }: RedactRules): unknown {
  const rules: Settling = { patterns, settled: new Set() };
  const source = hidePrivate(value);
  const redacted = { value: redactOnce(source, rules) };
  const sources = toolUsesIn(source);
  toolUsesIn(redacted.value).forEach((use, index) => {
    maskAsked(use, sources[index]);
    maskSecretFile(use);
  });
  return maskCarried(source, redacted) ? redactOnce(redacted.value, rules) : redacted.value;
}

/** The tool use that a payload tells of, or those of a batch. */
function toolUsesIn(payload: unknown): readonly unknown[] {
  const { tool_calls: calls } = Object(payload);
  return Array.isArray(calls) ? calls : [payload];
}

function redactOnce(value: unknown, rules: Settling): unknown {
  const pending: Container[] = [];
  const copy: Copy = (source, secrecy, name = "") => {
    if (typeof source === "string") {
      const redacted = maskBelow(name, redactText(source, rules));
      if (isNoSecret(name, redacted) || !isListed(redacted, secrecy)) return redacted;
      return VALUE_MASK;
    }
    if (typeof source !== "object" || source === null) return source;
    const target = Array.isArray(source) ? [] : {};
    pending.push({ source, target, secrecy, name });
    return target;
  };
  const result = copy(value, "none");
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
  /** Below a secret name every string is a secret. */
  readonly secrecy: Secrecy;
  /** The key that it stands below, or nothing. */
  readonly name: string;
}

type Copy = (source: unknown, secrecy: Secrecy, name?: string) => unknown;

/** A line of a diff: of a list of arguments the first is none. */
const DIFF_LINE = /^[-+ \\@]|^$/;

/**
 * Lists of strings are taken as the lines of one text, and as the arguments of a command: `--token` makes a secret of
 * what follows.
 */
function redactItems(container: Container, copy: Copy, rules: Settling): void {
  const source = container.source as readonly unknown[];
  const target = container.target as unknown[];
  const isText = source.length > 1 && source.every((item) => typeof item === "string");
  const isDiff = isText && source.every((item) => DIFF_LINE.test(String(item)));
  const items = isText
    ? withoutHeader(maskArguments(settle(source as readonly string[], rules)))
    : source;
  items.forEach((item, index) => {
    const before = items[index - 1];
    // What has a blank in it is the line of a list.
    const flag = !isDiff && typeof before === "string" && /^-\S+$/.test(before) && isNamed(before)
      ? before
      : "";
    const isFlagged = flag !== "" && typeof item === "string";
    target.push(
      isFlagged ? copy(item, "all", flag) : copy(maskPaired(before, item), container.secrecy),
    );
  });
}

/** A list of two may be the name of a header and its value. */
function withoutHeader(items: readonly string[]): readonly string[] {
  const [name = "", value = ""] = items;
  return items.length === 2 ? [name, maskHeaderValue(name, value)] : items;
}

function redactEntries(container: Container, copy: Copy, rules: Settling): void {
  const target = container.target as Record<string, unknown>;
  const entries = Object.entries(container.source);
  const pairName = nameOfPair(entries);
  const field = secretFieldOf(entries);
  const isPair = pairName !== undefined;
  const isKubernetes = entries.some(([key, item]) => key === "kind" && item === "Secret");
  entries.forEach(([key, item], index) => {
    // What has a blank in it is no name, nor what is left of one: a question whose answer it is a key to, for example.
    const builtIn = redactText(key, BUILT_IN);
    const redactedKey = hasBlank(key) || hasBlank(builtIn) ? redactText(key, rules) : builtIn;
    // Two keys may become the same mask: the later one gets another mask behind it.
    const targetKey = Object.hasOwn(target, redactedKey)
      ? redactText(`${redactedKey}[redacted:key-${index}]`, rules)
      : redactedKey;
    const isSecret = isKubernetes && /^(?:data|stringData)$/.test(key) ||
      isSigningKey(container.name, key, item);
    const secrecy = isSecret
      ? "all"
      : secrecyOf([key, redactedKey], item, { isPair, around: container.secrecy });
    const own = isPair && /^value$/i.test(key) ? pairName : redactedKey;
    // Within a secret every string is one, whatever its name may hold elsewhere.
    const name = container.secrecy === "all" && isOpenName(own) ? "" : own;
    // A key "__proto__" is one like any other: Deno has no setter of that name.
    target[targetKey] =
      typeof item === "number" && secrecy === "all" && !isNoSecret(name, `${item}`)
        ? VALUE_MASK
        : field !== undefined && isEntered(key, item, field)
        ? VALUE_MASK
        : copy(isCookieName(key) ? withoutCookies(item) : item, secrecy, name);
  });
}

function isNamed(name: string): boolean {
  return isSecretName(name) || isOpenName(name);
}

function hasBlank(key: string): boolean {
  return /\s/.test(key.replaceAll("[private removed]", ""));
}

/** Whether an entry is a secret, or what is in it, by any of the names for its key. */
function secrecyOf(
  names: readonly string[],
  item: unknown,
  { isPair, around }: { readonly isPair: boolean; readonly around: Secrecy },
): Secrecy {
  const isContainer = typeof item === "object";
  for (const name of names) {
    if (around === "all" || isPair && !isContainer && /^value$/i.test(name)) return "all";
    if (isBarePass(name)) {
      // The results of tests: `{"pass": 12}`, `{"pass": ["a", "b"]}`.
      if (!isContainer && !(typeof item === "number" && Math.abs(item) < 100_000)) return "all";
      continue;
    }
    const below = secrecyBelow(name);
    if (below !== "none" && (isContainer || isSecretName(name))) return below;
    if (!isContainer && isOpenName(name)) return "all";
    // `Secret Key`, as a console calls it; with a blank it may also be what is asked for.
    if (!isContainer && around === "none" && isSecretName(name.replaceAll(" ", "_"))) {
      return "random";
    }
  }
  return around;
}

function withoutCookies(item: unknown): unknown {
  if (Array.isArray(item)) return item.map(withoutCookies);
  return typeof item === "string" ? maskCookieValue(item) : item;
}
