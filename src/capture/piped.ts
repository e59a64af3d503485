/**
 * `echo hunter2 | docker login --password-stdin`: passwords that a command reads from a pipe, or takes without an option
 * that names them.
 */

const MASK = "[redacted:password]";

const START = String.raw`(?<=^|[^\w-]|\\[nrt])`;
const QUOTE = String.raw`\\{0,7}["']`;
const BLANKS = "[ \\t]{1,8}";
/** Not what is masked already, a variable, a placeholder or an option. */
const NO_SECRET = String.raw`(?!\[redacted:|\[private removed|[-$<%{(*\x60]|your[-_ ])`;
const QUOTED = String.raw`(?<=["'])[^"'\r\n\\]{1,200}`;
const WORD = String.raw`[^\s"'|;&<>\\]{1,200}`;
const WORDS = String.raw`[^"'|;&<>\r\n\\]{0,200}[^\s"'|;&<>\\]`;
const LINES = String.raw`[^"'|;&<>\r\n\\]{4,200}(?:\\{1,7}n[^"'|;&<>\r\n\\]{4,200}){1,2}`;
const ECHO = String.raw`${START}(?:echo|printf)${BLANKS}(?:-[a-zA-Z]{1,4}${BLANKS}){0,2}` +
  String.raw`(?:${QUOTE}%s(?:\\{1,7}n)?${QUOTE}${BLANKS})?(?:${QUOTE})?`;
/** From the end of a value to the command that reads it; what stands between is one command. */
const PIPE = String.raw`(?:\\{1,7}n)?(?:${QUOTE})?[ \t]{0,8}\|(?:[^|;&\n\\]|\\{1,7}["']){0,120}`;
/** What stores it as a secret. */
const STORE = String
  .raw`${START}(?:(?:gh|glab|wrangler|gcloud|fly|flyctl|docker|podman|doppler|infisical|supabase|firebase|modal|kubectl|oc|oci)(?:${BLANKS}[\w:./=@-]{1,60}){0,3}?` +
  String
    .raw`${BLANKS}(?:secrets?(?::[a-z]{2,8})?${BLANKS}(?:set|put|create|add|update|import|versions${BLANKS}add|generic)|` +
  String
    .raw`create${BLANKS}secret|auth${BLANKS}login${BLANKS}(?:[^|;&\n\\]{0,60}${BLANKS})?--(?:with-token|stdin))|(?:go)?pass${BLANKS}insert|secret-tool${BLANKS}store|gpg2?${BLANKS}[^|;&\n\\]{0,120}?--passphrase-fd|passwd${BLANKS}[a-z_][\w.-]{0,31}|kinit${BLANKS}[\w./@-]{1,100}|cryptsetup${BLANKS}(?:--?[\w-]{1,30}${BLANKS}){0,4}(?:luks(?:Open|Format|AddKey)|open)|(?:vercel|netlify|eas)${BLANKS}env(?::|${BLANKS})add)`;
const READER = String
  .raw`(?:--password-stdin|${START}(?:passwd --stdin|sudo -S)|${STORE})(?![\w-])`;
const HERE = String.raw`[^|;&<\n\\]{0,80}<<<[ \t]{0,8}(?:${QUOTE})?`;
/** Where a file of one secret is written. */
const TO_FILE_OF_SECRET = String
  .raw`(?:\\{1,7}n)?(?:${QUOTE})?[ \t]{0,8}(?<![-=])>{1,2}[ \t]{0,8}(?:${QUOTE})?(?:[\w$~.{}-]{0,60}/){0,4}` +
  String
    .raw`(?:\.?secrets?/(?:[\w-]{1,60}/){0,4}[\w-]{1,80}|[\w.-]{0,60}(?:password|passwd|secret|token|api[_-]?key))` +
  String.raw`(?:\.(?:txt|secret|key|token|pass|password))?(?![\w./-])`;
const USER = "[\\w.-]{1,32}:";
const CHPASSWD = `${START}chpasswd(?![\\w-])`;
const SECURE = "ConvertTo-SecureString";
const OPTION = String.raw`${BLANKS}-[a-zA-Z]{1,8}(?:[ \t]\d{1,2}(?=[ \t]))?`;
const OPTIONS = String.raw`(?:${OPTION}){1,4}(?!${BLANKS}\d{1,2}[ \t])`;
// `-b` takes the password from the command line, behind the user; with `-n` there is no file before.
const HTPASSWD = `${START}htpasswd(?=${optionWith("b")})`;
const TO_FILE = `${HTPASSWD}(?!${optionWith("n")})${OPTIONS}`;
const TO_OUTPUT = `${HTPASSWD}(?=${optionWith("n")})${OPTIONS}`;
const ARGUMENT = `${BLANKS}(?:${QUOTE}${QUOTE}|(?!-)(?:${QUOTE})?${WORD}(?:${QUOTE})?)`;
const LAST = `${BLANKS}(?:${QUOTE})?`;

/** In each, group 1 stays, and what follows it is the password. Written for a shell's line, also inside JSON. */
const FORMS: readonly string[] = [
  `(${ECHO})${NO_SECRET}(?:${QUOTED}|${WORDS})(?=${PIPE}${READER})`,
  // Twice, as who sets one is asked for it: `"word\\nword"`.
  `(${ECHO})${NO_SECRET}${LINES}(?=${PIPE}${READER})`,
  `(${ECHO}${USER})${NO_SECRET}${WORDS}(?=${PIPE}${CHPASSWD})`,
  `(${READER}${HERE})${NO_SECRET}${WORD}`,
  // docker login --password-stdin <<EOF, and the word below
  String
    .raw`(--password-stdin[^|;&<\r\n\\]{0,120}<<-?[ \t]{0,4}(?:${QUOTE})?\w{1,20}(?:${QUOTE})?[ \t]{0,8}(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)[ \t]{0,8})${NO_SECRET}${WORD}`,
  `(${CHPASSWD}${HERE}${USER})${NO_SECRET}${WORD}`,
  `(${TO_FILE}(?:${ARGUMENT}){2}${LAST})${NO_SECRET}${WORD}`,
  `(${TO_OUTPUT}${ARGUMENT}${LAST})${NO_SECRET}${WORD}`,
  `(${SECURE}(?:${BLANKS}-(?:String|AsPlainText|Force)){0,3}${BLANKS}${QUOTE})${NO_SECRET}${QUOTED}(?=${QUOTE})`,
  `(${SECURE}(?:${BLANKS}-String)?${BLANKS})${NO_SECRET}${WORD}(?=${BLANKS}-AsPlainText)`,
  `(${QUOTE})${NO_SECRET}${QUOTED}(?=${QUOTE}[ \\t]{0,8}\\|[ \\t]{0,8}${SECURE})`,
  // printf '%s' 'word' > secrets/db_password
  `(${ECHO})${NO_SECRET}[^\\s"'|;&<>\\\\]{4,200}(?=${TO_FILE_OF_SECRET})`,
];

/** Some options, the last of them with this letter. */
function optionWith(letter: string): string {
  return `(?:${OPTION}){0,3}${BLANKS}-[a-zA-Z]{0,7}${letter}`;
}

/** The text with the passwords masked that commands read from a pipe. */
export function maskPiped(text: string): string {
  return FORMS.reduce(
    (masked, form) => masked.replace(new RegExp(form, "g"), (_match, kept: string) => kept + MASK),
    text,
  );
}
