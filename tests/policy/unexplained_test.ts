/** Programs that no table explains, other agents too: what they do is in doubt, and a file of the guards is refused to them. */
import assert from "node:assert/strict";
import READERS from "../../src/policy/shell/readers.json" with { type: "json" };
import VARIABLES from "../../src/policy/shell/variables.json" with { type: "json" };
import { JudgedProject } from "../support/judged_project.ts";
import { testWith } from "../support/fixtures.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };
import AGENTS from "../../src/policy/guards/second_agents.json" with { type: "json" };

function project(): JudgedProject {
  return new JudgedProject(
    `
preToolUse:
  uneditableFiles: ["*.lock", "src/gen/**", "LICENSE"]
  preventAdditions: ["dist/**"]
  toolUsageValidation:
    - { tool: Bash, commandPattern: "npm publish*", action: block }
`,
    ["yarn.lock", "LICENSE", "src/gen/x.ts", "src/a.ts", "dist/", "package.json"],
  );
}

/** Commands whose effect on a protected file nobody can tell before they run. */
const IN_DOUBT = Object.values(CASES.inDoubt).flat();

const PLAIN = [
  ...CASES.plain,
  ...READERS.verbs.map(({ example }) => example),
  ...VARIABLES.map(({ counterexample }) => counterexample),
];

const test = testWith(project);

test("a protected file that is named to a program of no table is in doubt, and denied under strict", async (at) => {
  for (const command of IN_DOUBT) {
    const { blocks, doubts } = await at.judge("Bash", command);
    assert.deepEqual([command, blocks], [command, []]);
    assert.ok(doubts.length > 0, command);
    const strict = await at.judge("Bash", command, { isStrict: true });
    assert.deepEqual(strict.blocks.map(({ rule }) => rule), ["preToolUse.strict"], command);
  }
});

test("reading a protected file, or naming it in a message, is never in doubt", async (at) => {
  await at.assertPlain(PLAIN);
});

test("a file of the guards is refused to every program but those that only read", async (at) => {
  for (const command of CASES.namingPolicy) {
    const { blocks } = await at.judge("Bash", command);
    assert.deepEqual([command, blocks.map(({ rule }) => rule)], [
      command,
      ["preToolUse.protectPolicy"],
    ]);
  }
  await at.assertPlain([
    "cat .conclaude.yaml",
    "git add .conclaude.yaml",
    "conclaude config validate",
  ]);
});

test("a variable whose value programs run is judged as that command", async (at) => {
  for (const { example } of VARIABLES) {
    const { blocks, doubts } = await at.judge("Bash", example);
    assert.ok(blocks.length + doubts.length > 0, example);
  }
  for (const command of CASES.runVariables) {
    assert.equal((await at.judge("Bash", command)).blocks.length, 1, command);
  }
});

test("a script of the project that changes a protected file is in doubt", async (at) => {
  const write = (name: string, text: string) => Deno.writeTextFileSync(`${at.path}/${name}`, text);
  const scripts = {
    wipe: "rm yarn.lock",
    twice: "npm run wipe && npm run twice",
    build: "tsc -p . && cat yarn.lock",
    there: "cd src && rm ../yarn.lock",
  };
  write("package.json", JSON.stringify({ scripts }));
  write("deno.json", JSON.stringify({ tasks: { wipe: { command: "rm yarn.lock" } } }));
  write("composer.json", JSON.stringify({ scripts: { wipe: ["echo", "rm yarn.lock"] } }));
  write("Makefile", CASES.makefile.join("\n"));
  write("wipe", "rm yarn.lock\n");
  write("wipe.py", "#!/usr/bin/env python3\nrm yarn.lock\n");
  write("LICENSE.mk", "all:\n\trm LICENSE\n");
  for (const command of CASES.scriptsInDoubt) {
    const { blocks, doubts } = await at.judge("Bash", command);
    assert.deepEqual([command, blocks], [command, []]);
    assert.ok(doubts.some((doubt) => doubt.includes(" forbids")), `${command}: ${doubts}`);
  }
  await at.assertPlain(CASES.scriptsWithoutDoubt);
});

test("a command that a rule lets write its files may do so in a script", async () => {
  const rule = `{ pattern: "src/gen/**", writtenBy: "npm run gen*" }`;
  using at = new JudgedProject(`preToolUse: { uneditableFiles: [${rule}] }`, ["src/gen/x.ts"]);
  const writing = "echo x > src/gen/x.ts";
  const scripts = { gen: writing, other: writing, called: "echo && src/../wipe", test: "jest" };
  Deno.writeTextFileSync(`${at.path}/package.json`, JSON.stringify({ scripts }));
  Deno.writeTextFileSync(`${at.path}/wipe`, writing);
  await at.assertPlain(["npm run gen", "npm test", "npm test -- --watch"]);
  for (const command of ["npm run other", "yarn called", "npm test -- >> src/gen/x.ts"]) {
    const { blocks, doubts } = await at.judge("Bash", command);
    assert.equal(blocks.length + doubts.length, 1, command);
  }
});

test("a script of the project that does what a rule forbids is in doubt", async (at) => {
  const write = (name: string, text: string) => Deno.writeTextFileSync(`${at.path}/${name}`, text);
  const scripts = {
    release: "npm run build && npm publish",
    build: "tsc",
    prebuild: "npm publish",
  };
  write("package.json", JSON.stringify({ scripts }));
  write("Makefile", "all: build\n\techo $(X)\nbuild:\n\ttsc\nrelease:\n\t@npm publish\n");
  for (const command of CASES.publishingScripts) {
    const { blocks, doubts } = await at.judge("Bash", command);
    assert.deepEqual([command, blocks], [command, []]);
    assert.ok(doubts.length > 0, command);
  }
  await at.assertPlain(["npm run lint", "make", "make build", "npm install", "yarn add release"]);
});

Deno.test("another agent that acts by itself is in doubt, and denied under strict", async () => {
  using at = new JudgedProject("preToolUse: {}\n", ["a.txt"]);
  const started = [
    ...AGENTS.map(({ example }) => example),
    "cd sub && sh -c 'codex exec \"fix it\"'",
    "HOME=/tmp/x claude -p 'fix it'",
    "export CLAUDE_CONFIG_DIR=/tmp/x; claude -p 'fix it'",
    "claude -p x --settings '{\"disableAllHooks\":true}'",
    "npx -y @openai/codex --version || codex -a never x",
  ];
  for (const command of started) {
    const { blocks, doubts } = await at.judge("Bash", command);
    assert.deepEqual([command, blocks, doubts.length > 0], [command, [], true]);
    const strict = await at.judge("Bash", command, { isStrict: true });
    assert.deepEqual(strict.blocks.map(({ rule }) => rule), ["preToolUse.strict"], command);
  }
  await at.assertPlain([
    ...AGENTS.map(({ counterexample }) => counterexample),
    "claude -p 'what is this?'",
    "git commit -m 'codex exec --full-auto'",
    "grep -rn gemini src",
  ]);
});
