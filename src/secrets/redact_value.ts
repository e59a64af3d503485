/** Masks secrets in parsed JSON: the strings, what stands below a secret name, and each secret wherever else it stands. */
import { VALUE_MASK } from "./assignments.ts";
import { type CarriedValues, carriedValues } from "./carried_values.ts";
import { printsSecret, withoutPrinted } from "./printed_secrets.ts";
import { hidePrivate } from "./private_payload.ts";
import { redactLines, type RedactRules, redactText } from "./redact.ts";
import { isPlain, isSecretName, isValueLike } from "./secret_names.ts";

/** Below these names every string that looks like a secret is one. */
const SECRETS = /(?:^|[_-]|[a-z](?=[A-Z]))(?:secrets|passwords|tokens|credentials|api_?keys)$/i;
const PASSWORD = /(?:pass(?:word|wd|code|phrase)?|pwd|otp|pin)$/i;
const FLAG = /^--?[A-Za-z][\w-]{0,60}$/;

/** An object or array, and the copy that waits to be filled. */
interface Container {
  readonly source: object;
  readonly target: object;
  /** Whether it stands below the name of several secrets. */
  readonly holdsSecrets: boolean;
}

/**
 * A copy of parsed JSON with every string and key redacted; below a key with a secret name (`{"password": …}`) a string is
 * masked for its sake. Any depth; what is not JSON stays. A list of strings is one text, each string a line of it.
 */
export function redactValue(value: unknown, rules: RedactRules): unknown {
  const carried = carriedValues();
  const source = hidePrivate(value);
  const masked = redactOnce(source, rules, carried);
  for (const use of toolUsesIn(masked)) maskPrinted(use, carried);
  if (carried.size() === 0) return masked;
  const { value: known, hasChanged } = carried.maskIn(masked);
  return hasChanged ? redactOnce(known, rules, carriedValues()) : known;
}

function redactOnce(value: unknown, rules: RedactRules, carried: CarriedValues): unknown {
  const pending: Container[] = [];
  const copy = (item: unknown, { key = "", holdsSecrets = false } = {}): unknown => {
    if (typeof item === "string") {
      const text = redactText(item, rules, carried.add);
      return isSecretBelow(key, text, holdsSecrets) ? masked(text) : text;
    }
    if (typeof item === "number" && PASSWORD.test(key) && isSecretName(key) && item > 999) {
      return VALUE_MASK;
    }
    if (typeof item !== "object" || item === null) return item;
    const target = Array.isArray(item) ? [] : {};
    pending.push({ source: item, target, holdsSecrets: holdsSecrets || SECRETS.test(key) });
    return target;
  };
  const masked = (text: string) => {
    carried.add(text);
    return VALUE_MASK;
  };
  const result = copy(value);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { source, target, holdsSecrets } = next;
    if (Array.isArray(source)) {
      const isText = source.every((item) => typeof item === "string");
      const items = isText ? redactLines(source, rules, carried.add) : source;
      items.forEach((item, index) => {
        const before = items[index - 1];
        const isNamed = typeof before === "string" && isName(before, items.length) &&
          typeof item === "string" && !item.startsWith("-") && !isPlain(item, before);
        const redacted = isText && !isSecretBelow("", item, holdsSecrets)
          ? item
          : copy(item, { holdsSecrets });
        (target as unknown[]).push(isNamed ? masked(item) : redacted);
      });
    } else {
      const named = nameOfPair(source);
      for (const [key, item] of Object.entries(source)) {
        const around = { key: named !== "" && /^value$/i.test(key) ? named : key, holdsSecrets };
        set(target, keyFor(key, target, rules), copy(item, around));
      }
    }
  }
  return result;
}

/** Whether a string is a secret for what it stands below. */
function isSecretBelow(key: string, text: string, holdsSecrets: boolean): boolean {
  if (key !== "" && isSecretName(key)) {
    return !isPlain(text, key) && !text.includes("[redacted:") && !/\s.*\s/.test(text.trim());
  }
  return holdsSecrets && isValueLike(text);
}

/** Whether a string of a list names the one behind it: an option, or the header in a list of two. */
function isName(text: string, length: number): boolean {
  return FLAG.test(text) && text.length > 3 && isSecretName(text) ||
    length === 2 && /[-_]/.test(text) && isSecretName(text);
}

/** What `{"name": "DB_PASSWORD", "value": …}` names, where that is a secret. */
function nameOfPair(source: object): string {
  for (const [key, item] of Object.entries(source)) {
    if (/^(?:name|key|variable|header|id)$/i.test(key) && typeof item === "string") {
      return isSecretName(item) ? item : "";
    }
  }
  return "";
}

/** The key redacted; the patterns of a user are about values, and count only where a blank shows that it is no name. */
function keyFor(key: string, target: object, rules: RedactRules): string {
  const redacted = redactText(key, /\s/.test(key) ? rules : { patterns: [] });
  if (!Object.hasOwn(target, redacted)) return redacted;
  return `${redacted}[redacted:key-${Object.keys(target).length}]`;
}

/** Also of a key `__proto__`. */
function set(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

/** The tool use that a payload tells of, or those of a batch. */
function toolUsesIn(payload: unknown): readonly Record<string, unknown>[] {
  const { tool_calls: calls } = Object(payload);
  return (Array.isArray(calls) ? calls : [payload]).map(Object);
}

/** Masks what a tool use printed that asks for a secret, in place. */
function maskPrinted(use: Record<string, unknown>, carried: CarriedValues): void {
  if (!printsSecret(use["tool_name"], use["tool_input"])) return;
  const mask = (holder: Record<string, unknown>, depth: number) => {
    for (const [key, item] of Object.entries(holder)) {
      if (typeof item === "string" && !/^(?:type|file_?path)$/i.test(key)) {
        holder[key] = withoutPrinted(item, carried.add);
      } else if (typeof item === "object" && item !== null && depth < 4) {
        mask(item as Record<string, unknown>, depth + 1);
      }
    }
  };
  mask({ error: use["error"], response: use["tool_response"] }, 0);
  for (const key of ["error", "tool_response"]) {
    const text = use[key];
    if (typeof text === "string") use[key] = withoutPrinted(text, carried.add);
  }
}
