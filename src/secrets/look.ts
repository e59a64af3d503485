/**
 * The cheap look decides whether a text may need masking. Every hook runs it over its whole payload: one simple
 * expression, and a stricter one where the first finds a secret's name. Tests run it on every row of the tables.
 */
import { DISGUISED, NAME_PARTS, ODD_RUN, SECRET_WORD, SUFFIX } from "./secret_names.ts";

const r = String.raw;
/** Literals that point to a secret. A common literal has a pattern that must match as well. */
const SIGNS: ReadonlyMap<string, RegExp | null> = new Map<string, RegExp | null>([
  // Tokens that `ANY` does not find as runs, because they are short or contain dots.
  ...["q~", "xapp-", "eyj", "@tcp(", "@unix("].map((literal) => [literal, null] as const),
  ["xox", /xox[a-z][-.]/],
  ...["1/", "2/"].map((literal) => [literal, /[12]\/\d{10}/] as const),
  [":aa", /\d{8}:aa[\w-]{30}/],
  ["st.", /st\.[\da-f]{24}\./],
  ["_live_", null],
  ["_test_", /[sr]k_test_/],
  // Addresses.
  ["://", /:\/\/[^\s/"]{0,460}@/],
  ["sig", /sig(?:nature)?\\?["']?\s?[=:]/],
  ["code=", /code=[\w.~%/-]{20}/],
  ["appid=", null],
  ["hook", /hooks\.slack|\/webhooks\/|incomingwebhook|hooks\.zapier/],
  ...["/magic", "/reset", "/invit", "/verif", "/activat", "/confirm"]
    .map((literal) =>
      [literal, /\/(?:magic|reset|invit|verif|activat|confirm)[a-z-]{0,12}\/[\w-]{10}/] as const
    ),
  // Hashes, headers, keys, files.
  ["$", /\$2[abxy]\$|\$apr1\$|\$argon2|\$[5689y]\$/],
  ...["bearer", "cookie", "kty", "identified ", "mnemonic", "securestring", "setuser"]
    .map((literal) => [literal, null] as const),
  ["sensitive", /sensitive\\?": ?true/],
  ["0x", /0x[\da-f]{64}/],
  [":543", /:543\d:/],
  [":6432:", null],
  [":*:", null],
  [" * \\", null],
  ["\\t*", null],
  ["expect ", /expect \\{0,3}["'{-]/],
  ["user ", /\\n\s{0,8}user \S|"user |user [\w.@-]{1,60} (?:on|reset) /],
  ["jwt", /jwt\w{0,20}\\{0,7}"?\s{0,4}[:=]/],
  ["creds", /creds(?: [^":]{1,33})?(?: is|:) |creds ?=/],
  ["login", /login(?: [^":]{1,33})?(?: is|:) |login\(/],
  ...["log in ", "log on ", "log into ", "logged in ", "sign in ", "signin"].map((literal) =>
    [literal, null] as const
  ),
  // Calls that sign, encrypt or log in.
  ...(
    "jwt.|hmac|createcipher|createdecipher|keyspec|cookieparser|fernet(|crypt|pbkdf2|aes.new|securitykey(|signedstring|pdo(|pdo->|credentials(|" +
    "+acr|mlsn.|add-mask|?key=|&key=|sha}|oracle:thin:|rsakeyvalue|accessor|unseal|certificate-k|" +
    "mysqli|getconnection|usernamepass|_user(|_superuser(|createuser|sequelize(|wifi.begin"
  ).split("|").map((literal) => [literal, null] as const),
  ["connect(", /connect\(\s{0,20}\\{0,7}["'$\w]/],
  ["insert", /insert\s{1,8}into/],
  // Private text and keys.
  ["private", /private key|private-lines|(?:<|3c;?|lt;|60;)[\s\\/%&#;+\da-fx]{0,16}private/],
  ["\\u0000", null],
  ...["<<<", "configure set", "config set", "config:set"].map((literal) =>
    [literal, null] as const
  ),
]);

/** Programs that take a secret as an option or an argument. */
const PROGRAMS = (
  "curl|wget|http -|https -|xh |7z|rar x|rar e|rar a|rar -|zip |bcp |sqlcmd|twine|helm |cqlsh|nuget|plink|pscp|putty|doctl|surge|etcdctl|ftp|mount -|mount.cifs|gpg|gem |" +
  "mysql|mariadb|mosquitto|sshpass|supabase|skopeo|useradd|mongo|ldap|freerdp|codecov|railway|redis|clickhouse|" +
  "smbclient|openssl|htpasswd|keygen|sqlplus|sqlldr|expdp|impdp|docker|podman|nerdctl|login|stdin|sudo -s|ngrok|cloudflared|" +
  "tailscale|rdesktop|jmxterm|ipmitool|snmp|rootpw|wpa_passphrase|fly |flyctl|from-literal|rabbitmqctl|http-basic|pypi-token|bundle config|security |env:set|env add|versions add|vault|mc |net use|" +
  "user-secrets|chpasswd|bw |kinit|cryptsetup|setx "
).split("|");
/** The program `usermod`, apart from the field `userModified` that Claude Code adds to every edit. */
const USERMOD = /usermod(?!ified":)/;
/** A sign that one of these programs has an argument. */
const ARGUMENT =
  /["'\s,[]-{1,2}[a-z]|\/p:|\|\s|[\w$]\/\S{0,100}[@\d]|add_user|change_password|http-basic|bundle config|alias set|net use|login |unlock |env:set|setx |secret[ :]|<<|kv p/;
/** Words in commands that print a secret. */
const PRINTING = (
  "printenv|secret|token|pass|vault|op read|op item|terraform|tofu |terragrunt|pulumi|get-login|decryption|configure get|keyvault|" +
  "keys list|credential show|gcloud|heroku|doppler|railway|chamber|bw get|rbw get|lpass|keyring|credstash|keepassxc|ansible-vault|" +
  "sops |rails credentials|artisan|openssl rand|pwgen|apg|mkpasswd|pwqgen|gen-random|wg genkey|wg genpsk|wg show|/random|urandom|" +
  "randombytes|random_bytes|securerandom|config get|swarm|argocd|env.|env[|env("
).split("|");

/** The literals as one expression, each before its beginnings; one call escapes all, since each call costs time. */
const LITERALS = [...NAME_PARTS, ...SIGNS.keys()].sort().reverse()
  .join("\n").replace(/[$()*+.?[\\\]^{|}]/g, r`\$&`).replaceAll("\n", "|")
  // Claude Code sends its permission mode, such as `bypassPermissions`, with every event.
  .replace("|pass|", '|pass(?!permissions")|');
/** Matches a literal, or a run of letters and digits that may be a token. */
const ANY = new RegExp(r`(?<![\w-])[\w-]{16,}|${LITERALS}`, "g");
/** Matches a whole name of a secret; compiled at first use. */
let wholeName: RegExp | undefined;
/** Joined words, as in names of programs and paths: `getSessionIDFrom2ndPath`. */
const WORDS =
  r`[a-z]*(?:[A-Z]{1,5}[a-z]{2,}|[A-Z]{0,4}(?:A[nst]|By|Do|Go|I[dfnst]|My|No|O[fnr]|To|Up))*[A-Z]{0,6}`;
const NAME = r`${WORDS}(?:\d{1,2}${WORDS})?`;
/** Matches joined names of which one part may be random (`-home-ana-build-3f9a2c41-api`); compiled at first use. */
let names: RegExp | undefined;
/** Ids that are no secrets: of sessions, tool uses, messages, commits. */
const ID =
  /^(?:(?:(?:srv)?toolu|msg|req)_\w+|(?:\d[\d-]*-)?[\da-f]{8}-[\da-f-]{27}|[nrt]?[\da-f]+|\d[\d-]*)$/;

/** Beginnings of tokens, for tokens that look like names by chance; the last is any short word before a long part. */
const BRAND = new RegExp(
  r`(?:gl[a-z]{1,6}|xox[a-z]|xapp|sk|sq0[a-z]{3}|GOCSPX|NRI[IQ]|a[ks]|ico|sdk|xa[a-z]t|api|mob|access|pat|secret|tvly|tskey|HRKU)-|` +
    r`(?:npg|dckr_[op]at|whsec|glsa|re|vercel_blob_rw|persona_[a-z]{7,10}|dbt[cu]|tgp_v1|sb_secret|github_pat)_|` +
    r`\b(?:s|snyk_[us]at|api_live|api_sandbox|dp\.[a-z]t|pat[A-Za-z\d]{14}|pat)\.|LTAI|AKID|ATBB|AIza|AQVN|cio|` +
    r`(?:^|[^A-Za-z\d])[a-z\d]{2,6}[_-][A-Za-z\d]{20,}$`,
);

function isOdd(serialized: string, start: number, end: number): boolean {
  const run = serialized.slice(start, end);
  const isRandom = ODD_RUN.test(run) && !ID.test(run);
  names ??= new RegExp(
    r`^(?:${NAME}[-_])*(?:${NAME}|[\da-f]{1,16})(?:[-_]${NAME})*$`,
  );
  if (isRandom && !names.test(run)) return true;
  return (isRandom || run.length === 64) &&
    BRAND.test(serialized.slice(Math.max(0, start - 24), end));
}

/** Whether `redactValue()` may change a value. @param serialized The value's JSON, in which no letter is escaped. */
export function needsRedaction(serialized: string, patterns: readonly RegExp[]): boolean {
  if (isSuspect(serialized) || mayMatchOwn(serialized, patterns)) return true;
  if (!serialized.includes("\\u001b") && !serialized.includes("\\u001B")) return false;
  // The sequences that `colours.ts` removes, as JSON escapes them.
  const colours =
    /\\u001b\[[0-9;?]*[a-z]|\\u001b\](?:[^\\"]|\\(?!u00(?:07|1b)))*(?:\\u0007|\\u001b\\\\)/gi;
  const plain = serialized.replace(colours, "");
  return isSuspect(plain) || mayMatchOwn(plain, patterns);
}

function isSuspect(serialized: string): boolean {
  const lowered = serialized.toLowerCase();
  // Each literal is checked once, and names are checked once for all.
  const checked = new Set<string>();
  ANY.lastIndex = 0;
  for (let found = ANY.exec(lowered); found !== null; found = ANY.exec(lowered)) {
    const { 0: whole, index } = found;
    // Another name or literal may begin within the match.
    ANY.lastIndex = index + 1;
    const pattern = SIGNS.get(whole);
    if (pattern === undefined && whole.length >= 16) {
      if (isOdd(serialized, index, index + whole.length)) return true;
      continue;
    }
    const subject = pattern === undefined ? "name" : whole;
    if (checked.has(subject)) continue;
    checked.add(subject);
    if (pattern === null || (pattern === undefined ? holdsName(lowered) : pattern.test(lowered))) {
      return true;
    }
  }
  return mayRunProgram(lowered) || DISGUISED.test(lowered);
}

/** Whether a command may pass a secret to a program or make it print one. */
function mayRunProgram(lowered: string): boolean {
  const at = lowered.indexOf('"command":"');
  if (at !== -1) {
    const command = lowered.slice(at + 11, at + 11 + MAX_COMMAND_CHARS);
    const [own = ""] = /^(?:[^"\\]|\\.)*/.exec(command) ?? [];
    if (PRINTING.some((word) => own.includes(word))) return true;
  }
  return ARGUMENT.test(lowered) &&
    (PROGRAMS.some((program) => lowered.includes(program)) || USERMOD.test(lowered));
}

/** The part of a command that is read, in characters of JSON. */
const MAX_COMMAND_CHARS = 8_000;
/** Whether a text holds a whole secret name, or one whose values follow later: a list, a form field. */
function holdsName(lowered: string): boolean {
  wholeName ??= new RegExp(r`${SECRET_WORD}${SUFFIX}(?![a-z\d_-])\\{0,7}["']?(?![.;?!/])`);
  // The `t` of an escaped tab belongs to no name, but in `\\token` it does: both readings count.
  return wholeName.test(lowered.replace(/\\[nrt]/g, "  ")) || wholeName.test(lowered) ||
    SPREAD.test(lowered);
}

const SPREAD =
  />\s?\S{0,200}secrets?\/|(?:secrets|passwords|tokens|credentials|keys)\\{0,7}["']?\s{0,3}[:=]\s{0,3}[[{\\]|pass\w{1,16}\\{0,7}["']?[^;]{0,30}?\.(?:type|fill|send|set|tobe|toequal)/;

/** Does {@linkcode needsRedaction} for the user's own patterns alone, after the built-in forms were masked. */
export function mayMatchOwn(serialized: string, patterns: readonly RegExp[]): boolean {
  if (patterns.length === 0) return false;
  const lowered = serialized.toLowerCase();
  return patterns.some((pattern) => mayMatch(pattern, lowered));
}

/** Searches for the literal beginning of a user's pattern. A pattern without one, or with `|`, may match anywhere. */
function mayMatch(pattern: RegExp, lowered: string): boolean {
  const { source, flags } = pattern;
  const [, literal = "", next = ""] = /^(?:\\b|\^)?([\w:@=/ -]*)(.?)/s.exec(source) ?? [];
  const required = /[?*{]/.test(next) ? literal.slice(0, -1) : literal;
  if (required.length < 3 || source.includes("|") || /[iuv]/.test(flags)) return true;
  return lowered.includes(required.toLowerCase());
}
