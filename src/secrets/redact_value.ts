/** Masks secrets in parsed JSON: the strings, what stands below a secret name, and each secret wherever else it stands. */
import { VALUE_MASK } from "./assignments.ts";
import { hidePrivate } from "./private_payload.ts";
import { redactLines, type RedactRules, redactText } from "./redact.ts";
import ROWS from "./printing_forms.json" with { type: "json" };
import { formsIn, patternOf, type Prefiltered } from "./secret_form.ts";
import {
  isOddWord,
  isPlain,
  isSecretName,
  isValueLike,
  NAME_PARTS,
  SECRET_WORD,
  SUFFIX,
} from "./secret_names.ts";

/** Below these names every string that looks like a secret is one. */
const SECRETS = /(?:^|[_-]|[a-z](?=[A-Z]))(?:secrets|passwords|tokens|credentials|api_?keys)$/i;
const PASSWORD = /(?:pass(?:word|wd|code|phrase)?|pwd|otp|pin)$/i;
const FLAG = /^--?[A-Za-z][\w-]{0,60}$/;

/** An object or array, and the copy that waits to be filled. */
interface Container {
  readonly source: object;
  readonly target: object;
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

/** Whether a string is a secret by the key above it. */
function isSecretBelow(key: string, text: string, holdsSecrets: boolean): boolean {
  if (key !== "" && isSecretName(key)) {
    return !isPlain(text, key) && !text.includes("[redacted:") && !/\s.*\s/.test(text.trim());
  }
  return holdsSecrets && isValueLike(text);
}

/** Whether a string of a list names the next one: an option, or the header in a list of two. */
function isName(text: string, length: number): boolean {
  return FLAG.test(text) && text.length > 3 && isSecretName(text) ||
    length === 2 && /[-_]/.test(text) && isSecretName(text);
}

/** The name in `{"name": "DB_PASSWORD", "value": …}`, where it is that of a secret. */
function nameOfPair(source: object): string {
  for (const [key, item] of Object.entries(source)) {
    if (/^(?:name|key|variable|header|id)$/i.test(key) && typeof item === "string") {
      return isSecretName(item) ? item : "";
    }
  }
  return "";
}

/** The redacted key. The patterns of a user are about values: they count only where a blank shows that the key is not a name. */
function keyFor(key: string, target: object, rules: RedactRules): string {
  const redacted = redactText(key, /\s/.test(key) ? rules : { patterns: [] });
  if (!Object.hasOwn(target, redacted)) return redacted;
  return `${redacted}[redacted:key-${Object.keys(target).length}]`;
}

/** Sets a value, also for the key `__proto__`. */
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

/** Masks the output of a tool use that asks for a secret, in place. */
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
  const told = Object.fromEntries(
    Object.entries(use).filter(([key]) => key === "error" || key === "tool_response"),
  );
  mask(told, 0);
  Object.assign(use, told);
}

/** What patterns write short: the name of a secret, and other arguments of the same command. */
const PARTS: Readonly<Record<string, string>> = {
  name: `${SECRET_WORD}${SUFFIX}`,
  some: String.raw`[^|;&\n]{0,400}?`,
};

/** A command that prints secrets and little else. */
interface PrintingForm extends Prefiltered {
  /** Whether every match holds the name of a secret as well. */
  readonly isNamed: boolean;
}

export const PRINTING_FORMS: readonly PrintingForm[] = ROWS.map(
  ({ pattern, isNamed = false, ...row }) => ({
    ...row,
    isNamed,
    pattern: () => {
      const whole = pattern.replace(/<(name|some)>/g, (_, part: string) => PARTS[part]!);
      return new RegExp(String.raw`(?<![\w.-])(?:${whole})`, "i");
    },
  }),
);

/** Tools that ask for a secret by their names: `mcp__vault__read_secret`. */
const ASKING_TOOL =
  /(?:get|read|show|fetch|reveal|retrieve|decrypt|view|lookup)[\w-]{0,40}(?:secret|passw(?:or)?d|credential)(?!s?_?(?:names|list))/i;
const MAX_COMMAND_CHARS = 4_000;

/** Whether a tool use asks for a secret. */
export function printsSecret(toolName: unknown, toolInput: unknown): boolean {
  const { command } = Object(toolInput);
  if (typeof command !== "string") {
    return typeof toolName === "string" && ASKING_TOOL.test(toolName);
  }
  if (command.length > MAX_COMMAND_CHARS) return false;
  const lowered = command.toLowerCase();
  const mayName = NAME_PARTS.some((part) => lowered.includes(part));
  return formsIn(command, PRINTING_FORMS)
    .some((form) => (mayName || !form.isNamed) && patternOf(form).test(command));
}

/** A line of one word, perhaps in quotes. */
const ALONE = /^(\s*["']?)([^\s"']{4,4096})(["']?\s*)$/;
const TOLD = /^(?:ok|done|true|false|null|none|error|warning|success|[a-z]+[:.!])$/i;
/** The string of an answer in JSON whose key says nothing of a secret. */
const IN_JSON =
  /("(?:value|secretstring|plaintext|data|stdout|text|notes?)"\s{0,20}:\s{0,20}")((?:[^"\\\n]|\\[^\n]){4,4000})(?=")/gi;

/** Masks the output of such a command. A single line of one word is a secret; among other lines only if it looks like one. */
function withoutPrinted(output: string, onSecret: (secret: string) => void): string {
  const mask = (secret: string) => {
    onSecret(secret);
    return VALUE_MASK;
  };
  if (/^\s*[{[]/.test(output)) {
    return output.replace(
      IN_JSON,
      (whole, before: string, value: string) =>
        isPlain(value) || /\s/.test(value) ? whole : before + mask(value),
    );
  }
  const lines = output.split("\n");
  const isOnly = lines.filter((line) => line.trim() !== "").length === 1;
  return lines.map((line, index) => {
    const [, before = "", word = "", behind = ""] = ALONE.exec(line) ?? [];
    if (word === "" || isPlain(word) || TOLD.test(word)) return line;
    // The first line of an entry of `pass` is its password.
    return isOnly || index === 0 || isOddWord(word) ? before + mask(word) + behind : line;
  }).join("\n");
}

const MIN_CHARS = 6;
const MAX_CHARS = 4_096;
/** A payload may have a million secrets; each is looked for in each string. */
const MAX_VALUES = 100;
/** Keys that say where the payload comes from; their values stay. */
const PLACES =
  /^(?:cwd|transcript_path|project_dir|session_id|tool_name|tool_use_id|hook_event_name|permission_mode|type|file_?path)$/i;
/** Common words that are also used as passwords; they are not masked at other places. */
const COMMON = new Set(
  ("postgres postgresql mysql mariadb redis mongodb rabbitmq guest admin administrator username default example sample " +
    "dummy changeme change-me change_me localhost production development staging testing test123 password1 passw0rd " +
    "pass123 123456 1234567 12345678 123456789 1234567890 000000 111111 minioadmin elastic").split(
      " ",
    ),
);

/** Collects the secrets that were masked in one string of a payload, and masks them in its other strings. */
function carriedValues() {
  const values = new Set<string>();
  /** Values without digits or signs may be ordinary words: masked only where they are a whole string. */
  const words = new Set<string>();
  return {
    /** Adds a masked value, unless it is too common to be recognised elsewhere. */
    add(value: string) {
      const bare = value.trim();
      if (values.size + words.size >= MAX_VALUES || !isKnowable(bare)) return;
      (/^[A-Za-z]+(?:[-_. ][A-Za-z]+)*$/.test(bare) ? words : values).add(bare);
    },
    size: () => values.size + words.size,
    maskIn: (value: unknown) => maskEverywhere(value, values, words),
  };
}

type CarriedValues = ReturnType<typeof carriedValues>;

function isKnowable(value: string): boolean {
  return value.length >= MIN_CHARS && value.length <= MAX_CHARS &&
    !/[\r\n]|\[redacted:/.test(value) &&
    !isPlain(value) && !COMMON.has(value.toLowerCase()) &&
    !/^\d{4}-\d\d-\d\d|^\.{0,2}\/[\w./-]*$/.test(value);
}

function maskEverywhere(value: unknown, values: ReadonlySet<string>, words: ReadonlySet<string>) {
  let hasChanged = false;
  const maskText = (text: string) => {
    if (words.has(text.trim())) return text.replace(text.trim(), () => VALUE_MASK);
    let masked = text;
    for (const secret of values) if (masked.includes(secret)) masked = withoutWord(masked, secret);
    return masked;
  };
  const root: Record<string, unknown> = { value };
  const pending: Record<string, unknown>[] = [root];
  for (let holder = pending.pop(); holder !== undefined; holder = pending.pop()) {
    for (const [key, item] of Object.entries(holder)) {
      if (typeof item === "object" && item !== null) pending.push(item as Record<string, unknown>);
      if (typeof item !== "string" || PLACES.test(key)) continue;
      const masked = maskText(item);
      if (masked === item) continue;
      hasChanged = true;
      holder[key] = masked;
    }
  }
  return { value: root["value"], hasChanged };
}

/** The text with a secret masked where it stands as a whole word. */
function withoutWord(text: string, secret: string): string {
  let masked = "";
  let done = 0;
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
    const end = at + secret.length;
    // The letter of `\n` belongs to no word.
    const isInside =
      /\w/.test(text[at - 1] ?? " ") && /\w/.test(secret[0]!) && text[at - 2] !== "\\" ||
      /\w/.test(text[end] ?? " ") && /\w/.test(secret.at(-1)!);
    if (isInside) continue;
    masked += text.slice(done, at) + VALUE_MASK;
    done = end;
  }
  return masked + text.slice(done);
}
