/** Secrets that were masked in one string of a payload, by which they are known again in another: an edit of `hunter2` alone. */
import { VALUE_MASK } from "./assignments.ts";
import { isPlain } from "./secret_names.ts";

/** Secrets of one payload. */
export interface CarriedValues {
  /** Learns a masked value, unless it is too common to be known again by. */
  readonly add: (value: string) => void;
  /** How many there are. */
  readonly size: () => number;
  /** A value with these secrets masked wherever else they stand in it, and whether there were any. */
  readonly maskIn: (value: unknown) => { readonly value: unknown; readonly hasChanged: boolean };
}

const MIN_CHARS = 6;
const MAX_CHARS = 4_096;
/** A payload may have a million secrets; each is looked for in each string. */
const MAX_VALUES = 100;
/** Who and where a session is, and what it does: without these nobody could tell whose the payload is. */
const PLACES =
  /^(?:cwd|transcript_path|project_dir|session_id|tool_name|tool_use_id|hook_event_name|permission_mode|type|file_?path)$/i;
/** Passwords that are also names of programs, accounts and places. */
const COMMON = new Set(
  ("postgres postgresql mysql mariadb redis mongodb rabbitmq guest admin administrator username default example sample " +
    "dummy changeme change-me change_me localhost production development staging testing test123 password1 passw0rd " +
    "pass123 123456 1234567 12345678 123456789 1234567890 000000 111111 minioadmin elastic").split(
      " ",
    ),
);

/** None yet. */
export function carriedValues(): CarriedValues {
  const values = new Set<string>();
  /** Without a digit or sign they may be ordinary words: known only where they are all of a string. */
  const words = new Set<string>();
  return {
    add(value) {
      const bare = value.trim();
      if (values.size + words.size >= MAX_VALUES || !isKnowable(bare)) return;
      (/^[A-Za-z]+(?:[-_. ][A-Za-z]+)*$/.test(bare) ? words : values).add(bare);
    },
    size: () => values.size + words.size,
    maskIn: (value) => maskEverywhere(value, values, words),
  };
}

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
