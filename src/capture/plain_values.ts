/** What stands behind a secret name and is plainly none: a text for people, a command, the name of a test or of a file. */

/** A number of a version, and what may follow the numbers: `-rc.1`, `-20210101120000-a1b2c3d4e5f6`. */
const NUMBER = String.raw`(?:0|[1-9]\d{0,4}|[x*])`;
const RELEASE = String.raw`(?:[-+](?:[\da-z]{1,14}|[A-Z]{1,8}\d{0,3})(?:[-+.][\da-z]{1,14}){0,3})?`;
/** `1.2.3`, and one number or more behind a sign: `^1.2`. */
const VERSION = String.raw`v?${NUMBER}(?:\.${NUMBER}){1,2}${RELEASE}`;
const BOUND = String.raw`(?:[~<>=!]=|[~^<>=]) ?v?${NUMBER}(?:\.${NUMBER}){0,2}${RELEASE}`;

/** Versions of a package, of which the first is of this form: `npm:x@^1.2 || 2.0.0`. */
function range(first: string): RegExp {
  return new RegExp(
    String.raw`^(?:(?:workspace|npm|jsr):(?:@?[\w./-]{1,80}@)?)?${first}` +
      String.raw`(?:(?: \|\| | - |, ?| )(?:${BOUND}|${VERSION})){0,5}$`,
  );
}

/** What is no secret under some names alone. */
const PLAIN_UNDER: readonly { readonly name: RegExp; readonly value: RegExp }[] = [
  // The working directory.
  { name: /pwd$/i, value: /^(?:[~.]{0,2}\/|[a-z]:)/i },
  // The key of a text, the name of an application.
  { name: /app[_-]?key/i, value: /^[a-z]+(?:[ ._-][a-z]+)*$/i },
  // A key of the keyboard.
  { name: /access[_-]?key$/i, value: /^[a-z\d]$/i },
  // A variable of a style sheet.
  {
    name: /token$/i,
    value: /^(?:var\()?--[a-z][a-z\d]{0,24}(?:-(?:[a-z]{1,24}\d?|\d{1,4})){0,8}\)?$/,
  },
  // The address of a contract, and another field that has one.
  {
    name: /token$/i,
    value: /^(?:0x[\da-fA-F]{40}|[a-z]{2,24}(?:_[a-z]{2,24}){0,4}_token|[A-Z][a-z]{2,24}Token)$/,
  },
  { name: /access[_-]?key$/i, value: /^[a-z]{2,24}(?:_[a-z]{2,24}){0,3}_access_key(?:_id)?$/ },
  // The name of a header and of an algorithm, the id of a key that signs commits.
  { name: /(?:key|token|auth|secret)$/i, value: /^X(?:-[A-Z][A-Za-z]{1,20}){1,4}$/ },
  { name: /./, value: /^PBKDF2With[A-Za-z\d]{4,24}$/ },
  { name: /signing_?key$/i, value: /^[A-F\d]{16,40}$/ },
  // Versions of a package whose name ends so, and where it comes from. A date may be a password.
  { name: /^[a-z\d@/._-]+$/, value: range(BOUND) },
  { name: /^[a-z\d@/._-]*(?:token|secret|auth|key)$/, value: range(VERSION) },
  {
    name: /^[a-z\d@/._-]+$/,
    value:
      /^(?:latest|(?:workspace|catalog):[*^~]?|(?:git\+[a-z]{3,5}|git(?:hub|lab)|bitbucket|file|link|portal):(?:\/\/(?:git@)?)?[\w.~-]{0,60}\/[\w./#~^-]{1,100})$/,
  },
  // An address of words.
  {
    name: /(?:token|secret|auth|key)$/i,
    value:
      /^https?:\/\/[a-z][a-z-]{0,30}\d{0,2}(?:\.[a-z][a-z-]{0,30}){0,4}(?::\d{2,5})?(?:\/[a-z]{1,20}\d?(?:[-_.][a-z]{1,20}\d?){0,4}){0,8}\/?$/,
  },
  // A role, and what a workflow may do with a token.
  { name: /authorization$/i, value: /^[a-z]{2,16}$/ },
  { name: /id[_-]?token$/i, value: /^(?:write|read|none)$/ },
  // What Docker mounts as a secret.
  { name: /^--secret$/i, value: /^(?:id|type|src|source|env|target)=[\w./-]+(?:,|$)/ },
  // A script, and a part of a program.
  {
    name: /(?:auth|secret|token|passwor[dt])$/i,
    value:
      /^(?:node|deno|bun|npm|npx|pnpm|yarn|tsx|ts-node|tsc|vitest|jest|mocha|playwright|cypress|eslint|python3?|pytest|go|cargo|make|docker|bash|sh)[ \t][\w ./:@*-]{1,100}$/,
  },
  { name: /(?:auth|secret|token|passwor[dt]|key)$/i, value: /^\.{1,2}\/[\w./-]{1,100}$/ },
  // The name of a Secret of Kubernetes.
  {
    name: /(?:existing|password|credentials?|pull|tls|cert)[_-]?secret$/i,
    value: /^[a-z]{2,24}\d{0,2}(?:-(?:[a-z]{1,24}\d{0,2}|\d{1,4})){1,8}$/,
  },
  // A test that passed.
  {
    name: /^pass$/i,
    value:
      /^(?:tests?[_-]\w[\w-]{0,80}|Test[A-Z_]\w{0,80}|(?:step|case|check|suite|phase|stage|part|job|run|spec|test)[-_]?\d{1,4}|(?:(?:[\w.-]{1,40}\/){1,8}[\w.-]{1,60}|[\w-]{1,60}[._](?:test|spec))\.[a-z]{1,4}(?::\d{1,6}){0,2})$/,
  },
];

/** A file by the end of its name, below some folder, and a place where systems keep such. */
const FILE =
  /^(?:[~.]{0,2}\/)?(?:[\w.@()[\]-]{1,60}\/){1,12}[\w.@()[\]-]{0,80}\.(?:[cm]?[jt]sx?|json[5c]?|ya?ml|toml|ini|env|txt|md|html?|s?css|vue|svelte|py|rb|go|rs|java|kts?|php|cs|c|h|cpp|hpp|swift|dart|scala|lua|exs?|sh|sql|tf|pem|key|crt|cer|der|p12|pfx|jks|pub|asc|gpg|enc|ppk)(?::\d{1,6}){0,2}$/;
const KEY_FILE = /^[\w.-]{1,80}\.(?:pem|key|crt|cer|p12|pfx|jks|ppk)$/;
const KEPT_IN = /^\/(?:run\/secrets|var\/run|etc|usr|opt|home|mnt|tmp)\/[a-z][\w./-]{0,200}$/;
/** The type of a column. */
const COLUMN_TYPE =
  /^(?:n?(?:var)?char2?|(?:var)?binary|(?:tiny|small|medium|big)?int|decimal|numeric|bit)\(\d{1,5}\)$/i;
/** A word or a number of a sentence, or what is put into its place. */
const WORD =
  /^["'(]?(?:[a-z\u00c0-\uffff]{1,24}(?:['’-][a-z\u00c0-\uffff]{1,24}){0,3}|\d{1,4}(?:-\d{1,4})?\+?|\{{1,2}\w{1,20}\}{1,2}|%[ds])["').,;:!?…]{0,3}$/i;
/** Words by which it is one, and others that passphrases have, too. */
const SAYING =
  /(?:^|\s)(?:is|are|must|should|cannot|can't|please|your|enter|least|required|invalid)(?![\w'])/i;
const JOINING =
  /(?:^|\s)(?:the|at|an?|to|of|or|and|not|you|with|est|les?|la|des|du|une?|ist|das|der|die|nicht|eine?|es|el|los|las|il|non|não|é|è)(?![\w'\u00c0-\uffff])/i;

/** Whether a value is no secret under this name, by what it is. */
export function isPlainValue(name: string, value: string): boolean {
  return COLUMN_TYPE.test(value) || value === name || FILE.test(value) || KEY_FILE.test(value) ||
    KEPT_IN.test(value) ||
    isSentence(name, value) || isNameAsText(name, value) ||
    PLAIN_UNDER.some((plain) => plain.name.test(name) && plain.value.test(value));
}

/** `password: "Password is required"`: three words at least, and one of those that a form says to people. */
function isSentence(name: string, value: string): boolean {
  if (name === "" || /phrase$/i.test(name) || !value.includes(" ")) return false;
  const words = value.trim().split(/\s+/);
  if (words.filter((word) => /[a-z\u00c0-\uffff]/i.test(word)).length < 3) return false;
  if (!words.every((word) => WORD.test(word))) return false;
  return SAYING.test(value) || JOINING.test(value) && /^[A-Z\u00c0-\u00de]|[.!?…]$/.test(value);
}

/** `"reset_password": "Reset password"` */
function isNameAsText(name: string, value: string): boolean {
  return value.includes(" ") && lettersOf(value) === lettersOf(name);
}

function lettersOf(text: string): string {
  return text.replace(/[^a-z]/gi, "").toLowerCase();
}
