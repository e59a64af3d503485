/** Secrets of any service that are known by their shape, or by the text before them. */
import { isOddWord, isPlain, isValueLike } from "./secret_names.ts";
import type { SecretForm } from "./secret_form.ts";

const isSecret = (value: string) => !isPlain(value);
const r = String.raw;
/** A quote at any depth of escaping. */
const Q = r`\\{0,3}["']`;
/** The start of a line, behind its number or the sign of a diff. */
const LINE = r`(?<=(?:^|[\r\n]|\\n)(?:[ \t]{0,8}\d{1,6}(?:[→\t]|\\t)|[-+])?)`;
/** The dollar of a hash; files for Docker Compose have two. */
const D = r`\${1,2}`;
const VARIABLE_NAME =
  r`(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth(?:orization)?)`;

// deno-fmt-ignore: a form is three lines
export const GENERAL_FORMS: readonly SecretForm[] = [
  { name: "jwt", prefilter: ["eyj"],
    pattern: () => /(?<=(?:^|[^\w-]|\\[nrt])-?)eyJ[\w-]{8,}\.(?:eyJ[\w-]{8,}(?:\.[\w-]*)?|[\w-]{16,}\.[\w-]{16,}(?:\.[\w-]*){0,2}|\.[\w-]{12,}\.[\w-]{16,}\.[\w-]{16,})/g,
    example: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijklmnop", counterexample: "eyJ" },
  { name: "url-password", prefilter: ["://"],
    pattern: () => /:\/\/(?:\[redacted:[\w-]+\]|[^\s:@/"'<>\\]{0,200}):(?!\$|%\(|\{|<|\[redacted:|x-oauth-basic@)([^\s/"'<>\\]{1,256}?)(?=@[\w[{$])/g,
    validate: (value) => !/^(?:\$\w+|%\w|\*+|x{3,}|PASS(?:WORD|WD)?|TOKEN|SECRET)$/.test(value), example: "postgres://app:hunter2@db/app", counterexample: "http://localhost:8080/@app" },
  { name: "url-user", prefilter: ["://"],
    pattern: () => /:\/\/(?!\[redacted:)(?=[^\s:@/"'<>\\]{0,255}\d)([^\s:@/"'<>\\]{16,256})(?=(?::[^\s@/"'<>\\]{0,256})?@)/g,
    example: "https://0123456789abcdef0123456789abcdef@host/1", counterexample: "https://user@host/" },
  { name: "dsn-password", prefilter: ["@tcp(", "@unix("],
    pattern: () => /(?<![\w.[-])[\w.-]{1,64}:(?![$%{<]|\[redacted:)([^\s"'`\\<>]{1,256}?)(?=@(?:tcp|unix)\()/g,
    example: "app:hunter2@tcp(db:3306)/app", counterexample: "app@tcp(db:3306)/app" },
  { name: "aws-secret-key", prefilter: ["akia", "asia", "secretaccesskey"],
    pattern: () => /(?:SecretAccessKey|(?:AKIA|ASIA)[A-Z\d]{16})\\{0,3}["']?[\s,:;|=\\nt]{1,8}(?:20\d\d-\S{5,24}\s)?["']?([A-Za-z\d/+]{40})(?![A-Za-z\d/+])/g,
    example: "AKIAABCDEFGH12345678,abcdefghijABCDEFGHIJ0123456789abcdefghij", counterexample: "AKIA,abcdefghijABCDEFGHIJ0123456789abcdefghij" },
  { name: "url-signature", prefilter: ["sig=", "signature"],
    pattern: () => /(?<=[?&;,\s"]|amp;|u0026|X-(?:Amz|Goog)-)(?:sig=|Signature(?:=|["']\s?:\s?["']))(?=[\w%+/.~-]{0,40}\d)([\w%+/.~-]{20,}=*)/g,
    example: "?sv=2020&sig=abc123DEF456ghi789JKL0", counterexample: "?sig=x" },
  { name: "url-code", prefilter: ["code=", "?key=", "&key=", "appid="],
    pattern: () => /(?<=[?&]|amp;|u0026)(?:appid=(?=[\da-f]{32}(?![\w-]))|(?:code|key)=(?=[\w.~%/-]{0,60}\d)(?=[\w.~%/-]{0,60}[A-Z])(?=[\w.~%/-]{20}))([\w.~%/-]{20,512})/g,
    example: "https://app.example/callback?code=4Ab0Cd1Ef2Gh3Ij4Kl5Mn6Op", counterexample: "https://app.example/?code=not_found_in_the_list" },
  { name: "url-link", prefilter: ["/magic", "/reset", "/invit", "/verify", "/activat", "/confirm"],
    pattern: () => /https?:\/\/[^\s"'<>\\]{1,200}\/(?:magic(?:-?link)?s?|reset(?:-?password)?|invit(?:e|ation)s?|verify(?:-?email)?|activat(?:e|ion)|confirm(?:-?email)?)\/(?=[A-Za-z_-]{0,60}\d)([\w-]{10,})/g,
    validate: isOddWord, example: "https://app.example/magic/4Ab0Cd1Ef2Gh", counterexample: "https://app.example/reset/password" },
  { name: "webhook", prefilter: ["hooks.slack.com/", "/api/webhooks/", "/incomingwebhook/", "hooks.zapier.com/"],
    pattern: () => /(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/|\/IncomingWebhook\/|hooks\.zapier\.com\/hooks\/(?:catch|standard)\/\d{4,12}\/)([\w/-]{6,})/g,
    example: "https://hooks.slack.com/services/T0/B0/abcdefgh", counterexample: "https://hooks.slack.com/docs" },
  // What a workflow tells GitHub to mask.
  { name: "secret", prefilter: ["::add-mask::"],
    pattern: () => /::add-mask::(?![$%]|\[redacted:)([^\s"'`\\]{4,})/g,
    validate: isSecret, example: 'echo "::add-mask::hunter2"', counterexample: 'echo "::add-mask::$TOKEN"' },
  { name: "discord-token", prefilter: ["."],
    pattern: () => /(?<![\w-])[MNO][\w-]{22,27}\.[\w-]{5,7}\.[\w-]{20,}(?![\w.-])/g,
    validate: (value) => /\d/.test(value) && /[A-Z]/.test(value) && /[a-z]/.test(value), example: "MTIzNDU2Nzg5MDEyMzQ1Njc4.GabcdE.abcdefghijklmnopqrstuvwxyz012345678", counterexample: "Name.a.b" },
  { name: "password-hash", prefilter: ["$2", "$apr1$"],
    pattern: () => new RegExp(r`${D}2[abxy]${D}\d\d${D}[./A-Za-z\d]{53}|${D}apr1${D}[./A-Za-z\d]{1,8}${D}[./A-Za-z\d]{16,22}`, "g"),
    example: "$2y$05$YIhVrfEjuRShynXXD970I87PAPlCkV0ox8BaP6DRNxazcOauuehbA", counterexample: "$200" },
  { name: "password-hash", prefilter: ["$argon2", "$5$", "$6$", "$8$", "$9$", "$y$"],
    pattern: () => /\$[89]\$[./A-Za-z\d]{14}\$[./A-Za-z\d]{43}|\$argon2(?:id|i|d)\$v=\d{1,3}\$[\w=,]{5,60}\$[\w+/-]{8,100}\$[\w+/-]{16,200}|\$(?:[56]\$(?:rounds=\d{1,9}\$)?[./A-Za-z\d]{1,16}|y\$[./A-Za-z\d]{1,8}\$[./A-Za-z\d]{1,86})\$[./A-Za-z\d]{43,86}/g,
    example: "$9$" + "abcdef0123".repeat(2).slice(0, 14) + "$" + "abcdef0123".repeat(5).slice(0, 43), counterexample: "$5$" },
  { name: "password-hash", prefilter: ["sha}", "pbkdf2_sha", "scram-sha-256$"],
    pattern: () => /\{S?SHA\d{0,3}\}[A-Za-z\d+/]{27,}={0,2}|pbkdf2_sha\d{1,3}\$\d{1,9}\$[^\s$"']{1,64}\$[A-Za-z\d+/]{27,}={0,2}|SCRAM-SHA-256\$\d{1,9}:[^\s$"']{8,64}\$[\w+/]{40,}={0,2}:[\w+/]{40,}={0,2}/g,
    example: "{SSHA}KZrDMWZSybYR02z8Gg2T3uJc1x2/XIHW", counterexample: "{SHA}" },
  { name: "bearer-token", prefilter: ["bearer"],
    pattern: () => /bearer(?:(?:\s|%20){1,4}|[ ]\\{0,7}["'`][ \t]{0,4}(?:\+|\.\.?)[ \t]{0,4}\\{0,7}["'`])(?=[A-Za-z_.~+/-]*\d)([\w.~+/-]{16,}=*)/gi,
    example: "Bearer abcdef0123456789abcdef", counterexample: "Bearer token" },
  // Only what follows looks back, and no cookie has so long a line.
  { name: "cookie", prefilter: ["cookie"],
    pattern: () => /(?<![\w.%-])[\w.%-]{1,60}=(?=[\w.%+/~-]{0,200}\d)(?<=cookie['"]?:[^\r\n]{0,1000})([\w.%+/~:-]{10,4096})/gi,
    example: "Set-Cookie: sid=0123456789abcdef0123; Path=/", counterexample: "Cookie: theme=dark" },
  { name: "smtp-login", prefilter: ["auth ", "basic "],
    pattern: () => /(?<![A-Za-z])(?:AUTH (?:PLAIN|LOGIN|XOAUTH2)|[Aa]uthorization\\?["']? \\?["']?[Bb]asic) {1,4}(?=[A-Za-z+/]{0,400}[\d=])(?=[\w+/]{0,60}[A-Z])([A-Za-z\d+/]{8,}={0,2})/g,
    example: "AUTH PLAIN AGFuYQBodW50ZXIy", counterexample: "AUTH PLAIN LOGIN" },
  { name: "jwk", prefilter: ["kty"],
    pattern: () => /["'](?:[dkpq]|d[pq]|qi)\\{0,7}["']\s{0,20}:\s{0,20}\\{0,7}["'](?:(?<=kty[^{}]{0,1500})|(?=[^{}]{0,1500}kty))([\w-]{16,}={0,2})/g,
    example: '{"kty": "EC", "d": "4Ab0Cd1Ef2Gh3Ij4Kl5Mn6Op"}', counterexample: '{"kty": "EC", "x": "4Ab0Cd1Ef2Gh3Ij4Kl5Mn6Op"}' },
  { name: "secret", prefilter: ["identified "],
    pattern: () => /identified (?:with \w+ )?by (?:password )?\\{0,3}["']([^"'\\\n]{3,})/gi,
    validate: isSecret, example: "IDENTIFIED BY 'hunter2'", counterexample: "identified by its name" },
  // What clients of Redis, mail and FTP send.
  { name: "secret", prefilter: ["auth", "pass"],
    pattern: () => /(?:"(?:AUTH|requirepass)" (?:"\w+" )?"|(?:^|[\r\n]|\\n|> ?)(?:AUTH(?! (?:PLAIN|LOGIN|CRAM|XOAUTH|EXTERNAL))|PASS|requirepass|masterauth) {1,2}"?)([^\s"\\]{4,})/g,
    validate: isSecret, example: "PASS hunter2", counterexample: "PASS src/a.test.ts" },
  { name: "secret", prefilter: ["auth"],
    pattern: () => /(?<![a-z])auth\s?=\s?\(\s?["'][^"'\n]{1,60}["'],\s?["']([^"'\n]{3,})(?=["'])/g,
    validate: isSecret, example: "auth=('bob', 'hunter2')", counterexample: "auth=(user, password)" },
  // What signs and encrypts.
  { name: "secret", prefilter: ["jwt.", "hmac", "cipher", "secretkeyspec", "cookieparser(", "fernet(", "crypt", "pbkdf2", "aes.new", "securitykey(", "signedstring(", "from_secret("],
    pattern: () => new RegExp(
      r`(?:jwt\.(?:sign|verify|encode|decode)\([^"'\n]{1,80}?(?:(?:${Q}[^"'\n]{0,60}${Q})[^"'\n]{1,40}?){0,4},\s{0,20}|` +
        r`(?:createHmac|hash_hmac|createCipheriv|createDecipheriv|HMAC\.(?:hexdigest|digest))\(\s{0,20}${Q}?[\w:.()-]{1,40}${Q}?[)"]{0,2},\s{0,20}(?:\$?\w{1,40},\s{0,20})?(?:Buffer\.from\()?|` +
        r`(?:bcrypt\w{0,2}\.\w{4,22}|scrypt(?:Sync)?|pbkdf2(?:Sync)?|AES\.new|SymmetricSecurityKey|SignedString|from_secret|hmac\.[nN]ew|SecretKeySpec|cookieParser|Fernet|hmacShaKeyFor|HMAC(?:256|384|512)|HMACSHA\d{3})\((?:[\w.]{1,40}\(|sha\d{3}\.New,\s?\[\]byte\(|\[\]byte\()?b?)` +
        r`${Q}([^"'\s\\]{6,})(?=${Q})`,
      "g",
    ),
    validate: isSecret, example: 'jwt.sign({ id: 1 }, "hunter2-for-all")', counterexample: 'jwt.sign({ id: 1 }, key, { expiresIn: "1h" })' },
  // What logs in, with a name and a password in their order.
  { name: "secret", prefilter: ["pdo(", "pdo->", "mysqli", "getconnection(", "connect(", "login(", "auth(", "_auth ", "credentials(", "credential(", "authentication(", "usernamepassword", "_user(", "_superuser(", "signin", "createuser", "sequelize(", "wifi.begin("],
    pattern: () => new RegExp(
      r`(?:PDO(?:->__construct)?|mysqli(?:_connect)?|real_connect|getConnection|(?:pymysql|psycopg2|mysql|MySQLdb|DBI->)\.?connect|(?:smtp|ftp|imap|server|mail|client)\w{0,20}\.login|(?:basic|http)_?auth|\.auth|create_(?:super)?user|(?:signIn|createUser)\w{0,24}|PlainAuth|new Sequelize|SetBasicAuth|setAuth|PasswordAuthentication|WiFi\.begin|session\.login|(?:Network|Password)?Credentials?|UsernamePassword\w{0,20})\(\s{0,20}` +
        r`(?:(?:${Q}[^"'\n]{0,120}${Q}|[$\w.]{1,60}),\s{0,20}){1,3}?${Q}([^"'\s\\]{5,})(?=${Q}\s{0,20}[,)])`,
      "gi",
    ),
    validate: (value) => isSecret(value) && (isOddWord(value) || /[\d!#$%&*]/.test(value)), example: "new PDO($dsn, 'root', 'hunter2')", counterexample: "new PDO($dsn, 'root', $word)" },
  { name: "secret", prefilter: ["pass"],
    pattern: () => /(?:(?:#pass\w*|name=\\?["']?pass\w*\]?\\?["'])[^\n]{0,40}?(?:\.(?:type|fill|send_keys|sendKeys)\(|, ?)|pass\w{0,16}["'\])/i]{0,6}[^\n;]{0,20}?\.(?:type|typeText|fill|send_keys|sendKeys|toBe|toEqual|setValue)\()\\?["']([^"'\\\n]{4,})(?=\\?["'])/gi,
    validate: isSecret, example: "cy.get('#password').type('hunter2')", counterexample: "cy.get('#password').click()" },
  // `{"name": "DB_PASSWORD", "value": "…"}`, in whatever notation, with up to three entries between.
  { name: "secret", prefilter: ["value"],
    pattern: () => new RegExp(r`(?:name|key|variable|id)\\{0,3}["']?\s?[:=]\s?\\{0,3}["']?[\w./: -]{0,60}${VARIABLE_NAME}\d{0,2}\\{0,3}["']?[\s,}]{1,20}(?:\\{0,3}["']?\w{1,20}\\{0,3}["']?\s?[:=]\s?(?:true|false|null|\\{0,3}["'][^"'\\\n]{0,40}\\{0,3}["']),?\s{1,20}){0,3}?\\{0,3}["']?value\\{0,3}["']?\s?[:=]\s?(?:\\{0,3}["']([^"'\\\n]{3,})|([^\s"'\\<>{}[\],]{3,}))`, "gi"),
    validate: isSecret, example: '{"name": "DB_PASSWORD", "value": "hunter2"}', counterexample: '{"name": "token", "value": ""}' },
  { name: "secret", prefilter: ["value"],
    pattern: () => new RegExp(r`(?:password|passwd|passphrase|secret|token|api[_-]?key)\\{0,3}["']?\s?[:=]\s?\{\s{0,20}\\{0,3}["']?value\\{0,3}["']?\s?[:=]\s?\\{0,3}["']([^"'\\\n]{3,})`, "gi"),
    validate: isSecret, example: '"adminPassword": { "value": "hunter2" }', counterexample: '"adminPassword": { "value": "" }' },
  // The same with the value first.
  { name: "secret", prefilter: ["value"],
    pattern: () => new RegExp(r`value${Q}?\s?[:=]\s?${Q}([^"'\\\n]{3,400})(?=${Q}[\s,]{1,20}(?:${Q})?(?:name|key)(?:${Q})?\s?[:=]\s?${Q}[\w./: -]{0,60}${VARIABLE_NAME}\d{0,2}${Q})`, "gi"),
    validate: isOddWord, example: '{"value": "hunter2x9", "name": "DB_PASSWORD"}', counterexample: '{"value": "5432", "name": "DB_PORT"}' },
  // A field of a form, a parameter of a store, an output of Terraform.
  { name: "secret", prefilter: ["type"],
    pattern: () => /(?:type\s?=\s?["']password["'][^<>\n]{0,100}?value\s?=\s?["']|SecureString["']?,?\s{1,20}(?:--value\s|["']?Value["']?:\s?)\\{0,3}["']?|"sensitive": ?true,[^{}]{0,200}"value": ?"|"random_password"[^\n]{0,300}"result": ?")([^\s"'\\<>]{3,})/g,
    validate: isSecret, example: '{"Type": "SecureString", "Value": "hunter2"}', counterexample: '{"Type": "String", "Value": "hunter2"}' },
  { name: "secret", prefilter: ["variable "],
    pattern: () => new RegExp(r`variable\s+"[\w-]{0,60}${VARIABLE_NAME}"\s{0,4}\{[^{}]{0,400}?default\s{0,20}=\s{0,4}"([^"\n]{3,})`, "gi"),
    validate: isSecret, example: 'variable "db_password" {\n  default = "hunter2"\n}', counterexample: 'variable "db_password" {\n  type = string\n}' },
  { name: "secret", prefilter: ["form-data"],
    pattern: () => new RegExp(r`form-data; name="[\w-]{0,60}${VARIABLE_NAME}"(?:\r?\n[\w-]+: [^\r\n]{1,80})?\s{2,4}(\S{3,400})`, "gi"),
    validate: isSecret, example: 'Content-Disposition: form-data; name="password"\n\nhunter2', counterexample: 'Content-Disposition: form-data; name="user"\n\nana' },
  { name: "secret", prefilter: ["mnemonic", "phrase"],
    pattern: () => /(?:mnemonic|(?:seed|recovery|backup)[ _-]?phrase)["']?\s{0,4}[:=]?\s{0,4}["']?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})/gi,
    example: "mnemonic: " + "orbit ".repeat(12).trim(), counterexample: "a mnemonic for it" },
  // A line of a .netrc.
  { name: "secret", prefilter: ["login "],
    pattern: () => /login\s{1,20}\S{1,200}\s{1,20}password\s{1,20}([^\s\\"']{3,})/g,
    validate: isSecret, example: "machine api.x.io login bob password hunter2", counterexample: "login and password" },
  // A line of a .pgpass.
  { name: "secret", prefilter: [":543", ":6432:", ":*:"],
    pattern: () => new RegExp(r`${LINE}[^\s:"'\x60\\/]{1,100}:(?:543\d|6432|\*):[^\s:"'\x60\\]{1,100}:[^\s:"'\x60\\]{1,100}:(?!\[)([^\s:"'\x60\\]{3,})`, "g"),
    validate: isSecret, example: "db.example:5432:app:ana:hunter2", counterexample: "db.example:5432:app" },
  // A line of a chap-secrets file.
  { name: "secret", prefilter: [' * "', "\t*"],
    pattern: () => new RegExp(r`${LINE}[\w.@"-]{1,80}[ \t]{1,8}\*[ \t]{1,8}"?([^\s"*]{4,})(?="?[ \t]{1,8}\*[ \t]{0,8}(?:$|[\r\n]))`, "g"),
    validate: isSecret, example: 'bob * "hunter2" *', counterexample: "a * b" },
  { name: "secret", prefilter: ["securestring"],
    pattern: () => /ConvertTo-SecureString\s+(?:-\w+\s+){0,3}(?!-)\\?["']?([^\s"'\\$]{3,})/gi,
    validate: isSecret, example: "ConvertTo-SecureString 'hunter2' -AsPlainText", counterexample: "ConvertTo-SecureString $value" },
  { name: "secret", prefilter: ["expect"],
    pattern: () => /expect\s+\\?["'][^"']{0,40}pass[^"']{0,40}["'];?\s+send\s+(?:--\s+)?\\?["']([^"'\\]{3,})/gi,
    validate: isSecret, example: `expect "Password:"; send "hunter2\\r"`, counterexample: `expect "Name:"; send "bob"` },
  { name: "secret", prefilter: ["0x"],
    pattern: () => /(?:private|secret|signer|deployer|wallet|accounts)[\w ]{0,20}["']?\s{0,4}[:=]?\s{0,4}\[?\s{0,20}["']?(0x[\da-f]{64})(?![\da-f])/gi,
    example: `PRIVATE=0x${"0a1b2c3d".repeat(8)}`, counterexample: `block: 0x${"0a1b2c3d".repeat(8)}` },
  { name: "secret", prefilter: ["credentials", "creds", "login"],
    pattern: () => /\b(?:credentials|creds|login)\b(?: (?:for|of|to|on|in) [^\n:]{1,30})?(?: is|:) {1,3}["'`]?(?!\w{1,20}:\/\/)[\w.@+-]{2,60}["'`]?(?:[/:]| \/ )\s?["'`]?([^\s"'`/,;()]{6,})/gi,
    validate: isValueLike, example: "Credentials for QA: bob/Hunter2!x9", counterexample: "credentials: see docs/login" },
  { name: "secret", prefilter: ["as the password", "as password", "as my password", "as the token", "as the secret", "as the api key"],
    pattern: () => /\b(?:[Uu]se|with|[Ss]et|[Tt]ry) ["'`]?([^\s"'`]{8,})(?=["'`]? as (?:the |my )?(?:password|secret|token|api key)(?!\w))/g,
    validate: isOddWord, example: "use Hunter2!x9 as the password", counterexample: "use the first field as the password" },
  // What programs say of a password that they have made.
  { name: "secret", prefilter: ["password is generated", "password for ", "password elastic", "password kibana", "password to proceed"],
    pattern: () => /(?:[Pp]assword (?:is generated )?for [^\n:]{1,60}(?:\nNew value)?: {1,4}|PASSWORD (?:elastic|kibana\w{0,8}) = |password to proceed to installation:\s{1,8})(\S{8,})/g,
    validate: (value) => isOddWord(value) || /^[\da-f]{32}$/.test(value), example: "A temporary password is generated for root@localhost: Hunter2!x9", counterexample: "password for the user: required" },
  { name: "secret", prefilter: ["secretid", "secret id", "unseal key", "--certificate-key "],
    pattern: () => /(?:Secret ?ID["']?\s{0,4}[:=]\s{0,4}["']?(?=[\da-f]{8}-)|Unseal Key \d{1,2}: |--certificate-key )([\w+/=-]{32,})/g,
    example: "Unseal Key 1: KlGHwjFjKSbItjrKAu7Da0GqRZrZWTZ5V3fdTD4Eers=", counterexample: "--certificate-key /etc/x.key" },
  { name: "secret", prefilter: ["oracle:thin:"],
    pattern: () => /oracle:thin:[\w$]{1,40}\/([^\s"'@\\/]{3,})(?=@)/g,
    validate: isSecret, example: "jdbc:oracle:thin:app/hunter2@//db:1521/XE", counterexample: "jdbc:oracle:thin:@db:1521/XE" },
  // The key in the section of a configuration that is about JSON web tokens.
  { name: "secret", prefilter: ["jwt"],
    pattern: () => new RegExp(r`jwt\w{0,20}(?:\\{0,7}["'])?\s{0,4}[:=]\s{0,4}(?:\{|\r?\n)[^{}]{0,300}?(?<![\w-])key(?:\\{0,7}["'])?\s{0,4}[:=]\s{0,4}(?:\\{0,7}["'])?([^\s"'\\,}]{12,})`, "gi"),
    validate: isOddWord, example: '"Jwt": { "Issuer": "x", "Key": "hunter2-for-all-9" }', counterexample: '"Jwt": { "Key": "" }' },
  { name: "private-key", prefilter: ["rsakeyvalue"],
    pattern: () => /<(?:D|P|Q|DP|DQ|InverseQ)>([A-Za-z\d+/=\s]{24,})(?=<)/g,
    example: "<RSAKeyValue><D>4Ab0Cd1Ef2Gh3Ij4Kl5Mn6Op7Qr8</D>", counterexample: "<RSAKeyValue><Exponent>AQAB</Exponent>" },
  { name: "secret", prefilter: [" with ", " as "],
    pattern: () => /\b(?:log|sign)(?:ged)?[ -]?(?:in|on)(?:to (?:\S{1,60} ){1,4}?)? ?(?:as|with) \S{2,60} (?:with|using|and|\/) (?:password |pw )?([^\s,;]{8,})/gi,
    validate: isOddWord, example: "sign in as bob@x.io with Hunter2!x9", counterexample: "sign in as bob with your account" },
];

/** The value of an option, in quotes or not. */
const VALUE = r`\\{0,3}["']?(?![-$<{]|\[redacted:)([^\s"'\\]{3,})`;
/** What may stand between the name of a command and one of its options. */
const ARGUMENTS =
  r`["']?,?(?:\s{1,20}(?:'[^'\n]{0,500}'|[^\s;|&'][^\s;|&]{0,999})){0,12}?\s{1,20}["']?`;

/** A row for programs, joined by `|`, and the options that take a secret. */
function option(
  programs: string,
  options: string,
  [example, counterexample]: readonly [string, string],
): SecretForm {
  return {
    name: "secret",
    // A short name is a part of many words.
    prefilter: programs.split("|").map((name) => name.replaceAll("\\", "").toLowerCase())
      .flatMap((name) =>
        name.length > 4 ? name : [`${name} `, `${name}.exe `, `${name}",`, `${name}',`]
      ),
    pattern: () =>
      new RegExp(
        r`(?<=^|[^\w-]|\\[nrt])(?:${programs})(?:\.exe)?\b${ARGUMENTS}(?:${options})(?:["'],\s{0,4})?${VALUE}`,
        "g",
      ),
    validate: isSecret,
    example,
    counterexample,
  };
}

/** A row for a whole command line; its group is the secret. */
function command(
  prefilter: readonly string[],
  pattern: () => RegExp,
  [example, counterexample]: readonly [string, string],
): SecretForm {
  return { name: "secret", prefilter, pattern, validate: isSecret, example, counterexample };
}

/** `-u name:` in front of a password. */
const USER = r`(?:["'],\s{0,4})?\\{0,3}["']?[^\s:"'\\]{0,100}:`;

// deno-fmt-ignore: a form is a line
export const COMMAND_FORMS: readonly SecretForm[] = [
  option("curl|wget|http|https|xh", r`(?:-\w{0,3}[uU]\s*|--(?:proxy-)?user[= ]\s*|-a\s+|--auth[= ]\s*|--cert\s+|-E\s+)${USER}|--oauth2-bearer\s+|-b\s+["']?[\w-]{1,40}=`, ["curl -u bob:hunter2 https://x.io", "curl -u bob https://x.io"]),
  option("mysql|mysqldump|mysqladmin|mysqlsh|mariadb|7z|7za|rar|unrar", r`-p(?=[^\s-])`, ["mysql -uroot -phunter2 app", "7z x a.7z"]),
  option("zip|unzip|ipmitool|mosquitto_pub|mosquitto_sub|bcp|sqlcmd", r`-\w{0,3}P\s*`, ["unzip -P hunter2 a.zip", "unzip a.zip"]),
  option("sshpass|rdesktop|jmxterm|supabase|ncftpput|ncftpget|twine|helm|docker login|podman login|nerdctl login|cf login|oc login|az login|mongo|mongosh|mongodump|mongorestore|skopeo|useradd|usermod|cqlsh|nuget", r`-p\s*|--password[= ]\s*`, ["docker login -u bob -p hunter2", "docker run -p 8080:80 app"]),
  option("snmpget|snmpwalk|snmpset", r`-[AX]\s+`, ["snmpget -v3 -A hunter2 h", "snmpget -v2c h"]),
  option("ldapsearch|ldapmodify|ldapadd|ldappasswd", r`-w\s+`, ["ldapsearch -D cn=admin -w hunter2", "ldapsearch -x"]),
  option("plink|pscp|putty", r`-pw\s+`, ["plink -pw hunter2 bob@h", "plink bob@h"]),
  option("xfreerdp|freerdp|wfreerdp|sdl-freerdp", r`/p:`, ["xfreerdp /u:bob /p:hunter2", "xfreerdp /v:h"]),
  option("codecov|surge|railway|doctl", r`-t\s+`, ["codecov -t hunter2abc9", "codecov -f a"]),
  option("redis-cli", r`-a\s+|--pass\s+`, ["redis-cli -a hunter2", "redis-cli ping"]),
  option("etcdctl|clickhouse-client|smbclient|lftp|ftp", r`(?:--user[= ]\s*|-[uU]\s*)\\{0,3}["']?[\w@./\\-]{1,60}[:%,]`, ["etcdctl --user root:hunter2 get /", "etcdctl get /"]),
  option("mount|mount\\.cifs", r`-o\s+\S{0,200}?pass(?:word)?=`, ["mount -t cifs //n/s /m -o user=bob,pass=hunter2", "mount /dev/sda1 /m"]),
  option("gpg|gpg2", r`--passphrase[= ]\s*`, ["gpg --passphrase hunter2 -d x", "gpg -d x"]),
  option("openssl", r`-[kK]\s+|-hmac\s+`, ["openssl enc -k hunter2 -in a", "openssl enc -in a"]),
  option("gem|nuget", r`--key\s+|-k\s+|--api-key\s+`, ["gem push x.gem --key hunter2", "gem list"]),
  option("htpasswd", r`-\w{0,6}b\w{0,6}\s+(?:[^\s;|&]+\s+)?[\w@.-]{1,60}\s+(?=\S+(?:\s|$))`, ["htpasswd -b .htpasswd ana hunter2", "htpasswd .htpasswd ana"]),
  option("ssh-keygen", r`-[NP]\s+`, ["ssh-keygen -t rsa -N hunter2", "ssh-keygen -t rsa"]),
  option("sqlplus|sqlldr|expdp|impdp", r`[\w$]{1,40}/(?=[^\s"']{0,100}[@\d])`, ["sqlplus -s app/hunter2@db", "sqlplus /nolog"]),
  command(["chpasswd"], () => /(?:echo|printf)\s+(?:-\w+\s+)?\\?["']?[\w.-]{1,40}:([^\s"'|\\]{3,})(?=[^|\n]{0,8}\|\s?(?:sudo )?chpasswd(?![\w-]))/g, ["echo 'bob:hunter2' | chpasswd", "echo bob | chpasswd"]),
  command(["-stdin", "secret set", "secrets set", "secret put", "secrets put", "secret create", "secrets create", "secret store", "secrets store", "secret-tool", "-token", "env add", "passphrase-fd", "passwd ", "kinit ", "cryptsetup ", "sudo -s", "vault kv", "pass insert", "versions add"], () => /(?:echo|printf)\s+(?:-\w+\s+)?\\?["']?(?!\$|<|-)([^\s"'|\\]{4,})(?=[^|\n]{0,8}\|\s?[^|\n]{0,80}?(?:-stdin|secrets? (?:set|put|create|store)|-token\b|secret-tool store|env add|passphrase-fd|passwd\s|kinit\s|cryptsetup\s|sudo -S|vault kv|pass insert|versions add))/g, ["echo hunter2 | docker login -u bob --password-stdin", "echo hello | cat"]),
  command(["=%s"], () => new RegExp(r`printf\s+\\{0,3}["'][^"'\n%]{0,80}?${VARIABLE_NAME}=%s[^"'\n]{0,40}["']\s+\\{0,3}["']?(?![$<-])([^\s"'\\|;&]{4,})`, "gi"), ["printf 'JWT_SECRET=%s' hunter2 >> .env", "printf 'JWT_SECRET=%s' $word"]),
  command(["vault kv p"], () => /(?<=vault kv (?:put|patch) [^\n|;&]{0,400})\s[A-Za-z_][\w.-]{0,60}=\\?["']?(?![$@<{-])([^\s"'\\]{4,})/g, ["vault kv put app/db value=hunter2", "vault kv get app/db"]),
  command(["<<<"], () => /(?:-stdin|sudo -S[^|\n]{0,60}?|secrets?\s[^|\n]{0,60}|passwd\s[^|\n]{0,60})\s?<<<\s?\\?["']?(?!\$)([^\s"'\\]{4,})/g, ["gh auth login --password-stdin <<< hunter2", "cat <<< hello"]),
  command(["secret", "token", "pass", "key"], () => /(?:echo|printf)\s+(?:-\w+\s+)?\\?["']?(?!\$|<|-)([^\s"'|\\<>]{4,})(?=\\?["']?\s?>{1,2}\s?(?!\S{0,200}\.md)[\w$~./{}-]{0,200}?(?:secrets?\/|(?:password|passwd|secret|token|api[_-]?key)(?:\.[a-z]{2,8})?(?![\w./-])))/g, ["echo hunter2 > secrets/db_password", "echo hello > notes.txt"]),
  command(["configure set", "config set", "arg ", "env ", "secret set", "secrets set", "config:set", "setx "], () => /(?:configure set|config set(?: --\w+)*|config:set|secrets? set|setx|setenv|\b(?:ENV|ARG))\s+(?=[\w.-]{0,80}(?:pass|secret|token|key))[\w.-]{1,160}(?:[ =]|\s--(?:body|value)[=])\\{0,3}["']?(?![$<{-]|\[redacted:)([^\s"'\\]{4,})/gi, ["aws configure set aws_secret_access_key hunter2abc", "npm config set registry https://x.io"]),
  command(["-token", "authtoken"], () => /\b(?:ngrok|cloudflared|tailscale|fly|flyctl)\s+(?:config\s+)?(?:add-authtoken|authtoken|auth token)\s+([\w-]{16,})/g, ["ngrok config add-authtoken 2abcDEFghiJKLmno3", "ngrok http 80"]),
  command(["rootpw ", "-password password ", "wpa_passphrase "], () => /(?:rootpw (?:--plaintext )?|passwd\/\S{1,20}-password password |wpa_passphrase \S{1,40} )\\?["']?(?!-)([^\s"'\\]{4,})/g, ["d-i passwd/root-password password hunter2", "rootpw --lock"]),
  command(["rabbitmqctl", "http-basic", "pypi-token", "bundle config", "add-generic", "add-internet", "alias set", "net user", "net use", "user-secrets", "vault login", "cargo login", "bw unlock", "secret create", "secret:create", "secret set", "env:set"], () => /(?:rabbitmqctl (?:add_user|change_password) \\?["']?[\w.@-]{1,60}\\?["']? |config (?:--global )?(?:http-basic\.[\w.-]{1,100} \S{1,60} |pypi-token\.[\w.-]{1,60} )|bundle config (?:set )?(?:--\w+ )?[\w.-]{3,100} [\w.@-]{1,60}:|security add-\w+-password [^|;&\n]{0,200}?-w |mc alias set \S{1,60} \S{1,200} \S{1,100} |net use[r]? [^|;&\n]{0,100}?(?:\/user:)?[\w.-]{1,40} |user-secrets (?:[^|;&\n]{0,100} )?set (?:[^|;&\n]{0,100} )?["']?[\w:.-]{1,100}["']? |(?:vault|cargo) login |bw unlock |(?:secret[ :](?:create|set)|env:set) [^|;&\n]{0,200}?(?:--value |--body[= ]|-b\s?|env:set \w+ ))\\?["']?(?![-$<{/\\])([^\s"'\\|;&]{5,})/g, ["rabbitmqctl add_user ana hunter2", "rabbitmqctl list_users"]),
  command(["user "], () => /(?:(?:^|[\r\n]|\\n)[ \t]{0,8}user [\w.@-]{1,60} |(?:SETUSER|setuser|user) [\w.@-]{1,60} (?:on |reset )+>)["']?(?!\[redacted:)([^\s"'\\]{5,})(?=["']?(?:[ \t]{0,4}[\r\n\\]| [~+]|$))/g, ["ACL SETUSER app on >hunter2 ~* +@all", "ACL SETUSER app on ~* +@all"]),
  command(["pass:"], () => /-(?:pass(?:in|out)?|k)\s+\\?["']?pass:([^\s"'\\]{3,})/g, ["openssl rsa -passin pass:hunter2", "-passin file:x"]),
  command(["from-literal"], () => /--from-literal[= ]\\?["']?[\w.-]{1,100}=\\?["']?([^\s"'\\]{3,})(?<=secret\s[^\n]{0,400})/g, ["kubectl create secret generic db --from-literal=x=hunter2", "kubectl create configmap db --from-literal=x=hunter2"]),
];
