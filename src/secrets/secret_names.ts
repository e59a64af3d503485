/** Tells which names belong to secrets, and which values are certainly no secrets. */

/** Words before `pass`, `pw` and `psk` in a name. After other letters these are parts of other words: `bypass`. */
const OWNER =
  "(?:db|database|smtp|imap|mail|ftp|ssh|mysql|pg|postgres|redis|mongo|rabbit|user|admin|root|login|proxy|http|" +
  "auth|my|key|store|require|ssl|cert|vpn|wifi|wpa|ldap|bind)";
/** Words before `key` in a name whose value is a secret. */
const KEY_OWNER =
  "(?:api|access|secret|private|encryption|master|account|signing|shared|auth|app|hmac|enc|" +
  "stripe|openai|anthropic|gemini|mistral|groq|sendgrid|mailgun|twilio|resend|aws|azure|gcp|kaggle|ssh|deploy|deployer|" +
  "signer|jwt|service[_-]?role|licen[cs]e|subscription|functions|application|consumer|fernet|fastly|admin|nonce|logged[_-]?in)";
/** Words beside `salt` and `cookie` in a name whose value is a secret. */
const SALTED =
  "(?:(?:auth|nonce|logged[_-]?in|hash|password|session|token|secret)[_-]?salt|(?:erlang|release)_?cookie)";
/** The word for a password in other languages. */
const ELSEWHERE =
  "contraseña|(?<![a-z])senha|mot de passe|wachtwoord|hasło|lösenord|şifre|пароль|密(?:码|碼)|パスワード|비밀번호|passord|kennwort";

/** What must precede a word that also ends other words; the `n` of an escaped `\n` belongs to no word. */
const START = String.raw`(?:(?<![a-z])|(?<=\\[nrt]))`;
/** The last words of a secret's name, for patterns that ignore case. A name that goes on after them is no secret's. */
export const SECRET_WORD =
  `(?:pass(?:wor[dt]|wd|phrase|code)|(?:${START}|(?<=${OWNER}))(?:pass|pw|psk)|pwd|` +
  `${KEY_OWNER}(?:__|[_. :-])?key|secret|token|credentials?|client-key-data|${START}auth(?:orization)?|` +
  `${START}otp|${SALTED}|recovery[_-]?codes?|(?:seed|recovery|backup)[_ -]?phrase|${ELSEWHERE})`;
/** Every name of a secret holds one of these, in small letters. A hit does not prove that the word is whole. */
export const NAME_PARTS: readonly string[] =
  "pass|pw|psk|secret|token|credential|client-key-data|auth|otp|recovery|phrase|key|salt|contrase|senha|wachtw|hasł|lösen|şifre|парол|密|パスワ|비밀|kennw"
    .split("|");
/** What may follow the last word of a secret's name. */
export const SUFFIX = String
  .raw`(?:[_-]?(?:\d{1,2}|base|value|text|str|string|plain|b64|base64|dev|prod|test|staging|old|new|key))?`;

/** Look-alike letters and characters without width, which may be copied with a name. */
export const DISGUISED =
  /[\u200b-\u200d\u2060\ufeff\uff01-\uff5e]|[a-z][\u0430-\u0456]|[\u0430-\u0456][a-z]/i;

const NAME_AT_END = new RegExp(`${SECRET_WORD}${SUFFIX}$`, "i");

/** Whether a key (`dbPassword`, `X-Api-Key`, `--token`) names a secret. */
export function isSecretName(name: string): boolean {
  return name.length < 200 && NAME_AT_END.test(name);
}

/** A mask, whole or cut at the end of a shortened text. */
const MARKER = /^(?:\[redacted:[a-z\d-]+\]|\[private removed\]|\[(?:red|priv)[a-z:\d -]*…)/;
/** Types, states and schemes in the place of a value. */
const SCHEMA_WORD =
  /^(?:str(?:ing)?|text|number|(?:big)?u?int(?:eger)?\d*(?:clamped)?(?:array)?|float\d*(?:array)?|bool(?:ean)?|bytes|buffer|true|false|null|nil|none|undefined|any|unknown|never|void|object|optional|required|readonly|yes|no|on|off|bearer|basic|digest|negotiate|oauth2?(?:client)?|jwt|hmac|sha\d+|md5|base64|pass(?:wor[dt]|wd|phrase)?|secret|token|api[_-]?key|auth|authorization|credentials?|todo|fixme|tbd|hashed|encrypted|masked|hidden|redacted|invalid|missing|enabled|disabled|expired|incorrect|default|example|changeme|self|this|await|new|return|options?|flags?|arguments?|parameters?)[!?]?(?:\[\])?$/i;
/** References to a value that is kept elsewhere, and placeholders. */
const PLACEHOLDER =
  /x{4,}|\.{3}|…|\$\{|\\[wdsb]|^(?:#[\da-f]{3,8}(?: .*)?|[~^v]?\d+(?:\.\d+)+[\w.+-]*|0x[\da-f]{40}|--[a-z][\w-]*|(?:ssh|ecdsa)-.*|\$\w+|\$\(.*|\$?\{.*|\$\w+[.:[{].*|%\w+%|%[-\d.]*[sdrvwqx]|<[^<>]*>.*|\[[^\]]*\]|[*x.•…_`-]+|\?+|:[a-z_]{2,40}|your[-_ ].*|put your .*|\.[*+].*|arn:aws.*|projects\/[\w-]+\/secrets\/.*|!(?:Ref|Sub|GetAtt|env|secret|vault)\b.*|@[\w.]+|(?:required|nullable|sometimes|string|confirmed)\|.*|%\w+\(.*\)[%s]|%\(\w+\)[sdr].*|\/\^.*|\(?\^.*|\(\?.*|\$\w+(?:->?|::).*|(?:rsa|ec|aes|sha\d*)[-:]\d.*|\d+(?::\d+)+)$/is;
/** Expressions of a program: reads, calls and names. */
const CODE =
  /^(?:(?:process\.env|import\.meta|os\.environ|deno\.env|env|secrets|vars|var|local|self|this|args?|config|settings|opts|options|req(?:uest)?|res(?:ponse)?|ctx|context|params|props|state|data|module|random_\w+)[.([]|[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)*!?[([<]|[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)+;?$|&&|\|\||[=!<>]=|=>)/;
/** A file, or a folder in which systems keep secrets. */
const FILE =
  /^(?:[~.]{0,2}\/)?(?:[\w.@-]{1,60}\/){0,12}[\w.@-]{1,80}\.(?:pem|key|crt|cer|p12|pfx|jks|pub|json|ya?ml|toml|ini|env|txt|md|[cm]?[jt]sx?|py|rb|go|rs|java|sh|sql|tf|html?|vue)(?::\d+)*$|^(?:\/(?:run|var|etc|usr|opt|home|root|mnt|tmp)|~|\.{1,2})\/[\w./-]*$/;
/** Two runs of characters around a dot that are no names in a program. */
const ODD_PAIR = /^(?:(?:^|\.)(?=\w*(?:\d[A-Za-z]|[a-z][A-Z]{2}|[A-Z][a-z][A-Z]))\w{4,24}){2}$/;
const ADDRESS = /^(?:[a-z][\w+.-]*:\/\/[^@\s]*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)$/i;
const SENTENCE_WORD =
  /(?:^|\s)(?:is|are|must|should|cannot|can't|please|your|enter|least|required|invalid|the|at|an?|to|of|or|and|not|you|with|for|was|does|do|no)(?![\w'])/i;

/** Whether a value is certainly no secret: it is short, a mask, a placeholder, a reference or a sentence. */
export function isPlain(value: string, name = ""): boolean {
  if (value.length < 3 || MARKER.test(value)) return true;
  if (value.length > 300) return false;
  return SCHEMA_WORD.test(value) || PLACEHOLDER.test(value) ||
    CODE.test(value) && !ODD_PAIR.test(value) ||
    FILE.test(value) ||
    ADDRESS.test(value) || value.includes(" ") && SENTENCE_WORD.test(value) ||
    /[_-]|[a-z][A-Z]/.test(value) && /^_?[A-Za-z][\w-]*$/.test(value) && isSecretName(value) ||
    lettersOf(value) === lettersOf(name) || /^[\d.,:%+-]{1,5}$/.test(value) ||
    /^[\s\W]+$/.test(value);
}

function lettersOf(text: string): string {
  return text.replace(/[^a-z]/gi, "").toLowerCase();
}

/** Words of computing with a digit. */
const TECHNICAL =
  /^(?:base\d+(?:url)?|pkcs[-#]?\d{1,2}|sha-?\d+|md5|utf-?\d+|oauth\d?|[hrep]s\d{3}|ed25519|x\.?509|aes-?\d+|argon2\w*|bcrypt\d?|(?:u?int|float|n?varchar)\d{1,3}|pbkdf2|http\/?\d|ipv[46]|v?\d[\d.,:/_-]*(?:[a-z]{1,6}|%)?)(?:-[a-z]+)*$/i;
/** Names in a program, paths, options, references, hashes, ids. */
const NAMED_THING =
  /^[a-z_]+=|%[-\d.]*[sdvfq](?![a-z\d])|^[a-z\d]+(?:[_-][a-z\d]+)+$|^[A-Z\d]+(?:_[A-Z\d]+)+$|^[a-z]+(?:[A-Z][a-z]+)+\d{0,2}$|^[~.]{0,2}\/|^[a-zA-Z][\w-]*(?:\/[\w.-]+)+\/?$|^--?[a-z]|[()[\]{}<>"'`|;\\]|^[\w$]+(?:\.[A-Za-z_$][\w$]*)+$|^[$%@#&*=+!?]|^[\da-f-]{7,}$|^[A-Z]?[a-z]+\d{0,2}$/;
/** Small and large letters in an order that names in programs do not have. */
const MIXED_CASE = /[a-z][A-Z]{2}.*[a-z][A-Z].*[a-z][A-Z]|[a-z][A-Z].*[a-z][A-Z].*[a-z][A-Z]{2}/;

/** Letters and digits in a run as no word has them, or letters of both cases as no name in a program has them. */
export const ODD_RUN =
  /(?=[A-Za-z]{0,20}\d)(?=\d{0,20}[A-Za-z])[A-Za-z\d]{10}|[A-Z][a-z]?[A-Z][a-z]?[A-Z].{0,60}[a-z]/;

/** Whether a word may be a secret: it mixes letters with digits or signs. */
export function isOddWord(word: string): boolean {
  if (word.length < 8 || word.length > 256 || /\s/.test(word) || isPlain(word)) return false;
  const isOdd = /[\d!#$%^&*+=?~§@]/.test(word.slice(1)) || MIXED_CASE.test(word);
  return /[a-z]/i.test(word) && isOdd && !TECHNICAL.test(word);
}

/** Whether a word looks like a secret where only words stand around it. */
export function isValueLike(word: string): boolean {
  return isOddWord(word) && !NAMED_THING.test(word);
}
