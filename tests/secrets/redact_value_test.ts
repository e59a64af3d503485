/** Secrets in parsed JSON: below their names, in lists, in several strings of one payload; and the user's own patterns. */
import assert from "node:assert/strict";
import { compileRedactPatterns, redactText } from "../../src/secrets/redact.ts";
import { redactValue } from "../../src/secrets/redact_value.ts";
import { DRAWN_SECRET, FORMED_SECRETS, PLAIN_SECRET } from "../support/secret_texts.ts";

const RULES = { patterns: [] };
const MASK = "[redacted:secret]";
const redact = (value: unknown) => redactValue(value, RULES);

const ENTRIES: readonly (readonly [what: string, value: unknown, masked: unknown])[] = [
  ["a string below a secret name", { dbPassword: "letmein" }, { dbPassword: MASK }],
  ["a number below the name of a password", { pin: 1, password: 123456 }, {
    pin: 1,
    password: MASK,
  }],
  ["a type below such a name", { password: "string", token: "" }, {
    password: "string",
    token: "",
  }],
  ["the count of tokens", { max_tokens: 4096, tokens: 12 }, { max_tokens: 4096, tokens: 12 }],
  ["a map of secrets", { secrets: { a: DRAWN_SECRET, b: "on" } }, {
    secrets: { a: MASK, b: "on" },
  }],
  ["the value of a pair", { name: "DB_PASSWORD", value: "hunter2" }, {
    name: "DB_PASSWORD",
    value: MASK,
  }],
  ["the value of another pair", { name: "DB_HOST", value: "hunter2" }, {
    name: "DB_HOST",
    value: "hunter2",
  }],
  ["an argument behind its option", ["run", "--token", "hunter2"], ["run", "--token", MASK]],
  ["a header in a list of two", [["x-api-key", "hunter2x"]], [["x-api-key", MASK]]],
  ["two lines of one text", ["password:", `  ${DRAWN_SECRET}`], ["password:", `  ${MASK}`]],
  ["a key", { [FORMED_SECRETS["github-token"]!]: 1 }, { "[redacted:github-token]": 1 }],
];

for (const [what, value, masked] of ENTRIES) {
  Deno.test(`redactValue() masks a secret and nothing else: ${what}`, () => {
    assert.deepEqual(redact(value), masked);
    assert.deepEqual(redact(masked), masked);
  });
}

Deno.test("a secret that one string gives away is masked in the others, as a word of its own", () => {
  const value = {
    tool_input: { old_string: PLAIN_SECRET, new_string: "x", file_path: "/w/a.env" },
    tool_response: { originalFile: `DB_PASSWORD=${PLAIN_SECRET}\nA=x${PLAIN_SECRET}9\n` },
  };
  assert.deepEqual(redact(value), {
    tool_input: { old_string: MASK, new_string: "x", file_path: "/w/a.env" },
    tool_response: { originalFile: `DB_PASSWORD=${MASK}\nA=x${PLAIN_SECRET}9\n` },
  });
});

Deno.test("a secret that is an ordinary word is masked elsewhere only where it stands alone", () => {
  const value = { a: "password=letmein", b: "letmein", c: "they letmein again" };
  assert.deepEqual(redact(value), { a: `password=${MASK}`, b: MASK, c: "they letmein again" });
});

Deno.test("a private key is masked in the lines of a patch, and the number of lines stays", () => {
  const lines = [
    " a",
    "+-----BEGIN RSA PRIVATE KEY-----",
    `+${"MIIEowIBAAKCAQEAvZ77kQ9xW2vB5nM8".repeat(2)}`,
    "+-----END RSA PRIVATE KEY-----",
    " b",
  ];
  const redacted = redact({ lines }) as { lines: string[] };
  assert.equal(redacted.lines.length, lines.length);
  assert.ok(!JSON.stringify(redacted).includes("MIIE"));
  assert.deepEqual([redacted.lines[0], redacted.lines.at(-1)], [" a", " b"]);
});

Deno.test("each tool use of a batch is asked whether it prints a secret", () => {
  const use = (command: string, stdout: string) => ({
    tool_name: "Bash",
    tool_input: { command },
    tool_response: { stdout },
  });
  const batch = { tool_calls: [use("pass show work/db", "zebra-crossing"), use("ls", "wombat")] };
  const { tool_calls: [first, second] } = redact(batch) as { tool_calls: ReturnType<typeof use>[] };
  assert.equal(first!.tool_response.stdout, MASK);
  assert.equal(second!.tool_response.stdout, "wombat");
});

Deno.test("two keys that become the same mask are both kept, and `__proto__` is a key like any other", () => {
  const [one, two] = [FORMED_SECRETS["github-token"]!, `${FORMED_SECRETS["github-token"]}x`];
  assert.equal(Object.keys(redact({ [one]: 1, [two]: 2 }) as object).length, 2);
  const odd = JSON.parse('{"__proto__": {"a": 1}}');
  assert.equal(JSON.stringify(redact(odd)), '{"__proto__":{"a":1}}');
});

Deno.test("a value nested 100,000 levels deep is masked", () => {
  let value: unknown = `password=${PLAIN_SECRET}`;
  for (let level = 0; level < 100_000; level++) value = level % 2 === 0 ? [value] : { value };
  let redacted = redact(value);
  while (typeof redacted === "object" && redacted !== null) [redacted] = Object.values(redacted);
  assert.equal(redacted, `password=${MASK}`);
});

Deno.test("the user's patterns mask values, never inside a mask, and a wrong one is told", () => {
  const { patterns, invalid } = compileRedactPatterns(["CUST-\\d{6}", "redacted", "("]);
  assert.deepEqual(invalid.map(({ source }) => source), ["("]);
  const rules = { patterns };
  assert.equal(
    redactText("see CUST-123456, pwd=hunter2", rules),
    `see [redacted:custom], pwd=${MASK}`,
  );
  assert.deepEqual(redactValue({ "CUST-123456": "CUST-123456" }, rules), {
    "CUST-123456": "[redacted:custom]",
  });
  const value = { a: "CUST-123456", b: "it is CUST-123456x" };
  assert.deepEqual(redactValue(value, rules), {
    a: "[redacted:custom]",
    b: "it is [redacted:custom]x",
  });
});

Deno.test("private text is dropped, between tags as other encoders write them, too", () => {
  for (
    const [text, kept] of [
      ["a <private>b</private> c", "a [private removed] c"],
      ["a <private>never closed", "a [private removed]"],
      ["a \\u003cprivate\\u003eb\\u003c/private\\u003e c", "a [private removed] c"],
      ["a &lt;private&gt;b&lt;/private&gt; c", "a [private removed] c"],
      ["the tag `<private>` hides text", "the tag `<private>` hides text"],
    ] as const
  ) {
    assert.equal(redactText(text, RULES), kept);
  }
});

Deno.test("colours and NULs hide no secret", () => {
  assert.ok(
    !redactText(`pass\u001b[1mword\u001b[0m=${PLAIN_SECRET}`, RULES).includes(PLAIN_SECRET),
  );
  assert.equal(redactText(`a\0password=${PLAIN_SECRET}`, RULES), `a password=${MASK}`);
});
