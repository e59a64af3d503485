/** `Read` of `/run/secrets/db`: files whose path says that they hold one secret and nothing else, or a private key. */
import { isNoSecret, isSecretName, VALUE_MASK } from "./secret_names.ts";

/** What stands beside secrets and is none. */
const BESIDE = /(?:user(?:name)?|login|host|port|namespace|name|email|version|readme)(?:\.txt)?$/i;
const IN_FOLDER =
  /\/run\/secrets\/(?:[\w.-]{1,100}\/){0,4}[\w.-]{1,100}$|(?:^|\/)\.?secrets\/[\w-]{1,100}(?:\.(?:txt|secret|token|key|pass(?:word|wd)?))?$/;
/** Without its last part, which says nothing, the name of a file is that of a secret. */
const ENDING = /\.(?:txt|secret)$/i;
const ENDS_AS_SECRET = /^[\w.-]{1,200}\.(?:key|token|pass(?:word|wd)?|secret)$/i;
const KEY =
  /(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)[\w-]{0,60}$|\/\.ssh\/[\w-]{1,100}$|\.(?:pem|key|ppk|p8)$/i;
/** A certificate or a public key, by the name of its file or by what it says. */
const OPEN_KEY = /(?:^|[._-])(?:ca|cacert|cert|crt|(?:full)?chain|pub|public|bundle)[\d._-]/i;
const OPEN_BLOCK = /CERTIFICATE|PUBLIC KEY/;

/** What stands in front of a line: its number, the sign of a diff. */
const BEFORE = String.raw`(\s{0,12}(?:\d{1,6}(?:→|\t))?[-+ ]?)`;
const ALONE = new RegExp(String.raw`^${BEFORE}(\S{4,4096})(?=\s*$)`);
const FULL_LINE = new RegExp(String.raw`^${BEFORE}(?=[^\r\n]*\d)[A-Za-z\d+/]{32,}={0,2}\r?$`, "m");
const KEY_LINE = new RegExp(String.raw`^${BEFORE}[A-Za-z\d+/]{4,}={0,2}(?=\r?$)`, "gm");

/** Fields that hold a part of a file, or others with such fields. */
const TEXTS = /^(?:content|old_?string|new_?string|original_?file|lines)$/i;
const HOLDERS = /^(?:file|edits|structuredPatch|\d{1,6})$/;

/** Masks in a tool use's payload what the file holds that it names, in place. */
export function maskSecretFile(payload: unknown): void {
  const holder = Object(payload);
  const path: unknown = Object(holder["tool_input"])["file_path"];
  if (typeof path !== "string" || path.length > 4_096) return;
  const mask = maskOf(path.replaceAll("\\", "/"));
  if (mask === undefined) return;
  maskFields(holder["tool_input"], mask);
  const response: unknown = holder["tool_response"];
  if (typeof response === "string") holder["tool_response"] = mask(response);
  else maskFields(response, mask);
}

type Mask = (text: string) => string;

/** How the texts of a file are masked, or nothing where its path says nothing. */
function maskOf(path: string): Mask | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (KEY.test(path) && !OPEN_KEY.test(name)) return (text) => withoutKey(withoutValue(text));
  const isNamed = ENDS_AS_SECRET.test(name) || isSecretName(name.replace(ENDING, ""));
  return isNamed || IN_FOLDER.test(path) && !BESIDE.test(name) ? withoutValue : undefined;
}

/** The text masked where it is one word alone. */
function withoutValue(text: string): string {
  const [whole = "", before = "", value = ""] = ALONE.exec(text) ?? [];
  if (value === "" || isNoSecret("", value) || value.includes("[redacted:")) return text;
  return before + VALUE_MASK + text.slice(whole.length);
}

function withoutKey(text: string): string {
  if (OPEN_BLOCK.test(text) || !FULL_LINE.test(text)) return text;
  return text.replace(KEY_LINE, (_line, before: string) => before + VALUE_MASK);
}

function maskFields(value: unknown, mask: Mask): void {
  const holder = Object(value);
  for (const [key, item] of Object.entries(holder)) {
    if (TEXTS.test(key) && typeof item === "string") holder[key] = mask(item);
    else if (TEXTS.test(key) && Array.isArray(item)) {
      holder[key] = item.map((line) => typeof line === "string" ? mask(line) : line);
    } else if (HOLDERS.test(key)) maskFields(item, mask);
  }
}
