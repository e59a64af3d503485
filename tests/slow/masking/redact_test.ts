import assert from "node:assert/strict";
import fc from "fast-check";
import { anyText } from "../../support/any_text.ts";
import { compileRedactPatterns, redactText, redactValue } from "../../../src/capture/redact.ts";
import { needsRedaction } from "../../../src/capture/triggers.ts";
import {
  alnum,
  ENCODED_KEYS,
  FORMED_SECRETS,
  GIVEAWAYS,
  GIVING_VALUES,
  KEY_END,
  KEY_REMAINDERS,
  PLAIN_SECRET,
} from "../../capture/seeds.ts";
import { GIVING_TEXTS, KEPT_TEXTS } from "../../capture/form_seeds.ts";
import { assertQuick } from "../../support/quick.ts";
import { runs } from "../../support/lanes.ts";

const BUILT_IN = { patterns: [] };

function redact(text: string): string {
  return redactText(text, BUILT_IN);
}

for (const [kind, secret] of Object.entries(FORMED_SECRETS)) {
  Deno.test(`redactText() masks a ${kind} in a shell command`, () => {
    const mask = `[redacted:${kind.split(/[ ,]/)[0]}]`;
    const masked = redact(`echo '${secret}' | x`);
    assert.ok(masked.startsWith(`echo '${mask}`), masked);
    if (!kind.includes("unclosed")) assert.ok(masked.endsWith("' | x"), masked);
  });
}

for (const giveaway of GIVEAWAYS) {
  Deno.test(`redactText() masks the value of ${giveaway}`, () => {
    const [before = "", after = ""] = giveaway.split(/%(?!2B|3D)/);
    const masked = redact(before + PLAIN_SECRET + after);
    assert.ok(!masked.includes(PLAIN_SECRET), masked);
    assert.ok(masked.startsWith(before), "what stands before the value stays");
    assert.match(masked, /\[redacted:/);
  });
}

for (const giving of GIVING_VALUES) {
  Deno.test(`redactValue() masks the secret in ${JSON.stringify(giving)}`, () => {
    const value = JSON.parse(JSON.stringify(giving).replace("%", PLAIN_SECRET));
    const serialized = JSON.stringify({ a: [value] });
    assert.ok(needsRedaction(serialized, []), "the cheap look sees it");
    assert.ok(needsRedaction(JSON.stringify({ a: [value] }, null, 2).replaceAll("\n", ""), []));
    const redacted = JSON.stringify(redactValue({ a: [value] }, BUILT_IN));
    assert.ok(!redacted.includes(PLAIN_SECRET), redacted);
    assert.match(redacted, /\[redacted:/);
  });
}

Deno.test("redactText() masks the value of a header also where it is a word", () => {
  for (const name of ["PRIVATE-TOKEN", "Job-Token", "X-Api-Key", "x-auth-token", "X-Vault-Token"]) {
    assert.equal(redact(`curl -H '${name}: abcDEF' x`), `curl -H '${name}: [redacted:secret]' x`);
  }
});

Deno.test("redactText() masks each cookie of a header and keeps names, attributes and templates", () => {
  assert.equal(
    redact("cookie: a=b; c=${d}; e=; __Host-f=g=="),
    "cookie: a=[redacted:cookie]; c=${d}; e=; __Host-f=[redacted:cookie]",
  );
  assert.equal(
    redact("Set-Cookie: a=b; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT, c=d; Secure"),
    "Set-Cookie: a=[redacted:cookie]; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT, " +
      "c=[redacted:cookie]; Secure",
  );
});

Deno.test("redactText() finds a command's option behind quotes, other commands and line breaks", () => {
  assert.equal(
    redact(
      `bash -c "curl -u a:hunter2"; x\ncurl -d 'curl -u b:hunter3' -u "c:hunter4" | curl -u d:hunter5`,
    ),
    `bash -c "curl -u a:[redacted:password]"; x\ncurl -d 'curl -u b:[redacted:password]' ` +
      `-u "c:[redacted:password]" | curl -u d:[redacted:password]`,
  );
});

Deno.test("redactValue() keeps the results of tests below a key that may also be a password's", () => {
  const value = { pass: 12, fail: 0, suites: [{ pass: ["one test", "two"] }, { pass: "ok" }] };
  assert.deepEqual(redactValue(value, BUILT_IN), value);
});

Deno.test("redactValue() keeps lists of names and words below the names of several secrets", () => {
  const value = {
    secrets: ["db_password_v2", "GITHUB_TOKEN"],
    tokens: ["const", "return", "identifier"],
    services: { secrets: { db: { file: "./secrets/db_2026.txt" } } },
    name: "password",
    type: "value",
  };
  assert.deepEqual(redactValue(value, BUILT_IN), value);
});

Deno.test("redactText() masks a password in JSON at every depth of escaping", () => {
  let text = JSON.stringify({ password: 'hun"ter\\2', next: "kept" });
  for (let depth = 0; depth < 3; depth++) {
    const masked = redact(text);
    assert.ok(!/hun|ter/.test(masked), masked);
    assert.ok(masked.includes("kept"), masked);
    text = JSON.stringify({ text });
  }
});

Deno.test("redactText() masks webhook addresses and keeps their host", () => {
  const slack = "https://hooks.slack" + ".com/services/T000/B000/" + alnum(24);
  assert.equal(redact(slack), "https://hooks.slack.com/services/[redacted:slack-webhook]");
  const uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
  for (const path of ["x.webhook.office.com/webhookb2", "outlook.office365.com/webhook"]) {
    const teams = `https://${path}/${uuid}@${uuid}/IncomingWebhook/${"0a1b".repeat(8)}/${uuid}`;
    assert.ok(needsRedaction(teams, []));
    assert.equal(redact(`a ${teams} b`), `a https://${path}/[redacted:teams-webhook] b`);
  }
  const zapier = "https://hooks.zapier.com/hooks/catch/";
  assert.ok(needsRedaction(zapier, []));
  assert.equal(redact(`${zapier}1234567/o3xk2ab/ x`), `${zapier}[redacted:zapier-webhook]/ x`);
});

Deno.test("redactText() masks a key in a JWT header after an escaped line break", () => {
  const text = "line\\n" + FORMED_SECRETS["jwt"];
  assert.equal(redact(text), "line\\n[redacted:jwt]");
});

for (const [form, remainder] of Object.entries(KEY_REMAINDERS)) {
  Deno.test(`redactText() masks the rest of a private key that begins nowhere: ${form}`, () => {
    const masked = redact(`read this\n${remainder}${KEY_END}\nkept`);
    assert.ok(!/[A-Za-z0-9]{20}/.test(masked), masked);
    assert.match(masked, /^read this\n[^A-Z]*\[redacted:private-key\]\nkept$/);
  });
}

Deno.test("redactText() masks the lines of a private key of PuTTY", () => {
  const before = "PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 1\nAAAAC3NzaC1lZDI1\n";
  const after = `Private-MAC: ${"0a1b2c3d".repeat(8)}\nnext`;
  for (const lead of ["", "+", "  ", "    12\t"]) {
    const lines = [
      `${lead}Private-Lines: 3`,
      lead + alnum(64),
      lead + alnum(64),
      `${lead}${alnum(20)}==`,
    ];
    const text = `${before}${lines.join("\n")}\n${lead}${after}`;
    assert.ok(needsRedaction(JSON.stringify({ text }), []), "the cheap look sees it");
    const masked = redact(text);
    assert.match(masked, /Private-Lines: 3\n[\s+\d]*\[redacted:private-key\]\n[\s+\d]*Private-MAC/);
    assert.ok(masked.startsWith(before) && masked.endsWith("next"), masked);
    assert.equal(redact(masked), masked);
    assert.ok(!redact(JSON.stringify({ text })).includes(alnum(20)));
  }
});

Deno.test("redactText() masks the signature of an address that starts a workflow", () => {
  const address =
    "https://prod-12.westeurope.logic.azure.com:443/workflows/0a1b2c3d/triggers/manual/paths/invoke?sv=1.0&sig=";
  assert.equal(redact(`${address}Ab-1cD_${alnum(36)} x`), `${address}[redacted:azure-sas] x`);
});

Deno.test("redactText() masks two private keys that lost their first lines, and no text between", () => {
  const key = `${alnum(64)}\n${KEY_END}\n`;
  assert.equal(
    redact(`${key}The second one is below.\n${key}`),
    "[redacted:private-key]\nThe second one is below.\n[redacted:private-key]\n",
  );
});

Deno.test("redactValue() masks a private key that begins nowhere in a list of lines", () => {
  const lines = [" kept", `-${alnum(64)}`, `-${alnum(64)}`, `-${KEY_END}`, " kept, too"];
  assert.deepEqual(redactValue({ lines }, BUILT_IN), {
    lines: [
      " kept",
      "-[redacted:private-key]",
      "[redacted:private-key]",
      "[redacted:private-key]",
      " kept, too",
    ],
  });
});

Deno.test("redactText() masks a private key in base64", () => {
  for (const key of ENCODED_KEYS) {
    assert.equal(redact(`tls.key: ${key}`), "tls.key: [redacted:encoded-private-key]");
  }
});

Deno.test("redactText() keeps the host and the name when it masks a token or password in a URL", () => {
  const token = alnum(40);
  assert.equal(redact(`https://${token}@a.test/b`), "https://[redacted:url-user]@a.test/b");
  assert.equal(redact(`https://${token}:@a.test/b`), "https://[redacted:url-user]:@a.test/b");
  assert.equal(
    redact(`https://${token}:x@a.test/b`),
    "https://[redacted:url-user]:[redacted:url-password]@a.test/b",
  );
  assert.equal(
    redact("https://letmeinplease:x-oauth-basic@a.test/b"),
    "https://[redacted:url-user]:x-oauth-basic@a.test/b",
  );
  const known = FORMED_SECRETS["github-token"]!;
  assert.equal(redact(`https://${known}@a.test/b`), "https://[redacted:github-token]@a.test/b");
  assert.equal(
    redact(`https://${known}:x@a.test/b`),
    "https://[redacted:github-token]:[redacted:url-password]@a.test/b",
  );
});

const LOOK_ALIKES = [
  "password: string",
  "password: string;\n  token?: string;",
  "token = getToken()",
  "const token = await fetchToken(x);",
  "const token = tokens[0];",
  "login(password=password, token=args.token)",
  "token: config.token,",
  "this.password = password;",
  "function f(token: Token, secret: Buffer) {",
  "password: z.string().min(8)",
  'password=""',
  "password=",
  "password=$PASSWORD",
  "password=${TOKEN}",
  "token: ${{ secrets.GITHUB_TOKEN }}",
  "token: <your-token>",
  'password: "<password>"',
  "password: ********",
  "token=process.env.TOKEN",
  "max_tokens: 4096",
  "tokens=12",
  '"input_tokens":12,"output_tokens":7',
  "PWD=/home/ana/tides",
  "author: Ana",
  "auth: false",
  "authentication: true",
  "secretary: bob",
  "tokenizer: gpt2",
  "token_count: 5000000",
  "primary_key: 1234567",
  "cache_key=abc1",
  "keyboard: qwerty1",
  "compass: north1",
  "if (!token) return;",
  "const x = password ? 1 : 2",
  "  --token string   Auth token",
  "the token: it is used",
  "Authorization: `Bearer ${token}`",
  "Authorization: Bearer $TOKEN",
  "postgres://user:${PASSWORD}@db/app",
  "https://github.com/a/b@v1:x",
  "git@github.com:a/b.git",
  "https://ana@git.test/a/b.git",
  "https://ana.smith-jones@git.test/a/b.git",
  "https://ana.smith42%40example.test@git.test/a/b.git",
  "https://${TOKEN_OF_2026_FOR_CI}@git.test/a/b.git",
  "ssh://deployment-user-01@git.test/a/b.git",
  "https://letmein@git.test/a/b.git",
  "https://registry.test/@scope/package-1.2.3",
  "const Signature=computeTheSignatureOfThis(request)",
  "sig=sign(message)&0",
  'end.includes("' + "-----END " + 'RSA PRIVATE KEY-----")',
  "const text = buildTheMessageThatIsShownToThePerson();\n" + "-----END " + "PRIVATE KEY-----",
  "task-management-overview-of-things",
  "risk-internationalisation",
  "npm_config_cache=/x",
  "private readonly x = 1",
  "PRIVATE-TOKEN: $(cat token)",
  "PRIVATE-TOKEN: <your_access_token>",
  "x-auth-token: ${TOKEN}",
  "Cookie: string",
  "const cookie = parseCookie(header)",
  "function set(cookie, a=b) {}",
  "{ cookie: (a) => b }",
  "cookie: session=$SESSION",
  "curl -u ana https://x.test",
  'curl -u "$USER:$PASS" https://x.test',
  "curl -u ana:${PASS} -b cookies.txt https://x.test",
  "curl -s https://x.test | sudo -u a:b tee x",
  "tar -u a:b; sort -u c:d",
  "mysql -u root -p app",
  "mysql -h db -P 3306 app",
  'mysql -p"$PASSWORD" app',
  "mkdir -p folder/mysql-data",
  "mkdir -p a && docker run -p 3306:3306 mysql",
  "docker login --username ana --password-stdin",
  "sshpass -e ssh -p 2222 x.test",
  "redis-cli -a $REDIS ping",
  "cp -a curls mongoose",
  '{"name": "password", "type": "string"}',
  '{"name": "DB_PASSWORD", "value": ""}',
  "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: {name: db, key: pw}",
  "- name: DB_PASSWORD\n  value: $(OTHER)",
  "- name: max_tokens\n  value: 4096",
  '{"name": "colour", "value": "hunter2Hunter2"}',
  '{"tokens": ["const", "let"], "input_tokens": 12}',
  'const tokens = ["if", "else", "return"];',
  "passwords = [x for x in list]",
  "secrets:\n  - db_password",
  "--- PASS: TestParse2 (0.00s)",
  "PASS: test-1.sh",
  "PASS src/a.test.ts",
  "ok | pass: 12 | fail: 0",
  "pass=12/15 fail=3",
  "pass: true,",
  "pass: results.ok,",
  "pass: !failed,",
  "Second pass: parse2 finds them",
  "Pass :attr:`peek` a default value",
  "bypass: on2, compass: north1, firstPass: x2",
  "except KeyError:\n    pass\n\nvalue: a1",
  "PASS=0; FAIL=0; PASS=$((PASS+1))",
  "client-key: /etc/keys/client.key",
  "certificate-authority-data: " + "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t",
  "machine learning with login and password fields",
  "the login password is wrong on this machine",
  'startsWith("' + "-----BEGIN " + 'PRIVATE KEY-----")',
  "<PrivateRoute path='/'/>",
  "</private> stray",
  "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
  `cache-key-${"0a1b2c3d".repeat(4)}`,
  "key-value-store-of-all-the-settings-there-are",
  "key-internationalisationofeverything",
  `key-${"0a1b2c3d".repeat(8)}`,
  "primary key-constraint-violation-handler-2026",
  "pul-and-push-requests-that-are-waiting-for-review",
  "secret_name_of_the_database_connection_in_production_2",
  "sb_secret_name_of_the_database_connection_in_production_2",
  `secret_${"a".repeat(43)}`,
  "https://x.test/1//0/index-of-all-the-pages-that-were-ever-made",
  "xai-models-and-prices-in-the-year-2026",
  `${alnum(14)}/atlasv1.md, v1.${alnum(40)}`,
  `ldapi${"0a1b2c3d".repeat(4)}`,
  `utf8_${alnum(37)}`,
  "gems_that_nobody_needs_any_more_since_2026",
  "autoscale_max_replicas_per_node_and_region",
  "pscale_tkn_, glsa_, glc_, sntrys_, tskey-auth-, NRAK-, PMAK-, figd_, pplx-, CCIPAT_",
  "AK-47-and-other-things-that-are-long-enough",
  `data:font/woff2;base64,${alnum(40)}/ATBB${alnum(60)}`,
  "https://en.test/~ana/FAQ~1.html",
  "dp.st.length, dp.pt.x",
  `${alnum(24)}.${alnum(6)}.${alnum(20)}`,
  "let password: &str;",
  'let password: &str = "";',
  "fn login(password: &str, token: Option<String>) -> bool {",
  "let token: Option<String> = None;",
  "let token: Token<'a> = lexer.next();",
  "const token: Token | undefined = tokens[0];",
  "password: Optional[str] = None",
  "set -e; set -o pipefail; set -x",
  "set -x PATH /usr/bin $PATH",
  "set -gx TOKENIZERS_PARALLELISM false",
  "set -x API_TOKEN $OTHER",
  'set -x API_TOKEN "$OTHER"',
  "set -x API_TOKEN (cat token)",
  "set -q API_TOKEN; and echo yes",
  "setx PATH C:\\bin",
  "setx API_KEY %OTHER%",
  'setenv("HOME", "/root", 1)',
  "ConvertTo-SecureString $plain -AsPlainText -Force",
  'ConvertTo-SecureString "$plain" -AsPlainText',
  "Use ConvertTo-SecureString to make one",
  'echo "$PASSWORD" | docker login --password-stdin',
  "echo ${{ secrets.TOKEN }} | docker login --password-stdin",
  "cat token.txt | docker login --password-stdin",
  "echo done; cat token.txt | docker login --password-stdin",
  "echo hello | tee a; sudo -S ls",
  'echo "root:$PW" | chpasswd',
  "chpasswd < users.txt",
  "htpasswd -c .htpasswd ana",
  "htpasswd -v .htpasswd ana",
  "htpasswd -c ana bob carl",
  'htpasswd -nbBC 10 ana "$PW"',
  'htpasswd -b .htpasswd ana "$PW"',
  "htpasswd -bnBC 10 '' $PW",
  "Passwort=",
  "Passwort: bitte eingeben",
  "Passwort=$PASSWORT",
  "Antwort=ja2, Kennwert=x1",
  "token\x1b[0m: \x1b[33mfalse\x1b[0m",
  "password: >-\n  ${{ secrets.DB }}\nnext: 1",
  "run: |\n  deno test\n",
  "password: |\nnext: word2",
  'variable "region" { default = "eu-west-1a" }',
  'variable "db_password" { type = string }',
  'variable "db_password" { default = "" }',
  "**Password:** is asked for",
  "**Token:** \x60string\x60",
  "| Password | Type | Default |",
  "| token | string | - |",
  "| max_tokens | 4096a |",
  'type Token = string | Token2 | "x1y2z3w4";',
  '<input type="password" value="">',
  '<input type="password" value="{{ password }}">',
  '<input type="text" value="hunter2hunter2">',
  "task=abc1, desk: north1, mapskin=x1y2",
  "SORT_KEY=name1 PRIMARY_KEY=id2",
  "credentials: include",
  "design-signature=a1b2",
  "\x1b[32mpass\x1b[0m: \x1b[33m12\x1b[0m",
  "password\x1b[0m is needed",
  "password\x1b[0m=\x1b[32m\x1b[0m",
  "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
];

for (const text of LOOK_ALIKES) {
  Deno.test(`redactText() leaves ${JSON.stringify(text)} alone`, () => {
    assert.equal(redact(text), text);
  });
}

Deno.test("redactText() drops what stands between private tags", () => {
  assert.equal(redact("a <private>b</private> c"), "a [private removed] c");
  assert.equal(redact('a <PRIVATE why="x"\n>b\nc</ Private > d'), "a [private removed] d");
  assert.equal(redact("<private>a<private>b</private>c</private>d"), "[private removed]d");
  assert.equal(redact("a <private/> b"), "a <private/> b");
});

Deno.test("redactText() drops what stands between escaped private tags", () => {
  for (
    const [open, close] of [
      ["\\u003cprivate\\u003e", "\\u003c/private\\u003e"],
      ["\\\\u003Cprivate\\\\u003E", "\\\\u003C/private\\\\u003E"],
      ["&lt;private&gt;", "&lt;/private&gt;"],
      ["&lt;PRIVATE why&gt;", "&lt;/ private&gt;"],
      ["&lt;private\n&gt;", "&lt;/private \n&gt;"],
      ["&lt;private \\n&gt;", "&lt;/private\\r\\n&gt;"],
      ["\\u003cprivate\\n\\u003e", "\\u003c/private\\t\\u003e"],
      ["&#60;private&#62;", "&#60;/private&#62;"],
      ["&#060;private why&#062;", "&#060;&#47;private&#062;"],
      ["&#x3c;private&#x3e;", "&#x3c;/private&#x3e;"],
      ["&#x003C;private&#x003E;", "&#x003C;&#x2F;private&#x003E;"],
      ["&amp;#60;private&amp;#62;", "&amp;#60;/private&amp;#62;"],
      ["%3Cprivate%3E", "%3C/private%3E"],
      ["%3cprivate%3e", "%3c%2fprivate%3e"],
      ["%3Cprivate%20why%3E", "%3C%2Fprivate%3E"],
      ["%253Cprivate%253E", "%253C%252Fprivate%253E"],
    ]
  ) {
    const text = `{"a":"x ${open}zebra\\nstripes${close} y ${open}zebra${close}"}`;
    assert.ok(needsRedaction(JSON.stringify({ text }), []));
    assert.equal(redact(text), '{"a":"x [private removed] y [private removed]"}');
    for (const plain of [`${open} is a tag`, `the end ${close}`, `\`${open}\` and \`${close}\``]) {
      assert.equal(redact(plain), plain);
    }
  }
});

Deno.test("redactText() drops everything after a private tag that is never closed", () => {
  assert.equal(redact("a <private>b <private>c</private> d"), "a [private removed]");
});

Deno.test("redactText() masks the user's patterns, and never inside a mask", () => {
  const rules = compileRedactPatterns(["ACME-\\d+", "redacted", "(", "^$|x*"]);
  assert.deepEqual(rules.invalid.map(({ source }) => source), ["("]);
  assert.match(rules.invalid[0]!.reason, /Invalid regular expression/);
  assert.equal(redactText("id ACME-42!", rules), "id [redacted:custom]!");
  assert.equal(
    redactText("password=hunter2 is redacted", rules),
    "password=[redacted:secret] is [redacted:custom]",
  );
});

Deno.test("redactValue() masks strings and numbers below a secret name, and nothing else there", () => {
  const value = {
    password: "hunter2",
    dbToken: 12345,
    auth: { user: ["ana", { kind: "string" }], on: true, none: null, empty: "" },
    "max_tokens": 4096,
    pwd: "/home/ana/tides",
  };
  assert.deepEqual(redactValue(value, BUILT_IN), {
    password: "[redacted:secret]",
    dbToken: "[redacted:secret]",
    auth: {
      user: ["[redacted:secret]", { kind: "string" }],
      on: true,
      none: null,
      empty: "",
    },
    "max_tokens": 4096,
    pwd: "/home/ana/tides",
  });
});

Deno.test("redactValue() masks below a name with blanks what looks drawn by lot", () => {
  const value = {
    "Secret Key": "usU4uk2iLc3rG9",
    "API Key": "required",
    "Private Key": "RSA 2048",
  };
  assert.ok(needsRedaction(JSON.stringify(value), []));
  assert.deepEqual(redactValue(value, BUILT_IN), { ...value, "Secret Key": "[redacted:secret]" });
});

Deno.test("redactValue() takes a list of strings as the lines of one text", () => {
  const begin = "-----BEGIN " + "PRIVATE KEY-----";
  const lines = [" a", "+<private>", "+b", "+</private>", `-${begin}`, `-${alnum(64)}`, "-x"];
  assert.deepEqual(redactValue({ lines }, BUILT_IN), {
    lines: [
      " a",
      "+[private removed]",
      "[private removed]",
      "[private removed]",
      "-[redacted:private-key]",
      "[redacted:private-key]",
      "[redacted:private-key]",
    ],
  });
});

Deno.test("redactValue() masks the argument after a secret flag", () => {
  assert.deepEqual(redactValue(["run", "--api-key", "abc", "x"], BUILT_IN), [
    "run",
    "--api-key",
    "[redacted:secret]",
    "x",
  ]);
});

Deno.test("redactValue() keeps both of two keys that become the same mask", () => {
  const key = FORMED_SECRETS["npm-token"]!;
  const value = redactValue({ [key]: 1, [`${key.slice(0, -1)}0`]: 2 }, BUILT_IN);
  assert.deepEqual(value, { "[redacted:npm-token]": 1, "[redacted:npm-token][redacted:key-1]": 2 });
});

Deno.test("redactValue() keeps a key named __proto__ and leaves the prototype alone", () => {
  const value = redactValue(JSON.parse('{"__proto__":{"a":1}}'), BUILT_IN);
  assert.equal(JSON.stringify(value), '{"__proto__":{"a":1}}');
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});

Deno.test("redactValue() walks 100,000 levels", () => {
  const depth = 100_000;
  const text = '{"a":['.repeat(depth) + '"password=hunter2"' + "]}".repeat(depth);
  let redacted = redactValue(JSON.parse(text), BUILT_IN);
  for (let level = 0; level < depth; level++) redacted = (redacted as { a: unknown[] }).a[0];
  assert.equal(redacted, "password=[redacted:secret]");
});

Deno.test("needsRedaction() lets ordinary payloads pass without a further look", () => {
  const payload = {
    tool_name: "Edit",
    tool_input: { file_path: "/src/a.ts", new_string: "export function key(author: string) {}" },
    tool_response: { usage: { input_tokens: 12 }, url: "https://example.test/a" },
  };
  assert.equal(needsRedaction(JSON.stringify(payload), BUILT_IN.patterns), false);
});

/** Pieces that rules look for, between pieces of anything. */
const fragments = fc.oneof(
  anyText(8),
  fc.constantFrom(...Object.values(FORMED_SECRETS)),
  fc.constantFrom(...GIVEAWAYS.map((giveaway) => giveaway.replace("%", PLAIN_SECRET))),
  fc.constantFrom(...LOOK_ALIKES, ...KEPT_TEXTS),
  fc.constantFrom(...GIVING_TEXTS.map((giving) => giving.replace("%", PLAIN_SECRET))),
  fc.constantFrom("<private>", "</private>", "< private", "password", "_token", "api-key", "auth"),
  fc.constantFrom("=", ":", " ", '"', "'", "\\", '\\"', "\n", "\\n", "`", "--", "[", "]", ">", "<"),
  fc.constantFrom("-----BEGIN PRIVATE" + " KEY-----", "-----END PRIVATE" + " KEY-----", "://", "@"),
  fc.constantFrom("Bearer ", "authorization", "hunter2", "[redacted:secret]", "[private removed]"),
  fc.constantFrom("Cookie: a=b; ", "curl ", " -u ", "a:b", "mysql ", " -p", "pass", "passwords"),
  fc.constantFrom('"name":"', "password", '","', "value", '":"', "machine ", "login ", "docker "),
  fc.constantFrom(
    "pepper",
    "credentials",
    "ssh_key",
    "dsn=joe/",
    "->",
    "→",
    "@tcp(",
    '":{"value":"',
  ),
  fc.constantFrom("\t", "\r", "\u0007", "\u2028", "K", "İ", "\ud800"),
  fc.constantFrom("<code>", "</code>", "<br/>", "<td class='x'>", "<env>", "</env>", "<!--", "-->"),
  fc.constantFrom(
    "secrets:\n",
    "  a: x1y2z3",
    "openssl ",
    " -k ",
    "a:5434:b:c:",
    ":x-oauth-basic@",
  ),
  fc.constantFrom("&quot;", "&#39;", "&amp;quot;", "</", "<\\/b>", "<br", "Array<string>"),
  fc.constantFrom("\n+", "\n-", "\n ", "\n--", "\n# ", "\n> ", "\n// ", "\n@@@ ", "\n---", "\\n-"),
  fc.constantFrom(
    "\na.sh:1:",
    "\na.sh-2-",
    "\n  3→",
    "\n4\t",
    "\nweb-1  | ",
    "\n10:00:01 ",
    '\n  "',
  ),
  fc.constantFrom(
    "- name: DB_PASSWORD",
    "  value: x1y2z3w4",
    "kind: Secret",
    "data:",
    "  a: x1y2z3",
  ),
);
const texts = fc.array(fragments, { maxLength: 12 }).map((parts) => parts.join(""));
const values = fc.oneof(
  fc.jsonValue(),
  fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      texts,
      fc.integer(),
      fc.array(tie("value"), { maxLength: 5 }),
      fc.array(texts, { maxLength: 5 }),
      fc.dictionary(
        fc.oneof(
          texts,
          fc.constantFrom(
            "password",
            "x-token",
            "pwd",
            "pass",
            "passwords",
            "apiKeys",
            "credentials",
            "pepper",
            "pw",
            "dsn",
            "sshKey",
            "Cookie",
            "name",
            "value",
          ),
        ),
        tie("value"),
        {
          maxKeys: 4,
        },
      ),
    ),
  })).value,
);
const rules = fc.constantFrom(
  BUILT_IN,
  compileRedactPatterns(["a", "ACME-\\d+", "[^a]{3}"]),
  compileRedactPatterns(["^.", "secret|x", "\\[redacted"]),
);
const RUNS = { numRuns: runs(2_000) };

Deno.test("redactText() changes nothing in its own result, whatever the text", () => {
  fc.assert(
    fc.property(texts, rules, (text, rules) => {
      const once = redactText(text, rules);
      assert.equal(redactText(once, rules), once);
    }),
    RUNS,
  );
});

Deno.test("redactValue() changes nothing in its own result, whatever the value", () => {
  fc.assert(
    fc.property(values, rules, (value, rules) => {
      const once = redactValue(value, rules);
      assert.deepEqual(redactValue(once, rules), once);
    }),
    RUNS,
  );
});

Deno.test("redactValue() takes what is left of a key for no name where a blank is in it", () => {
  const rules = { patterns: [/[^a]{3}/g], invalid: [] };
  const once = redactValue({ "password=\u0000[private removed]": "" }, rules);
  assert.deepEqual(redactValue(once, rules), once);
});

/** Short texts around the border: parts of a rule, few enough that often none applies. */
const borderTexts = fc.array(
  fc.oneof(
    fc.constantFrom(
      "password",
      "Passwd",
      "PWD",
      "my_pass",
      "-token",
      "--Secret",
      "api",
      "_Key",
      "key",
    ),
    fc.constantFrom("auth", "authorization", "_base", "2", "-prod", "s", "<", ">", "</", "x1y2z3"),
    fc.constantFrom("=", ":", "!=", "?=", ",", " ", "\t", "\n", '"', "'", "\\", "]", "`", "\u0007"),
    fc.constantFrom("://", "u:", "p", "@", "< private", ">", "Bearer ", "sig=", "&", "?"),
    fc.constantFrom(
      "cookie",
      "a=b",
      "curl",
      "mysql",
      " -u",
      "-pa",
      "name",
      "value",
      "[",
      "{",
      "pass",
    ),
    fc.constantFrom(
      "credentials",
      "pepper",
      "ssh-key",
      "encKey",
      "app_key",
      "dsn",
      "joe/x1@",
      "->",
    ),
    fc.constantFrom(
      "→",
      "default",
      "a:b2@tcp(",
      "sqlplus ",
      "a/b2c3d4@x",
      "user-secrets set",
      " A ",
    ),
    fc.constantFrom(
      "passcode",
      "master key",
      "Secret Key",
      "private key: ",
      " for x",
      " is",
      " to ",
      "set ",
      "should be",
      "</b>",
    ),
    fc.constantFrom(
      "salt",
      "aws_",
      "db_",
      "recovery_code",
      "subscription-key",
      "x_header ",
      "#define ",
    ),
    fc.constantFrom(
      " string = ",
      "[] = ",
      " { get; } = ",
      "(\n",
      ">\n",
      "</",
      ":\n",
      " is:\n\n",
      "(setq ",
    ),
    fc.constantFrom(
      "{:",
      "{",
      "}",
      '"x1y2z3w4"',
      "x1y2z3w4Ab",
      " | ",
      "\n---+---\n",
      "<key>",
      "</key><string>",
    ),
    fc.constantFrom(
      "echo x1y2 | ",
      "gh secret set A",
      "<<< ",
      "--with-token",
      "vercel env add",
      "Private-Lines: 2\n",
    ),
    fc.constantFrom(
      "QxRtLmNvBwKs",
      "Ab3x9Q Zt7kLm2",
      "&a ",
      "!!str ",
      "basicAuth('a','",
      ".append('",
      "',",
    ),
    fc.constantFrom(
      "createHmac(a, '",
      "PDO(a, b, '",
      ".login('a', '",
      "a.Client('a', '",
      "')",
      ",",
    ),
    fc.constantFrom(
      "use ",
      "with ",
      " as the ",
      "creds: a / ",
      "log in as a with ",
      "パスワードは",
    ),
    fc.constantFrom("<meta name='", "' content='", "CREATE SECRET ", "user a on >", " +@all"),
    fc.constantFrom("setValue('", "', forHTTPHeaderField: '", "buildConfigField('a', '", "', '"),
    fc.constantFrom(
      "ENV.fetch('",
      "') || '",
      "') { '",
      "${a.",
      ".username(a).password('",
      "basicAuth: a:",
    ),
    fc.constantFrom("pw", "_pw", "PWD", "requirepass ", "password ", "--plaintext ", "auth=("),
    fc.constantFrom("login with ana:", "Login: ana / ", "&quot;", "user/pass: a/", "x1y2z3w4"),
    fc.constantFrom(
      'env::var("',
      '").unwrap_or("',
      "').fill('",
      "page.fill('input[name=",
      "||=",
      "]",
    ),
    fc.constantFrom(
      '"Jwt": { "Key": "',
      "jwt.sign(a, '",
      "hunter2Hunter2x1y2",
      "[]byte(",
      "jwt_key",
    ),
    fc.constantFrom("requirepass words", "SET PASSWORD FOR a@b = '", "\nid|token\n1|", "abc.key="),
    fc.constantFrom('key="', "process.env.X || ", "/db/password", "Value", 'name="', "→"),
    fc.constantFrom(" (x): ", "<td>", " provided: ", "was made for x: ", "x1y2z3w4"),
    fc.constantFrom("</private", "<private", "\u003cprivate", "\\n", "&lt;private", "&gt;"),
    fc.constantFrom(
      "secrets:\n",
      "  a: x1y2z3",
      "openssl",
      " -k x1",
      ":5434:b:c:x1y2z3",
      ":*:b:c:",
    ),
    fc.constantFrom("<code>", "</code>", "<br>", "<env>", "</env>", "&quot;", "&#39;", "-->"),
    fc.constantFrom(
      "&#60;private",
      "&#x3c;/private",
      "&#62;",
      "%3Cprivate",
      "%3C%2Fprivate",
      "%3E",
    ),
    fc.constantFrom(
      '["X-Api-Key","',
      '["Authorization","',
      "Token a1b2c3",
      '"]',
      "form-data; name=",
    ),
    fc.constantFrom("SK", "npm_", "0123456789abcdef", "0123456789abcdef", "-", ".", "eyJ", ":AA"),
    fc.constantFrom(
      ...[
        "zip",
        " -P ",
        "http -a",
        " a:b",
        "lftp -u a,",
        "ldapadd -w b",
        "doctl -t b",
        "cqlsh -p b",
      ],
      ...[
        "mysqladmin ",
        " password ",
        "rabbitmqctl add_user a ",
        "config http-basic.a b ",
        "b1c2d3",
      ],
      ...[
        "bundle config a.b c:",
        "nmcli ",
        "sops set a] '",
        "ssh-keygen ",
        " -N ",
        "expect assword",
      ],
      ...[
        "create_user(",
        "bcrypt.hash(",
        "AES.new(b",
        "signIn(",
        "creds = (",
        "'b1c2d3e4'",
        "'a', ",
      ],
      ...["Wallet(", "gen_salt", "crypt(", ".password(a.encode(", "s.", "glc_", "1/1234567890:"],
      ...[
        "qa@x.test:",
        "qa@x.test / ",
        "b1c2d3e4!",
        '"password" to "',
        "Field(default=",
        "fill_in 'password",
      ],
      ...[
        "password{",
        ").toBe('",
        "ord/i), '",
        "the key is ",
        "PAT: ",
        "aB3dE5gH7jK9mN2p",
        ".typeText(",
        "#PasswordText",
        "sonar.login=",
      ],
      ...["by.ID,'password').send_keys('", "bylabeltext('password'), {target:{value:'", "{enter}'"],
      ...["password { '", "parametrize('password', ['", "[('password', '", "b1c2d3e4f')"],
      ...["1) 'requirepass'\n2) '", "password:\n Type: String\n Default: b1c2d3e4"],
      ...["Sequelize(", "DBI->connect(", "URL.create(", "algoliasearch(", "hash_pwd_salt("],
      ...["unrar -pb1c2", "rar a -hpb1c2", " | cryptsetup open", "ftp -n <<E\nuser a b1c2"],
      ...["snyk auth ", "MAPBOX=", "oauth_client: ", "password_field.fill('", "x.sendKeys('"],
      ...[' send "', "\\r", "echo b1c2d3", " > ", "a/token", "kinit a", " <<< ", "--otp=123456"],
    ),
    fc.constantFrom("\n+", "\n-", "\n ", "\n# ", "\na:1:", "\na-1-", "\n1→", "\nweb  | ", "\\n+"),
    fc.constantFrom(
      "name: token",
      "value: x1y2z3w4",
      "kind: Secret",
      "data:",
      "\u5bc6\u7801",
      "\\u7801",
    ),
    anyText(2),
  ),
  { maxLength: 6 },
).map((parts) => parts.join(""));

Deno.test("needsRedaction() never says no where redactValue() would change something", () => {
  const borderValues = fc.oneof(
    borderTexts,
    fc.array(borderTexts, { maxLength: 3 }),
    fc.dictionary(borderTexts, fc.oneof(borderTexts, fc.integer()), { maxKeys: 2 }),
    fc.dictionary(
      fc.oneof(
        borderTexts,
        fc.constantFrom("name", "value", "Key", "cookie", "pass", "passwords"),
        fc.constantFrom("credentials", "pepper", "sshKey", "dsn", "app_key", "db_pw"),
      ),
      fc.oneof(borderTexts, fc.array(borderTexts, { maxLength: 2 }), fc.integer()),
      { maxKeys: 3 },
    ),
    fc.array(fc.constantFrom("curl", "mysql", "docker", "login", "-u", "-pab", "-ua:b", "a:b"), {
      maxLength: 4,
    }),
  );
  let passed = 0;
  fc.assert(
    fc.property(fc.oneof(values, borderValues), rules, (value, rules) => {
      const serialized = JSON.stringify(value);
      if (needsRedaction(serialized, rules.patterns)) return;
      passed++;
      assert.equal(JSON.stringify(redactValue(value, rules)), serialized);
    }),
    {
      numRuns: runs(10_000),
      // What was once let pass.
      examples: [
        ["name: token<td>value: x1y2z3w4", { patterns: [] }],
        ["<key>credentials-->value: x1y2z3w4", { patterns: [] }],
        [["mysql:*:b:c:\\u7801<td>"], { patterns: [] }],
      ],
    },
  );
  assert.ok(passed > 1_000, `only ${passed} of 10,000 were let pass`);
});

Deno.test("an option is no command, whatever its value ends with", () => {
  const redacted = redactValue(["-pa</mysql", ""], { patterns: [] });
  assert.deepEqual(redacted, ["-pa</mysql", ""]);
  assert.deepEqual(redactValue(["mysql", "-pa/mysql"], { patterns: [] }), [
    "mysql",
    "-p[redacted:password]",
  ]);
});

/** Where a secret may stand: in a text, as a value, as a key, deep down, in escaped JSON. */
const positions: readonly ((text: string) => unknown)[] = [
  (text) => text,
  (text) => ({ tool_input: { command: `cd /x && run "${text}"` } }),
  (text) => ({ [text]: true }),
  (text) => [[{ a: [1, { b: text }] }]],
  (text) => ({ stdout: JSON.stringify({ body: JSON.stringify({ text }) }) }),
];
const surroundings = anyText().filter((text) => !/[\\<]/.test(text));

Deno.test("redactValue() lets no secret of any kind through, wherever it stands", () => {
  const secrets = fc.oneof(
    fc.constantFrom(...Object.values(FORMED_SECRETS)).map((secret) => ({ secret, text: secret })),
    fc.constantFrom(...GIVEAWAYS).map((giveaway) => ({
      secret: PLAIN_SECRET,
      text: giveaway.replace("%", PLAIN_SECRET),
    })),
  );
  fc.assert(
    fc.property(
      secrets,
      surroundings,
      surroundings,
      fc.constantFrom(...positions),
      fc.constantFrom(" ", "\n", ", ", "; "),
      ({ secret, text }, before, after, position, delimiter) => {
        const value = position(before + delimiter + text + delimiter + after);
        const serialized = JSON.stringify(value);
        assert.ok(needsRedaction(serialized, BUILT_IN.patterns));
        const redacted = JSON.stringify(redactValue(value, BUILT_IN));
        for (
          const part of secret.split(/\\n|\n/).filter((line) =>
            /[a-z]{1}.{11}/i.test(line) && !line.startsWith("-----")
          )
        ) {
          assert.ok(!redacted.includes(part), redacted);
        }
      },
    ),
    { numRuns: runs(5_000) },
  );
});

const PARTIAL = [
  '"Jwt": { "a": ',
  "jwt.sign({ a: ",
  ...["jwt.sign(", "jwt.sign([", "PDO(a,", "Client('a", "a.Client('a', '", ".username(a)", "${a."],
  ...[
    "use a1b2c3 as ",
    "create secret 'a ",
    "secret 'a ",
    "user a ~* ",
    "setuser a b ",
    "with password ",
  ],
  "SET PASSWORD FOR a",
  "\n[a]\npassword = aaaa",
  "+tokens:\n+  - ",
  ...Object.values(FORMED_SECRETS).flatMap((secret) =>
    [2, 4, 7, 12].map((n) => secret.slice(0, n))
  ),
  ...[...GIVEAWAYS, ...GIVING_TEXTS].flatMap((
    giveaway,
  ) => [giveaway.split("%")[0]!, giveaway.replace("%", "a")]),
  ...["<private>", "</private>", "<private ", "password", "token=a(", 'password="', "password='`"],
  ...["-----BEGIN PRIVATE" + " KEY-----", "\\", 'password=\\"', "://a:", "bearer ", "a-", "key: "],
  ...[
    "password: |\n  ",
    "password: >-\\n",
    "| password | ",
    "**password:** ",
    "&lt;private&gt;",
    "EAA",
    "pat",
  ],
  ...[
    'variable "password" { default ',
    '<input type="password" ',
    "\\u003cprivate ",
    "&lt;/private",
    "-us1",
  ],
  ...[
    '"credentials":"a:',
    'pepper="a::::',
    "dsn=a/",
    "a:@tcp(",
    "a:b:",
    '"password":{"x":',
    "sqlplus -s ",
  ],
  ...[
    "user-secrets -a b ",
    "password →",
    "password -> ",
    "password:\n  a",
    "&lt;private\\n",
    "<private\n",
    "&#60;private ",
    "%3Cprivate%20",
    '["x-api-key",',
    '["x-api-key","a1b2',
    'form-data; name="password"\n',
  ],
  ...["pw=a", "pw", "password: process.env.", 'auth=("a"', 'key="a.password" ', "requirepass a\n"],
  ...['"key":"a/b/password",', "a/", "\npassword ", "rootpw --plaintext "],
  ...["set a b ", "set the password of ", "password for a ", "password (", "password</b></b>"],
  ...["password for a is ", "password is made for ", "reset a password of b to "],
  ...[
    "+password: a\n-",
    "a.sh:1:token\n",
    "- name: token\n+ value: a\n",
    "\na-1-password\n",
    "+# ",
  ],
  ...[
    "a-1-",
    "a/",
    "\n[a",
    "\n'\\",
    "\n+\n-password:",
    "1:2:3:",
    "+| password |\n",
    "@@@ \n++token: a",
  ],
  ...["secrets:\n  a: b1c2d3\n", "secrets:\n", "openssl -k ", "a:5432:a:a:a ", "password=\\\n"],
  ...["<a ", "<env>", "</env", "password=a<br ", "password: <code>", "&quot;", "&amp;", "&#", "</"],
  ...["://a:b1/", "://a:b1'c", "://a:b1\\", "AKIA" + "ABCDEFGHIJKLMNOP\t2026-01-01\t", "://a:1b/@"],
  ...[
    "machine a.b password a'b",
    "a:5432:a:a:a'b",
    "a:5432:a:a:a:b",
    "<password>a>",
    "<token>a\\b",
  ],
  ...["password=a`b", "<token><![CDATA[a", '"token","a"\n', "a,token b\n1,2\n"],
  ...[
    "secrets set a A=b ",
    "functions:config:set a ",
    "mc alias set a https://",
    "gem push ",
    "$6$a$",
  ],
  ...[
    "v1.local.",
    "echo a\\nb",
    "echo aaaa\\nbbbb",
    "sdk-",
    "xfreerdp ",
    "security add-generic-password ",
  ],
  ...["authorization: a ", 'authorization: a="', "'authorization: a b1c2d3e4 "],
  ...["password:\n", "ey" + "J", "ey" + "J.ey" + "J", "xox", "--token ", "[redacted:", "token=<"],
  ...[KEY_END, `${alnum(64)}\n`, `${alnum(64)}\n${KEY_END}`, `- "\\n${KEY_END}`, "LS0tLS1CRUdJTi"],
  ...[
    "password: a(",
    "password: a b ",
    "token='a'",
    "password: &a ",
    "user.setPassword(\n",
    "<password>\n",
  ],
  ...[
    "password[] = ",
    "password { get; ",
    "Password for a:\n",
    "password is:\n",
    "{password, ",
    "<key>token</key>",
  ],
  ...[
    '#define TOKEN "',
    "(setq token ",
    "{:token ",
    "x_header token ",
    "Private-Lines: 2\n",
    "echo a | gh secret ",
  ],
  ...[
    "Private-Lines: 2\nabcdefgh\n",
    "- user | password\n-------+-----\n",
    "aws_key=",
    "salt=",
    "kubectl a create ",
  ],
  ...[
    "sig=",
    "&Signature=a",
    "https://a1",
    `https://${alnum(99)}:`,
    "https://[redacted:url-user]:",
  ],
];

Deno.test("redactText() takes linear time for 2 MB of any partial secrets", () => {
  const all = PARTIAL.join(" ");
  const texts = [
    ...new Set(PARTIAL).values().map((partial) => partial.repeat(20_000 / partial.length)),
    all.repeat(2_000_000 / all.length),
  ];
  for (const text of texts) {
    // Well above what it takes, well below what a quadratic rule would take (seconds).
    const limit = { maxMs: 300 + text.length / 500, attempts: 10 };
    assertQuick(text.slice(0, 60), () => redact(text), limit);
  }
});

Deno.test("redactText() masks what a command or a Dockerfile sets under a secret name", () => {
  const secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCY";
  for (
    const line of [
      `aws configure set aws_secret_access_key ${secret}`,
      `FROM a\nENV AWS_SECRET_ACCESS_KEY ${secret}\nRUN b`,
      `ENV DB_PASSWORD ${secret}`,
    ]
  ) {
    for (const text of [line, JSON.stringify(line)]) {
      assert.ok(needsRedaction(text, []), text);
      assert.equal(
        redactText(text, { patterns: [] }),
        text.replace(secret, "[redacted:setting]"),
      );
    }
  }
  for (
    const text of [
      "ENV PATH /usr/bin",
      "ENV KEYBOARD $LAYOUT",
      "aws configure set region eu-west-1",
    ]
  ) {
    assert.equal(redactText(text, { patterns: [] }), text);
  }
});

Deno.test("redactValue() masks a cookie that only begins with a variable, and once", () => {
  const rules = { patterns: [] };
  const once = redactValue({ Cookie: ["password=${TOKEN}Cookie: a=b; "] }, rules);
  assert.deepEqual(once, { Cookie: ["password=[redacted:cookie]; "] });
  assert.deepEqual(redactValue(once, rules), once);
  assert.deepEqual(redactValue({ Cookie: "sid=${SID:-none}" }, rules), {
    Cookie: "sid=${SID:-none}",
  });
});

Deno.test("redactText() masks what printf and a call with blanks pipe to a command", () => {
  assert.equal(
    redact("printf '%s\\n' hunter2 | docker login --password-stdin"),
    "printf '%s\\n' [redacted:password] | docker login --password-stdin",
  );
  assert.equal(
    redact('echo "root:my hunter2" | chpasswd'),
    'echo "root:[redacted:password]" | chpasswd',
  );
});

Deno.test("redactText() masks base64 of letters behind a name, with its padding", () => {
  assert.equal(redact("secret: YWJjZGVmZGhpamts=\nnext: 1"), "secret: [redacted:secret]\nnext: 1");
});

Deno.test("redactText() masks a service's token after a colour, an escape and a diff's sign", () => {
  const token = FORMED_SECRETS["service-token of Pulumi"]!;
  for (const before of ["\x1b[32m", "\\n", "\\n+", "-", "%3D", "\\u0026", "a=", "FlyV1 "]) {
    assert.equal(redact(before + token), `${before}[redacted:service-token]`);
  }
});
