/** Which names are those of secrets, and which values of theirs are plainly none. */
import { SUFFIXES } from "./clues.ts";
import { isPlainValue } from "./plain_values.ts";
import { isDrawn, isScrambled } from "./secret_runs.ts";

/** What stands before `pass` in the name of a password; behind other letters it is another word: `bypass`. */
const PASS_OWNERS =
  "db|database|smtp|imap|mail|ftp|ssh|mysql|pg|postgres|redis|mongo|rabbit|user|admin|root|" +
  "login|proxy|http|auth|my|key|store|ssl|cert|vpn|wifi|ldap|bind";

/** What others call a password. */
const ELSEWHERE = asciiToo(
  "contraseña|(?<=^|[^a-z]|\\\\[nrt])senha|mot de passe|wachtwoord|hasło|lösenord|şifre|пароль|" +
    "密(?:码|碼)|パスワード|비밀번호|passord",
);

/** The same with each letter also as JSON in ASCII has it. */
function asciiToo(words: string): string {
  return words.replace(
    /[\u0080-\uffff]/g,
    (letter) =>
      String.raw`(?:${letter}|\\{1,7}u${letter.charCodeAt(0).toString(16).padStart(4, "0")})`,
  );
}

/** A secret name, or the end of one. For a regular expression that ignores case. */
export const NAME = named("[_-]");
/** The same in a text, where the words of a name may stand apart: `API key`. */
export const SAID_NAME = named("[_ -]");

function named(joint: string): string {
  // A whole name first: of `secret key` the first word is one, too.
  return String
    .raw`(?:(?:api|access|secret|encryption|master)${joint}?key|(?<=\.)(?:api|access|secret)\.key|` +
    String.raw`pass(?:wor[dt]|wd|phrase|code)|kennwort|pwd|secret|token|` +
    String.raw`(?<=^|[^a-z]|\\[nrt]|${PASS_OWNERS})pass|client-key-data|` +
    String.raw`(?:amz|goog)-signature|(?<!sha256 )credential|(?<=^|[^a-z]|\\[nrt]|wpa)psk|` +
    String
      .raw`(?:stripe|openai|anthropic|sendgrid|twilio|service[_-]role|licen[cs]e|subscription|functions)[_-]key|` +
    String
      .raw`(?:private|account|signing|shared|auth|app|hmac|enc)[_-]?key|` +
    String.raw`(?<=^|[^a-z]|\\[nrt])auth(?:orization)?|${ELSEWHERE})`;
}

/** Whose key is a secret where it looks like one. */
const KEY_OWNERS =
  "deploy|database|db|aws|azure|gcp|google|kaggle|server|storage|maps|github|gitlab|gemini|mistral|groq|mailgun|" +
  "resend|algolia|supabase|admin|jwt|aes";
/** Names of secrets and of other things: what they hold tells which it is. */
export const OPEN_NAME = String
  .raw`(?:ssh[_-]?key|credentials|pepper|dsn|key(?<=(?:${KEY_OWNERS})[_-]?key)|pat(?<=[a-z\d]_pat)|recovery[_-]?code|mnemonic|` +
  String
    .raw`(?:seed|recovery|backup)[_-]?phrase|salt(?<=(?:^|[^a-z]|\\[nrt]|password|auth|hash|user)salt)|` +
  String.raw`(?<=^|[^a-z]|\\[nrt]|${PASS_OWNERS})pw)`;

/** Before `key`: not that of an entry in a table or a store. */
export const NO_ENTRY =
  "(?<!(?i:foreign|primary|unique|composite|partition|sort|row|cache|lookup|routing|idempotency|object)[ _-]?)";

/** What may follow a secret name. */
export const SUFFIX = `(?:[_-]?(?:${SUFFIXES.toReversed().join("|")}|\\d{1,2}))?`;

/** What a service or a role is called, whose key has no word for it in its name: `MAPBOX=…`. */
const SERVICE =
  "(?:nextauth|oauth_client|service_role|codecov|openai|anthropic|mapbox|datadog|mailgun)";
const OF_SERVICE = new RegExp(`${SERVICE}${SUFFIX}$`, "i");
/** What may hold a secret as its value, and says nothing where it is only spoken of. */
export const HELD_NAME = `(?:${OPEN_NAME}|${SERVICE})`;

/** A mask, also one that was cut where a text was shortened. */
const MARKER =
  /^(?:\[redacted:[a-z\d-]+\]|\[private removed\]|\[(?:red[act]{0,3}e?d?:?[a-z\d-]*|priv[ate]{0,3}[ a-z]{0,8})…)$/;
const SCHEMA_WORD = new RegExp(
  "^(?:str|string|text|number|int|integer|float|bool|boolean|bytes|buffer|true|false|null|nil|" +
    "none|undefined|any|unknown|never|void|object|optional|required|readonly|yes|no|on|off|" +
    "bearer|basic|digest|negotiate|oauth2?|jwt|hmac|sha256|base64|passwor[dt]|kennwort|passwd|passphrase|" +
    "secret|token|api[_-]?key|auth|authorization|aws4-hmac-sha256|todo|fixme|tbd|" +
    "[iuf](?:8|16|32|64|128)|[iu]size|hashed|encrypted|masked|hidden|invalid|missing|(?:en|dis)abled|expired|incorrect|obligatoire|erforderlich|obligatori[ao])[!?]?(?:\\[\\])?$",
  "i",
);
const PLACEHOLDER =
  /^(?:\$\w+|\$\([a-z].*\)|\$\{[\w.]+\}|\$?\{\{.*\}\}|%\w+%|\{[\w.]*\}|<[^<>]*>|\[[^\]]*\]|[*x.•…_\x60-]+|\?|:[a-z_]{2,40}|your[-_ ].*|put your .*|\(?\.[*+]\??\)?|projects\/[\w-]+\/secrets\/[\w/-]+|arn:aws[a-z-]*:[\w:\/*.@+=-]+)$/is;
/** What a framework demands of a value: `required|min:8`. */
const DEMANDS =
  /^(?:required|nullable|sometimes|present|filled|bail|confirmed|string|current_password|(?:min|max|size|between|digits|same|required_\w{2,12}):[\w,]+)(?:\|[a-z_]+(?::[\w.,/]+)?)+$/;
const ENV_READ = /^(?:process\.env|import\.meta\.env|os\.environ|deno\.env|env|secrets|vars)[.([]/i;

/** Also the word of a test's result: `pass: 12`. */
const BARE_PASS = /^pass\d?$/i;
const RESULT =
  /^(?:ok|passed|fail(?:ed|s|ure)?|skip(?:ped)?|errors?|[^a-z\d]*|\\+(?:033|e\[|x1b|u001b).*)$/is;
/** What stands for the value of a secret name. */
export const VALUE_MASK = "[redacted:secret]";

/** Whether a key (`dbPassword`, `X-Api-Key`, `--token`) names a secret. */
export function isSecretName(name: string): boolean {
  nameAtEnd ??= new RegExp(`${NAME}${SUFFIX}$`, "i");
  return nameAtEnd.test(name);
}
let nameAtEnd: RegExp | undefined;

/** Whether a key (`credentials`, `--ssh-key`) may name a secret, or what leads to one: a file, an address. */
export function isOpenName(name: string): boolean {
  openNameAtEnd ??= new RegExp(`${HELD_NAME}${SUFFIX}$`, "i");
  return openNameAtEnd.test(name);
}
let openNameAtEnd: RegExp | undefined;

/** Whether the value of a secret name is plainly none: empty, a placeholder, a reference, masked. */
export function isNoSecret(name: string, value: string): boolean {
  if (value === "" || MARKER.test(value)) return true;
  if (isOpenName(name) && !isOpenSecret(name, value)) return true;
  if (BARE_PASS.test(name) && RESULT.test(value.slice(0, 128))) return true;
  if (value.length > 128) return false;
  return SCHEMA_WORD.test(value) || PLACEHOLDER.test(value) || ENV_READ.test(value) ||
    DEMANDS.test(value) ||
    isPlainValue(name, value);
}

/** The login in an address without a scheme: `joe/word@db`. */
const LOGIN = /^[\w.$-]{1,64}[:/](?![/$%{<]|\[redacted:)[^\s@]{1,256}@/;
/** A file, words with dashes, the name of a type or a function: what is kept elsewhere. */
const KEPT_ELSEWHERE =
  /^[\w.~/-]{1,200}\.(?:pem|key|pub|json|ya?ml|p12|pfx|ppk|txt|env|enc|ini|toml|asc|gpg)$|^[a-z]{2,}\d{0,2}(?:-(?:[a-z]+\d{0,2}|\d{1,4}))+$|^[A-Z][a-z]+\d?(?:[A-Z][a-z]+)+$|^_\w+$/;

function isOpenSecret(name: string, value: string): boolean {
  if (/dsn/i.test(name)) return LOGIN.test(value);
  if (OF_SERVICE.test(name)) return /^[\w+/~.-]{24,}={0,2}$/.test(value) && isDrawn(value);
  if (value.length > 256) return isRandom(value);
  if (/(?:key|salt|code|phrase|mnemonic|_pat)\W?[a-z\d]*$/i.test(name) && !/ssh/i.test(name)) {
    return isKeyLike(value);
  }
  return isValueLike(value) && !KEPT_ELSEWHERE.test(value);
}

/** Whether a value looks drawn by lot: the name alone would also be that of an entry or of a column. */
function isKeyLike(value: string): boolean {
  const isCased = /[a-z]/.test(value) && /[A-Z]/.test(value);
  // Parts with a sign between are a path in a store: `appState:v1.2`.
  if (value.length < 12 || /[:.${}\s]/.test(value)) return false;
  if (!/\d/.test(value)) return isCased && /^[A-Za-z]{16,}$/.test(value) && isScrambled(value);
  if (isRandom(value)) return true;
  if (/^[\w+/-]{24,}={0,2}$/.test(value)) return isScrambled(value);
  return isCased && isValueLike(value);
}

/** Whether a name may also be that of something that passes: its numbers and lists are no secrets. */
export function isBarePass(name: string): boolean {
  return BARE_PASS.test(name);
}

/** Letters and digits as no word and no path has them. */
export function isRandom(value: string): boolean {
  if (value.length < 12 || /[\s/]/.test(value) || !/\d/.test(value)) return false;
  return /[a-z]/.test(value) && /[A-Z]/.test(value) || /^[\da-f]{20,}$/i.test(value);
}

/** Words of computing with a digit: what a secret is made by, of what type, and how large or old it is. */
const TECHNICAL =
  /^(?:base\d+(?:url)?|pkcs[-#]?\d{1,2}|sha-?\d+|md5|utf-?\d+|oauth\d?|[hrep]s\d{3}|ed25519|x\.?509|aes-?\d+|argon2\w*|bcrypt\d?|(?:u?int|float|n?varchar)\d{1,3}|pbkdf2|http\/?\d|ipv[46]|v?\d[\d.,:/_-]*(?:[a-z]{1,6}|%)?)(?:-[a-z]+)*$/i;
/** Names in a program, paths, addresses, options, calls, references, numbers of issues, files. */
const NAMED_THING =
  /^[a-z\d]+(?:_[a-z\d]+)+$|^[A-Z\d]+(?:_[A-Z\d]+)+$|^[a-z]+(?:[A-Z][a-z]+)+\d{0,2}$|^[~.]{0,2}\/|^[a-z]+:\/\/|^[a-zA-Z][\w-]*(?:\/[\w.-]+)+\/?$|^--?[a-z]|[()[\]{}<>"'\x60|;\\]|=>|&&|^[\w$]+(?:\.[A-Za-z_$][\w$]*)+$|^[$%@#&*=+!?]|^[\w.-]+@[\w-]+\.\w+$/;

/** Whether a word is one of computing, its digits and all: `sha256`, `v1.2`. */
export function isTechnical(word: string): boolean {
  return TECHNICAL.test(word);
}

/** Whether a word looks like the value of a secret where only words stand around: letters with a digit or a sign. */
export function isValueLike(word: string): boolean {
  const bare = word.replace(/[.,;:]+$/, "");
  if (bare.length < 6 || bare.length > 256 || /\s/.test(bare) || isNoSecret("", bare)) return false;
  const isOdd = /[\d!#$%^&*+=?~§@]/.test(bare.slice(1)) || isRandom(bare);
  if (!/[a-z]/i.test(bare) || !isOdd) return false;
  return !isTechnical(bare) && !NAMED_THING.test(bare) && !/^\[redacted:/.test(bare);
}
