/**
 * Secrets beside whose name stands something other than a sign: a call, a statement of SQL, a sentence. Whatever a sentence
 * says may be an ordinary word, so there only what looks like the value of a secret is one.
 */
import { type Form, formsMask, type Matches } from "./forms.ts";
import { isNoSecret, isValueLike, SAID_NAME, SUFFIX, VALUE_MASK } from "./secret_names.ts";
import { isTokenWord } from "./value_places.ts";

const QUOTE = String.raw`\\{0,7}["']`;
const MARK = String.raw`\\{0,7}["'\x60]`;
const BLANKS = "[ \\t]{1,8}";
const GAP = String.raw`(?:[ \t\r\n]|\\{1,7}[nrt]){0,20}`;
const NAME = `${SAID_NAME}${SUFFIX}(?![\\w-])`;
/** The name with what may stand before its secret word. */
const WHOLE_NAME = `[\\w.-]{0,60}?${NAME}`;
const QUOTED = String.raw`([^"'\x60\\\r\n]{1,400})(?=${MARK})`;
const WORD = String.raw`([^\s"'\x60\\<>|]{6,256})`;
const EITHER = String.raw`(?:${MARK}|\*\*)?${WORD}`;
/** Where a word begins; the letter of `\n` is none of its own. */
const WORD_START = String.raw`(?<=^|\W|\\[nrt])`;
const LINE_BREAK = String.raw`(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)`;
/** How a text begins as the argument of a call, also on a line of its own. */
const TEXT = String.raw`\((?:${LINE_BREAK}[ \t]{0,60})?[bfru@$]{0,2}${QUOTE}(?:\{noop\})?`;
/** What begins a block of code. */
const FENCE = String.raw`\x60{3}[\w+#-]{0,16}[ \t]{0,4}${LINE_BREAK}`;
/** What tools put in front of a line: its number, the sign of a diff. */
const BEFORE_LINE = String
  .raw`(?:[ \t]{0,8}\d{1,6}(?:→|\t|\\{1,7}t)|[+-])?(?:[ \t]|\\{1,7}t){0,16}`;
/** Not a part of a program or of a file with names, nor where a shell waits for more. */
const ALONE = String
  .raw`(?!\d{4}-\d\d-\d\d[T ]|[\w.-]{1,60}(?:[-+*/%|&^]?=[\w$-]|\+\+|--|@[\w.-]{1,60}[:~$#]))${WORD}(?<!:)` +
  String.raw`(?=[ \t]{0,8}(?:$|[\r\n]|\\{1,7}[nr]|${QUOTE}))`;
const SETTING = String.raw`(?:requirepass|masterauth|bindpw|rootpw(?:[ \t]{1,4}--plaintext)?)`;
/** Of what is told by an arrow or by the line above, there is a way that programs and drawings go on. */
const NO_STEP = "(?<!auth|authorization)";
/** What a sentence says of a name before it tells the value, also of whose it is. */
const SAYS =
  String.raw`(?:(?:is|was|ist|lautet|es|é|è|est)(?:${BLANKS}(?:now|set${BLANKS}to|still))?|` +
  String.raw`(?:should|must|will|shall)${BLANKS}be)`;
const WHOSE = String
  .raw`(?:for|of|to|on|für)[ \t](?:[^\r\n:："'\x60.;,|(){}<>=\\]|\.(?=\w)){1,60}`;
const TAG = "(?:b|strong|i|em|u|code|kbd|samp|tt|pre|mark|span|label|d[td]|t[dh]|li|p)";
const START = String.raw`(?:^|[\r\n]|\\[nrt])[-+ \t]{0,20}`;

const FROM_ENVIRONMENT = String
  .raw`${MARK}?[ \t]{0,4}[:=][ \t]{0,4}(?:process\.env|import\.meta\.env|deno\.env|os\.environ|os\.getenv|ENV)` +
  String.raw`[^\s|?,;]{1,80}[ \t]{0,4}(?:\|\||\?\?|or[ \t])${GAP}${MARK}${QUOTED}`;

/** In each, group 1 is the value. */
const FORMS: readonly Form[] = [
  // ds.setPassword("…"), .password("…")
  {
    pattern: String
      .raw`(?:set|with(?!email))\w{0,40}?${NAME}${TEXT}([^\s"'\\]{1,400})(?=${QUOTE}${GAP}[,)])`,
  },
  {
    pattern: String.raw`(?:\.|=[ \t]{0,4})${NAME}${TEXT}${QUOTED}`,
    isOpen: true,
  },
  // define('DB_PASSWORD', '…'), os.getenv("SECRET_KEY", "…")
  {
    pattern: String
      .raw`${WORD_START}(?:define|getenv|set_var|setdefault|environ\.get|env|fetch|system\.set_?property)\([ \t]{0,4}${QUOTE}${WHOLE_NAME}${QUOTE}[ \t]{0,4},${GAP}${QUOTE}${QUOTED}`,
  },
  {
    pattern: String
      .raw`${WORD_START}(?:get|set|put|append|add|fill|type|get_?or_?default|[gs]et_?property|[gs]et_?item|config|(?:[a-z]{3,4}_?)?header)\([ \t]{0,4}` +
      String
        .raw`${QUOTE}(?:[#.]|[a-z]{0,10}\[[a-z-]{2,12}=${MARK}?)?${WHOLE_NAME}(?:${MARK}?\])?${QUOTE}[ \t]{0,4},${GAP}${QUOTE}${QUOTED}`,
    isOpen: true,
  },
  // The salts of WordPress, which are of all signs.
  {
    pattern: String
      .raw`${WORD_START}define\([ \t]{0,4}${QUOTE}\w{1,20}_(?:key|salt)${QUOTE}[ \t]{0,4},[ \t]{0,20}'([^'\r\n]{32,128})(?=')`,
  },
  {
    hints: ["||", "??"],
    pattern: String.raw`${NAME}[ \t]{0,4}(?:\|\||\?\?)=?${GAP}${MARK}${QUOTED}`,
    isOpen: true,
  },
  // password: env.X || "…", password=os.environ.get("X") or "…"
  { hints: ["env"], pattern: NAME + FROM_ENVIRONMENT, isOpen: true },
  { hints: ["env"], pattern: `pw${FROM_ENVIRONMENT}`, isOpen: true },
  // #define API_KEY "…"
  {
    hints: ["define"],
    pattern: String.raw`#[ \t]{0,4}define[ \t]{1,8}${WHOLE_NAME}[ \t]{1,60}[l@]?${QUOTE}${QUOTED}`,
    isOpen: true,
  },
  // (setq api-key "…"), {:password "…"}
  {
    pattern: String
      .raw`(?:\((?:setq|def[a-z]{0,8})|[{ \t\r\n]:(?=[a-z]))[ \t]{0,8}${WHOLE_NAME}[ \t]{1,60}[l@]?${QUOTE}${QUOTED}`,
  },
  // {password, "…"}, {:api_key, "…"}
  {
    pattern: String
      .raw`\{:?${WHOLE_NAME}[ \t]{0,4},[ \t]{0,8}${QUOTE}${QUOTED}(?=${QUOTE}[ \t]{0,4}\})`,
  },
  // <key>password</key><string>…</string>
  {
    hints: ["<key>"],
    pattern: String
      .raw`<key>${WHOLE_NAME}</key>${GAP}<string>([^<>\r\n\\]{1,400})(?=</string>)`,
  },
  // proxy_set_header X-Api-Key …;
  {
    hints: ["_header"],
    pattern: String
      .raw`_header${BLANKS}${WHOLE_NAME}${BLANKS}(?:${MARK})?(?:(?:basic|bearer|token)${BLANKS})?([^\s"'\x60\\<>|;$]{6,256})(?=\\{0,7}[;"'])`,
    isOpen: true,
  },
  // auth=("joe", "…"), as in Python, HTTPBasicAuth('joe', '…')
  {
    pattern: String
      .raw`(?:${WORD_START}auth[ \t]{0,4}=[ \t]{0,4}|basic_?auth(?=\())(?:[\w.]{0,40}auth)?\(${GAP}${QUOTE}[^"'\\\r\n]{1,100}${QUOTE}[ \t]{0,4},${GAP}` +
      String.raw`${QUOTE}(?!pass(?:wd)?["'])([^"'\\\r\n]{1,200})(?=${QUOTE}${GAP}\))`,
  },
  // <entry key="db.password">…</entry>
  {
    pattern: String
      .raw`(?:key|name|id)=${QUOTE}[\w./:-]{0,60}?(?:${NAME}|pw)${QUOTE}[^<>]{0,100}>[ \t]{0,4}([^\s<>\\]{6,256})(?=[ \t]{0,4}</)`,
    isOpen: true,
  },
  // requirepass …, on a line of its own
  {
    pattern: String
      .raw`(?:(?:^|[\r\n]|\\{1,7}[nrt])${BEFORE_LINE}(?:password|${SETTING})|(?<=["'])${SETTING})` +
      String.raw`${BLANKS}(?:${MARK})?${ALONE}`,
    isOpen: true,
  },
  // storePassword '…'
  { pattern: String.raw`(?:store|key)password${BLANKS}${QUOTE}${QUOTED}` },
  // ALTER USER ana WITH PASSWORD '…'
  {
    pattern: String
      .raw`(?:(?:create|alter)[ \t]{1,8}(?:user|role)\b[^;\r\n]{1,160}?|${WORD_START}with[ \t]{1,8}(?:encrypted[ \t]{1,8})?)\bpassword${BLANKS}${QUOTE}${QUOTED}`,
  },
  // "db_password": {"sensitive": true, "value": "…"}
  {
    hints: ["value", "plaintext"],
    pattern: String
      .raw`${NAME}${QUOTE}${GAP}:${GAP}\{[^{}]{0,300}?${QUOTE}(?:value|plaintext)${QUOTE}${GAP}:${GAP}${QUOTE}${QUOTED}`,
  },
  // "db_password": {"type": "string", "default": "…"}: neither what a form shows nor a file
  {
    hints: ["default"],
    pattern: String
      .raw`${NAME}${QUOTE}${GAP}:${GAP}\{[^{}]{0,300}?${QUOTE}default${QUOTE}${GAP}:${GAP}${QUOTE}(?![~.]{0,2}/)([^\s"'\x60\\]{1,400})(?=${QUOTE})`,
  },
  // form-data; name="password", and its part below
  {
    hints: ["form-data"],
    pattern: String
      .raw`form-data;[^\r\n]{0,100}?name=${QUOTE}${WHOLE_NAME}${QUOTE}[; \t]{0,4}(?:${LINE_BREAK}[a-z-]{1,40}:[^\r\n\\]{1,200}){0,3}` +
      String.raw`${LINE_BREAK}${LINE_BREAK}([^\s"'\\][^\r\n"'\\]{0,400})(?=$|[\r\n"'\\])`,
  },
  // %22password%22%3A%22…%22
  {
    hints: ["%22", "%3d"],
    pattern: String
      .raw`${NAME}(?:%22(?:%20|\+){0,4}%3A(?:%20|\+){0,4}%22|%3D)((?:[^\s%"'\\&;,<>]|%(?!22|26|2C|7D)[\dA-F]{2}){4,400})`,
  },
  // - **API key**: `…`
  {
    hints: ["**"],
    pattern: String.raw`${NAME}\*\*[ \t]{0,4}:[ \t]{1,4}\x60([^\x60\r\n\\]{4,128})(?=\x60)`,
  },
  { hints: ["**"], pattern: String.raw`${NAME}\*\*[ \t]{0,4}:[ \t]{1,4}${WORD}`, isOpen: true },
  // I set `DB_PASSWORD` to `…`, the password is …, password for the staging db: …, password => …
  {
    hints: ["\x60 ", "\x60\t"],
    pattern: String.raw`${NAME}\x60[ \t]{1,4}(?:to|is|as|=)[ \t]{1,4}\x60${QUOTED}`,
    isOpen: true,
  },
  {
    pattern: String
      .raw`${NAME}${MARK}?(?:(?:${BLANKS}${WHOSE}?)?${BLANKS}${SAYS}[ \t]{0,4}:?|${BLANKS}(?:=>|[-–]))${BLANKS}${EITHER}`,
    isOpen: true,
  },
  // set the password to …, change the `root password` of db to: …
  {
    pattern: String
      .raw`(?:set|chang\w{1,3}|reset\w{0,4}|(?:updat|rotat)\w{1,3})[ \t]{1,4}(?:[\w'./-]{1,30}[ \t]{1,4}){0,4}?${MARK}?${WHOLE_NAME}` +
      String.raw`${MARK}?(?:${BLANKS}${WHOSE}?)??${BLANKS}to[ \t]{0,4}:?${BLANKS}${EITHER}`,
    isOpen: true,
  },
  // Password (admin): …, API key provided: …
  {
    pattern: String
      .raw`${NAME}${BLANKS}(?:\([^()\r\n\\]{1,60}\)|provided|given|supplied|received|generated|created)[ \t]{0,4}[:：]${BLANKS}${EITHER}`,
    isOpen: true,
  },
  // <b>Password</b>: …, <td>Password</td><td>…</td>
  {
    hints: ["</"],
    pattern: String
      .raw`${NAME}[ \t]{0,4}:?</${TAG}>[ \t]{0,4}:?${GAP}(?:</?${TAG}(?:[ \t][^<>]{0,80})?>${GAP}){0,3}${WORD}`,
    isOpen: true,
  },
  // Password: <code>…</code>, your password is <b>…</b>
  {
    hints: ["</"],
    pattern: String
      .raw`${NAME}(?:</${TAG}>){0,2}[ \t]{0,4}(?:[:：=]|${SAYS}[ \t]{0,4}:?)(?:</${TAG}>){0,2}[ \t]{0,8}(?:<${TAG}(?:[ \t][^<>]{0,80})?>[ \t]{0,8}){1,3}${WORD}(?=[ \t]{0,8}</${TAG}>(?![\w-]))`,
    isOpen: true,
  },
  // password -> …, password → …
  {
    hints: ["->", "→", "⇒"],
    pattern: String
      .raw`${NAME}${NO_STEP}${MARK}?(?:${BLANKS}->${BLANKS}|[ \t]{0,8}[→⇒][ \t]{0,8})${EITHER}`,
    isOpen: true,
  },
  // password:, Password for admin:, Password (admin):, Your new API key is:, and a word alone below
  {
    pattern: String
      .raw`${NAME}${NO_STEP}(?:\*\*|${MARK})?(?:${BLANKS}(?:${WHOSE}|\([^()\r\n\\]{1,60}\)|${SAYS}))?` +
      String
        .raw`[ \t]{0,4}(?:[:：](?:\*\*)?[ \t]{0,8}(?:${LINE_BREAK}){1,2}(?:${FENCE})?|(?:${LINE_BREAK}){1,2}${FENCE})${BEFORE_LINE}${ALONE}`,
    isOpen: true,
  },
  {
    hints: ["密", "パ", "비"],
    pattern: String
      .raw`(?:密[码碼][是为為]|パスワードは|비밀번호는)[ \t]{0,4}(?:${MARK}|[「『])?([!#-&(-;=?-[\]^_a-{}~]{6,256})`,
    isOpen: true,
  },
  // use password … to log in
  {
    hints: ["use", "using", "with"],
    pattern: String
      .raw`${WORD_START}(?:us(?:e|ing)|with)[ ](?:the[ ])?(?:[\w-]{1,20}[ ])?${MARK}?${NAME}${MARK}?[ ]${MARK}?${WORD}`,
    isOpen: true,
  },
  {
    pattern: String
      .raw`${NAME}${BLANKS}(?:(?:is|was|has${BLANKS}been)${BLANKS}[a-z]{3,12}${BLANKS})?${WHOSE}[:：][ \t]{0,4}${EITHER}`,
    isOpen: true,
  },
  // MNEMONIC="…", twelve words at least
  {
    hints: ["mnemonic", "phrase"],
    pattern: String
      .raw`(?:mnemonic|(?:seed|recovery|backup)[ _-]?phrase)\w{0,12}${MARK}?[ \t]{0,8}[:=][ \t]{0,4}(?:${MARK})?((?:[a-z]{3,8}[ \t]){11,23}[a-z]{3,8})(?![ \t]?[a-z])`,
  },
];
/** `passphrase: correct horse battery staple` on a line of its own. */
const PHRASE = String
  .raw`(${START}[\w.-]{0,40}passphrase[ \t]{0,4}:[ \t]{1,4})((?:[a-z\d#!-]{2,20}[ \t]){2,12}[a-z\d#!-]{2,20})(?=[ \t]{0,4}(?:$|[\r\n]|\\[nr]))`;
/** Words of a sentence about one. */
const SENTENCE =
  /(?:^|[ \t])(?:the|an?|of|is|are|be|to|for|at|in|with|and|or|not|no|must|should|may|can|your|you|it|this|that|enter|required|empty|from)(?:[ \t]|$)/i;

/** The text with those secrets masked. */
export function maskToldForms(text: string): string {
  phrase ??= new RegExp(PHRASE, "gi");
  forms ??= formsMask(FORMS, NAME, maskForm);
  const isSpoken = /passphrase/i.test(text);
  return forms(isSpoken ? text.replace(phrase, maskPhrase) : text);
}
let phrase: RegExp | undefined;
let forms: ((text: string) => string) | undefined;

function maskPhrase(whole: string, kept: string, words: string): string {
  return SENTENCE.test(words) ? whole : kept + VALUE_MASK;
}

function maskForm(text: string, matches: Matches): string {
  const { pattern, isOpen } = matches;
  let masked = "";
  let done = 0;
  for (const [whole, value = ""] of matches) {
    const end = pattern.lastIndex;
    const start = end - value.length;
    // What is no value may be the next name.
    if (isOpen ? !isValueLike(value) : isPlain(whole, value)) pattern.lastIndex = start;
    else {
      masked += text.slice(done, start) + VALUE_MASK;
      // What ends the sentence is none of it.
      done = isOpen ? end - /[.,;:)]*$/.exec(value)![0].length : end;
    }
  }
  return masked + text.slice(done);
}

function isPlain(whole: string, value: string): boolean {
  return isNoSecret("", value) || /^(?:\$[({\w]|\{\{|<%|.{0,200}\[redacted:)/.test(value) ||
    /token(?:\(|\\{0,7}["'])/i.test(whole) && isTokenWord("token", value);
}
