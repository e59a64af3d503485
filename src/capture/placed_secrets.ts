/** `createHmac("sha256", "…")`: secrets that are given to a call by their place alone. */
import { findClosingQuote } from "./assignments.ts";
import { isReference } from "./configured.ts";
import { isScrambled } from "./secret_runs.ts";
import { isRandom, isValueLike, VALUE_MASK } from "./secret_names.ts";
import { matchAt } from "./sticky.ts";

/** Where a name begins; the letter of `\n` is none of its own. */
const START = String.raw`(?<=^|[^\w$]|\\[nrt])`;
const OPEN = "\\(";
/** Ruby needs no brackets. */
const COMMAND = String.raw`(?:\(|[ \t]{1,4}(?=[\w"'{\[@:\\]))`;
const GAP = String.raw`(?:\s|\\{1,7}[nrt]){0,40}`;
const QUOTE = String.raw`\\{0,7}["']`;
/** Where names of other things have no literal in front. */
const LITERAL_FIRST = String.raw`\((?=[\\\r\n"'])`;
const BYTES_FIRST = String.raw`\((?=b?[\\\r\n"']|\[\]byte\()`;

interface Call {
  /** One of them is in every match. */
  readonly hints: readonly string[];
  /** What it is called by, up to what opens its arguments. */
  readonly call: string;
  /** Which argument is the secret, from 0. */
  readonly place: number;
  /** What of the literals there is one. */
  readonly isSecret: (value: string) => boolean;
}

// deno-fmt-ignore: a call is a line
const CALLS: readonly Call[] = [
  // What signs, encrypts or derives.
  { hints: ["jwt.", "JWT."], call: String.raw`(?:jwt|JWT)\.(?:sign|verify|encode|decode)${COMMAND}`, place: 1, isSecret: isKey },
  { hints: ["Hmac("], call: `createHmac${OPEN}`, place: 1, isSecret: isKey },
  { hints: ["hmac.new", "HMAC.new"], call: String.raw`(?:hmac|HMAC)\.new${OPEN}`, place: 0, isSecret: isKey },
  { hints: ["hmac.New"], call: String.raw`hmac\.New${OPEN}`, place: 1, isSecret: isKey },
  { hints: ["HMAC."], call: String.raw`HMAC\.(?:hex|base64)?digest${COMMAND}`, place: 1, isSecret: isKey },
  { hints: ["hash_hmac"], call: `hash_hmac${OPEN}`, place: 2, isSecret: isKey },
  { hints: ["HMAC"], call: String.raw`HMAC(?:SHA)?(?:256|384|512)${OPEN}`, place: 0, isSecret: isKey },
  { hints: ["KeySpec"], call: `(?:SecretKey|PBEKey)Spec${OPEN}`, place: 0, isSecret: isKey },
  { hints: ["KeyFor"], call: `hmacShaKeyFor${OPEN}`, place: 0, isSecret: isKey },
  { hints: ["Key::from"], call: `(?:En|De)codingKey::from(?:_base64)?_secret${OPEN}`, place: 0, isSecret: isKey },
  { hints: ["SignedString"], call: `SignedString${OPEN}`, place: 0, isSecret: isKey },
  { hints: ["SecurityKey"], call: `SymmetricSecurityKey${OPEN}`, place: 0, isSecret: isKey },
  { hints: ["pheriv"], call: `create(?:C|Dec)ipheriv${OPEN}`, place: 1, isSecret: isKey },
  { hints: ["kdf2"], call: `pbkdf2(?:Sync)?${OPEN}`, place: 0, isSecret: isWord },
  { hints: ["kdf2_hmac"], call: `pbkdf2_hmac${OPEN}`, place: 1, isSecret: isWord },
  { hints: ["scrypt"], call: `scrypt(?:Sync)?${OPEN}`, place: 0, isSecret: isWord },
  { hints: ["Fernet"], call: `Fernet${OPEN}`, place: 0, isSecret: isKey },
  { hints: ["AES.new"], call: String.raw`AES\.new${BYTES_FIRST}`, place: 0, isSecret: isKey },
  { hints: ["AES.encrypt", "AES.decrypt"], call: String.raw`AES\.(?:en|de)crypt${OPEN}`, place: 1, isSecret: isKey },
  { hints: ["pgp_sym_"], call: String.raw`pgp_sym_(?:en|de)crypt(?:_bytea)?${OPEN}`, place: 1, isSecret: isWord },
  { hints: ["gen_salt"], call: String.raw`crypt\((?=[^()\r\n]{1,200},[ \t]{0,4}gen_salt)`, place: 0, isSecret: isWord },
  { hints: ["bcrypt"], call: String.raw`bcrypt(?:js)?\.(?:hash(?:Sync|pw)?|compare(?:Sync)?|checkpw|GenerateFromPassword)${BYTES_FIRST}`, place: 0, isSecret: isWord },
  { hints: ["hash_pwd_salt", "verify_pass"], call: String.raw`(?:Bcrypt|Argon2|Pbkdf2)\.(?:hash_pwd_salt|verify_pass)${OPEN}`, place: 0, isSecret: isWord },
  { hints: ["Wallet"], call: `Wallet${LITERAL_FIRST}`, place: 0, isSecret: isHexKey },
  { hints: ["ToAccount"], call: `privateKeyToAccount${LITERAL_FIRST}`, place: 0, isSecret: isHexKey },
  { hints: ["cookieParser"], call: `cookieParser${OPEN}`, place: 0, isSecret: isKey },
  // What logs in.
  { hints: ["getConnection"], call: String.raw`DriverManager\.getConnection${OPEN}`, place: 2, isSecret: isWord },
  { hints: ["PDO"], call: `PDO${OPEN}`, place: 2, isSecret: isWord },
  { hints: ["mysqli"], call: `(?:mysqli(?:_(?:real_)?connect)?|(?<=mysqli->)real_connect)${OPEN}`, place: 2, isSecret: isWord },
  { hints: ["Sequelize"], call: `Sequelize${OPEN}`, place: 2, isSecret: isWord },
  { hints: ["DBI->"], call: `DBI->connect(?:_cached)?${OPEN}`, place: 2, isSecret: isWord },
  { hints: ["URL.create"], call: String.raw`URL\.create\((?=${GAP}${QUOTE}\w{2,20}(?:\+\w{2,20})?${QUOTE})`, place: 2, isSecret: isWord },
  { hints: [".connect"], call: String.raw`(?:pymysql|psycopg2|MySQLdb)\.connect${OPEN}`, place: 2, isSecret: isWord },
  { hints: ["bearer_auth"], call: `bearer_auth${COMMAND}`, place: 0, isSecret: isWord },
  { hints: ["basic_auth"], call: `basic_auth${COMMAND}`, place: 1, isSecret: isWord },
  { hints: ["BasicAuth"], call: `(?:[sS]et|HTTP|Http)BasicAuth${OPEN}`, place: 1, isSecret: isWord },
  { hints: [".auth("], call: String.raw`(?<=\.)auth${LITERAL_FIRST}`, place: 1, isSecret: isLike },
  { hints: ["NetworkCred"], call: `NetworkCredential${OPEN}`, place: 1, isSecret: isWord },
  { hints: ["UsernamePassword"], call: `UsernamePasswordCredentials${OPEN}`, place: 1, isSecret: isWord },
  { hints: ["PasswordAuth"], call: `PasswordAuthentication${OPEN}`, place: 1, isSecret: isWord },
  { hints: ["toCharArray"], call: String.raw`\w{0,40}(?:[kK]ey[sS]tore|[kK][sS])\.(?:load|getKey|store)${OPEN}`, place: 1, isSecret: isWord },
  { hints: [".login"], call: String.raw`(?:smtp|ftp|imap|mail|server)\.login${OPEN}`, place: 1, isSecret: isWord },
  { hints: [".login"], call: String.raw`(?<=\.)login${LITERAL_FIRST}`, place: 1, isSecret: isLike },
  { hints: ["create_user"], call: `create_user${LITERAL_FIRST}`, place: 2, isSecret: isWord },
  { hints: ["create_superuser"], call: `create_superuser${LITERAL_FIRST}`, place: 2, isSecret: isWord },
  { hints: ["AndPassword"], call: String.raw`\w{1,20}WithEmailAndPassword${OPEN}(?!${QUOTE})`, place: 2, isSecret: isWord },
  { hints: ["AndPassword"], call: String.raw`\w{1,20}WithEmailAndPassword${LITERAL_FIRST}`, place: 1, isSecret: isWord },
  { hints: ["signIn", "signUp"], call: `sign(?:In|Up)${LITERAL_FIRST}`, place: 1, isSecret: isLike },
  { hints: ["creds"], call: String.raw`creds ?= ?\((?=\\{0,7}["'])`, place: 1, isSecret: isLike },
  { hints: ["PlainAuth"], call: String.raw`smtp\.PlainAuth${LITERAL_FIRST}`, place: 2, isSecret: isWord },
  { hints: ["setAuth"], call: String.raw`(?<=->|\.)setAuth${LITERAL_FIRST}`, place: 1, isSecret: isLike },
  { hints: ["mysql_real_connect"], call: `mysql_real_connect${OPEN}`, place: 3, isSecret: isWord },
  { hints: ["encode("], call: String.raw`(?<=\.)password\([\w.()]{0,60}encode${LITERAL_FIRST}`, place: 0, isSecret: isWord },
  { hints: ["CURLOPT_"], call: String.raw`CURLOPT_(?:(?:PROXY)?(?:USERPWD|PASSWORD)|XOAUTH2_BEARER|KEYPASSWD)[ \t]{0,8}(?:=>|,)`, place: 0, isSecret: isWord },
  { hints: ["WiFi"], call: String.raw`WiFi\.begin${OPEN}`, place: 1, isSecret: isWord },
  { hints: [".password"], call: String.raw`[\w$]{0,40}\.user(?:[nN]ame)?\([^()\r\n]{0,80}\)${GAP}\.password${LITERAL_FIRST}`, place: 0, isSecret: isWord },
  // What clients of services are made with.
  { hints: ["Stripe", "OpenAI"], call: `(?:Stripe|OpenAI)${LITERAL_FIRST}`, place: 0, isSecret: isLongRandom },
  { hints: ["algoliasearch"], call: `algoliasearch${OPEN}`, place: 1, isSecret: isLongRandom },
  { hints: ["Client"], call: String.raw`\w{0,40}Client\((?=${GAP}${QUOTE}[^"'\r\n]{1,100}${QUOTE},${GAP}${QUOTE}[^\s"'\x60\\]{16})`, place: 1, isSecret: isLongRandom },
];

/** How far the arguments of a call are looked at, in characters. */
const MAX_ARGUMENTS = 1_000;
const MAX_DEPTH = 12;
/** A call around a text that makes bytes or an option of it, or reads them. */
const WRAPPER = String.raw`(?:&|(?:\[\]byte|Some|(?:[A-Za-z][\w.:()]{0,60}[.:])?` +
  String
    .raw`(?:from|from_str|[gG]etBytes|encode|b64decode|fromhex|bytes|decode|FromBase64String|new))\([ \t]{0,4})`;
/** What leads to the quote of a literal: group 1 is the backslashes in front of it, group 2 the quote. */
const LITERAL = new RegExp(String.raw`${GAP}${WRAPPER}{0,3}[bru@L]{0,2}(\\{0,7})(["'\x60])`, "y");
/** What makes bytes or another text of a literal that is all of its argument. */
const MADE_OF = String
  .raw`(?:u8\b|\.(?:[gG]etBytes|[tT]oCharArray|as_(?:ref|bytes|slice)|into|to_(?:string|owned|vec)|encode|bytes|data)\b)`;
/**
 * What follows such a literal: no sign by which it is a part of one. Another quote at once is that of a text around; a dot
 * alone stands between lines that do not follow each other.
 */
const BEHIND = new RegExp(
  `${MADE_OF}|${GAP}(?:$|[^\\s+.%*&|<?\\\\"'\x60]|\\.[\r\n])|\\\\{0,7}["']`,
  "y",
);
/** What a program puts its own values into, and what is masked already. */
const FILLED = /[$#]\{|\{\{|\[redacted:/;
/** Words that examples have. */
const EXAMPLE =
  /^(?:(?:my|an?|the|some)[-_ ]?)?(?:pass(?:word|wd|phrase)?|pwd?|(?:api|secret)?[-_ ]?key|secret|token)$/i;

/** The text with those secrets masked. */
export function maskPlaced(text: string): string {
  calls ??= CALLS.map((row) => ({ ...row, call: new RegExp(START + row.call, "g") }));
  return calls.filter(({ hints }) => hints.some((hint) => text.includes(hint)))
    .reduce(maskCall, text);
}
let calls: readonly CompiledCall[] | undefined;
type CompiledCall = Omit<Call, "call"> & { readonly call: RegExp };

function maskCall(text: string, { call, place, isSecret }: CompiledCall): string {
  let masked = "";
  let done = 0;
  call.lastIndex = 0;
  for (let found = call.exec(text); found !== null; found = call.exec(text)) {
    const from = call.lastIndex;
    const given = text.slice(from, from + MAX_ARGUMENTS);
    const value = literalAt(given, argumentAt(given, place));
    if (value === undefined || !isSecret(given.slice(value.start, value.end))) continue;
    masked += text.slice(done, from + value.start) + VALUE_MASK;
    done = call.lastIndex = from + value.end;
  }
  return masked + text.slice(done);
}

/** Where an argument begins, or -1 where there are fewer. */
function argumentAt(given: string, place: number): number {
  let left = place;
  let depth = 0;
  let last = ",";
  for (let at = 0; left > 0; at++) {
    const char = given[at];
    if (char === undefined) return -1;
    const isEscaped = given[at - 1] === "\\" && "nrt".includes(char);
    if ((char === "\n" || isEscaped && char === "n") && depth === 0 && last !== ",") return -1;
    if (isEscaped || " \t\r\n\\".includes(char)) continue;
    last = char;
    if ("([{".includes(char) && ++depth > MAX_DEPTH) return -1;
    else if (")]}".includes(char) && --depth < 0) return -1;
    else if (char === "," && depth === 0) left--;
    else if (`"'\x60`.includes(char)) {
      const slashes = slashesBefore(given, at);
      const close = findClosingQuote(given, at + 1, { quote: char, slashes });
      if (close === -1) return -1;
      at = close + slashes;
    }
    if (left === 0) return at + 1;
  }
  return 0;
}

function slashesBefore(given: string, at: number): number {
  let before = 0;
  while (given[at - before - 1] === "\\") before++;
  return before;
}

/** The text between the quotes of a literal that is all of its argument. */
function literalAt(
  given: string,
  at: number,
): { readonly start: number; readonly end: number } | undefined {
  const opening = at === -1 ? undefined : matchAt(LITERAL, given, at);
  if (opening === undefined) return undefined;
  const [whole, slashes = "", quote = ""] = opening;
  const start = at + whole.length;
  const end = findClosingQuote(given, start, { quote, slashes: slashes.length });
  if (end === -1 || /[\r\n]|\\{1,7}[nr]/.test(given.slice(start, end))) return undefined;
  const isAll = matchAt(BEHIND, given, end + slashes.length + 1) !== undefined;
  return isAll ? { start, end } : undefined;
}

/** Whatever stands there, no reference and no word of an example. */
function isWord(value: string): boolean {
  return !isReference(value) && !FILLED.test(value) && !EXAMPLE.test(value);
}

/** The same, as long as a key is at least. */
function isKey(value: string): boolean {
  return value.length >= 8 && isWord(value);
}

/** A private key of 32 bytes, as chains of blocks write it. */
function isHexKey(value: string): boolean {
  return /^(?:0x)?[\da-f]{64}$/i.test(value);
}

/** What could be another thing has to look like a secret. */
function isLike(value: string): boolean {
  return isWord(value) && (isValueLike(value) || isRandom(value) || isScrambled(value));
}

/** What names stand beside has to look drawn by lot. */
function isLongRandom(value: string): boolean {
  return value.length >= 16 && isWord(value) && (isRandom(value) || isScrambled(value));
}
