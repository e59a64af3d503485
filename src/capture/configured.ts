/** `gh secret set NAME --body word`: what a command stores as a secret, and what files of logins hold, known by their own words. */
import { isChosen, isScrambled } from "./secret_runs.ts";
import { isNoSecret, isRandom, isValueLike } from "./secret_names.ts";

const MASK = "[redacted:setting]";
const QUOTE = String.raw`\\{0,7}["']`;
/** A line of a shell, also one that goes on below. */
const LINE = String.raw`(?:[^;|&\r\n\\]|\\{1,7}(?:["']|\r?\n|n[ \t]))`;
const BLANKS = "[ \\t]{1,8}";
const GAP = String.raw`(?:[ \t\r\n]|\\{1,7}[nrt]){0,20}`;
const QUOTED = String.raw`(?<=["'])[^"'\r\n\\]{1,4000}`;
const WORD = String.raw`(?!-)[^\s"'\\;|&<>]{1,4000}`;
const VALUE = `(${QUOTED}|${WORD})`;
const LINE_START = String.raw`(?<=^|[\r\n]|\\[nrt]|[\d→]\t|[\r\n][-+]|\\n[-+]|["'])`;
const START = String.raw`(?<=^|[^\w-]|\\[nrt])`;
const FIELD = "[^\\s:\"'`\\\\]{1,100}";
/** Arguments of a command, as far as the cheap look sees: in JSON each quote has more signs. */
const ARGUMENT = String.raw`[\w ./:=@,~+$[\]-]{0,40}`;
const ARGUMENTS = `(?:${ARGUMENT}${QUOTE}){0,4}?${ARGUMENT}?`;
const NAME = String.raw`(?:${QUOTE})?(?!-)[^\s:"'\\;|&<>]{1,100}(?:${QUOTE})?`;
/** In front of a value: it is not masked yet. */
const NEW = String.raw`(?:${QUOTE})?)(?!\[redacted:)`;

/** In each, group 1 stays, and group 2 is the secret. */
const FORMS: readonly string[] = [
  // gh secret set NAME --body word
  String
    .raw`(\bsecrets?(?:${BLANKS}set|:create)${BLANKS}${LINE}{0,300}?(?<=[ \t])(?:--(?:body|value)(?:=|${BLANKS})|-b[ \t=]{0,8})(?:${QUOTE})?)${VALUE}`,
  // doppler secrets set FOO=word
  String
    .raw`((?<![\w-])(?=[A-Z]\w{1,80}=)(?<=\bsecrets${BLANKS}set${BLANKS}${LINE}{0,200})\w{2,81}=(?:${QUOTE})?)${VALUE}`,
  // netlify env:set FOO word
  String.raw`(\benv:set${BLANKS}[a-z]\w{1,80}${BLANKS}(?:${QUOTE})?)${VALUE}`,
  // firebase functions:config:set stripe.key="word"
  String
    .raw`((?<![\w.-])(?=[\w.]{1,80}=)(?<=\bfunctions:config:set${BLANKS}${LINE}{0,200})[\w.]{0,60}(?:key|secret|token|pass\w{0,6}|pw)=(?:${QUOTE})?)${VALUE}`,
  // xfreerdp /u:ana /p:word
  String.raw`(${START}[xw]l?freerdp\d?\b${LINE}{0,300}?[ \t]/p:(?:${QUOTE})?)${VALUE}`,
  // security add-generic-password -a ana -s x -w word
  String
    .raw`(${START}security${BLANKS}add-(?:generic|internet)-password\b${LINE}{0,300}?[ \t]-w${BLANKS}(?:${QUOTE})?)${VALUE}`,
  // mc alias set x https://host key word
  String
    .raw`(${START}mc${BLANKS}(?:alias${BLANKS}set|config${BLANKS}host${BLANKS}add)${BLANKS}[\w-]{1,60}${BLANKS}https?://[^\s"']{1,200}${BLANKS}(?:${QUOTE})?[\w-]{3,128}(?:${QUOTE})?${BLANKS}(?:${QUOTE})?)${VALUE}`,
  // git config --global user.password word
  String
    .raw`(${START}git${BLANKS}config${BLANKS}(?:--?[a-z-]{1,20}${BLANKS}){0,3}(?!--)[\w.-]{1,80}\.(?:password|token|secret|pass)${BLANKS}(?:${QUOTE})?)${VALUE}`,
  // mysqladmin -u root password word
  String.raw`(${START}mysqladmin\b${ARGUMENTS}[ ]password${BLANKS}${NEW}${VALUE}`,
  // rabbitmqctl add_user ana word
  String
    .raw`(${START}rabbitmqctl${BLANKS}(?:add_user|change_password|authenticate_user)${BLANKS}${NAME}${BLANKS}${NEW}${VALUE}`,
  // composer config http-basic.repo.test ana word
  String
    .raw`(${START}config${BLANKS}(?:--?[a-z-]{1,20}${BLANKS}){0,3}http-basic\.[\w.:-]{1,100}${BLANKS}${NAME}${BLANKS}${NEW}${VALUE}`,
  // bundle config set gems.x.test ana:word
  String
    .raw`(${START}bundle${BLANKS}config${BLANKS}(?:set${BLANKS})?(?:--[a-z]{1,20}${BLANKS}){0,2}(?:https?://)?[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}/?${BLANKS}(?:${QUOTE})?(?!-)[^\s:"'\\;|&<>]{1,100}:)(?!//|\[redacted:)${VALUE}`,
  // nmcli dev wifi connect net password word
  String
    .raw`(${START}nmcli${BLANKS}${ARGUMENTS}[ ](?:password|[\w-]{1,40}\.psk)${BLANKS}${NEW}${VALUE}`,
  // sops --set '["db"]["password"] "word"' file
  String
    .raw`(${START}sops${BLANKS}(?:--)?set${BLANKS}[^\r\n;|&]{0,300}?\](?:${QUOTE})?${BLANKS}${QUOTE}(?:${QUOTE})?)(?!\[redacted:)(${QUOTED})`,
  // redis-server --requirepass word
  String
    .raw`(${START}--(?:requirepass|masterauth)(?:=|${BLANKS}|${QUOTE}[ \t]{0,4},[ \t]{0,8})${NEW}${VALUE}`,
  // ssh-keygen -N word -f key
  String.raw`(${START}ssh-keygen${ARGUMENTS}[ ]-[NP][ \t]{0,8}${NEW}${VALUE}`,
  // osascript -e '… password "word" …'
  String
    .raw`(${START}osascript\b[^\r\n]{0,400}?[ \t]password${BLANKS}${QUOTE})(${QUOTED})(?=${QUOTE})`,
  // expect "assword:"; send "word\r"
  String
    .raw`(${START}expect[ \t{][ -~]{0,60}?ass(?:word|phrase)(?:[ \t\r\n:?*"';{}\\]|(?<=\\)[nrt]){1,40}send(?:${BLANKS}--)?${BLANKS}${QUOTE})([ !#-&(-\[\]-~]{1,200})(?=\\{1,7}[rn])`,
  // sonar.login=0a1b…
  String
    .raw`((?<=^|\W|-D|\\[nrt])sonar\.login(?:[=:]|${BLANKS})(?:${QUOTE})?)([a-f\d]{40})(?![\w-])`,
  // npm publish --otp=123456
  String.raw`((?<![\w-])--otp(?:=|${BLANKS})(?:${QUOTE})?)(\d{6,8}(?!\d))`,
  // kubectl create secret generic db --from-literal=name=word
  String
    .raw`(--from-literal(?:=|${BLANKS})(?:${QUOTE})?(?!(?:user(?:name)?|host|port|name|email|database)=)[\w.-]{1,253}=(?:${QUOTE})?)${VALUE}`,
  // aws ssm put-parameter --type SecureString --value word
  String
    .raw`(\bput-parameter\b(?=${LINE}{0,500}SecureString)${LINE}{0,400}?[ \t]--value(?:=|${BLANKS})(?:${QUOTE})?)${VALUE}`,
  // "Type": "SecureString", "Value": "word"
  String
    .raw`(${QUOTE}Type${QUOTE}${GAP}:${GAP}${QUOTE}SecureString${QUOTE}${GAP},${GAP}${QUOTE}Value${QUOTE}${GAP}:${GAP}${QUOTE})(${QUOTED})`,
  // npm config set //registry.test/:_authToken word
  String
    .raw`(${START}config${BLANKS}set${BLANKS}(?:--?[a-z-]{1,20}${BLANKS}){0,3}[\w./:@-]{0,200}?` +
  String
    .raw`(?:_?authtoken|:_auth|_password|token|password|secret|api[_-]?key|requirepass|masterauth)(?:[ \t]{0,8}=[ \t]{0,8}|${BLANKS})(?:${QUOTE})?)${VALUE}`,
  // dotnet user-secrets set "Name" "word"
  String
    .raw`(\buser-secrets${BLANKS}(?:--?[a-z]{1,20}(?:=|${BLANKS})[^\s;|&]{1,300}${BLANKS}){0,4}set${BLANKS}` +
  String
    .raw`(?:--?[a-z]{1,20}(?:=|${BLANKS})[^\s;|&]{1,300}${BLANKS}){0,4}(?:${QUOTE})?[\w.:-]{1,200}(?:${QUOTE})?${BLANKS}(?:${QUOTE})?)${VALUE}`,
  // sqlplus -s ana/word@db; without a place behind it, only what is no path
  String
    .raw`((?<=^|[^\w-]|\\[nrt])(?:sqlplus|sqlldr)(?:\.exe)?(?:${BLANKS}-[a-z]{1,12}(?:${BLANKS}(?:on|off|\d{1,2}(?:\.\d{1,2}){0,3}))?){0,6}${BLANKS}` +
  String
    .raw`(?:userid=)?(?:${QUOTE})?[a-z][\w$#.-]{0,127}/(?:\\{0,7}")?)([^\s"'\\;|&<>@]{1,128}(?=(?:\\{0,7}")?@)|(?=[^\s/]{0,127}\d)[^\s"'\\;|&<>@/]{6,128}(?![^\s"'\\]))`,
  // jdbc:oracle:thin:ana/word@//host
  String
    .raw`(${START}jdbc:oracle:(?:thin|oci8?):[\w$#.-]{1,64}/(?:\\{0,7}")?)([^\s"'\\;|&<>@]{1,128})(?=(?:\\{0,7}")?@)`,
  // redis-cli -h host AUTH word, 127.0.0.1:6379> AUTH ana word
  String
    .raw`((?:${START}redis-cli(?:${BLANKS}-[a-z]{1,2}${BLANKS}[\w.:/-]{1,80}){0,4}${BLANKS}|[\w.-]{1,60}:\d{2,5}(?:\[\d{1,2}\])?>[ \t]{0,4})` +
  String
    .raw`auth${BLANKS}(?:(?:${QUOTE})?[a-z_-]{1,40}(?:${QUOTE})?[ \t](?=[^\s;|&<>#:]))?(?:${QUOTE})?)${VALUE}`,
  // net use x: \\host\x /user:ana word
  String
    .raw`(${START}net${BLANKS}use${BLANKS}[^;|&\r\n]{0,200}?/u(?:ser)?:[^\s;|&"']{1,80}${BLANKS}(?:${QUOTE})?)(?![/*])${VALUE}`,
  // CREATE USER ana IDENTIFIED BY 'word'
  String
    .raw`(\bidentified[ \t]{1,8}(?:with[ \t]{1,8}[\w"'\x60\\]{1,60}[ \t]{1,8})?(?:by|as)[ \t]{1,8}(?:password[ \t]{1,8})?${QUOTE})(${QUOTED})(?=${QUOTE})`,
  // host:5432:database:user:word of a .pgpass
  String
    .raw`(${LINE_START}${FIELD}:(?:543\d|6432|\*):(?!\d)${FIELD}:(?!\d)${FIELD}:)((?:[^\s:"'\\]|(?<=\w)["'](?=\w)|(?<=\w):(?=\w)|\\{1,7}(?=[^\s\\nrt"'])){1,400})` +
  String.raw`(?=$|[\r\n]|\\[nr]|["'])`,
];
/** ACL SETUSER ana on >word, and in a file user ana on >word ~* +@all */
const REDIS_USER = String
  .raw`((?:(?:SETUSER|setuser)|${LINE_START}user(?=[^\r\n]{0,300}[ ](?:\+@|~\*)))${BLANKS}(?:[^\s>;"'\\]{1,100}${BLANKS}){2,12}>)${VALUE}`;
/** What is also said of these commands: only what looks like a secret is one. */
const SAID = String
  .raw`(${START}(?:(?:vault|cargo)${BLANKS}login|bw${BLANKS}unlock|net${BLANKS}user${BLANKS}[\w.-]{1,64}|gem${BLANKS}push${LINE}{0,200}?[ \t](?:-k|--key)|nuget${BLANKS}push${LINE}{0,200}?[ \t](?:-k|--api-key)|ngrok${BLANKS}(?:authtoken|config${BLANKS}add-(?:authtoken|api-key)))${BLANKS}(?:${QUOTE})?)([^\s"'\\;|&<>]{8,400})`;
/** mc alias set x https://host id word: the id where it was drawn by lot. */
const MC_ID = String
  .raw`(${START}mc${BLANKS}(?:alias${BLANKS}set|config${BLANKS}host${BLANKS}add)${BLANKS}[\w-]{1,60}${BLANKS}https?://[^\s"']{1,200}${BLANKS}(?:${QUOTE})?)([\w-]{16,128})(?=(?:${QUOTE})?${BLANKS})`;
/** The same on a line with other words, where it looks like a secret. */
const WITHIN = String
  .raw`((?<=^|[\s(=\x60>])[^\s:"'\x60\\(=]{1,100}:(?:543\d|6432|\*):(?!\d)${FIELD}:(?!\d)${FIELD}:)([^\s:"'\x60\\]{1,200})(?=[\s\x60])`;

/** `login with admin:word`, `Login: admin / word`; the signs that JSON writes otherwise are none of it. */
const LOGIN_VALUE = String.raw`[\w!#$%&()*+,./:;=?@[\]^{}~-]{8,128}(?=$|[\s"'\x60<\\])`;
const USER = String.raw`[\w.+-]{1,64}(?:@[\w.-]{1,60})?`;
const MARK = String.raw`(?:\\{0,7}["'\x60])?`;
const LOGINS: readonly string[] = [
  String.raw`(${START}[lL]ogin(?: with|:) {1,4}${USER}(?::| \/ ))(${LOGIN_VALUE})`,
  // log in as joe with word
  String
    .raw`([lL]og(?:ged)?[ -]?in as ${USER} (?:with|using) (?:(?:the )?password )?${MARK})(${LOGIN_VALUE})`,
  // bob@x.com:word, bob@x.com / word
  String
    .raw`((?<=^|[\s"'\x60>(]|\\[nrt])[\w.+-]{1,64}@[a-z\d-]{1,60}(?:\.[a-z\d-]{1,60}){0,4}\.[a-z]{2,12}(?::| \/ ))(?![^\s]{0,128}\/)(${LOGIN_VALUE})`,
  // credentials: bob@x.com / word, user/pass: admin/word
  String
    .raw`(${START}(?:[cC]reds(?::|[ ]-)|(?:[cC]redentials|[uU]ser(?:name)?\/[pP]ass):)[ \t]{1,4}${MARK}${USER}${MARK}[ \t]{0,2}[:/][ \t]{0,2}${MARK})(${LOGIN_VALUE})`,
];
/** No word, no version and no name of an image. */
const DRAWN = /^[a-z]+\d[a-z\d]*$|[!#$%^&*?~]|^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)/;

/** "Jwt": { "Key": "…" }, where it looks like a secret. */
const SIGNING = String
  .raw`(${QUOTE}(?:Jwt|JWT)\w{0,12}${QUOTE}${GAP}:${GAP}\{[^{}]{0,400}?${QUOTE}\w{0,20}Key${QUOTE}${GAP}:${GAP}${QUOTE})([^\s"'\\]{16,400})(?=${QUOTE})`;

/** What ends the sentence that a value stands in, and is none of it. */
const SENTENCE_END = /[.,;:)]*$/;

/** Forms with one rule for what of their values is a secret. */
interface Group {
  readonly forms: readonly string[];
  readonly flags: string;
  readonly isSecret: (value: string) => boolean;
  readonly isInSentence?: boolean;
}

/** In the order of masking. */
const GROUPS: readonly Group[] = [
  { forms: FORMS, flags: "gi", isSecret: (value) => !isReference(value) },
  { forms: [REDIS_USER], flags: "g", isSecret: (value) => !isReference(value) },
  { forms: [SAID], flags: "gi", isSecret: (value) => isValueLike(value) || isRandom(value) },
  { forms: [MC_ID], flags: "g", isSecret: (value) => isRandom(value) || isScrambled(value) },
  { forms: [WITHIN], flags: "gi", isSecret: isValueLike, isInSentence: true },
  { forms: [SIGNING], flags: "g", isSecret: isSigning },
  { forms: LOGINS, flags: "g", isSecret: isLogin, isInSentence: true },
];

/** The text with those secrets masked. */
export function maskConfigured(text: string): string {
  groups ??= GROUPS.flatMap(({ forms, flags, ...rule }) =>
    forms.map((form) => ({ ...rule, form: new RegExp(form, flags) }))
  );
  return groups.reduce(
    (masked, { form, isSecret, isInSentence = false }) =>
      masked.replace(form, (whole, kept: string, value: string) => {
        if (!isSecret(value)) return whole;
        return kept + MASK + (isInSentence ? SENTENCE_END.exec(value)![0] : "");
      }),
    text,
  );
}
let groups: readonly (Omit<Group, "forms" | "flags"> & { readonly form: RegExp })[] | undefined;

function isLogin(value: string): boolean {
  const bare = value.replace(SENTENCE_END, "");
  return bare.length >= 8 && (DRAWN.test(bare) || isChosen(bare)) && isValueLike(bare);
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
