import assert from "node:assert/strict";
import fc from "fast-check";
import { anyText } from "../support/any_text.ts";
import { redactValue } from "../../src/capture/redact.ts";
import { needsRedaction } from "../../src/capture/triggers.ts";
import { ASKING_COMMANDS, DRAWN, MIXED_OUTPUTS, OTHER_COMMANDS } from "./asked_seeds.ts";
import { runs, sizedTest } from "../support/lanes.ts";

const RULES = { patterns: [] };
const MASK = "[redacted:secret]";

/** What is left of a payload; the cheap look has to see it where that is not all. */
function redacted<T>(payload: T): T {
  const masked = redactValue(payload, RULES) as T;
  const isSame = JSON.stringify(masked) === JSON.stringify(payload);
  assert.ok(isSame || needsRedaction(JSON.stringify(payload), []), "the cheap look sees it");
  assert.deepEqual(redactValue(masked, RULES), masked);
  return masked;
}

function bash(command: string, stdout: string, stderr = "") {
  return { tool_name: "Bash", tool_input: { command }, tool_response: { stdout, stderr } };
}

for (const command of ASKING_COMMANDS) {
  Deno.test(`the word that "${command}" prints is masked`, () => {
    for (const secret of [DRAWN, "hunter2Hunter2"]) {
      const { tool_response } = redacted(bash(command, `${secret}\n`));
      assert.deepEqual(tool_response, { stdout: `${MASK}\n`, stderr: "" });
    }
  });
}

for (const [command, output] of OTHER_COMMANDS) {
  Deno.test(`what "${command}" prints stays`, () => {
    const payload = bash(command, output);
    assert.deepEqual(redacted(payload), payload);
  });
}

for (const [command, output] of MIXED_OUTPUTS) {
  Deno.test(`of what "${command}" prints the secrets are masked, and nothing else`, () => {
    const { tool_response } = redacted(bash(command, output.replaceAll("%", DRAWN)));
    assert.equal(tool_response.stdout, output.replaceAll("%", MASK));
  });
}

Deno.test("a secret is masked also in what a failed command says, and on standard error", () => {
  const failed = { tool_input: { command: "printenv DB_PASSWORD; false" }, error: "" };
  assert.deepEqual(redacted({ ...failed, error: `Exit code 1\n${DRAWN}\nno such file` }), {
    ...failed,
    error: `Exit code 1\n${MASK}\nno such file`,
  });
  const said = "security: SecKeychainSearchCopyNext: The item could not be found.";
  const unsaid = { ...failed, error: `Exit code 44\n${said}` };
  assert.deepEqual(redacted(unsaid), unsaid);
  const { tool_response } = redacted(bash("openssl rand -hex 16 >&2", "", `${DRAWN}\n`));
  assert.equal(tool_response.stderr, `${MASK}\n`);
  const generic = bash("security find-generic-password -g -s x", "", `password: "${DRAWN}"\n`);
  assert.equal(redacted(generic).tool_response.stderr, `password: "${MASK}"\n`);
});

Deno.test("what a command was asked for is masked wherever the payload repeats it", () => {
  const masked = redacted({
    ...bash("openssl rand -hex 32 | tee a.key", `${DRAWN}\n`, `wrote ${DRAWN} to a.key`),
    summary: `made ${DRAWN}`,
  });
  assert.ok(!JSON.stringify(masked).includes(DRAWN));
});

Deno.test("each tool use of a batch is masked as by itself", () => {
  const calls = [
    { tool_input: { command: "printenv DB_PASSWORD" }, tool_response: `${DRAWN}\n` },
    { tool_input: { command: "git rev-parse HEAD" }, tool_response: "0a1b2c3d4e5f\n" },
    { tool_input: { file_path: "/run/secrets/db" }, tool_response: DRAWN.toLowerCase() },
  ];
  const masked = redacted({ hook_event_name: "PostToolBatch", tool_calls: calls });
  assert.deepEqual(masked.tool_calls.map(({ tool_response }) => tool_response), [
    `${MASK}\n`,
    "0a1b2c3d4e5f\n",
    MASK,
  ]);
});

Deno.test("the one word that a tool says is masked where its name asks for a secret", () => {
  const use = (tool_name: string, tool_response: unknown) => ({
    tool_name,
    tool_input: { path: "a" },
    tool_response,
  });
  const blocks = (text: string) => [{ type: "text", text }];
  for (
    const name of ["mcp__vault__read_secret", "mcp__x__getPassword", "mcp__x__fetch-credential"]
  ) {
    assert.deepEqual(redacted(use(name, blocks("letmein"))), use(name, blocks(MASK)));
    assert.deepEqual(redacted(use(name, DRAWN)), use(name, MASK));
    assert.deepEqual(
      redacted(use(name, { content: blocks(`{"value":"${DRAWN}"}`) })),
      use(name, { content: blocks(`{"value":"${MASK}"}`) }),
    );
    const none = use(name, blocks("There is no such secret."));
    assert.deepEqual(redacted(none), none);
  }
  for (const name of ["mcp__x__list_secret_names", "mcp__x__get_item", "mcp__x__set_secret"]) {
    const other = use(name, blocks("letmein2"));
    assert.deepEqual(redacted(other), other);
  }
});

Deno.test("ordinary commands need no full look", () => {
  for (
    const command of [
      "git status --short && git diff --stat",
      "git commit -m 'Fix the tests'",
      "npm test",
      "ls -la src",
      "cat src/capture/redact.ts",
      "sed -n '1,20p' src/token.ts",
      "deno test -A tests/secrets_test.ts",
    ]
  ) {
    assert.ok(!needsRedaction(JSON.stringify(bash(command, "x1y2z3w4")), []), command);
  }
});

/** Commands, and parts of them in any order, with what may stand between. */
const words = [...ASKING_COMMANDS, ...MIXED_OUTPUTS.map(([command]) => command)]
  .flatMap((command) => [command, ...command.split(" "), ...command.split(/["'/|;]/)]);
const scripts = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...words) },
    fc.constantFrom(
      " ",
      "  ",
      "\t",
      "\n",
      "\\\n",
      "'",
      '"',
      "\\",
      "$(",
      ")",
      "`",
      "{",
      "}",
      "<",
      ">",
    ),
    fc.constantFrom("|", "&&", ";", " 2>/dev/null ", "2>&1", "x=", "$X", "sudo ", "bash -c ", "/"),
    fc.constantFrom(
      "$DB_PASSWORD",
      "API_KEY",
      "secret",
      ".token",
      "\u5bc6\u7801",
      " get ",
      " read ",
    ),
    anyText(2),
  ),
  { maxLength: 8 },
).chain((parts) => fc.constantFrom("", " ").map((between) => parts.join(between)));

sizedTest("needsRedaction() never says no where a command was asked for a secret", () => {
  const all = runs(10_000);
  let passed = 0;
  const tools = fc.constantFrom("Bash", "mcp__x__get_secret", "mcp__x__read-password", "Read");
  fc.assert(
    fc.property(scripts, tools, fc.boolean(), (command, tool_name, isFailed) => {
      const said = isFailed ? { error: `Exit code 1\n${DRAWN}` } : { tool_response: DRAWN };
      const payload = { tool_name, tool_input: { command }, ...said };
      const serialized = JSON.stringify(payload);
      if (needsRedaction(serialized, [])) return;
      passed++;
      assert.equal(JSON.stringify(redactValue(payload, RULES)), serialized);
    }),
    { numRuns: all },
  );
  assert.ok(passed > all / 20, `only ${passed} of ${all} were let pass`);
});
