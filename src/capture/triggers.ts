/**
 * The cheap look: could a text hold anything that has to be masked? Every hook asks it of its whole payload, in a
 * process that has compiled nothing yet, so there are no regular expressions here, only searches for literals and a
 * closer look where one is found. Never `false` where masking would change something; a test holds it to that.
 */
import { isCloser, isTokenCode, mayAssign } from "./name_triggers.ts";

/** What gives a secret away whose form is its own. */
export interface Clue {
  /** What stands in the mask: `[redacted:<kind>]`; the pattern is found by it. */
  readonly kind: string;
  /** Every match contains one of these; up to six characters, none that JSON escapes. */
  readonly literals: readonly string[];
  /** How many letters, digits, `_` or `-` follow the literal at least; spares false alarms. */
  readonly run: number;
  /** What stands in front of the literal, where it begins with a common letter. */
  readonly lead?: string;
}

/** The kind of what only the option of a command gives away; its masks do not name it. */
export const COMMAND = "command";
/** The same for what a command prints that is asked for a secret. */
export const ASKED = "asked";
/** The same for a password that a command reads from a pipe, or by its place. */
export const PIPED = "piped";

/**
 * In the order of masking. The literals are chosen for speed: the engine skips to a literal's first letter, and a rare
 * one ("K", "_") costs a tenth of a common one ("s", "e"). Those of Discord are how a number in base64 can begin.
 */
// deno-fmt-ignore: the table would not leave room for what looks it up
export const CLUES: readonly Clue[] = [
  { kind: "github-token", run: 30, literals: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"] }, { kind: "jwt", run: 8, lead: "e", literals: ["yJ"] },
  { kind: "aws-access-key", run: 16, literals: ["AKIA", "ASIA"] }, { kind: "gcp-api-key", run: 35, literals: ["AIza"] },
  { kind: "azure-sas", run: 0, lead: "si", literals: ["g="] }, { kind: "url-signature", run: 0, literals: ["z-Sign", "g-Sign", "&Sign", "AWS4-H"] },
  { kind: "encoded-private-key", run: 30, literals: ["LS0tLS"] }, { kind: "age-key", run: 50, literals: ["KEY-1"] },
  { kind: "github-pat", run: 20, literals: ["_pat_", "_oat_"] }, { kind: "gitlab-token", run: 23, literals: ["gl"] },
  { kind: "gitlab-token", run: 20, literals: ["GR1348"] }, { kind: "slack-token", run: 4, literals: ["xox", "xapp-"] },
  { kind: "slack-webhook", run: 0, literals: ["k.com/"] }, { kind: "discord-webhook", run: 17, literals: ["hooks/"] },
  { kind: "teams-webhook", run: 0, literals: ["gWebho"] }, { kind: "zapier-webhook", run: 0, literals: ["zapier"] },
  { kind: "stripe-key", run: 10, literals: ["_live_", "_test_"] }, { kind: "stripe-webhook-secret", run: 24, literals: ["whsec_"] },
  { kind: "sendgrid-key", run: 16, literals: ["SG."] }, { kind: "anthropic-key", run: 20, literals: ["k-ant-"] },
  { kind: "pypi-token", run: 40, literals: ["-AgE"] }, { kind: "openai-key", run: 20, lead: "s", literals: ["k-"] },
  { kind: "npm-token", run: 36, literals: ["pm_"] }, { kind: "digitalocean-token", run: 64, literals: ["_v1_"] },
  { kind: "huggingface-token", run: 30, literals: ["hf_"] }, { kind: "twilio-key", run: 32, literals: ["SK"] },
  { kind: "discord-token", run: 20, literals: ["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"] },
  { kind: "vault-token", run: 20, literals: ["vs.", "vb."] }, { kind: "google-token", run: 20, literals: ["ya29."] },
  { kind: "atlassian-token", run: 20, literals: ["ATATT", "ATCTT"] }, { kind: "jwk", run: 0, literals: ["kty"] },
  { kind: "smtp-login", run: 0, literals: ["TH PLA", "TH LOG", "TH XOA", "th PLA", "th LOG"] }, { kind: "linear-key", run: 30, literals: ["_api_"] },
  { kind: "shopify-token", run: 35, literals: ["hp"] }, { kind: "setting", run: 0, literals: ["ENV ", "gure s"] },
  { kind: "configured", run: 0, lead: "Secure", literals: ["String"] }, { kind: "configured", run: 0, lead: "IDENTI", literals: ["FIED "] },
  { kind: "configured", run: 0, lead: "identi", literals: ["fied "] }, { kind: "configured", run: 0, literals: ["Jwt", "JWT", "creds:", "creds ", "Creds:",
    "Creds ", "g in a", "d in a", "> AUTH", "> auth", "qlplus", "qlldr", "nv:set", "fig:set", "freerd", "bw unl", "mc ali", "e:thin", "e:oci", "lt log",
    "go log", "net us", "m push", "t push"] },
  { kind: "placed", run: 0, literals: ["jwt.", "JWT.en", "JWT.de", "JWT.si", "JWT.ve", "Hmac(", "HMAC.h", "HMAC.d", "HMAC.b", "HMAC.n", "_hmac(",
    "HMAC2", "HMAC3", "HMAC5", "HMACSH", "KeySpe", "Key::f", "kdf2(", "kdf2Sy", "Fernet", "PDO(", "qli(", "qli_", "->real", "ql.con", "g2.con",
    "QLdb.c", "_auth", "BasicA", "PT_USE", "YUSERP", "PT_PAS", "PT_XOA", "PT_KEY", "Fi.beg", ".auth(", ".login", "Client", "Stripe", "OpenAI"] },
  { kind: "placed", run: 0, lead: "mac", literals: [".new(", ".New("] }, { kind: "placed", run: 0, lead: "create", literals: ["Cipher", "Deciph"] },
  { kind: "placed", run: 0, lead: "Network", literals: ["Creden"] }, { kind: "placed", run: 0, lead: "Password", literals: ["Creden", "Authen"] },
  { kind: "placed", run: 0, lead: "ricSecurity", literals: ["Key("] }, { kind: "placed", run: 0, lead: "Sha", literals: ["KeyFor"] },
  { kind: "placed", run: 0, lead: "Signed", literals: ["String"] }, { kind: "placed", run: 0, lead: "Manager.get", literals: ["Connec"] },
  { kind: "placed", run: 0, lead: "cookie", literals: ["Parser"] }, { kind: "placed", run: 0, lead: "s", literals: ["crypt"] },
  { kind: "placed", run: 0, lead: "to", literals: ["CharAr"] }, { kind: "configured", run: 0, lead: "o", literals: ["gin w", "gin: "] },
  { kind: "configured", run: 0, lead: " ", literals: ["+@", "~*"] }, { kind: "configured", run: 0, lead: "SET", literals: ["USER "] },
  { kind: "configured", run: 0, lead: "set", literals: ["user "] }, { kind: "configured", run: 0, lead: "from", literals: ["-liter"] },
  { kind: "configured", run: 0, lead: ":", literals: ["543", "6432:", "*:"] }, { kind: ASKED, run: 0, literals: ["mmand\"", "_name\"", "e_path"] },
  { kind: "square-token", run: 26, literals: ["q0"] }, { kind: "telegram-token", run: 30, lead: ":", literals: ["AA"] },
  { kind: "bearer-token", run: 0, literals: ["Bearer", "bearer", "BEARER"] }, { kind: "url-password", run: 0, literals: ["://"] },
  { kind: "dsn-password", run: 0, literals: ["@tcp(", "@unix("] }, { kind: "configured", run: 0, lead: "add", literals: ["-gener", "-intern"] },
  { kind: "paseto", run: 60, literals: [".local.", ".public."] }, { kind: "password-hash", run: 0, literals: ["$2a$", "$2b$", "$2x$", "$2y$", "$apr1$",
    "$argon", "$5$", "$6$", "$y$"] }, { kind: "service-token", run: 60, lead: "n", literals: ["api_"] },
  { kind: "service-token", run: 36, literals: ["sdk-", "mob-", "api-"] }, { kind: COMMAND, run: 0, literals: ["curl", "ysql", "qlcmd", "mariad",
    "hpass", "mongo", "login", "mbclie", "penssl", "twine", "useradd", "usermod", "7z"] }, { kind: COMMAND, run: 0, lead: "redis", literals: ["-cli"] },
  { kind: PIPED, run: 0, literals: ["hpassw", "htpass", "wd --s"] }, { kind: PIPED, run: 0, lead: "word", literals: ["-stdin"] },
  { kind: PIPED, run: 0, lead: "To-Secure", literals: ["String"] }, { kind: PIPED, run: 0, lead: "sudo ", literals: ["-S"] },
  { kind: PIPED, run: 0, literals: ["|", "<<<"] }, { kind: "service-token", run: 27, literals: ["SPX-", "1//0", "dapi", "v1.", "bp_", "cret_", "ys_",
    "yu_", "key-", "IPAT_", "kua_", "AK-", "gems_", "pscale", "pul-", "1_", "gd_", "ntn_", "ATBB", "xai-", "8_", "NRI", "NRRA-", "EZAK", "EZTK", "AKID",
    "AQVN", "vly-", "re_", "aio_", "cio", "fc-"] }, { kind: "service-token", run: 36, literals: ["ABSK", "AKCp", "VmdGtu", "HRKU-", "fp_", "vc", "y2",
    "JARS_", "gp_", "qu_", "qp_", "qa_", "pn", "vapi-", "jina_", "2b_", "v2_", "EAA", "xkeys", "xsmtp", "x_", "hc_", "me_", "-u-", "ATTA", "key_",
    "CFPAT-", "0_", "cf", "k_", "x-"] }, { kind: "service-token", run: 16, literals: ["LTAI", "FLWSEC", "fw_", "-produ", "-sandb", "k-api-", "b_rw_"] },
  { kind: "service-token", run: 24, lead: "dt", literals: ["0c01."] }, { kind: "service-token", run: 32, lead: "i", literals: ["co-"] },
  { kind: "service-token", run: 27, lead: "rn", literals: ["d_"] }, { kind: "service-token", run: 12, lead: "np", literals: ["g_"] },
  { kind: "service-token", run: 34, lead: "d", literals: ["bt"] }, { kind: "service-token", run: 3, literals: ["yk_", "AZDO"] },
  { kind: "service-token", run: 0, literals: ["Q~", "dp.", "fm2_", "NRAL", "-us", "pat", "sl.", "$produ", "$sandb"] },
];

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
  return mayHoldBlock(serialized, lowered) || mayAssign(lowered) || hasClue(serialized) ||
    patterns.some((pattern) => mayMatch(pattern, lowered));
}

/** The same for the user's own patterns alone, where the built-in kinds are masked already. */
export function mayMatchOwn(serialized: string, patterns: readonly RegExp[]): boolean {
  const lowered = serialized.toLowerCase();
  return patterns.some((pattern) => mayMatch(pattern, lowered));
}

/** Whether a text may hold a secret of the built-in kinds that is no private key. */
export function mayHoldSecret(text: string): boolean {
  return mayAssign(text.toLowerCase()) || hasClue(text);
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
function isFollowed(text: string, literal: string, { kind, run, lead = "" }: Clue): boolean {
  if (literal === "://") return mayHoldUserInfo(text);
  if (kind === COMMAND) return mayHoldOption(text, lead + literal);
  if (kind === ASKED) return literal === "e_path" ? mayName(text) : mayAsk(text, literal);
  if (literal.toLowerCase() === "jwt") return text.lastIndexOf("Key") > text.indexOf(literal);
  if (literal === "|") return (text.includes("cho ") || text.includes("printf")) && mayStore(text);
  if (literal === "<<<") return mayStore(text);
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1)) {
    if (lead !== "" && !text.startsWith(lead, at - lead.length)) continue;
    const start = at + literal.length;
    if (run === 0 && !isShaped(text, start, literal)) continue;
    if (isRun(text, start, run)) return true;
  }
  return false;
}

/** A name with a password beside it, what it is told by, and how a literal may begin in a call. */
const LOGIN = /^(?:ith {1,4}| {0,3})[\w.+@-]{1,125}(?::| \/ )[^\s\\]{8}/;
const WITH = /^s .{1,300}? (?:with|using) /s;
const OPENED = /^\(["'\\\r\n<&-]/;
/** What follows the shortest literals and those that other things have, too, by them in small letters. */
// deno-fmt-ignore
const FOLLOWING: Readonly<Record<string, RegExp>> = {
  "dp.": /^..\./s, "543": /^.:/s, "$produ": /^.{5}\$/s, "$sandb": /^..\$/s, "fied ": /^[bw]/i, "gin w": LOGIN, "gin: ": LOGIN,
  "g in a": WITH, "d in a": WITH, "creds:": /^[ \t\\].{0,160}[:/]/s, "creds ": /^-.{0,160}[:/]/s, "crypt": /^[(S]/,
  ".auth(": /^["'\\\r\n<&-]/, ".login": OPENED, "stripe": OPENED, "openai": OPENED, "_auth": /(?!)/,
  // Two texts, the second as long as what is drawn by lot.
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
  "token create|token lookup|token generate|print token|tokens create|account keys list|acr credential|expose-token|keyvault secret|versions access|get-secret-value|with-decryption|get-login-password|" +
  "print-access-token|print-identity-token|auth token|find-generic-password|find-internet-password|user-secrets list|credentials:show|rails secret|key:generate|phx.gen.secret|openssl rand|pwgen|apg|makepasswd|" +
  "mkpasswd|pwqgen|pwmake|gen-random|/dev/random|/dev/urandom|token_hex|token_urlsafe|token_bytes|randombytes|securerandom|random_bytes|get_random_secret_key|generate_key|random.choice| wg |/run/secrets/|.vault-token|join-token|api/token",
  "printenv|echo|printf|jsonpath|template|-field|config:get| jq | yq |env.|env[|env |environ[|environ.|environ |config get| config |terraform |tofu |terragrunt |pulumi |gpg|redis-cli |etcdctl |select|awk | s/| s | s#| s,| cut |= k|: k|? =|kubectl | oc ",
  "pass|wort|wd|psk|secret|token|key|auth|dential|signature|ña|senha|oord|hasł|enord|ifre|пар|密|パ|비|u00f6|u00f1|u0142|u015f|u043f|u5bc6|u30d1|ube44",
].map((words) => words.split("|")) as [string[], string[], string[]];

/** Whether a command may ask for a secret, or a tool that is called so. */
function mayAsk(text: string, field: string): boolean {
  for (let at = text.indexOf(field); at !== -1; at = text.indexOf(field, at + 9)) {
    const words = wordsOf(valueBehind(text, at + 6));
    const isAsked = ASKED_FOR.some((word) => words.includes(word));
    if (field === '_name"' ? isAsked : TELLING.some((word) => words.includes(word))) return true;
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
const STORING = ["-token", "v add ", "-stdin", "secret", "s insert", "se-fd", "asswd "];

/** Whether an option with a letter of those for secrets stands somewhere behind the word of a command. */
function mayHoldOption(text: string, word: string): boolean {
  if (!text.includes(word)) return false;
  for (let at = text.indexOf("-", text.indexOf(word)); at !== -1; at = text.indexOf("-", at + 1)) {
    if (!isCloser(text, at - 1) && text[at - 1] !== ";") continue; // of `&quot;`
    for (let next = at + 1; next < at + 10 && isTokenCode(text.charCodeAt(next)); next++) {
      if ("uUbpPakKcE".includes(text[next]!)) return true;
    }
  }
  return false;
}
