/** `gh secret set NAME --body word`: what a command stores as a secret, and what files of logins hold, known by their own words. */
import { type Form, mayMatch } from "./forms.ts";
import { isChosen, isDrawn, isScrambled } from "./secret_runs.ts";
import { isNoSecret, isRandom, isValueLike, NO_ENTRY, VALUE_MASK } from "./secret_names.ts";
import {
  BLANKS,
  FIELD,
  GAP,
  LINE,
  LINE_START,
  PORT,
  POSTGRES,
  QUOTE,
  SETTINGS,
  START,
  VALUE,
} from "./settings.ts";

const MASK = "[redacted:setting]";
/** ACL SETUSER ana on >word, and in a file user ana on >word ~* +@all */
const REDIS_USER: Form = {
  hints: ["setuser", " +@", " ~*"],
  pattern: String
    .raw`((?:(?:SETUSER|setuser)|${LINE_START}user(?=[^\r\n]{0,300}[ ](?:\+@|~\*)))${BLANKS}(?:[^\s>;"'\\]{1,100}${BLANKS}){2,12}>)${VALUE}`,
};
/** What is also said of these commands: only what looks like a secret is one. */
const SAID: Form = {
  hints: ["vault", "cargo", "unlock", "net ", "net\t", "push", "ngrok", "snyk"],
  pattern: String
    .raw`(${START}(?:(?:vault|cargo)${BLANKS}login|bw${BLANKS}unlock|snyk${BLANKS}auth|net${BLANKS}user${BLANKS}[\w.-]{1,64}|gem${BLANKS}push${LINE}{0,200}?[ \t](?:-k|--key)|nuget${BLANKS}push${LINE}{0,200}?[ \t](?:-k|--api-key)|ngrok${BLANKS}(?:authtoken|config${BLANKS}add-(?:authtoken|api-key)))${BLANKS}(?:${QUOTE})?)([^\s"'\\;|&<>]{8,400})`,
};
/** mc alias set x https://host id word: the id where it was drawn by lot. */
const MC_ID: Form = {
  hints: ["mc ", "mc\t"],
  pattern: String
    .raw`(${START}mc${BLANKS}(?:alias${BLANKS}set|config${BLANKS}host${BLANKS}add)${BLANKS}[\w-]{1,60}${BLANKS}https?://[^\s"']{1,200}${BLANKS}(?:${QUOTE})?)([\w-]{16,128})(?=(?:${QUOTE})?${BLANKS})`,
};
/** The same on a line with other words, where it looks like a secret. */
const WITHIN: Form = {
  hints: POSTGRES,
  pattern: String
    .raw`((?=${PORT})(?<=(?:^|[\s(=\x60>])[^\s:"'\x60\\(=]{1,100})${PORT}(?!\d)${FIELD}:(?!\d)${FIELD}:)([^\s:"'\x60\\]{1,200})(?=[\s\x60])`,
};

/** `login with admin:word`, `Login: admin / word`; the signs that JSON writes otherwise are none of it. */
const LOGIN_VALUE = String.raw`[\w!#$%&()*+,./:;=?@[\]^{}~-]{6,128}(?=$|[\s"'\x60<\\])`;
/** Not a shorter one, where the same is written of other things. */
const LONG = String.raw`(?=[^\s"'\x60<\\]{8})`;
const PASSWORD = String.raw`(?:[pP]ass(?:word|wd|phrase)?|pwd?|PW)`;
const USER = String.raw`[\w.+-]{1,64}(?:@[\w.-]{1,60})?`;
const MARK = String.raw`(?:\\{0,7}["'\x60])?`;
const LOGINS: readonly Form[] = [
  {
    hints: ["login with", "login:", "login is"],
    pattern: String.raw`(${START}[lL]ogin(?: with|:| is) {1,4}${USER}(?::| \/ ))(${LOGIN_VALUE})`,
  },
  // log in as joe with word
  {
    hints: ["in as "],
    pattern: String
      .raw`([lL]og(?:ged)?[ -]?in as ${USER} (?:with|using) (?:(?:the )?password )?${MARK})${LONG}(${LOGIN_VALUE})`,
  },
  // bob@x.com:word, bob@x.com / word
  {
    hints: ["@"],
    pattern: String
      .raw`((?<=^|[\s"'\x60>(]|\\[nrt])[\w.+-]{1,64}@[a-z\d-]{1,60}(?:\.[a-z\d-]{1,60}){0,4}\.[a-z]{2,12}(?::| \/ ))(?![^\s]{0,128}\/)${LONG}(${LOGIN_VALUE})`,
  },
  // credentials: bob@x.com / word, user/pass: admin/word
  {
    hints: ["creds", "credentials:", "/pass:"],
    pattern: String
      .raw`(${START}(?:[cC]reds(?::|[ ]-)|(?:[cC]redentials|[uU]ser(?:name)?\/[pP]ass):)[ \t]{1,4}${MARK}${USER}${MARK}[ \t]{0,2}[:/][ \t]{0,2}${MARK})(${LOGIN_VALUE})`,
  },
];
/** A password that is told with its login, in a row with other settings, or of something. */
const PASSWORDS: readonly Form[] = [
  // user joe, password word; username: joe and pw word
  {
    hints: ["user", "login"],
    pattern: String
      .raw`(${START}(?:[uU]ser(?:[ _-]?name)?|[lL]ogin)(?:[:=][ ]?|[ ]{1,3})${MARK}[\w.+@-]{1,40}${MARK}(?:[,;]|[ ](?:and|with)|[ ]\/)?[ ](?:the[ ])?${PASSWORD}[ :=]{1,3}${MARK})(${LOGIN_VALUE})`,
  },
  // host h, password word, port 5432
  {
    hints: ["password", "passwd", "passphrase"],
    pattern: String
      .raw`((?:[,;][ ]|${LINE_START})[pP]ass(?:word|wd|phrase)[ ]{1,3}${MARK})(${LOGIN_VALUE})(?<=[,;])`,
  },
  // password for the staging box - word
  {
    hints: ["password", "passwd", "passphrase", "pw"],
    pattern: String
      .raw`(${START}${PASSWORD}[ ](?:for|of|to|on)[ ][\w' .\/@-]{1,60}?[ ](?:[-–—]|->)[ ]${MARK})(${LOGIN_VALUE})`,
  },
];
/** the key is word, my PAT is word: where it was drawn by lot. */
const SAID_KEY: Form = {
  hints: ["key is", "pat is", "pat:"],
  pattern: String
    .raw`((?<![\w-])(?:(?:${NO_ENTRY}[kK]ey|PAT) is|PAT:) {1,4}${MARK})([\w!#$%&()*+,./:;=?@[\]^{}~-]{16,256})`,
};
/** The private keys of chains of blocks, one or a row of them, known by what they are called, for hashes look the same. */
const HEX_KEY = String.raw`(?:0x)?[\da-f]{64}(?!\w)`;
const HEX_KEYS = String
  .raw`${HEX_KEY}(?:${MARK}(?:,|[ ]and)${GAP}${MARK}${HEX_KEY}){0,20}`;
const PRIVATE_KEY = String
  .raw`(?:priv(?:ate)?|secret|wallet|sign(?:er|ing)|deployer)[ _-]?key`;
const PRIVATE_KEYS: readonly Form[] = [
  // my private key is 0x…, the wallet key of joe: …
  {
    hints: ["key"],
    pattern: String
      .raw`(${PRIVATE_KEY}s?${MARK}(?:(?:[ ](?:for|of)[ ][\w' .#-]{1,40}?)?[ ]{0,4}(?:[:=]|->|[ ](?:is|was|are|to)[ ]):?)?[ ]{0,4}${MARK})(${HEX_KEYS})`,
  },
  // 0x… is my private key
  {
    hints: ["key"],
    pattern: String
      .raw`(${START})(${HEX_KEY})(?=${MARK}[ ](?:as|is)[ ](?:an?|the|my|our)[ ](?:[\w']{1,20}[ ])?${PRIVATE_KEY})`,
  },
  // accounts: ["0x…"]
  {
    hints: ["accounts"],
    pattern: String.raw`(\baccounts${MARK}${GAP}[:=]${GAP}\[${GAP}${QUOTE}(?=0x))(${HEX_KEYS})`,
  },
];
/** No word, no version and no name of an image. */
const DRAWN = /^[a-z]+\d[a-z\d]*$|[!#$%^&*?~]|^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)/;

/** "Jwt": { "Key": "…" }, where it looks like a secret. */
const SIGNING: Form = {
  hints: ["jwt"],
  pattern: String
    .raw`(${QUOTE}(?:Jwt|JWT)\w{0,12}${QUOTE}${GAP}:${GAP}\{[^{}]{0,400}?${QUOTE}\w{0,20}Key${QUOTE}${GAP}:${GAP}${QUOTE})([^\s"'\\]{16,400})(?=${QUOTE})`,
};

/** What ends the sentence that a value stands in, and is none of it. */
const SENTENCE_END = /[.,;:)]*$/;

/** Forms with one rule for what of their values is a secret. */
interface Group {
  readonly forms: readonly Form[];
  readonly flags: string;
  readonly isSecret: (value: string) => boolean;
  readonly isInSentence?: boolean;
  /** What stands for the secret; without it, that of a setting. */
  readonly mask?: string;
}

/** In the order of masking. */
const GROUPS: readonly Group[] = [
  { forms: SETTINGS, flags: "gi", isSecret: (value) => !isReference(value) },
  { forms: [REDIS_USER], flags: "g", isSecret: (value) => !isReference(value) },
  { forms: [SAID], flags: "gi", isSecret: (value) => isValueLike(value) || isRandom(value) },
  { forms: [MC_ID], flags: "g", isSecret: (value) => isRandom(value) || isScrambled(value) },
  { forms: [WITHIN], flags: "gi", isSecret: isValueLike, isInSentence: true },
  { forms: [SIGNING], flags: "g", isSecret: isSigning },
  { forms: [SAID_KEY], flags: "g", isSecret: isSaidKey, isInSentence: true, mask: VALUE_MASK },
  { forms: PRIVATE_KEYS, flags: "gi", isSecret: () => true, mask: VALUE_MASK },
  {
    forms: PASSWORDS,
    flags: "g",
    isSecret: isLogin,
    isInSentence: true,
    mask: "[redacted:password]",
  },
  { forms: LOGINS, flags: "g", isSecret: isLogin, isInSentence: true },
];

/** The text with those secrets masked. */
export function maskConfigured(text: string): string {
  groups ??= GROUPS.flatMap(({ forms, flags, ...rule }) =>
    forms.map(({ hints, pattern }) => ({ ...rule, hints, form: new RegExp(pattern, flags) }))
  );
  const lowered = text.toLowerCase();
  return groups.filter((group) => mayMatch(group, lowered)).reduce(
    (masked, { form, isSecret, isInSentence = false, mask = MASK }) =>
      masked.replace(form, (whole, kept: string, value: string) => {
        if (!isSecret(value)) return whole;
        return kept + mask + (isInSentence ? SENTENCE_END.exec(value)![0] : "");
      }),
    text,
  );
}
let groups:
  | readonly (Omit<Group, "forms" | "flags"> & Pick<Form, "hints"> & { readonly form: RegExp })[]
  | undefined;

function isLogin(value: string): boolean {
  const bare = value.replace(SENTENCE_END, "");
  return (DRAWN.test(bare) || isChosen(bare)) && isValueLike(bare);
}

function isSaidKey(value: string): boolean {
  const bare = value.replace(SENTENCE_END, "");
  return bare.length >= 16 && isDrawn(bare) && isValueLike(bare);
}

function isSigning(value: string): boolean {
  return value.length >= 16 && (isValueLike(value) || isScrambled(value));
}

/** Whether an entry below a name is the key that tokens are signed with: `Key` below `Jwt`. */
export function isSigningKey(below: string, key: string, value: unknown): boolean {
  return /^(?:Jwt|JWT)\w{0,12}$/.test(below) && /^\w{0,20}Key$/.test(key) &&
    typeof value === "string" && isSigning(value);
}

/** Whether a value is none by itself: empty, a placeholder, what is kept elsewhere. */
export function isReference(value: string): boolean {
  return isNoSecret("", value) || /^(?:\$[({\w]|\{\{|file:\/\/|<|\[redacted:|`)/.test(value);
}
