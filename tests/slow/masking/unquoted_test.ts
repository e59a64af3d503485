/** Values without quotes, as YAML and files of settings have them, and what stands there in programs and prose. */
import assert from "node:assert/strict";
import { redactText, redactValue } from "../../../src/capture/redact.ts";
import { needsRedaction } from "../../../src/capture/triggers.ts";
import { isScrambled } from "../../../src/capture/secret_runs.ts";

const RULES = { patterns: [] };

/** What is masked as a whole. */
const VALUES = [
  "QxRtLmNvBwKs",
  "DutuFjXXEnmsSdmuwEbl",
  "ABCDEFGHJKMNPQRS",
  "ZKQVWTXRPLBN",
  "hTzKqW.pLmNvB.XcRtYg",
  "aB3x(k9fQ2x",
  "fmFU(MsBqHqZt",
  "k8Qz<m2Vx9w",
  "aB3[k9fQ2x",
  "k8Qzm2'Vx9wT4",
  'k8Qzm2"Vx9wT4',
  "FjwPq'FSUuEr",
  "tdbfYc'Fmccqq",
  "wAIE(NKyraU",
  "Pa$$rNZeYDsaPr",
];
const PLACES = [
  "  password: %",
  "client_secret: %",
  "DB_PASSWORD=%",
  "API_TOKEN: %",
  "db.password=%",
];

for (const value of VALUES) {
  for (const place of PLACES) {
    Deno.test(`${place.replace("%", value)} is masked as a whole`, () => {
      const text = `x: 1\n${place.replace("%", () => value)}\ny: 2\n`;
      assert.ok(needsRedaction(JSON.stringify({ a: text }), []), "the cheap look sees it");
      const masked = redactText(text, RULES);
      assert.equal(masked, `x: 1\n${place.replace("%", "[redacted:secret]")}\ny: 2\n`);
      assert.equal(redactText(masked, RULES), masked, "once is enough");
    });
  }
}

/** Texts with a value of letters alone or behind one digit, and with one that begins like a path. */
const WORDS = [
  '#define WIFI_PASSWORD "§horsebattery§"',
  'ENV["DB_PASSWORD"] ||= "§horsebattery§"',
  '"Jwt": {\n  "Issuer": "https://x.test",\n  "Key": "§Zk83hqLpZk83hqLpZk83hqLpZk83hqLp§"\n}',
  'jwt.sign(payload, "§Zk83hqLpZk83hqLpZk83hqLpZk83hqLp§")',
  "jwt.verify({ id: 1 }, '§Zk83hqLpZk83hqLpZk83hqLpZk83hqLp§', { a: 1 })",
  'var jwtKey = []byte("§Zk83hqLpZk83§")',
  'proxy_set_header Authorization "Basic §+LaeNIKQLk4SEL4dNDjZ4LU0§";',
  'proxy_set_header Authorization "Basic §/LaeNIKQ/Lk4SEL4dNDjZ4LU==§";',
  "SET PASSWORD FOR 'root'@'localhost' = '§horsebattery§';",
  "SET PASSWORD FOR 'joe'@'%' = PASSWORD('§horsebattery§');",
  "bind 127.0.0.1\nrequirepass §horsebattery§\nport 6379",
  'masterauth "§horsebattery§"',
  '<property name="hibernate.connection.password">§horsebattery§</property>',
  "<name>javax.jdo.option.ConnectionPassword</name>\n<value>§horsebattery§</value>",
  "<dt>API key</dt><dd>§5YzufsbGtTPctzEqQuCzCyxP§</dd>",
  "<td>API key</td><td>§5YzufsbGtTPctzEqQuCzCyxP§</td>",
  "the API key for joe is §5YzufsbGtTPctzEqQuCzCyxP§",
];

for (const given of WORDS) {
  Deno.test(`a word is masked in ${JSON.stringify(given)}`, () => {
    const payload = { tool_response: { stdout: `a\n${given.replaceAll("§", "")}\nb` } };
    assert.ok(needsRedaction(JSON.stringify(payload), []), "the cheap look sees it");
    const expected = given.replace(/§.*§/, "[redacted:secret]");
    const masked = { tool_response: { stdout: `a\n${expected}\nb` } };
    const made = JSON.stringify(redactValue(payload, RULES));
    assert.deepEqual(JSON.parse(made.replace(":setting]", ":secret]")), masked);
    assert.deepEqual(redactValue(masked, RULES), masked, "once is enough");
  });
}

/** Letters alone between blanks, where the lines around them are those of a file of settings. */
const SETTINGS = [
  "[client]\nuser = root\npassword = §\nhost = localhost",
  "# of MySQL\n[client]\nskip-networking\n\npasswd = §",
  "[smtp]\nsmtp_pass = §",
  "[sendemail]\n\tsmtpPass = §",
  "host = db.example.com\npassword = §",
  "spring.datasource.username = app\nspring.datasource.password = §",
];
const LEADS = ["", "+", " ", "> ", "etc/my.cnf:12:"];

for (const setting of SETTINGS) {
  Deno.test(`a word alone is masked in ${JSON.stringify(setting)}`, () => {
    for (const lead of LEADS) {
      const text = `\n${setting}`.replaceAll("\n", `\n${lead}`) + "\n";
      const payload = { tool_response: { stdout: text.replace("§", "horsebattery") } };
      assert.ok(needsRedaction(JSON.stringify(payload), []), "the cheap look sees it");
      const masked = { tool_response: { stdout: text.replace("§", "[redacted:secret]") } };
      assert.deepEqual(redactValue(payload, RULES), masked);
      assert.deepEqual(redactValue(masked, RULES), masked, "once is enough");
      const inside = redactText(JSON.stringify(payload), RULES);
      assert.ok(lead !== "" || !inside.includes("horsebattery"), inside);
    }
  });
}

for (
  const [before, value] of [
    ["password: ", "Ab3x9Q Zt7kLm2 pQ9z"],
    ["client_secret: ", "jVfmf kxNei 61JPM"],
    ["db_password: &a ", "hunter2zebra"],
    ["password: !!str ", "hunter2zebra"],
    ["password: !!str ", '"hunter2zebra"'],
    ["password: &db-pw ", "'hunter2zebra'"],
    ["const apiKey string = ", '"hunter2zebra"'],
    ["var dbPassword string = ", '"hunter2zebra"'],
    ["const char password[] = ", '"hunter2zebra"'],
    ["static char api_token[64]=", '"hunter2zebra"'],
    ["public string ApiKey { get; set; } = ", '"hunter2zebra"'],
    ["internal string Password { get; private set; } = ", '"hunter2zebra"'],
    ["url: postgres://joe:", "ab<cd9ef@db/x"],
  ] as const
) {
  Deno.test(`the value of ${before}${value} is masked`, () => {
    const text = `a\n${before}${value}\nb`;
    assert.ok(needsRedaction(JSON.stringify({ a: text }), []), "the cheap look sees it");
    const masked = redactText(text, RULES);
    assert.ok(masked.startsWith(`a\n${before}`) && masked.endsWith("\nb"), masked);
    const [, left = ""] = masked.slice(before.length).split("[redacted:");
    assert.match(left, /^(?:secret|url-password)\]["']?(?:@db\/x)?\nb$/);
    assert.equal(redactText(masked, RULES), masked, "once is enough");
  });
}

const KEPT = [
  // Types, names and calls.
  "password: string",
  "  token: CancellationToken",
  "auth: HttpBasicAuthHandler",
  "password: SomeXmlHttpRequestFactory",
  "token: getToken()",
  "token: fetch2(\n  a,\n)",
  "token: hash2(a,\n  b)",
  "password: hash(pw2 + salt)",
  "token: parts[0].text2",
  "secret: Map<string, Buffer2>",
  "token = lexer2.next2(",
  "'xsrf_token': self.xsrf_token,",
  'auth_token = b64encode(f"AWS:{password2}".encode("ascii"))',
  "private_key = pycakey.pem",
  '#define SSL_TXT_PSK "PSK"',
  '#define PEM_STRING_ECPRIVATEKEY "EC PRIVATE KEY"',
  "password: pwdCtrl,",
  "fn f(token: &mut Lexer2)",
  "fn f(password: &str, token2: u8)",
  "func f(token string, secret []byte) {",
  'token[0] = "NOUN"',
  'const token string = ""',
  "public string Password { get; set; }",
  "public string Password { get; set; } = string.Empty;",
  // Prose.
  "password: Password is required",
  "password: it's required",
  "token: don't use it",
  "token: see RFC6749 and OAuth2",
  "password: hashed",
  "mot de passe : obligatoire",
  // Permissions, roles, files, commands, messages.
  "id-token: write",
  "  id_token: none",
  'authorization: "admin"',
  '"auth": "src/auth/index.ts",',
  '"token": "./src/token2.ts"',
  '"password": "app/(auth)/[locale]/password2.tsx"',
  'token: "src/auth/token2.go:12"',
  '"secret": "node scripts/secret2.js",',
  "private_key: /etc/ssl/private/server2.key",
  "secret: /run/secrets/db2",
  "docker build --secret id=npmrc2,src=.npmrc .",
  'UserError::InvalidPassword => "wrong password",',
  '"error.token": "Le jeton est invalide"',
  '"password": "Das Passwort ist falsch"',
  'TOKEN="$(vault read -field=token secret/x2)"',
  "PASSWORD=`pass show db2`",
  // Versions of packages, and where they come from.
  '"jsonwebtoken": "^8.5.1"',
  '"@types/jsonwebtoken": "~9.0.6", "csrf-token": "1.0.0-rc.1"',
  '"express-rate-limit-token": ">=1.2.0 <2.0.0", "jsonwebtoken": "^8.5.1 || ^9.0.0"',
  '"jsonwebtoken": "workspace:^1.2.0", "gtoken": "npm:@example/gtoken@9.0.2"',
  '"jsonwebtoken": "git+https://git.example.com/a/jsonwebtoken.git#v9.0.0", "gtoken": "file:../gtoken"',
  '"generate-password": "^1.7.1", "gtoken": "9.x", "x-token": "latest"',
  'vault-token = "1.4.2"\nfoo-secret = ">=1.2,<2"\ndep-token = "~=1.4"\nx-secret = "==1.2.*"',
  "my-secret: v0.0.0-20210101120000-a1b2c3d4e5f6",
  // Addresses of what has words alone in it.
  "token: https://docs.example.com/auth/tokens",
  '"token": "https://auth.example.com:8443/oauth2/v1/token", "auth": "http://localhost:9000"',
  // An expression as the value of a header.
  "{'X-Session-Token': self.credentials.token}",
  "'X-Api-Key': config.apiKey, 'X-Auth-Token': req.session.authToken",
  // Options that a sentence is about.
  "when --password is given it fails, --token was ignored and --api-key does nothing",
  "If --tlspassword are specified",
  "--token must be set, the --secret can be given, and --password cannot be empty",
  "use --token instead of --password when it fails",
  // The last word of a command is no item of a list.
  '{"command":"gh auth status --show-token","description":"run"}',
  '{"command":"mysql -u root --password","description":"run it 2"}',
  '{"a":"{\\"command\\":\\"vercel deploy --token\\",\\"description\\":\\"run\\"}"}',
];
for (const text of KEPT) {
  Deno.test(`${JSON.stringify(text)} stays as it is`, () => {
    assert.equal(redactText(text, RULES), text);
    const payload = { tool_response: { stdout: `a\n${text}\nb` } };
    assert.deepEqual(redactValue(payload, RULES), payload);
  });
}

Deno.test("an edit of a package's version stays, and so does a map of them", () => {
  const [before, after] = ['    "jsonwebtoken": "^8.5.1",', '    "jsonwebtoken": "^9.0.3",'];
  const edit = {
    tool_input: { file_path: "/p/package.json", old_string: before, new_string: after },
    tool_response: { structuredPatch: [{ lines: [`-${before}`, `+${after}`] }] },
  };
  assert.deepEqual(redactValue(edit, RULES), edit);
  const map = { dependencies: { "@types/jsonwebtoken": "~9.0.6", "vault-token": "1.4.2" } };
  assert.deepEqual(redactValue(map, RULES), map);
});

/** What a version and an address could be taken for. */
const SECRETS = [
  'SECRET="1.2.3-k9Xw2mQp7LzR4tVbk9Xw"',
  'password: "12.10.1987"',
  'API_SECRET="12.10.1987"',
  'DB_PASSWORD="^8.5.1"',
  'token: "1000.8cb99d4f2e"',
  'secret: "192.168.10.44"',
  "token: https://hooks.example.com/in/k9Xw2mQp7LzR",
  'token: "https://k9Xw2mQp7LzR.example.com"',
  'auth: "github:k9Xw2mQp7LzR4tVb"',
  "X-Session-Token: k9Xw2m.QpLzRt",
  "deploy --token must",
];
for (const text of SECRETS) {
  Deno.test(`the secret is masked in ${JSON.stringify(text)}`, () => {
    assert.ok(needsRedaction(JSON.stringify({ text }), []), "the cheap look sees it");
    assert.match(redactText(text, RULES), /^[\w -]+[=:]? ?"?\[redacted:secret\]"?$/);
  });
}

Deno.test("names in programs are of letters that follow each other, what is drawn by lot is not", () => {
  for (
    const name of ["XMLHttpRequest", "AbstractSingletonProxyFactoryBean", "PYTHONUNBUFFERED"]
      .concat(["useMemoizedCallback", "OAuthAuthorizationServer", "getElementsByClassName"])
  ) assert.equal(isScrambled(name), false, name);
  for (const value of ["QxRtLmNvBwKs", "wZkQjVxPbTgN", "XKCDWQPLMZRT", "qWxz.RtPl.mNbV"]) {
    assert.ok(isScrambled(value), value);
  }
  assert.equal(isScrambled("pwdCtrl"), false, "too short to tell");
});
