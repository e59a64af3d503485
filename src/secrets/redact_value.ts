/** Masks secrets in parsed JSON: in strings, below keys with secret names, and wherever a found secret occurs again. */
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

/** Names of keys below which every string that looks like a secret counts as one. */
const SECRETS = /(?:^|[_-]|[a-z](?=[A-Z]))(?:secrets|passwords|tokens|credentials|api_?keys)$/i;
const PASSWORD = /(?:pass(?:word|wd|code|phrase)?|pwd|otp|pin)$/i;
const FLAG = /^--?[A-Za-z][\w-]{0,60}$/;

/** An object or array, and its copy that is still empty. */
interface Container {
  readonly source: object;
  readonly target: object;
  readonly holdsSecrets: boolean;
}

/**
 * Copies parsed JSON with every string and key redacted. A string below a secret name (`{"password": …}`) is masked
 * whole. A list of strings is redacted as the lines of one text. Any depth; values that are not JSON stay.
 */
export function redactValue(value: unknown, rules: RedactRules): unknown {
  const collector = secretCollector();
  const source = hidePrivate(value);
  const masked = redactOnce(source, rules, collector);
  for (const use of toolUsesIn(masked)) maskPrinted(use, collector);
  if (collector.size() === 0) return masked;
  const { value: known, hasChanged } = collector.maskIn(masked);
  return hasChanged ? redactOnce(known, rules, secretCollector()) : known;
}

function redactOnce(value: unknown, rules: RedactRules, collector: SecretCollector): unknown {
  const pending: Container[] = [];
  const copy = (item: unknown, { key = "", holdsSecrets = false } = {}): unknown => {
    if (typeof item === "string") {
      const text = redactText(item, rules, collector.add);
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
    collector.add(text);
    return VALUE_MASK;
  };
  const result = copy(value);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { source, target, holdsSecrets } = next;
    if (Array.isArray(source)) {
      const isText = source.every((item) => typeof item === "string");
      const items = isText ? redactLines(source, rules, collector.add) : source;
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

/** Whether the key above a string makes it a secret. */
function isSecretBelow(key: string, text: string, holdsSecrets: boolean): boolean {
  if (key !== "" && isSecretName(key)) {
    return !isPlain(text, key) && !text.includes("[redacted:") && !/\s.*\s/.test(text.trim());
  }
  return holdsSecrets && isValueLike(text);
}

/** Whether a string in a list names the next one as a secret: an option, or the first of two strings. */
function isName(text: string, length: number): boolean {
  return FLAG.test(text) && text.length > 3 && isSecretName(text) ||
    length === 2 && /[-_]/.test(text) && isSecretName(text);
}

/** Returns the name in `{"name": "DB_PASSWORD", "value": …}` if it names a secret, else "". */
function nameOfPair(source: object): string {
  for (const [key, item] of Object.entries(source)) {
    if (/^(?:name|key|variable|header|id)$/i.test(key) && typeof item === "string") {
      return isSecretName(item) ? item : "";
    }
  }
  return "";
}

/** Returns the redacted key. A user's patterns are for values, so they apply only to keys with blanks. */
function keyFor(key: string, target: object, rules: RedactRules): string {
  const redacted = redactText(key, /\s/.test(key) ? rules : { patterns: [] });
  if (!Object.hasOwn(target, redacted)) return redacted;
  return `${redacted}[redacted:key-${Object.keys(target).length}]`;
}

/** Sets a property, even one that is called `__proto__`. */
function set(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

/** Returns the tool uses of a payload: one, or those of a batch. */
function toolUsesIn(payload: unknown): readonly Record<string, unknown>[] {
  const { tool_calls: calls } = Object(payload);
  return (Array.isArray(calls) ? calls : [payload]).map(Object);
}

/** Masks, in place, the output of a tool use that prints a secret. */
function maskPrinted(use: Record<string, unknown>, collector: SecretCollector): void {
  if (!printsSecret(use["tool_name"], use["tool_input"])) return;
  const mask = (holder: Record<string, unknown>, depth: number) => {
    for (const [key, item] of Object.entries(holder)) {
      if (typeof item === "string" && !/^(?:type|file_?path)$/i.test(key)) {
        holder[key] = withoutPrinted(item, collector.add);
      } else if (typeof item === "object" && item !== null && depth < 4) {
        mask(item as Record<string, unknown>, depth + 1);
      }
    }
  };
  const output = Object.fromEntries(
    Object.entries(use).filter(([key]) => key === "error" || key === "tool_response"),
  );
  mask(output, 0);
  Object.assign(use, output);
}

/** The parts that patterns name in angle brackets: the name of a secret, and other arguments of the same command. */
const PARTS: Readonly<Record<string, string>> = {
  name: `${SECRET_WORD}${SUFFIX}`,
  some: String.raw`[^|;&\n]{0,400}?`,
};

/** A command that prints secrets and little else. */
interface PrintingForm extends Prefiltered {
  /** Whether every match contains a secret name, which allows a quick test. */
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

/** Names of tools that return a secret: `mcp__vault__read_secret`. */
const ASKING_TOOL =
  /(?:get|read|show|fetch|reveal|retrieve|decrypt|view|lookup)[\w-]{0,40}(?:secret|passw(?:or)?d|credential)(?!s?_?(?:names|list))/i;
const MAX_COMMAND_CHARS = 4_000;

/** Whether a tool use prints a secret. */
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

/** A line of one word, with or without quotes. */
const ALONE = /^(\s*["']?)([^\s"']{4,4096})(["']?\s*)$/;
const STATUS = /^(?:ok|done|true|false|null|none|error|warning|success|[a-z]+[:.!])$/i;
/** A string in a JSON answer whose key has a general name. */
const IN_JSON =
  /("(?:value|secretstring|plaintext|data|stdout|text|notes?)"\s{0,20}:\s{0,20}")((?:[^"\\\n]|\\[^\n]){4,4000})(?=")/gi;

/** Masks what a printing command put out. A lone line of one word is a secret; among others it must look like one. */
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
    if (word === "" || isPlain(word) || STATUS.test(word)) return line;
    // The program `pass` prints the password as the first line.
    return isOnly || index === 0 || isOddWord(word) ? before + mask(word) + behind : line;
  }).join("\n");
}

const MIN_CHARS = 6;
const MAX_CHARS = 4_096;
/** The most secrets to search for, since each string is searched for each of them. */
const MAX_VALUES = 100;
/** Keys that tell where the payload comes from; their values stay. */
const PLACES =
  /^(?:cwd|transcript_path|project_dir|session_id|tool_name|tool_use_id|hook_event_name|permission_mode|type|file_?path)$/i;
/** Common words that are also used as passwords; they are not masked elsewhere. */
const COMMON = new Set(
  ("postgres postgresql mysql mariadb redis mongodb rabbitmq guest admin administrator username default example sample " +
    "dummy changeme change-me change_me localhost production development staging testing test123 password1 passw0rd " +
    "pass123 123456 1234567 12345678 123456789 1234567890 000000 111111 minioadmin elastic").split(
      " ",
    ),
);

/** Collects the secrets that one string of a payload reveals, and masks them in the other strings. */
function secretCollector() {
  const values = new Set<string>();
  /** Values without digits or signs, which may be ordinary words: masked only where they are a whole string. */
  const words = new Set<string>();
  return {
    /** Adds a masked value, unless it is too common to be masked elsewhere. */
    add(value: string) {
      const bare = value.trim();
      if (values.size + words.size >= MAX_VALUES || !isUncommon(bare)) return;
      (/^[A-Za-z]+(?:[-_. ][A-Za-z]+)*$/.test(bare) ? words : values).add(bare);
    },
    size: () => values.size + words.size,
    maskIn: (value: unknown) => maskEverywhere(value, values, words),
  };
}

type SecretCollector = ReturnType<typeof secretCollector>;

function isUncommon(value: string): boolean {
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

/** Masks a secret where it is a whole word. */
function withoutWord(text: string, secret: string): string {
  let masked = "";
  let done = 0;
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
    const end = at + secret.length;
    // The `n` of an escaped `\n` belongs to no word.
    const isInside =
      /\w/.test(text[at - 1] ?? " ") && /\w/.test(secret[0]!) && text[at - 2] !== "\\" ||
      /\w/.test(text[end] ?? " ") && /\w/.test(secret.at(-1)!);
    if (isInside) continue;
    masked += text.slice(done, at) + VALUE_MASK;
    done = end;
  }
  return masked + text.slice(done);
}
