/**
 * The cheap look: could a text hold anything that has to be masked? Every hook asks it of its whole payload, in a
 * process that has compiled nothing yet, so there are no regular expressions here, only searches for literals and a
 * closer look where one is found. Never `false` where masking would change something; a test holds it to that.
 */
import { ASKED, type Clue, CLUES, COMMAND } from "./clues.ts";
import { isCloser, isTokenCode, mayAssign } from "./name_triggers.ts";

/**
 * Whether `redactValue()` may change a value: a look at the value's JSON. Letters have to stand for themselves in it,
 * not as `\u0041`.
 *
 * @param patterns The user's own patterns.
 */
export function needsRedaction(serialized: string, patterns: readonly RegExp[]): boolean {
  if (isSuspectJson(serialized, patterns) || serialized.includes("\\u0000")) return true;
  if (!serialized.includes("\\u001b") && !serialized.includes("\\u001B")) return false;
  // What `colours.ts` takes out of a text, as JSON has it. Rare enough for a pattern.
  const colours =
    /\\u001b\[[0-9;?]*[a-z]|\\u001b\](?:[^\\"]|\\(?!u00(?:07|1b)))*(?:\\u0007|\\u001b\\\\)/gi;
  return isSuspectJson(serialized.replace(colours, ""), patterns);
}

function isSuspectJson(serialized: string, patterns: readonly RegExp[]): boolean {
  const lowered = serialized.toLowerCase();
  return mayHoldBlock(serialized, lowered) || mayAssign(serialized, lowered) ||
    hasClue(serialized) ||
    patterns.some((pattern) => mayMatch(pattern, lowered));
}

/** The same for the user's own patterns alone, where the built-in kinds are masked already. */
export function mayMatchOwn(serialized: string, patterns: readonly RegExp[]): boolean {
  const lowered = serialized.toLowerCase();
  return patterns.some((pattern) => mayMatch(pattern, lowered));
}

/** Whether a text may hold a secret of the built-in kinds that is no private key. */
export function mayHoldSecret(text: string): boolean {
  return mayAssign(text) || hasClue(text);
}

/** Whether there may be text between `<private>` tags, or a private key. */
export function mayHoldBlock(text: string, lowered: string): boolean {
  const hasName = lowered.includes("vate");
  if (hasName && lowered.includes("vate-lines:")) return true;
  const marks = hasName ? ["<", "< ", "</", "</ ", "3c", "3c;", "lt;", "60;"] : [];
  for (const mark of marks) if (lowered.includes(`${mark}private`)) return true;
  return text.includes("VATE KEY");
}

/**
 * A look for the literal beginning of a user's pattern; one without (or with an alternative) may
 * match anywhere.
 */
function mayMatch(pattern: RegExp, lowered: string): boolean {
  const { source, flags } = pattern;
  const [, literal = "", next = ""] = /^(?:\\b|\^)?([\w:@=/ -]*)(.?)/s.exec(source) ?? [];
  const required = /[?*{]/.test(next) ? literal.slice(0, -1) : literal;
  if (required.length < 3 || source.includes("|") || /[iuv]/.test(flags)) return true;
  return lowered.includes(required.toLowerCase());
}

/** `CLUES.some(…)` in one function: most of what the look costs is this loop, which runs once and cold. */
function hasClue(text: string): boolean {
  for (let at = 0; at < CLUES.length; at++) {
    const clue = CLUES[at]!;
    for (let index = 0; index < clue.literals.length; index++) {
      const literal = clue.literals[index]!;
      if (text.includes(literal) && isFollowed(text, literal, clue)) return true;
    }
  }
  return false;
}

/** Whether a text may hold a secret of this kind. */
export function isSuspect(text: string, clue: Clue): boolean {
  return clue.literals.some((literal) => text.includes(literal) && isFollowed(text, literal, clue));
}

/** The closer look, for the few literals that are there. */
function isFollowed(text: string, literal: string, clue: Clue): boolean {
  const { kind, run, lead = "", options } = clue;
  if (literal === "://") return mayHoldUserInfo(text);
  if (kind === COMMAND) return mayHoldOption(text, lead + literal, options);
  if (kind === ASKED) return literal === "e_path" ? mayName(text) : mayAsk(text, literal);
  if (literal.toLowerCase() === "jwt") return text.lastIndexOf("Key") > text.indexOf(literal);
  const isPrinted = () => text.includes("cho ") || text.includes("printf");
  if (literal === "|") return isPrinted() && mayStore(text);
  if (literal === ">") return isPrinted() && TO_SECRET_FILE.test(text);
  if (literal === "<<<") return mayStore(text);
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1)) {
    if (lead !== "" && !text.startsWith(lead, at - lead.length)) continue;
    const start = at + literal.length;
    if (run === 0 && !isShaped(text, start, literal)) continue;
    if (isRun(text, start, run)) return true;
  }
  return false;
}

/** A key in a sentence. */
const SAID = /^ {0,4}\S{0,40}?(?=\S{0,300}\d)\S{16}/;
/** A name with a password beside it, what it is told by, and how a literal may begin in a call. */
const LOGIN = /^(?:ith {1,4}|s {1,4}| {0,3})[\w.+@-]{1,125}(?::| \/ )[^\s\\]{6}/;
const WITH = /^s .{1,300}? (?:with|using) /s;
const OPENED = /^\(["'\\\r\n<&-]/;
const FIRST = /^["'\\\r\n<&-]/;
const BYTES = /^\w{0,20}\(b?["'[\\\r\n<&-]/;
/** What follows the shortest literals and those that other things have, too, by them in small letters. */
// deno-fmt-ignore
const FOLLOWING: Readonly<Record<string, RegExp>> = {
  "appid=": /^[\da-f]{32}/, "code=": /^[\w.~%\/-]{20}/, "dp.": /^..\./s, "543": /^.:/s, "$produ": /^.{5}\$/s, "$sandb": /^..\$/s, "fied ": /^[bw]/i, "gin w": LOGIN, "gin: ": LOGIN, "gin i": LOGIN,
  "g in a": WITH, "d in a": WITH, "creds:": /^[ \t\\].{0,160}[:/]/s, "creds ": /^-.{0,160}[:/]/s, "crypt": /^[(S]/,
  ".auth(": FIRST, "_user(": FIRST, "in(": FIRST, "up(": FIRST, "auth(": FIRST, ".hash": BYTES, ".compa": BYTES, ".check": BYTES, ".gener": BYTES, "aes.ne": BYTES,
  "_super": /^user\(/, "toacco": /^unt\(["'\\\r\n<&-]/, "wallet": OPENED, ".passw": /^ord\([\w.()]{0,60}encode\(/, ".login": OPENED, "stripe": OPENED, "openai": OPENED, "_auth": /(?!)/,
  // Two texts, the second as long as what is drawn by lot.
  "s.": /^(?=[A-Za-z]{0,23}\d)(?=[a-z\d]{0,23}[A-Z])[A-Za-z\d]{24}(?!\w)/, "1/": /^\d{10,20}[/:]/, "2/": /^\d{10,20}[/:]/, "aaaaaa": /^A{14,18}(?!A)\w{1,60}%/,
  "glc_": /^[\w+/-]{32}/, "absk": /^[A-Za-z\d+/]{100}/, "g9ro": /^[A-Za-z\d+/]{40}/,
  // What is given to a command.
  "qctl a": /^dd_user |^uth/, "qctl c": /^hange_p/, "qladmi": /^n.{0,350}password/s, "keygen": /^.{0,350}[ t]-[NP](?:[ \t]|\\t){0,8}[\\"']{0,24}[^\s"'\\]/s, "xpect": /^.{0,350}ass.{0,160}send/s,
  "--otp": /^.{1,30}?\d{6}/s, "dle co": /^nfig .{0,350}[^\s:]:[^\s:/]/s, "k ": /^auth|^config add-/, "mcli ": /^.{0,350}p(?:assword|sk)/s,
  "#passw": /^ordText/, ".typet": /^ext\(["'\\\r\n<&-]/, "/i), ": /^["'\\\r\n<&{-]/, ").tobe": OPENED, ").toeq": /^ual\(/, ").tost": /^rict/, "_in": /^[ (].{0,300}ass/is, "word{": /^ ?["'\\<&-]/, "word {": /^ ?["'\\<&-]/,
  ".send_": /^keys\(["'\\<&-]/, ".sendk": /^eys\(["'\\<&-]/, ".fill(": /^["'\\<&-]/,
  "sequel": /^ize\(/, "dbi->c": /^onnect/, "url.cr": /^eate\(["'\\\r\n<&-]/, "golias": /^earch\(/,
  "tp -": /^[a-z]{0,4}n.{0,350}user/s, "nyk au": /^th[ \t\\]/,
  "key is": SAID, "pat is": SAID, "pat: ": SAID,
  "@": /^[a-z\d-]{1,60}\.[a-z\d.-]{2,300}(?::| \/ )(?![\w.-]{1,64}\/)(?=[^\s\/]{0,128}[\d!#$%^&*?~])[^\s\\\/]{8}/i,
  "client": /^\([\s\\"'&<-].{1,380}?["';>](?:[^\s"'`\\]|\\[ubf]){16}/s,
};
/** Whose calls those are whatever stands first in them. */
const OWNED = /(?:(?:smtp|ftp|imap|mail|server)\.login|(?:basic|bearer)_auth)$/;

/** Whether what such a literal has around it stands at its place. */
function isShaped(text: string, start: number, literal: string): boolean {
  if (literal === "pat") {
    if (text[start] === "-") return text[start + 4] === "-" && isRun(text, start + 5, 36);
    return text[start + 14] === "." && isRun(text, start, 14) && isRun(text, start + 15, 64);
  }
  if (literal === "sl.") return isRun(text, text[start + 1] === "." ? start + 2 : start, 100);
  if (literal === "-us") return text.charCodeAt(start) <= 57 && isRun(text, start, 1);
  return FOLLOWING[literal.toLowerCase()]?.test(text.slice(start, start + 400)) !== false ||
    OWNED.test(text.slice(Math.max(0, start - 14), start));
}

/** From behind: words are shorter than tokens. */
function isRun(text: string, start: number, length: number): boolean {
  let end = start + length;
  while (end > start && isTokenCode(text.charCodeAt(end - 1))) end--;
  return end === start;
}

/** URLs are everywhere, `user:password@` is not: look for the `@` before the first slash. */
function mayHoldUserInfo(text: string): boolean {
  let sign = 0;
  for (let at = text.indexOf("://"); at !== -1; at = text.indexOf("://", at + 3)) {
    if (sign < at) sign = text.indexOf("@", at);
    if (sign === -1) return false;
    if (sign - at > 3_000) continue; // 456 characters at most, six times as long when escaped
    const userInfo = text.slice(at + 3, sign);
    const slash = userInfo.indexOf("/");
    if (slash !== -1) {
      const colon = userInfo.indexOf(":");
      // Behind a host stands a port; a password in front of a slash has a letter and no blank.
      const isWord = /^[^ ]*[a-z_]/i.test(userInfo.slice(colon + 1, slash));
      if (colon !== -1 && colon < slash && isWord) return true;
      continue;
    }
    if (userInfo.includes(":") || userInfo.length >= 16 && !userInfo.includes(" ")) return true;
  }
  return false;
}

/** As `wordsOf()` shows them: commands for nothing but secrets, what others have that print one, and what these are called by. */
// deno-fmt-ignore
const [TELLING, ASKING, ASKED_FOR] = [
  " chamber | sops | credstash | lpass |keyring get |secret-tool | rbw |keepassxc-cli | gopass | bw | op://| item get | pass show | pass generate | heroku config|doppler |railway |vault |argocd |kv get |" +
  "token create|create token|get-access-token|token lookup|token generate|print token|tokens create|account keys list|acr credential|expose-token|keyvault secret|versions access|get-secret-value|with-decryption|get-login-password|" +
  "print-access-token|print-identity-token|auth token|find-generic-password|find-internet-password|user-secrets list|credentials:show|rails secret|key:generate|phx.gen.secret|openssl rand|pwgen|apg|makepasswd|" +
  "mkpasswd|pwqgen|pwmake|gen-random|/dev/random|/dev/urandom|token_hex|token_urlsafe|token_bytes|randombytes|securerandom|random_bytes|get_random_secret_key|generate_key|random.choice| wg |/run/secrets/|.vault-token|join-token|api/token",
  "printenv|echo|printf|jsonpath|template|-field|config:get| jq | yq |env.|env[|env |environ[|environ.|environ |config get| config |terraform |tofu |terragrunt |pulumi |gpg|redis-cli |etcdctl |select|awk | s/| s | s#| s,| cut |= k|: k|? =|kubectl | oc ",
  "pass|wort|wd|psk|secret|token|key|auth|dential|signature|ña|senha|oord|hasł|enord|ifre|пар|密|パ|비|u00f6|u00f1|u0142|u015f|u043f|u5bc6|u30d1|ube44",
].map((words) => words.split("|")) as [string[], string[], string[]];

/** A file that holds one secret, by its name or its folder. */
const READS_SECRET =
  / (?:cat|head|tail) (?:\S+ )*?(?:\S*secrets\/[\w./-]+|\S*(?:pass(?:wor[dt]|wd|phrase|code)?|kennwort|pwd|secret|token|auth|[_-]?key)(?:\.(?:txt|secret))?|\S+\.(?:token|pass|secret)) /;

/** Whether a command may ask for a secret, or a tool that is called so. */
function mayAsk(text: string, field: string): boolean {
  for (let at = text.indexOf(field); at !== -1; at = text.indexOf(field, at + 9)) {
    const words = wordsOf(valueBehind(text, at + 6));
    const isAsked = ASKED_FOR.some((word) => words.includes(word));
    if (field === '_name"' ? isAsked : TELLING.some((word) => words.includes(word))) return true;
    if (READS_SECRET.test(words)) return true;
    const asking = isAsked ? ASKING.filter((word) => words.includes(word)) : [];
    if (asking.some((word) => words.includes("$") || !/echo|printf/.test(word))) return true;
  }
  return false;
}

/** The string of JSON that begins behind here. */
function valueBehind(text: string, at: number): string {
  const start = text.indexOf('"', at) + 1;
  let end = start;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return text.slice(start, end);
}

/** A command in small letters, with one blank for all that may stand between its words; too long, it is not read. */
function wordsOf(command: string): string {
  if (command.length > 12_000) return "";
  return ` ${command} `.toLowerCase().replace(/(?:\\[nrt"\\]|["'\s;|&()<>`{}])+/g, " ");
}

/** The path of a file that may hold one secret, or a private key, in small letters; a source file has another ending. */
const SECRET_FILE =
  /secret|\.ssh|(?:pass|wort|wd|psk|token|key|auth|dential|ña|senha|id_)[^/\\]{0,100}$|\.(?:pem|ppk|p8)$/;
const OTHER_ENDING =
  /[^/\\]\.(?!(?:txt|secret|key|token|pass|passwd|password|pem|ppk|p8)$)[^./\\]+$/;

/** Whether a tool use may name such a file. */
function mayName(text: string): boolean {
  for (let at = text.indexOf('le_path"'); at !== -1; at = text.indexOf('le_path"', at + 9)) {
    const path = valueBehind(text, at + 8).toLowerCase();
    if (!OTHER_ENDING.test(path) && SECRET_FILE.test(path)) return true;
  }
  return false;
}

/** What commands have that store what they read from a pipe. */
const mayStore = (text: string): boolean => STORING.some((word) => text.includes(word));
const STORING = [
  "-token",
  "v add ",
  "-stdin",
  "secret",
  "s insert",
  "se-fd",
  "asswd ",
  "kinit ",
  "cryptsetup ",
];
/** Where what they print is written to a file of a secret. */
const TO_SECRET_FILE =
  /(?:cho|printf)[ \\t][^<>|]{0,1500}(?<![-=])>{1,2}(?:[ \\t]){0,16}(?:["'\\]{1,20}|&[a-z#\d;]{2,40};)?[\w$~./{}-]{0,600}?(?:secrets?\/|(?:password|passwd|secret|token|api[_-]?key)(?:\.[a-z]{2,8})?(?![\w./-]))/;

/** Whether an option with a letter of those for secrets stands somewhere behind the word of a command. */
function mayHoldOption(text: string, word: string, letters = "uUbpPakKcE"): boolean {
  if (!text.includes(word)) return false;
  for (let at = text.indexOf("-", text.indexOf(word)); at !== -1; at = text.indexOf("-", at + 1)) {
    if (!isCloser(text, at - 1) && text[at - 1] !== ";") continue; // of `&quot;`
    for (let next = at + 1; next < at + 10 && isTokenCode(text.charCodeAt(next)); next++) {
      if (letters.includes(text[next]!)) return true;
    }
  }
  return false;
}
