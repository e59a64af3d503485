/**
 * `curl -u ana:hunter2`: secrets that only the option of a command gives away. A short option means something else to
 * each command, so it counts only behind the command's own word; what gives them away at first sight is in `triggers.ts`.
 */
import { findClosingQuote } from "./assignments.ts";
import { endAt, matchAt } from "./sticky.ts";
import { isNoSecret } from "./secret_names.ts";
import { maskCookieValue } from "./cookies.ts";

const PASSWORD_MASK = "[redacted:password]";

/** What an option's value is: all of it a secret, `name:secret`, `name%secret`, `name,secret`, the file of a certificate and its secret, or cookies (without `=`, it is a file of them). */
type Kind = "secret" | "cookies" | keyof typeof SIGNS;
/** What stands in front of the secret in a value; also a path of Windows has a colon. */
const SIGNS = {
  login: /:/,
  account: /%/,
  listed: /,/,
  certificate: /(?<=[\w.-]\.(?:pem|p12|pfx|crt|cer|key|cert)):/i,
};

interface Option {
  /** The option as one argument begins with it, and what joins it to a value in the same argument. */
  readonly form: RegExp;
  readonly kind: Kind;
  /** Without a value in the same argument, none follows: the command asks for it. */
  readonly isJoined?: boolean;
}

/** Options of `curl` without a value, which may stand before the last one: `-sSu`. */
const SWITCHES = "[#0-9fgiIjkLlNnOqRsSv]{0,8}";
const COMMANDS: readonly {
  readonly word: RegExp;
  readonly options: readonly Option[];
  /** Behind its own options stands another command, with options of its own. */
  readonly isWrapper?: boolean;
}[] = [
  {
    word: /^curl$/,
    options: [
      { form: new RegExp(`-${SWITCHES}[uU]`, "y"), kind: "login" },
      { form: /--(?:proxy-)?user(?:=|(?![\w-]))/y, kind: "login" },
      { form: new RegExp(`-${SWITCHES}b`, "y"), kind: "cookies" },
      { form: /--cookie(?:=|(?![\w-]))/y, kind: "cookies" },
      { form: /-E|--(?:proxy-)?cert(?:=|(?![\w-]))/y, kind: "certificate" },
      { form: /--oauth2-bearer(?:=|(?![\w-]))/y, kind: "secret" },
    ],
  },
  { word: /^(?:mysql|mariadb)/, options: [{ form: /-p/y, kind: "secret", isJoined: true }] },
  { word: /^smbclient$/, options: [{ form: /-U|--user=?/y, kind: "account" }] },
  { word: /^redis-cli$/, options: [{ form: /-a/y, kind: "secret" }] },
  { word: /^sqlcmd$/, options: [{ form: /-P/y, kind: "secret" }] },
  { word: /^sshpass$/, options: [{ form: /-p/y, kind: "secret" }], isWrapper: true },
  { word: /^(?:twine|user(?:add|mod))$/, options: [{ form: /-p|--password=?/y, kind: "secret" }] },
  { word: /^7z/, options: [{ form: /-p/y, kind: "secret", isJoined: true }] },
  { word: /^(?:un)?rar$/, options: [{ form: /-h?p/y, kind: "secret", isJoined: true }] },
  { word: /^openssl$/, options: [{ form: /-(?:[kK]|hmac)(?!\w)/y, kind: "secret" }] },
  { word: /^mongo|[\s"']login$/, options: [{ form: /-p/y, kind: "secret" }] },
  { word: /^(?:un)?zip$/, options: [{ form: /-[a-z]{0,6}P/y, kind: "secret" }] },
  { word: /^mosquitto/, options: [{ form: /-P/y, kind: "secret" }] },
  { word: /^(?:cqlsh|ncftp|nuget|supabase)/, options: [{ form: /-p(?![\w-])/y, kind: "secret" }] },
  { word: /^lftp$/, options: [{ form: /-u|--user=?/y, kind: "listed" }] },
  { word: /^ldap/, options: [{ form: /-[a-zA-Z]{0,6}w/y, kind: "secret" }] },
  { word: /^doctl$/, options: [{ form: /-t(?![\w-])/y, kind: "secret" }] },
  { word: /^https?$/, options: [{ form: /-a|--auth(?:=|(?![\w-]))/y, kind: "login" }] },
];

const LOGIN = "(?:docker|podman|nerdctl|buildah|skopeo|registry|az|oc)";
const LOGIN_WORD = new RegExp(`^${LOGIN}$`);
/** A command's word, and what follows it in a line of a shell, or in a list of arguments. */
const WORD = new RegExp(
  String.raw`(?<=^|[^\w.-]|\\[nrt])(curl|mysql(?:dump|admin|import|show|check|sh|slap)?|sshpass|` +
    String
      .raw`mariadb(?:-[a-z]{1,12})?|redis-cli|sqlcmd|smbclient|openssl|unrar|rar(?= a -)|twine|user(?:add|mod)|7z[az]?|mongo(?:sh|dump|restore|export|import|stat|top)?|` +
    String
      .raw`(?:un)?zip|mosquitto_(?:pub|sub|rr)|cqlsh|ncftp(?:put|get|ls)?|nuget[ \t]{1,4}(?:add|update)[ \t]{1,4}source|supabase[ \t]{1,4}(?:link|db|migration)|lftp|ldap(?:search|modify|add|delete|passwd|whoami)|doctl|https?|` +
    String.raw`${LOGIN}[ \t]{1,4}login|${LOGIN}\\{0,7}["'],[ \t\r\n]{0,8}\\{0,7}["']login)` +
    String.raw`(?:\.exe)?(?=\\{0,7}["']?(?:[ \t,]|\\{1,7}\r?\n|\\{3,7}[rn]))`,
  "g",
);
const MAX_ARGUMENTS = 200;
/** Between two arguments: blanks, also with the backslash that continues a line; or the comma of a list. */
const BLANK = /(?:[ \t]|\\\r?\n|\\{3,7}[rn])+/y;
const COMMA = /\\{0,7}["'][ \t\r\n]{0,8},(?:[ \t\r\n]|\\{1,7}[nrt]){0,40}(?=\\{0,7}["'])/y;
const QUOTE = /(\\{0,7})(["'])/y;
const PLAIN = /(?:[^\s"'`\\;|&<>()]|\\(?![\\nrt"'\r\n])|\$\([^()\n]{0,200}\))+/y;
/** An option in front of its quoted value, or a value that goes on in quotes. */
const OPENS_QUOTE = /^--?\w{1,20}$|[=:@$,]$/;
const OUTER_QUOTES = /^(?:\\{0,7}["'])?(.*?)(?:\\{0,7}["'])?$/s;

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Edit extends Span {
  readonly text: string;
}

/** The text with the secrets in the options of commands masked. */
export function maskCommands(text: string): string {
  const edits: Edit[] = [];
  // What stands behind the first command is looked at for it; of a wrapper only what is its own.
  const seen = new Map(COMMANDS.map(({ options }) => [options, new Set<number>()]));
  for (const found of text.matchAll(WORD)) {
    const { options, isWrapper } = COMMANDS.find(({ word }) => word.test(found[1]!))!;
    const end = found.index + found[0].length;
    const args = argumentsAfter(text, end, isWrapper ? undefined : seen.get(options));
    for (let index = 0; index < args.length; index++) {
      if (isWrapper && index > 0 && text[args[index - 1]!.start] !== "-") break;
      const edit = editOf(text, options, args.slice(index, index + 2));
      if (edit !== undefined) edits.push(edit);
    }
  }
  edits.sort((a, b) => a.start - b.start);
  let masked = "";
  let done = 0;
  for (const { start, end, text: mask } of edits) {
    if (start < done) continue;
    masked += text.slice(done, start) + mask;
    done = end;
  }
  return masked + text.slice(done);
}

/** A list of arguments with the secrets in the options of its command masked. */
export function maskArguments(args: readonly string[]): readonly string[] {
  let options: readonly Option[] = [];
  let isWrapper = false;
  let isValue: Option | undefined;
  return args.map((arg, index) => {
    const value = isValue;
    isValue = undefined;
    if (value !== undefined && !arg.startsWith("-")) return maskValue(arg, value.kind);
    const name = arg.slice(arg.lastIndexOf("/") + 1).replace(/\.exe$/, "");
    const isLogin = name === "login" && LOGIN_WORD.test(args[index - 1] ?? "");
    const named = COMMANDS.find(({ word }) => word.test(isLogin ? " login" : name));
    if (named !== undefined && !/\s/.test(name) && !arg.startsWith("-")) {
      ({ options, isWrapper = false } = named);
    } else if (isWrapper && !arg.startsWith("-")) [options, isWrapper] = [[], false];
    for (const option of options) {
      const end = endAt(option.form, arg, 0);
      if (end === -1) continue;
      if (end < arg.length) return arg.slice(0, end) + maskValue(arg.slice(end), option.kind);
      if (option.isJoined !== true) isValue = option;
    }
    return arg;
  });
}

/** The mask for an option and its value, when the first argument is such an option. */
function editOf(
  text: string,
  options: readonly Option[],
  [argument, next]: readonly Span[],
): Edit | undefined {
  if (argument === undefined) return undefined;
  const start = argument.start + (matchAt(QUOTE, text, argument.start)?.[0].length ?? 0);
  for (const { form, kind, isJoined } of options) {
    const end = endAt(form, text, start);
    if (end === -1 || end > argument.end) continue;
    const isInside = end < argument.end && !/^\\{0,7}["']$/.test(text.slice(end, argument.end));
    const span = isInside ? { start: end, end: argument.end } : isJoined ? undefined : next;
    if (span === undefined) continue;
    const [, value = ""] = OUTER_QUOTES.exec(text.slice(span.start, span.end)) ?? [];
    if (!isInside && value.startsWith("-")) continue;
    const masked = maskValue(value, kind);
    if (masked === value) continue;
    const from = text.indexOf(value, span.start);
    return { start: from, end: from + value.length, text: masked };
  }
  return undefined;
}

function maskValue(value: string, kind: Kind): string {
  if (kind === "cookies") return maskCookieValue(value);
  const sign = kind === "secret" ? -1 : value.search(SIGNS[kind]);
  if (kind !== "secret" && sign === -1) return value;
  const secret = value.slice(sign + 1);
  if (sign > 0 && secret === "") {
    // The name is the key, and the password is empty: `-u sk_…:`.
    return /^(?=.*\d)[\w.-]{16,}:$/.test(value) ? `${PASSWORD_MASK}:` : value;
  }
  const [, bare = ""] = OUTER_QUOTES.exec(secret) ?? [];
  if (isNoSecret("", bare) || /^(?:\$[(\w{]|`)/.test(bare)) return value;
  return value.slice(0, sign + 1) + secret.replace(bare, () => PASSWORD_MASK);
}

/**
 * The arguments of a command, as far as its line or its list goes.
 *
 * @param seen Where arguments start that were looked at already: behind them, nothing is new. Without it, only the options
 * that stand directly behind the command and what follows each.
 */
function argumentsAfter(text: string, from: number, seen?: Set<number>): Span[] {
  const args: Span[] = [];
  const isList = endAt(COMMA, text, from) !== -1;
  const gap = isList ? COMMA : BLANK;
  let at = isList ? from : Math.max(from, endAt(QUOTE, text, from));
  while (args.length < MAX_ARGUMENTS) {
    const start = endAt(gap, text, at);
    if (start === -1) break;
    const end = isList ? listItemEnd(text, start) : argumentEnd(text, start);
    if (end === -1) break;
    args.push({ start, end });
    at = end;
    const before = args.at(-2);
    if (seen?.has(start) ?? (before !== undefined && text[before.start] !== "-")) break;
    seen?.add(start);
  }
  return args;
}

function listItemEnd(text: string, start: number): number {
  const [whole = "", slashes = "", quote = ""] = matchAt(QUOTE, text, start) ?? [];
  return findClosingQuote(text, start + whole.length, { quote, slashes: slashes.length });
}

/** Where an argument ends: its plain and its quoted parts; -1 where none stands. */
function argumentEnd(text: string, start: number): number {
  let end = -1;
  for (let at = start;;) {
    const plain = Math.max(at, endAt(PLAIN, text, at));
    if (plain > at) end = plain;
    const opening = matchAt(QUOTE, text, plain);
    // Behind a plain part, a quote that opens none is the end of a quoted text around the command.
    const opens = plain === start || plain > at && OPENS_QUOTE.test(text.slice(at, plain));
    if (opening === undefined || !opens) return end;
    const [whole, slashes = "", quote = ""] = opening;
    const close = findClosingQuote(text, plain + whole.length, { quote, slashes: slashes.length });
    if (close === -1) return end;
    at = end = close + slashes.length + quote.length;
  }
}

const SPACE = String.raw`(?:[ \t\r\n]|\\{1,7}[nrt]){1,10}`;
const PART = "[!#-&(-\\[\\]-~]{1,100}";
/** A quote or a backslash goes on within a word; at its end it is of the text around it. */
const INNER = String.raw`(?<=[^\s"'\\])["'](?=[^\s"'\x60,;:)\]}>\\|&<])|\\{1,7}(?=[^\s\\nrt"'])`;
/** A line of a `.netrc`, or an entry over several lines. */
const NETRC = new RegExp(
  String
    .raw`((?<=^-?|[^\w-]-?|\\[nrt]-?)machine${SPACE}(?:${PART}(?:${SPACE}(?:login|account)${SPACE}${PART}){1,2}|` +
    String
      .raw`[\w-]{1,60}\.[\w.:-]{1,60})${SPACE}password${SPACE})(?!machine${SPACE})([\w@#$%^&*/.~!+=?](?:[^\s"'\\]|${INNER})*)`,
  "gi",
);

/** The text with the passwords of each `machine … login … password …` masked. */
export function maskNetrc(text: string): string {
  return text.replace(
    NETRC,
    (whole, kept: string, value: string) => isNoSecret("", value) ? whole : kept + PASSWORD_MASK,
  );
}
