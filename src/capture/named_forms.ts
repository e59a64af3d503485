/** Secrets that a name gives away in the forms of files: a block of YAML, a variable of Terraform, a table, a form of HTML. */
import { type Form, formsMask, type Matches } from "./forms.ts";
import { GAP, NAMED_CALLS, OWN_NAME, QUOTE } from "./named_calls.ts";
import { isNoSecret, isValueLike, SUFFIX, VALUE_MASK } from "./secret_names.ts";

/** Letters and digits, not a word of a header. */
const MIXED =
  "(?=[^\\s|`]{0,128}\\d)(?=[^\\s|`]{0,128}[A-Za-z])(?:[^\\s|`\\\\]|\\\\{1,7}(?=[^\\s\\\\|`])){6,128}";
const NEXT_LINE = String.raw`(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)`;
/** A line of YAML that is a name with its value. */
const ENTRY = String
  .raw`${NEXT_LINE}[ \t]{1,20}[a-z]{2,40}:[ \t]{1,4}(?:[^\s\\]|\\{1,7}["'])(?:[^\r\n\\]|\\{1,7}["']){0,200}`;
/** In each, group 1 stays, and what follows it is the value. */
const FORMS: readonly Form[] = [
  // Private Key: …; what is told of one is its kind, or how it is known
  {
    hints: [" key"],
    pattern: String
      .raw`((?:private|signing|account|shared|auth|service_role) key(?:${QUOTE})?[ \t]{0,8}[:=][ \t]{0,8}(?:${QUOTE})?)` +
      String
        .raw`(?!(?:sha\d{1,3}|md5):|(?:rsa|ecdsa|ed)-?\d)([^\s"'\x60\\<>|;,]{8,256})`,
    isOpen: true,
  },
  // variable "db_password" { default = "…" }
  {
    hints: ["variable"],
    pattern: String
      .raw`(variable[ \t]{1,4}${QUOTE}[\w-]{0,60}?${OWN_NAME}${QUOTE}[ \t]{0,4}\{[^{}]{0,400}?` +
      String.raw`default[ \t]{0,8}=[ \t]{0,4}${QUOTE})([^"'\\\r\n]{1,400})(?=${QUOTE})`,
  },
  {
    hints: ["<input"],
    pattern: String
      .raw`(<input\b[^<>]{0,200}?type=${QUOTE}password${QUOTE}[^<>]{0,200}?\b(?:default)?value=${QUOTE})` +
      String.raw`([^"'<>\\\r\n]{1,200})(?=${QUOTE})`,
  },
  // {"value": "…", "name": "API_TOKEN"}, <add value="…" key="DbPassword"/>, <input value="…" name="password">
  {
    hints: ["value"],
    pattern: String
      .raw`(${QUOTE}value${QUOTE}${GAP}:${GAP}${QUOTE})([^"'\\\r\n]{1,400})(?=${QUOTE}${GAP},${GAP}${QUOTE}(?:name|key)${QUOTE}${GAP}:${GAP}${QUOTE}[\w./:-]{0,60}?${OWN_NAME}${QUOTE})`,
  },
  {
    hints: ["value="],
    pattern: String
      .raw`(<(?:add|input|setting|param|property|entry|env|variable)\b(?![^<>]{0,400}?type=${QUOTE}(?:submit|button|reset|image|checkbox|radio))` +
      String
        .raw`(?:[^<>]{0,200}?[\s"'nt])?value=${QUOTE})([^"'<>\\\r\n@][^"'<>\\\r\n]{0,400})(?=${QUOTE}[^<>]{0,200}?[\s"'nt](?:key|name|id)=${QUOTE}[\w./:-]{0,60}?${OWN_NAME}${QUOTE})`,
  },
  // <name>fs.s3a.secret.key</name><value>…</value>
  {
    hints: ["<value>"],
    pattern: String
      .raw`(<(?:name|key)>${GAP}[\w.:/-]{0,100}?${OWN_NAME}${GAP}</(?:name|key)>${GAP}<value>)([^<>\r\n\\]{1,400})(?=</value>)`,
  },
  // <property name="hibernate.connection.password">…</property>, also with <value> within
  {
    hints: ["</"],
    pattern: String
      .raw`(<(?:property|param|prop|setting)[ \t]{1,4}(?:[\w:-]{1,20}=${QUOTE}[^"'<>\\]{0,80}${QUOTE}[ \t]{1,4})?(?:key|name)=` +
      String
        .raw`${QUOTE}[\w./:-]{0,60}?(?:pass(?:word|wd|phrase)|pwd|secret)${QUOTE}[^<>]{0,100}>(?:${GAP}<value>)?)([^\s<>\\]{4,256})(?=</)`,
  },
  // ~ db_password = "…" -> "…", as Terraform plans it
  {
    hints: ["->"],
    pattern: String
      .raw`(${OWN_NAME}(?:${QUOTE}|\x60)?[ \t]{0,60}[=:][ \t]{1,4}${QUOTE}[^"'\\\r\n]{0,400}${QUOTE}[ \t]{1,4}->[ \t]{1,4}${QUOTE})([^"'\x60\\\r\n]{1,400})(?=${QUOTE})`,
  },
  // env.JWT_SECRET || '…', ENV.fetch("API_KEY") { "…" }, os.getenv("API_KEY") or "…"
  {
    hints: ["env"],
    pattern: String
      .raw`((?:env(?:\.|\[${QUOTE})[\w.-]{0,60}?${OWN_NAME}(?:${QUOTE}\])?|(?:env\.fetch|env(?:iron)?\.get|get_?env|env)\(${QUOTE}[\w.-]{0,60}?${OWN_NAME}${QUOTE}\))` +
      String
        .raw`[ \t]{0,4}(?:\|\|=?|\?\?=?|\?:|or[ \t]|\{)${GAP}(?:${QUOTE}|\x60))([^\s"'\x60\\]{6,400})(?=${QUOTE}|\x60)`,
  },
  // basicAuth: joe:…
  {
    hints: ["basic"],
    pattern: String
      .raw`(basic[_-]?auth(?:${QUOTE})?[ \t]{0,4}[:=][ \t]{0,4}(?:${QUOTE})?[\w.@+-]{1,64}:)([^\s"'\x60\\<>|,;]{6,256})`,
    isOpen: true,
  },
  // <meta name="csrf-token" content="…">
  {
    hints: ["<meta"],
    pattern: String
      .raw`(<meta[ \t]{1,4}(?:name|property|id)=${QUOTE}[\w.:-]{0,60}?${OWN_NAME}${QUOTE}[ \t]{1,4}content=${QUOTE})([^"'<>\\\r\n]{1,400})(?=${QUOTE})`,
  },
  // buildConfigField("String", "API_KEY", "\"…\"") of Android
  {
    hints: ["buildconfigfield", "resvalue"],
    pattern: String
      .raw`((?:buildconfigfield|resvalue)[ \t]{0,4}\(?[ \t]{0,4}${QUOTE}\w{1,20}${QUOTE}[ \t]{0,4},${GAP}${QUOTE}[\w.-]{0,60}?${OWN_NAME}${QUOTE}[ \t]{0,4},${GAP}${QUOTE}(?:${QUOTE})?)` +
      String.raw`([^"'\\\r\n]{4,400})(?=${QUOTE})`,
  },
  // addValue("…", forHTTPHeaderField: "X-Api-Key")
  {
    hints: ["forhttpheaderfield"],
    pattern: String
      .raw`((?:add|set)value\(${QUOTE}(?:(?:basic|bearer|token)[ ])?)([^"'\\\r\n]{4,400})(?=${QUOTE},${GAP}forhttpheaderfield:${GAP}${QUOTE}[\w-]{0,60}?${OWN_NAME}${QUOTE})`,
  },
  // CREATE SECRET x (TYPE s3, KEY_ID '…', SECRET '…')
  {
    hints: ["create"],
    pattern: String
      .raw`((?:secret|password|token)[ \t]{1,8}(?=${QUOTE})(?<=create[a-z \t]{1,40}\bsecret\b[^;]{0,500})${QUOTE})(\w[^"'\\\r\n]{3,400})(?=${QUOTE})`,
  },
  // use … as the password
  {
    hints: [" as "],
    pattern: String
      .raw`((?<=^|\W|\\[nrt])us(?:e|ing)[ ](?:\x60|${QUOTE})?)([^\s"'\x60\\<>|]{6,200})(?=(?:\x60|${QUOTE})?[ ]as[ ](?:[a-z]{1,12}[ ]){0,3}${OWN_NAME})`,
    isOpen: true,
  },
  // proxy_set_header Authorization "Basic …";
  {
    hints: ["_header"],
    pattern: String
      .raw`(_header[ \t]{1,8}[\w-]{0,20}authorization[ \t]{1,8}(?:${QUOTE})?(?:basic|bearer)[ \t]{1,8})(?=[a-z+/._~-]{0,400}\d)([\w+/.~-]{12,4000}={0,2})(?=\\{0,7}[;"'])`,
  },
  // env::var("DB_PASSWORD").unwrap_or("…".into())
  {
    hints: ["unwrap_or"],
    pattern: String
      .raw`(env::var\(${QUOTE}[\w.-]{0,50}?${OWN_NAME}${QUOTE}\)${GAP}(?:\.ok\(\)${GAP})?\.unwrap_or(?:_else)?\([ \t]{0,4}(?:\|_?\|[ \t]{0,4})?(?:string::from\()?${QUOTE})([^"'\\\r\n]{1,400})(?=${QUOTE})`,
  },
  // DBPassword:, and Type: String and Default: … below
  {
    hints: ["default:"],
    pattern: String
      .raw`((?:pass(?:word|wd|phrase)|secret|(?:api|access|secret)_?key|(?:api|access|auth)_?token)${SUFFIX}:[ \t]{0,4}(?=(?:${ENTRY}){0,4}?${NEXT_LINE}[ \t]{1,20}Type:[ \t]{1,4}String(?!\w))` +
      String
        .raw`(?:(?!${NEXT_LINE}[ \t]{1,20}Default:)${ENTRY}){0,6}${NEXT_LINE}[ \t]{1,20}Default:[ \t]{1,4}(?:${QUOTE})?)([^\s"'\x60\\]{6,400})(?=(?:${QUOTE})?[ \t]{0,8}(?:$|[\r\n]|\\{1,7}[nr]|${QUOTE}))`,
    isOpen: true,
  },
  // #define WIFI_PASSWORD "word", no name of a setting
  {
    hints: ["define"],
    pattern: String
      .raw`(#[ \t]{0,4}define[ \t]{1,8}(?:wifi|wlan|ap|sta|mqtt|ota|smtp|ftp|hotspot|router)_?(?:pass(?:word|wd|phrase)?|pwd|psk)[ \t]{1,40}${QUOTE})` +
      String
        .raw`(?![a-z]{0,64}(?:pass|word|pwd|psk|secret|key|token))([a-z]{6,64})(?=${QUOTE})`,
  },
  // requirepass word, where no option is spoken of
  {
    hints: ["requirepass", "masterauth", "bindpw", "rootpw"],
    pattern: String
      .raw`((?:^|[\r\n]|\\{1,7}[nrt])[ \t]{0,16}(?:requirepass|masterauth|bindpw|rootpw)[ \t]{1,8}(?:${QUOTE})?)` +
      String
        .raw`(?!(?:options?|directives?|settings?|parameters?|values?|config\w*|foobared)(?![a-z]))([a-z]{6,64})(?=(?:${QUOTE})?[ \t]{0,8}(?:$|[\r\n]|\\{1,7}[nr]|${QUOTE}))`,
  },
  // SET PASSWORD FOR 'root'@'localhost' = '…'
  {
    hints: ["set "],
    pattern: String
      .raw`(\bset[ \t]{1,8}password[ \t]{1,8}for[ \t]{1,8}[\w"'\x60@%.\\-]{1,120}[ \t]{1,8}=[ \t]{1,8}(?:password\([ \t]{0,4})?${QUOTE})([^"'\\\r\n]{4,400})(?=${QUOTE})`,
  },
  // args: - --db-password, and its value as the next item; not what is switched on or off
  {
    hints: ["- "],
    pattern: String
      .raw`(-[ \t]{1,4}(?:${QUOTE})?--(?!(?:no|enable|disable|show|use|with|skip|require|ask)-|auth(?![\w-]))[\w-]{0,60}?${OWN_NAME}(?:${QUOTE})?[ \t]{0,8}` +
      String
        .raw`(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)(?:[ \t]{0,60}-[ \t]{1,4}(?:${QUOTE})?))(?!-)([^\s"'\\\x60$]{4,400})(?=(?:${QUOTE})?[ \t]{0,8}(?:$|[\r\n]|\\{1,7}[nr]|${QUOTE}))`,
  },
  // printf "API_KEY=%s\n" "…"
  {
    hints: ["printf"],
    pattern: String
      .raw`(\bprintf[ \t]{1,4}${QUOTE}[\w.-]{0,60}?${OWN_NAME}=%s(?:\\{1,7}n)?${QUOTE}[ \t]{1,4}${QUOTE})([^"'\\\r\n]{1,400})(?=${QUOTE})`,
  },
  // PASSWORD = ( "…" ), as Python has it over lines
  {
    hints: ["("],
    pattern: String
      .raw`(${OWN_NAME}[ \t]{0,8}=[ \t]{0,4}\(${GAP}[bfru]{0,2}${QUOTE})([^"'\\\r\n]{1,400})(?=${QUOTE}${GAP}\))`,
  },
  // ;PWD={…}; of ODBC: a name alone is put in there by a program
  {
    hints: ["={"],
    pattern: String
      .raw`(;[ \t]{0,4}(?:pwd|password)=\{)(?=[\w.()\[\]:]{0,200}[^\w.()\[\]:{}\s"'])(?![^{}]{0,200}![rsa]\})([^{}"'\\\r\n]{1,200})(?=\})`,
  },
  // &lt;password&gt;…&lt;/password&gt;
  {
    hints: ["&gt;"],
    pattern: String.raw`(&lt;[\w.:-]{0,60}?${OWN_NAME}&gt;)([^\s<>&"'\\]{1,200})(?=&lt;/)`,
  },
  // **Password:** `…`
  {
    hints: [":**"],
    pattern: String.raw`(${OWN_NAME}:\*\*[ \t]{1,4}\x60)([^\x60\r\n\\]{4,128})(?=\x60)`,
  },
  { hints: [":**"], pattern: String.raw`(${OWN_NAME}:\*\*[ \t]{1,4})(${MIXED})` },
  // | PASSWORD | … |
  {
    hints: ["|"],
    pattern: String
      .raw`(\|[ \t]{1,40}\x60?[\w .-]{0,40}?${OWN_NAME}\x60?[ \t]{1,40}\|[ \t]{1,40}\x60?)(${MIXED})(?=\x60?[ \t]{1,40}\|)`,
  },
];
/** `password: >-`, and the lines below that are indented. */
const BLOCK = String
  .raw`${OWN_NAME}\\{0,7}["']?[ \t]{0,8}:[ \t]{1,4}[|>][-+\d]{0,2}[ \t]{0,4}(?=\r?\n|(?:\\{1,7}r)?\\{1,7}n)`;
const BLOCK_SIGN = /:[ \t]{1,4}[|>]/;
const LINE = /(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)([-+]?[ \t]{1,80})([^\s\\][^\r\n\\]*)/y;

/** The text with those secrets masked. */
export function maskNamedForms(text: string): string {
  forms ??= formsMask([...FORMS, ...NAMED_CALLS], OWN_NAME, maskForm);
  return forms(maskBlocks(text));
}
let forms: ((text: string) => string) | undefined;

function maskForm(text: string, matches: Matches): string {
  let masked = "";
  let done = 0;
  for (const { 0: whole, 1: kept = "", 2: value = "", index } of matches) {
    if (isPlain(value) || matches.isOpen && !isValueLike(value)) continue;
    masked += text.slice(done, index) + kept + VALUE_MASK;
    done = index + whole.length;
  }
  return masked + text.slice(done);
}

function isPlain(value: string): boolean {
  return isNoSecret("", value) || /^(?:\$[({\w]|\{\{|<%|\[redacted:)/.test(value);
}

function maskBlocks(text: string): string {
  if (!BLOCK_SIGN.test(text)) return text;
  block ??= new RegExp(BLOCK, "gi");
  block.lastIndex = 0;
  let masked = "";
  let done = 0;
  for (let found = block.exec(text); found !== null; found = block.exec(text)) {
    LINE.lastIndex = block.lastIndex;
    const first = LINE.exec(text);
    // The types of a union stand below such a sign, too.
    if (first === null || isPlain(first[2]!.trim()) || /^\|[ \t]/.test(first[2]!)) continue;
    const start = first.index + first[0].length - first[2]!.length;
    let end = LINE.lastIndex;
    for (let next = LINE.exec(text); next !== null; next = LINE.exec(text)) {
      if (next[1]!.length < first[1]!.length) break;
      end = LINE.lastIndex;
    }
    masked += text.slice(done, start) + VALUE_MASK;
    done = block.lastIndex = end;
  }
  return masked + text.slice(done);
}
let block: RegExp | undefined;
