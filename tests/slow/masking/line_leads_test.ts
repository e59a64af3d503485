/** What is masked in a text is masked behind what stands in front of its lines, and what stays there stays here. */
import assert from "node:assert/strict";
import { maskBehindLeads } from "../../../src/capture/behind_leads.ts";
import { bareTexts } from "../../../src/capture/line_leads.ts";
import { redactText, redactValue } from "../../../src/capture/redact.ts";
import { needsRedaction } from "../../../src/capture/triggers.ts";
import { KEPT_TEXTS } from "../../capture/form_seeds.ts";
import { alnum, FORMED_SECRETS } from "../../capture/seeds.ts";
import { assertQuick } from "../../support/quick.ts";

const RULES = { patterns: [] };
const SECRET = "Kq7b4cd9e2f01a";

/** Secrets that somebody writes on lines of their own, `§` in the place of each. */
const TEXTS: readonly string[] = [
  "mysql -uroot -p§ db",
  "mysqldump -u root -p§ db",
  "sshpass -p § ssh x",
  "redis-cli -a § ping",
  "sqlcmd -S h -U sa -P §",
  "smbclient -U joe%§ //h/s",
  "sqlplus joe/§@db",
  "mongo -u a -p § db",
  "docker login -u a -p §",
  "curl -u a:§ x",
  "setx API_TOKEN §",
  "requirepass §",
  "machine x login a password §",
  "h:5432:db:user:§",
  "gh secret set FOO --body §",
  "DB_PASSWORD=§",
  "password: |\n  §\nnext: 1",
  "token: >-\n  §\n  §\nnext: 1",
  "password:\n  §",
  "kind: Secret\nstringData:\n  foo: §",
  "kind: Secret\ndata:\n  foo: §==",
  "- name: DB_PASSWORD\n  value: §",
  "name: DB_PASSWORD\nvalue: §",
  "env:\n  - name: DB_PASSWORD\n    value: §",
  '{"name":"DB_PASSWORD",\n "value":"§"}',
  "| user | password |\n| --- | --- |\n| joe | § |",
  "passwords:\n  - §\n  - §",
  "tokens:\n- §",
  "api_tokens:\n  - '§'",
];

type Lead = (line: string, at: number) => string;

/** What tools put in front of the lines that they show. */
const LEADS: Readonly<Record<string, Lead>> = {
  "removed in a diff": (line) => `-${line}`,
  "added in a diff": (line) => `+${line}`,
  "removed in a merge": (line) => ` -${line}`,
  "removed from both in a merge": (line) => `--${line}`,
  "added in a merge": (line) => `++${line}`,
  "of the first file": (line) => `< ${line}`,
  "of the second file": (line) => `> ${line}`,
  "with a comment sign": (line) => `# ${line}`,
  "with a comment sign of code": (line) => `// ${line}`,
  "with a comment sign, added": (line) => `+# ${line}`,
  "in a list": (line) => `- ${line}`,
  "numbered by cat": (line, at) => `${`${at}`.padStart(6)}\t${line}`,
  "numbered by Read": (line, at) => `${`${at}`.padStart(6)}→${line}`,
  "numbered by bat": (line, at) => `  ${at} │ ${line}`,
  "found by a search": (line, at) => `src/x.sh:${at}:${line}`,
  "found in a column": (line, at) => `src/x.sh:${at}:3:${line}`,
  "found in one file": (line, at) => `${at}:${line}`,
  "around what a search found": (line, at) => `src/x.sh-${at}-${line}`,
  "around it in one file": (line, at) => `${at}-${line}`,
  "found without numbers": (line) => `conf/x.yml:${line}`,
  "found in a diff": (line, at) => `a.diff:${at}:+${line}`,
  "of a log": (line) => `2026-11-23T10:00:00.123Z INFO  ${line}`,
  "of a log in brackets": (line) => `[2026-11-23 10:00:00] ${line}`,
  "of a log with times": (line) => `10:00:01 ${line}`,
  "of a log of the system": (line) => `Nov 23 10:00:01 host app[12]: ${line}`,
  "of a workflow": (line) => `build\tstep\t2026-11-23T10:00:00.1Z ${line}`,
  "of a build": (line) => `#12 0.345 ${line}`,
  "of a container": (line) => `web-1  | ${line}`,
  "of a container with times": (line) => `web-1  | 2026-11-23T10:00:00.123Z ${line}`,
  "of a pod": (line) => `[pod/web-1/app] ${line}`,
  "blamed": (line, at) => `a1b2c3d4 (Ana Doe 2026-01-01 10:00:00 +0100 ${at}) ${line}`,
  "blamed in another file": (line, at) =>
    `^a1b2c3d src/y (A 2026-01-01 10:00:00 +0100 ${at}) ${line}`,
  "at a prompt": (line) => `ana@host:~# ${line}`,
  "at a short prompt": (line) => `$ ${line}`,
  "in a block comment": (line) => ` * ${line}`,
  "of a file of JSON": (line) => `  ${JSON.stringify(line)},`,
};

function led(text: string, lead: Lead): string {
  return text.split("\n").map((line, at) => lead(line, at + 1)).join("\n");
}

for (const [where, lead] of Object.entries(LEADS)) {
  Deno.test(`a secret in lines ${where} is masked`, () => {
    for (const giving of TEXTS) {
      const stdout = `head\n${led(giving.replaceAll("§", SECRET), lead)}\ntail\n`;
      const payload = { tool_input: { command: "x" }, tool_response: { stdout } };
      assert.ok(needsRedaction(JSON.stringify(payload), []), `the cheap look sees ${giving}`);
      const masked = redactValue(payload, RULES) as typeof payload;
      const shown = masked.tool_response.stdout;
      assert.ok(!shown.includes(SECRET), shown);
      assert.match(shown, /^head\n[^]*\[redacted:[^]*\ntail\n$/);
      assert.deepEqual(redactValue(masked, RULES), masked, "once is enough");
    }
  });

  Deno.test(`what is no secret is taken for none in lines ${where}`, () => {
    // Quotes that are escaped are others.
    const texts = KEPT_TEXTS.filter((text) => lead(text, 1).includes(text.split("\n")[0]!));
    for (const text of texts) {
      const shown = `head\n${led(text, lead)}\ntail\n`;
      // What the line with its sign is taken for does not count here: `-token: x` is an option.
      assert.deepEqual(maskBehindLeads([shown], (bare) => redactText(bare, RULES)), [shown]);
    }
  });
}

Deno.test("tokens are masked behind the signs of a merge and the numbers of a search", () => {
  const kinds = ["Groq", "Databricks", "xAI"].map((name) => `service-token of ${name}`);
  for (const kind of [...kinds, "jwt"]) {
    const token = FORMED_SECRETS[kind]!;
    for (const before of ["++", " +", "--", "src/x.sh-1-", "12-", "a.diff:3:++"]) {
      const text = `head\n${before}${token}\ntail`;
      assert.ok(needsRedaction(JSON.stringify({ text }), []));
      assert.equal(
        redactText(text, RULES),
        `head\n${before}[redacted:${kind.split(" ")[0]}]\ntail`,
      );
    }
  }
});

Deno.test("the lines of a patch are one text: a name on one, its value on the next", () => {
  for (const sign of ["-", "+"]) {
    const patch = (value: string) => ({
      structuredPatch: [{
        lines: [
          " env:",
          " - name: DB_PASSWORD",
          `${sign}  value: ${value}`,
          "-mysql -uroot -p" + value,
        ],
      }],
    });
    assert.ok(needsRedaction(JSON.stringify(patch(SECRET)), []));
    assert.deepEqual(redactValue(patch(SECRET), RULES), {
      structuredPatch: [{
        lines: [
          " env:",
          " - name: DB_PASSWORD",
          `${sign}  value: [redacted:secret]`,
          "-mysql -uroot -p[redacted:password]",
        ],
      }],
    });
  }
});

Deno.test("both values of a changed line are masked, and so are all three of a merge", () => {
  const [first, second, third] = [1, 2, 3].map((digit) => `${SECRET}${digit}`);
  assert.equal(
    redactText(
      `@@ -1,2 +1,2 @@\n - name: API_TOKEN\n-  value: ${first}\n+  value: ${second}\n`,
      RULES,
    ),
    "@@ -1,2 +1,2 @@\n - name: API_TOKEN\n-  value: [redacted:secret]\n+  value: [redacted:secret]\n",
  );
  assert.equal(
    redactText(
      `@@@ -1,2 -1,2 +1,2 @@@\n  - name: API_TOKEN\n- -  value: ${first}\n`.replace("- -", "- ") +
        ` -  value: ${second}\n++  value: ${third}\n`,
      RULES,
    ),
    "@@@ -1,2 -1,2 +1,2 @@@\n  - name: API_TOKEN\n-   value: [redacted:secret]\n" +
      " -  value: [redacted:secret]\n++  value: [redacted:secret]\n",
  );
});

Deno.test("a block of several lines is masked line by line, and what is in front of each stays", () => {
  assert.equal(
    redactText(
      `web-1  | password: |\nweb-1  |   ${SECRET}\nweb-1  |   ${SECRET}x\nweb-1  | a: 1`,
      RULES,
    ),
    "web-1  | password: |\nweb-1  |   [redacted:secret]\nweb-1  |   [redacted:secret]\nweb-1  | a: 1",
  );
});

Deno.test("a secret is masked in a diff within JSON, whose line breaks are escaped", () => {
  const text = JSON.stringify({
    a: `x\n+- name: API_TOKEN\n+  value: ${SECRET}\n-mysql -p${SECRET}\n`,
  });
  assert.ok(needsRedaction(JSON.stringify({ text }), []));
  assert.ok(!redactText(text, RULES).includes(SECRET), redactText(text, RULES));
});

Deno.test("a name in another script is known in JSON of ASCII alone", () => {
  const names = [
    "密码",
    "密碼",
    "contraseña",
    "hasło",
    "lösenord",
    "şifre",
    "пароль",
    "パスワード",
    "비밀번호",
  ];
  for (const name of names) {
    let escaped = name.replace(
      /[^ -~]/g,
      (letter) => "\\u" + letter.charCodeAt(0).toString(16).padStart(4, "0"),
    );
    for (let depth = 0; depth < 3; depth++) {
      const text = `{"${escaped}": "${SECRET}"}`;
      assert.ok(needsRedaction(JSON.stringify({ text }), []), text);
      assert.equal(redactText(text, RULES), `{"${escaped}": "[redacted:secret]"}`);
      escaped = escaped.replaceAll("\\", "\\\\");
    }
  }
});

/** What diffs, searches and logs show every day. */
const KEPT: readonly string[] = [
  '-docker login -p "$PASSWORD"',
  "-mysql -uroot -p$MYSQL_PASSWORD db",
  '-curl -u "$USER:$PASS" x',
  "-sshpass -e ssh x",
  "-sshpass -f /etc/pw ssh x",
  "-mysql -p 3306\n-x: 1",
  "+- name: DB_PASSWORD\n+  valueFrom:\n+    secretKeyRef:\n+      name: db\n+      key: pw",
  "- name: DB_PASSWORD\n-  value: $(OTHER)\n+  value: ${OTHER}",
  " - name: max_tokens\n-  value: 4096a\n+  value: 8192a",
  "-  password: |\n-    | string\n+  password: |\n+    | undefined",
  "-type Password =\n-  | string\n+type Password =\n+  | Buffer2",
  "src/a.ts:12:  password: string;\nsrc/a.ts:13:  value: x1y2z3w4",
  "src/a.ts-11-  const token = next();\nsrc/a.ts:12:  expect(token2)",
  "+| name | type |\n+| --- | --- |\n+| joe | x1y2z3w4 |",
  "+| token | count |\n+| --- | --- |\n+| string | 12 |",
  "# Password reset\n\n> Passwords are asked for.\n\n- password: required\n- token: comma2",
  "// password: the one of the user\n// value: what it is now",
  "+kind: ConfigMap\n+data:\n+  foo: x1y2z3w4",
  "+kind: Secret\n+metadata:\n+  name: db-x1y2\n+---\n+kind: ConfigMap\n+data:\n+  foo: x1y2z3w4",
  "web-1  | password authentication succeeded for user2\nweb-1  | value: x1y2z3w4",
  "2026-11-23T10:00:00Z INFO token refreshed2\n2026-11-23T10:00:01Z INFO value x1y2",
  "+  token:\n+    name: string2\n-  password:\n+  passwords:",
  "+`password:` is a word\n+a line with `x1y2z3w4` and others",
  '+  "Password:\\nroot@host2:~#",\n+  "token:\\n  - v2\\n",',
];
for (const text of KEPT) {
  Deno.test(`${JSON.stringify(text)} stays as it is, as a text and as a patch`, () => {
    assert.equal(redactText(text, RULES), text);
    const payload = { tool_response: { stdout: `a\n${text}\n`, lines: text.split("\n") } };
    assert.deepEqual(redactValue(payload, RULES), payload);
  });
}

Deno.test("lines without anything in front are not looked at again", () => {
  for (const text of ["a\nb\n  c\n", "password: x\n", "{\n  a: 1\n}\n", "x = 1 - 2 + 3\n", ""]) {
    assert.deepEqual(bareTexts(text, () => true), [], text);
  }
  assert.deepEqual(bareTexts("-a\n+b\n", () => false), []);
});

Deno.test("the dashes of items stay only below the name of a list of secrets, in the same file", () => {
  const texts = (text: string) => bareTexts(text, () => true).map(({ text }) => text);
  assert.deepEqual(texts("+tokens:\n+ - a"), ["tokens:\n   a\n.\n", "tokens:\n - a\n.\n"]);
  for (
    const list of [
      "+tokens:\n+\n+ - a",
      '+"tokens:\\n+ - a',
      "+'tokens': \n+ - a",
      '+args:\n+ - "--api-token"\n+ - a',
    ]
  ) {
    assert.equal(texts(list).length, 2, list);
  }
  assert.equal(texts(" tokens:\n-# none\n+ - a").length, 3);
  for (const other of ['+token: "x"\n+ - a', "+tokens:\n+b\n+ - a", "+ - tokens:\n+b"]) {
    assert.equal(texts(other).length, 1, other);
  }
});

Deno.test("of the lines of a diff those of each file are one text", () => {
  const bare = bareTexts("@@ -1 +1 @@\n a\n-b\n+c\n d", () => true).map(({ text }) => text);
  assert.deepEqual(bare, ["a\nc\nd\n.\n", "a\nb\nd\n.\n"]);
});

Deno.test("lines with something in front take linear time", () => {
  const units = [
    "-a\nb\n",
    "+password: x1y2z3w4\n",
    "\n",
    "+a\n-b\n",
    "a/",
    "- - ",
    "1:2:",
    "a-1-",
  ];
  const more = [
    "\n[",
    "'\\\n",
    '"\\a',
    "# ",
    "+|a|password|\n",
    "+- name: token\n+  value: x1y2z3w4\n",
  ];
  for (
    const unit of [...units, ...more, "(2026-01-01 ", "a1b2c3d (", "a@b:", "w  |", "\t1", "\\n+"]
  ) {
    const text = `+password: x1y2z3w4\n${unit.repeat(200_000 / unit.length)}\n+token: ${alnum(9)}`;
    assertQuick(JSON.stringify(unit), () => redactText(text, RULES));
  }
});

Deno.test("a line of a patch that is a word with a sign in front is no option of a command", () => {
  for (const word of ["pass", "token", "secret"]) {
    const patch = { structuredPatch: [{ lines: [`-${word}`, "+return self.items[key]"] }] };
    assert.deepEqual(redactValue(patch, RULES), patch);
    const args = ["deploy", `--${word}`, "+Xk29vPq77LmZ"];
    assert.deepEqual(redactValue(args, RULES), ["deploy", `--${word}`, "[redacted:secret]"]);
  }
});
