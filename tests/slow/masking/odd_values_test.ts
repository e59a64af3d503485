/** A secret is masked as a whole, whatever signs it has in it, in each form that has a place for any. */
import assert from "node:assert/strict";
import { redactText, redactValue } from "../../../src/capture/redact.ts";
import { needsRedaction } from "../../../src/capture/triggers.ts";

const RULES = { patterns: [] };
/** Neither half may be left. */
const HALVES = ["aB3dE5fG7", "hI9kL2mN4"] as const;
const SIGNS = [..."!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"];

interface Form {
  /** `§` is the secret. */
  readonly text: string;
  /** What means something else in that form, and ends or parts what stands there. */
  readonly without?: string;
}

const FORMS: readonly Form[] = [
  // The whole of a header, whatever its scheme.
  { text: "Authorization: SSWS §" },
  { text: "> Authorization: Zoho-oauthtoken 1000.§\n> Accept: */*" },
  { text: "curl -H 'Authorization: Ghost §' https://x.test", without: "'" },
  { text: 'curl -H "Authorization: SSWS §" https://x.test', without: '"`' },
  { text: 'Authorization: Digest username="joe", realm="x y", response="§"', without: '"' },
  { text: 'Authorization: Hawk id="a1", mac="§", nonce="x"', without: '"' },
  { text: '{"Authorization":"SSWS §"}', without: '"\\' },
  // An address.
  { text: "postgres://joe:§@db.example.com:5432/x" },
  { text: "git clone https://joe:§@example.com/a.git" },
  { text: 'DATABASE_URL="mysql://joe:§@db/x"' },
  { text: '{"a":"redis://:§@cache.example.com","b":"joe@example.com"}', without: "\\" },
  // A column of a table, and a row of a list of names and values.
  { text: "| user | password |\n|---|---|\n| joe | § |", without: "|" },
  { text: " id | name | password\n----+------+----------\n  1 | joe  | §\n(1 row)", without: "|" },
  {
    text: "+----+----------+\n| id | password |\n+----+----------+\n|  1 | § |\n+----+----------+",
    without: "|",
  },
  { text: "id\tpassword\n1\t§\n" },
  { text: "id|password\n1|§\n", without: "|" },
  { text: "id,password\n1,§", without: ',"' },
  { text: '"user","password"\n"joe","§"', without: '"' },
  { text: '"password","user"\n"§","joe"', without: '"' },
  { text: "| key | value |\n|---|---|\n| DB_PASSWORD | § |", without: "|`" },
  // What ends with its word, its line or its element.
  { text: "machine x.test login ana password §" },
  { text: "machine x.test\n  login ana\n  password §\n" },
  { text: "db.test:5432:app:joe:§" },
  { text: "*:*:*:joe:§" },
  { text: "db.test:*:app:joe:§" },
  { text: "DB_PASSWORD=§" },
  { text: "export DB_PASSWORD=§" },
  { text: 'printf "API_KEY=%s\\n" "§" > .env', without: "\"'\\" },
  // Of a name alone a program may put the value there.
  { text: "Driver={x};Server=h;UID=joe;PWD={§};", without: "_.()[]:{}\"'\\" },
  { text: "password: §" },
  { text: "password:\u00a0§" },
  { text: "env:\n  API_TOKEN: §" },
  { text: "<password>§</password>", without: "<" },
  { text: "<Password><![CDATA[§]]></Password>", without: "]" },
];

/** What is wrong with what a text is masked to, or nothing. */
function faultOf(given: string): string | undefined {
  const payload = { tool_response: { stdout: given } };
  if (!needsRedaction(JSON.stringify(payload), [])) return `the cheap look passes ${given}`;
  const masked = redactText(given, RULES);
  const value = JSON.stringify(redactValue(payload, RULES));
  const isWhole = HALVES.every((half) => !masked.includes(half) && !value.includes(half));
  const isKept = masked.startsWith("x: 1\n") && masked.endsWith("\ny: 2\n");
  return isWhole && isKept && redactText(masked, RULES) === masked ? undefined : masked;
}

for (const { text, without = "" } of FORMS) {
  Deno.test(`in ${JSON.stringify(text)} a secret with any sign in it is masked as a whole`, () => {
    const faults = SIGNS.filter((sign) => !without.includes(sign))
      .map((sign) => faultOf(`x: 1\n${text.replace("§", () => HALVES.join(sign))}\ny: 2\n`));
    assert.deepEqual(faults.filter((fault) => fault !== undefined), []);
  });
}

/** What looks like one of those forms to a careless eye. */
const KEPT: readonly string[] = [
  "Authorization: the header is missing",
  "Authorization: Bearer header missing",
  "Authorization: required for all of the 12 routes of v2",
  "Authorization: Digest",
  "Authorization: Users must sign in",
  "Authorization: SSWS $TOKEN",
  "curl -H 'Authorization: Ghost ${TOKEN2}' https://x.test",
  "authorization: [admin, editor2]",
  "| Password | Rule |\n|---|---|\n| at least 12 characters | v2 |",
  "| Token | Sign |\n|---|---|\n| next2(a) | x |\n| <ident2> | y |\n| {name2} | z |",
  "| password | type |\n|---|---|\n| varchar(255) | text |\n| ${PW2(x)} | y |",
  "id\ttoken\n1\tv1.2.3\n2\t/usr/lib2/x\n",
  "the user, the password\nand, the token2x",
  "machine learning: the password 'x1y2' is wrong",
  "`password=$X2` and `token=$Y2`z",
  "const x: Array<Token>>a2</b>;",
  "<Token>\n  (a2) => b</Token>",
  "<password><![CDATA[]]></password>",
  "src/a.ts:5432:12:error:x1y2:z3",
  '["user","password"]\n["name2x","address1"]',
  '["http://cache:6379","joe@example.com"]',
  '{"a":"http://host:PORT","b":"joe2@example.com"}',
  "'http://a:b1','c2@d.example'",
  "http://localhost:3000/x/@vite/client2",
  "http://host:8080/a/b2/@scope/x.y",
  "http://host:PORT/v1/users2/@me.example",
  "http://host:v2/a/@scope2.example",
  "<a href='http://x.test:80'>joe2@example.com</a>",
  "docker pull registry.test:5000/a/b2@sha256:0a1b2c3d",
  'x = "http://h:" + port2 + "/a@b.example"',
  "https://joe:'$PW2'@example.com",
  "https://joe:${PW}/a2@example.com",
  "see http://a.test:1/b, then joe2:x/y@z.example",
];

for (const text of KEPT) {
  Deno.test(`${JSON.stringify(text)} stays as it is`, () => {
    assert.equal(redactText(text, RULES), text);
    const payload = { tool_response: { stdout: `a\n${text}\nb` } };
    assert.deepEqual(redactValue(payload, RULES), payload);
  });
}

/** An id of AWS, with `§` for its secret and `¶` for the token of a session. */
const BESIDE_IDS: readonly string[] = [
  "Access key ID,Secret access key\n¤,§",
  "\ufeffUser name,Password,Access key ID,Secret access key,Console login link\r\njoe,,¤,§,https://x.test",
  '"¤","§"',
  "CREDENTIALS\t¤\t2026-11-24T10:00:00+00:00\t§\t¶",
  "ACCESSKEY\t¤\t2026-11-24T10:00:00Z\t§\tActive\tjoe",
  "¤\t§\t¶",
  "¤:§",
];

for (const text of BESIDE_IDS) {
  Deno.test(`the secret beside an id of AWS is masked in ${JSON.stringify(text)}`, () => {
    const parts = {
      "¤": "AKIA" + "ABCDEFGHIJKLMNOP",
      "§": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    };
    const given = Object.entries({ ...parts, "¶": "IQoJb3JpZ2luX2VjEB4" + "aB3dE5fG7".repeat(30) })
      .reduce((all, [sign, part]) => all.replace(sign, part), text);
    const expected = text.replace("¤", "[redacted:aws-access-key]")
      .replace("§", "[redacted:aws-secret-key]").replace("¶", "[redacted:aws-session-token]");
    assert.ok(needsRedaction(JSON.stringify({ given }), []));
    assert.equal(redactText(given, RULES), expected);
    assert.equal(redactText(expected, RULES), expected, "once is enough");
    const inside = redactText(JSON.stringify({ given }), RULES);
    assert.ok(!/wJalr|K7MDENG|IQoJ/.test(inside), inside);
  });
}
