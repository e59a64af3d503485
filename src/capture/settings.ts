/** `gh secret set NAME --body word`: what a command stores as a secret, or is given as one, known by the words of the command. */
import type { Form } from "./forms.ts";

export const QUOTE = String.raw`\\{0,7}["']`;
/** A line of a shell, also one that goes on below. */
export const LINE = String.raw`(?:[^;|&\r\n\\]|\\{1,7}(?:["']|\r?\n|n[ \t]))`;
export const BLANKS = "[ \\t]{1,8}";
export const GAP = String.raw`(?:[ \t\r\n]|\\{1,7}[nrt]){0,20}`;
const QUOTED = String.raw`(?<=["'])[^"'\r\n\\]{1,4000}`;
const WORD = String.raw`(?!-)[^\s"'\\;|&<>]{1,4000}`;
export const VALUE = `(${QUOTED}|${WORD})`;
export const LINE_START = String.raw`(?<=^|[\r\n]|\\[nrt]|[\d→]\t|[\r\n][-+]|\\n[-+]|["'])`;
export const START = String.raw`(?<=^|[^\w-]|\\[nrt])`;
export const FIELD = "[^\\s:\"'`\\\\]{1,100}";
/** Arguments of a command, as far as the cheap look sees: in JSON each quote has more signs. */
const ARGUMENT = String.raw`[\w ./:=@,~+$[\]-]{0,40}`;
const ARGUMENTS = `(?:${ARGUMENT}${QUOTE}){0,4}?${ARGUMENT}?`;
const NAME = String.raw`(?:${QUOTE})?(?!-)[^\s:"'\\;|&<>]{1,100}(?:${QUOTE})?`;
/** In front of a value: it is not masked yet. */
const NEW = String.raw`(?:${QUOTE})?)(?!\[redacted:)`;

/** The port in a line of a .pgpass. */
export const PORT = String.raw`:(?:543\d|6432|\*):`;
export const POSTGRES = [":543", ":6432:", ":*:"];

/** In each, group 1 stays, and group 2 is the secret. */
export const SETTINGS: readonly Form[] = [
  // gh secret set NAME --body word
  {
    hints: ["secret"],
    pattern: String
      .raw`(\bsecrets?(?:${BLANKS}set|:create)${BLANKS}${LINE}{0,300}?(?<=[ \t])(?:--(?:body|value)(?:=|${BLANKS})|-b[ \t=]{0,8})(?:${QUOTE})?)${VALUE}`,
  },
  // doppler secrets set FOO=word
  {
    hints: ["secrets"],
    pattern: String
      .raw`((?<![\w-])(?=[A-Z]\w{1,80}=)(?<=\bsecrets${BLANKS}set${BLANKS}${LINE}{0,200})\w{2,81}=(?:${QUOTE})?)${VALUE}`,
  },
  // netlify env:set FOO word
  {
    hints: ["env:set"],
    pattern: String.raw`(\benv:set${BLANKS}[a-z]\w{1,80}${BLANKS}(?:${QUOTE})?)${VALUE}`,
  },
  // firebase functions:config:set stripe.key="word"
  {
    hints: ["functions:config:set"],
    pattern: String
      .raw`((?<![\w.-])(?=[\w.]{1,80}=)(?<=\bfunctions:config:set${BLANKS}${LINE}{0,200})[\w.]{0,60}(?:key|secret|token|pass\w{0,6}|pw)=(?:${QUOTE})?)${VALUE}`,
  },
  // xfreerdp /u:ana /p:word
  {
    hints: ["freerdp"],
    pattern: String.raw`(${START}[xw]l?freerdp\d?\b${LINE}{0,300}?[ \t]/p:(?:${QUOTE})?)${VALUE}`,
  },
  // security add-generic-password -a ana -s x -w word
  {
    hints: ["add-generic-password", "add-internet-password"],
    pattern: String
      .raw`(${START}security${BLANKS}add-(?:generic|internet)-password\b${LINE}{0,300}?[ \t]-w${BLANKS}(?:${QUOTE})?)${VALUE}`,
  },
  // mc alias set x https://host key word
  {
    hints: ["mc ", "mc\t"],
    pattern: String
      .raw`(${START}mc${BLANKS}(?:alias${BLANKS}set|config${BLANKS}host${BLANKS}add)${BLANKS}[\w-]{1,60}${BLANKS}https?://[^\s"']{1,200}${BLANKS}(?:${QUOTE})?[\w-]{3,128}(?:${QUOTE})?${BLANKS}(?:${QUOTE})?)${VALUE}`,
  },
  // git config --global user.password word
  {
    hints: ["git ", "git\t"],
    pattern: String
      .raw`(${START}git${BLANKS}config${BLANKS}(?:--?[a-z-]{1,20}${BLANKS}){0,3}(?!--)[\w.-]{1,80}\.(?:password|token|secret|pass)${BLANKS}(?:${QUOTE})?)${VALUE}`,
  },
  // mysqladmin -u root password word
  {
    hints: ["mysqladmin"],
    pattern: String.raw`(${START}mysqladmin\b${ARGUMENTS}[ ]password${BLANKS}${NEW}${VALUE}`,
  },
  // rabbitmqctl add_user ana word
  {
    hints: ["rabbitmqctl"],
    pattern: String
      .raw`(${START}rabbitmqctl${BLANKS}(?:add_user|change_password|authenticate_user)${BLANKS}${NAME}${BLANKS}${NEW}${VALUE}`,
  },
  // composer config http-basic.repo.test ana word
  {
    hints: ["http-basic."],
    pattern: String
      .raw`(${START}config${BLANKS}(?:--?[a-z-]{1,20}${BLANKS}){0,3}http-basic\.[\w.:-]{1,100}${BLANKS}${NAME}${BLANKS}${NEW}${VALUE}`,
  },
  // bundle config set gems.x.test ana:word
  {
    hints: ["bundle"],
    pattern: String
      .raw`(${START}bundle${BLANKS}config${BLANKS}(?:set${BLANKS})?(?:--[a-z]{1,20}${BLANKS}){0,2}(?:https?://)?[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}/?${BLANKS}(?:${QUOTE})?(?!-)[^\s:"'\\;|&<>]{1,100}:)(?!//|\[redacted:)${VALUE}`,
  },
  // nmcli dev wifi connect net password word
  {
    hints: ["nmcli"],
    pattern: String
      .raw`(${START}nmcli${BLANKS}${ARGUMENTS}[ ](?:password|[\w-]{1,40}\.psk)${BLANKS}${NEW}${VALUE}`,
  },
  // sops --set '["db"]["password"] "word"' file
  {
    hints: ["sops"],
    pattern: String
      .raw`(${START}sops${BLANKS}(?:--)?set${BLANKS}[^\r\n;|&]{0,300}?\](?:${QUOTE})?${BLANKS}${QUOTE}(?:${QUOTE})?)(?!\[redacted:)(${QUOTED})`,
  },
  // redis-server --requirepass word
  {
    hints: ["--requirepass", "--masterauth"],
    pattern: String
      .raw`(${START}--(?:requirepass|masterauth)(?:=|${BLANKS}|${QUOTE}[ \t]{0,4},[ \t]{0,8})${NEW}${VALUE}`,
  },
  // ssh-keygen -N word -f key
  {
    hints: ["ssh-keygen"],
    pattern: String.raw`(${START}ssh-keygen${ARGUMENTS}[ ]-[NP][ \t]{0,8}${NEW}${VALUE}`,
  },
  // osascript -e '… password "word" …'
  {
    hints: ["osascript"],
    pattern: String
      .raw`(${START}osascript\b[^\r\n]{0,400}?[ \t]password${BLANKS}${QUOTE})(${QUOTED})(?=${QUOTE})`,
  },
  // expect "assword:"; send "word\r"
  {
    hints: ["expect"],
    pattern: String
      .raw`(${START}expect[ \t{][ -~]{0,60}?ass(?:word|phrase)(?:[ \t\r\n:?*"';{}\\]|(?<=\\)[nrt]){1,40}send(?:${BLANKS}--)?${BLANKS}${QUOTE})([ !#-&(-\[\]-~]{1,200})(?=\\{1,7}[rn])`,
  },
  // ftp -n host <<EOF, and user joe word on a line below
  {
    hints: ["ftp -"],
    pattern: String
      .raw`(${START}ftp${BLANKS}-[a-z]{0,4}n[^\r\n<]{0,100}<<[^<]{1,200}?(?:[\r\n]|\\{1,7}n)[ \t]{0,8}user${BLANKS}[\w.@+-]{1,64}${BLANKS}(?:${QUOTE})?)${VALUE}`,
  },
  // sonar.login=0a1b…
  {
    hints: ["sonar.login"],
    pattern: String
      .raw`((?<=^|\W|-D|\\[nrt])sonar\.login(?:[=:]|${BLANKS})(?:${QUOTE})?)([a-f\d]{40})(?![\w-])`,
  },
  // npm publish --otp=123456
  {
    hints: ["--otp"],
    pattern: String.raw`((?<![\w-])--otp(?:=|${BLANKS})(?:${QUOTE})?)(\d{6,8}(?!\d))`,
  },
  // kubectl create secret generic db --from-literal=name=word
  {
    hints: ["--from-literal"],
    pattern: String
      .raw`(--from-literal(?:=|${BLANKS})(?:${QUOTE})?(?!(?:user(?:name)?|host|port|name|email|database)=)[\w.-]{1,253}=(?:${QUOTE})?)${VALUE}`,
  },
  // aws ssm put-parameter --type SecureString --value word
  {
    hints: ["put-parameter"],
    pattern: String
      .raw`(\bput-parameter\b(?=${LINE}{0,500}SecureString)${LINE}{0,400}?[ \t]--value(?:=|${BLANKS})(?:${QUOTE})?)${VALUE}`,
  },
  // "Type": "SecureString", "Value": "word"
  {
    hints: ["securestring"],
    pattern: String
      .raw`(${QUOTE}Type${QUOTE}${GAP}:${GAP}${QUOTE}SecureString${QUOTE}${GAP},${GAP}${QUOTE}Value${QUOTE}${GAP}:${GAP}${QUOTE})(${QUOTED})`,
  },
  // npm config set //registry.test/:_authToken word
  {
    hints: ["config ", "config\t"],
    pattern: String
      .raw`(${START}config${BLANKS}set${BLANKS}(?:--?[a-z-]{1,20}${BLANKS}){0,3}[\w./:@-]{0,200}?` +
      String
        .raw`(?:_?authtoken|:_auth|_password|token|password|secret|api[_-]?key|requirepass|masterauth)(?:[ \t]{0,8}=[ \t]{0,8}|${BLANKS})(?:${QUOTE})?)${VALUE}`,
  },
  // dotnet user-secrets set "Name" "word"
  {
    hints: ["user-secrets"],
    pattern: String
      .raw`(\buser-secrets${BLANKS}(?:--?[a-z]{1,20}(?:=|${BLANKS})[^\s;|&]{1,300}${BLANKS}){0,4}set${BLANKS}` +
      String
        .raw`(?:--?[a-z]{1,20}(?:=|${BLANKS})[^\s;|&]{1,300}${BLANKS}){0,4}(?:${QUOTE})?[\w.:-]{1,200}(?:${QUOTE})?${BLANKS}(?:${QUOTE})?)${VALUE}`,
  },
  // sqlplus -s ana/word@db; without a place behind it, only what is no path
  {
    hints: ["sqlplus", "sqlldr"],
    pattern: String
      .raw`((?<=^|[^\w-]|\\[nrt])(?:sqlplus|sqlldr)(?:\.exe)?(?:${BLANKS}-[a-z]{1,12}(?:${BLANKS}(?:on|off|\d{1,2}(?:\.\d{1,2}){0,3}))?){0,6}${BLANKS}` +
      String
        .raw`(?:userid=)?(?:${QUOTE})?[a-z][\w$#.-]{0,127}/(?:\\{0,7}")?)([^\s"'\\;|&<>@]{1,128}(?=(?:\\{0,7}")?@)|(?=[^\s/]{0,127}\d)[^\s"'\\;|&<>@/]{6,128}(?![^\s"'\\]))`,
  },
  // jdbc:oracle:thin:ana/word@//host
  {
    hints: ["jdbc:oracle:"],
    pattern: String
      .raw`(${START}jdbc:oracle:(?:thin|oci8?):[\w$#.-]{1,64}/(?:\\{0,7}")?)([^\s"'\\;|&<>@]{1,128})(?=(?:\\{0,7}")?@)`,
  },
  // redis-cli -h host AUTH word, 127.0.0.1:6379> AUTH ana word
  {
    hints: ["auth"],
    pattern: String
      .raw`((?<=${START}redis-cli(?:${BLANKS}-[a-z]{1,2}${BLANKS}[\w.:/-]{1,80}){0,4}${BLANKS}|[\w.-]:\d{2,5}(?:\[\d{1,2}\])?>[ \t]{0,4})` +
      String
        .raw`auth${BLANKS}(?:(?:${QUOTE})?[a-z_-]{1,40}(?:${QUOTE})?[ \t](?=[^\s;|&<>#:]))?(?:${QUOTE})?)${VALUE}`,
  },
  // net use x: \\host\x /user:ana word
  {
    hints: ["/u:", "/user:"],
    pattern: String
      .raw`(${START}net${BLANKS}use${BLANKS}[^;|&\r\n]{0,200}?/u(?:ser)?:[^\s;|&"']{1,80}${BLANKS}(?:${QUOTE})?)(?![/*])${VALUE}`,
  },
  // CREATE USER ana IDENTIFIED BY 'word'
  {
    hints: ["identified"],
    pattern: String
      .raw`(\bidentified[ \t]{1,8}(?:with[ \t]{1,8}[\w"'\x60\\]{1,60}[ \t]{1,8})?(?:by|as)[ \t]{1,8}(?:password[ \t]{1,8})?${QUOTE})(${QUOTED})(?=${QUOTE})`,
  },
  // host:5432:database:user:word of a .pgpass
  {
    hints: POSTGRES,
    pattern: String
      .raw`((?=${PORT})(?<=${LINE_START}${FIELD})${PORT}(?!\d)${FIELD}:(?!\d)${FIELD}:)((?:[^\s:"'\\]|(?<=\w)["'](?=\w)|(?<=\w):(?=\w)|\\{1,7}(?=[^\s\\nrt"'])){1,400})` +
      String.raw`(?=$|[\r\n]|\\[nr]|["'])`,
  },
];
