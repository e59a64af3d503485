/** A secret that only one string of a payload gives away is masked in all of them, and what an edit makes of it. */
import assert from "node:assert/strict";
import { redactValue } from "../../../src/capture/redact.ts";
import { alnum } from "../../capture/seeds.ts";
import { assertQuick } from "../../support/quick.ts";

const OLD = "Wombat4711Aa";
const NEW = "Numbat0815Bb";
const dashes = "-".repeat(5);
const KEY = [1, 2, 3, 4].map((line) => `${line}${alnum(60)}${"abcd"[line - 1]}Z/`);
const PEM =
  `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n${KEY.join("\n")}\n${dashes}END RSA PRIVATE ` +
  `KEY${dashes}\n`;

function edit(
  original: string | null,
  [old, made]: readonly [string, string],
  lines: readonly string[] = [],
): Record<string, unknown> {
  return {
    session_id: "s-1",
    tool_name: "Edit",
    tool_input: { file_path: "/p/.env", old_string: old, new_string: made },
    tool_response: {
      filePath: "/p/.env",
      oldString: old,
      newString: made,
      originalFile: original,
      structuredPatch: [{ oldStart: 1, lines }],
    },
  };
}

function shell(command: string, stdout: string): Record<string, unknown> {
  return { tool_name: "Bash", tool_input: { command }, tool_response: { stdout, stderr: "" } };
}

/** A payload, what must not be left of it, and what stays. */
const HIDDEN: Readonly<Record<string, readonly [unknown, readonly string[], string]>> = {
  "a value that is edited alone": [
    edit(`DB_PASSWORD=${OLD}\n`, [OLD, NEW], [`-DB_PASSWORD=${OLD}`, `+DB_PASSWORD=${NEW}`]),
    [OLD, NEW],
    "/p/.env",
  ],
  "a value that is edited alone, its patch not told": [
    edit(`DB_PASSWORD=${OLD}\n`, [OLD, NEW]),
    [OLD, NEW],
    "DB_PASSWORD=",
  ],
  "a value with the signs around it": [
    edit(`db_password: "${OLD}"\nport: 1\n`, [`"${OLD}"\nport: 1`, `"${NEW}"\nport: 2`]),
    [OLD, NEW],
    "port: 2",
  ],
  "a value among other lines that change": [
    edit(`host: a\npassword: ${OLD}\n`, [`: ${OLD}\n`, `: ${NEW}\nname: wombats\n`]),
    [OLD, NEW],
    "host: a",
  ],
  "a part of a value": [
    edit(`DB_PASSWORD=${OLD}\n`, ["4711Aa", "9922Zz"], [`+DB_PASSWORD=Wombat9922Zz`]),
    [OLD, "4711Aa", "9922Zz"],
    "/p/.env",
  ],
  "what is put behind a value": [
    edit(`DB_PASSWORD=${OLD}\n`, [OLD, `${OLD}Zebra77`]),
    [OLD, "Zebra77"],
    "/p/.env",
  ],
  "a value that gets shorter than any secret": [
    edit(`DB_PASSWORD=${OLD}\n`, [OLD, "x9y"]),
    [OLD, "x9y"],
    "/p/.env",
  ],
  "a word that is edited alone": [
    edit(`DB_PASSWORD=letmeinplease\n`, ["letmeinplease", "openthedoor"], [
      "-DB_PASSWORD=letmeinplease",
      "+DB_PASSWORD=openthedoor",
    ]),
    ["letmeinplease", "openthedoor"],
    "/p/.env",
  ],
  "the line of a private key": [
    edit(PEM, [KEY[1]!, KEY[3]!.toUpperCase()], [
      ` ${KEY[0]}`,
      `-${KEY[1]}`,
      `+${KEY[3]!.toUpperCase()}`,
      ` ${KEY[2]}`,
    ]),
    [...KEY, KEY[3]!.toUpperCase()],
    "/p/.env",
  ],
  "two lines of a private key": [
    edit(PEM, [`${KEY[1]}\n${KEY[2]}`, `${KEY[3]!.toUpperCase()}\n`], [
      `+${KEY[3]!.toUpperCase()}`,
    ]),
    [...KEY, KEY[3]!.toUpperCase()],
    "/p/.env",
  ],
  "edits of several places": [
    {
      tool_name: "MultiEdit",
      tool_input: {
        edits: [{ old_string: "a: 1", new_string: "a: 2" }, { old_string: OLD, new_string: NEW }],
      },
      tool_response: { originalFileContents: `a: 1\nAPI_TOKEN=${OLD}\n` },
    },
    [OLD, NEW],
    "a: 2",
  ],
  "a command's argument, where its output names it": [
    shell(`./login.sh ana ${OLD}`, `user=ana\npassword=${OLD}\nlogged in`),
    [OLD],
    "logged in",
  ],
  "a value within a line, a path and an escaped text": [
    shell(`x "\\n${OLD}\\n" /tmp/${OLD}/a`, `password=${OLD}\nthe ${OLD}, that is`),
    [OLD],
    "that is",
  ],
  "the number of a secret": [
    { a: { dbToken: 99887766 }, b: "it is 99887766" },
    ["99887766"],
    "it is",
  ],
  "the password of a URL": [
    shell(`psql postgres://ana:${OLD}@db/x`, `with ${OLD} as ana`),
    [OLD],
    "as ana",
  ],
};

for (const [what, [payload, hidden, kept]] of Object.entries(HIDDEN)) {
  Deno.test(`redactValue() hides everywhere ${what}`, () => {
    const redacted = redactValue(payload, { patterns: [] });
    const text = JSON.stringify(redacted);
    for (const secret of hidden) assert.ok(!text.includes(secret), text);
    assert.ok(text.includes(kept), text);
    assert.deepEqual(redactValue(redacted, { patterns: [] }), redacted);
  });
}

/** A payload with a masked value, and what is no secret in it. */
const KEPT: Readonly<Record<string, readonly [unknown, readonly string[]]>> = {
  "a password that is a name": [
    shell("docker run -e POSTGRES_PASSWORD=postgres postgres:16", "pulling postgres, postgres:16"),
    ["postgres:16", "pulling postgres"],
  ],
  "a secret that is a word": [
    shell("kubectl apply", "secret: db-credentials\nmounting db-credentials in frontend"),
    ["mounting db-credentials"],
  ],
  "a short value": [shell("echo 1234", "password=1234\nport 1234"), ["port 1234"]],
  "a placeholder": [
    edit("password=changeme\nhost=localhost\n", ["localhost", "example.test"]),
    ["localhost", "example.test"],
  ],
  "a longer word that begins with it": [
    shell(`cat ${OLD}s ${OLD}_x x${OLD}`, `password=${OLD}`),
    [`${OLD}s ${OLD}_x x${OLD}`],
  ],
  "an edit of something else in a file with a secret": [
    edit(`DB_PASSWORD=${OLD}\nport=5432\nname=tides\n`, ["port=5432", "port=6543"], [
      ` DB_PASSWORD=${OLD}`,
      "-port=5432",
      "+port=6543",
    ]),
    ['"old_string":"port=5432"', '"new_string":"port=6543"', "+port=6543"],
  ],
  "an edit of a part that stands elsewhere, too": [
    edit(`DB_PASSWORD=${OLD}\nanimal=Wombat\n`, ["Wombat", "Numbat"]),
    ['"old_string":"Wombat"', '"new_string":"Numbat"'],
  ],
  "an edit around a secret": [
    edit(`a: 1\npassword: ${OLD}\nb: 1\n`, [`a: 1\npassword: ${OLD}`, `a: 2\npassword: ${OLD}`]),
    ["a: 2\\npassword: "],
  ],
  "the path of a key": [
    shell("cat /data/keys/server", "private_key: /data/keys/server"),
    ["cat /data/keys/server"],
  ],
  "cookies that say nothing": [
    shell("x", "Cookie: zone=Europe_Berlin; lang=english\nEurope_Berlin is english"),
    ["Europe_Berlin is english"],
  ],
  "whose the payload is": [
    { session_id: OLD, cwd: `/${OLD}`, tool_name: OLD, a: `password=${OLD}` },
    [`"session_id":"${OLD}"`, `"cwd":"/${OLD}"`, `"tool_name":"${OLD}"`],
  ],
};

for (const [what, [payload, kept]] of Object.entries(KEPT)) {
  Deno.test(`redactValue() keeps ${what}`, () => {
    const text = JSON.stringify(redactValue(payload, { patterns: [] }));
    assert.match(text, /\[redacted:|changeme|1234/);
    for (const part of kept) assert.ok(text.includes(part), text);
  });
}

Deno.test("what only the user's pattern masks is not looked for elsewhere", () => {
  const payload = { a: "first word", b: "second word" };
  assert.deepEqual(redactValue(payload, { patterns: [/(?<=first )word/g] }), {
    a: "first [redacted:custom]",
    b: "second word",
  });
});

Deno.test("a text is masked also where a list of the payload has its lines and would keep them", () => {
  const lines = ["password:", "x1y2z3w4"];
  const list = { lines };
  const text = { text: lines.join("\n") };
  const masked = { text: "password:\n[redacted:secret]" };
  for (const payload of [{ text, list }, { list, text }]) {
    const expected = { list: { lines: ["password:", "[redacted:secret]"] }, text: masked };
    assert.deepEqual(redactValue(payload, { patterns: [] }), expected);
  }
  assert.deepEqual(redactValue(list, { patterns: [] }), list);
});

Deno.test("redactValue() takes linear time for thousands of secrets, edits and words", () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `K${at}_PASSWORD=Wombat${at}Aa`).join(
    "\n",
  );
  const edits = Array.from({ length: 5_000 }, (_, at) => ({
    old_string: `Wombat${at}A`,
    new_string: `Numbat${at}B`,
  }));
  const value = { lines, edits, words: "Wombat-".repeat(100_000) };
  assertQuick("masking", () => redactValue(value, { patterns: [] }), { maxMs: 4_000 });
});
