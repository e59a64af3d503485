import assert from "node:assert/strict";
import fc from "fast-check";
import { anyText } from "../support/any_text.ts";
import { stringify } from "yaml";
import type { ConfigFile, ConfigLayer } from "../../src/config/discover.ts";
import { explainProblems } from "../../src/operations/verbs/config_verbs.ts";
import type { ConfigProblem } from "../../src/config/layer.ts";
import { mergeValues } from "../../src/config/parse.ts";
import { parseConfig } from "../support/configuration.ts";
import { configSchema } from "../../src/config/config_schema.ts";
import { runs } from "../support/lanes.ts";
import CASES from "../testdata/config_cases.json" with { type: "json" };
import { it, rowsOf } from "../support/fixtures.ts";

const DEFAULTS = configSchema().schema.parse({});
const HOME = "/home/ana";

const PATHS: Readonly<Record<ConfigLayer, string>> = {
  user: `${HOME}/.conclaude/config.yaml`,
  project: "/work/app/.conclaude.yaml",
  local: "/work/app/.conclaude.local.yaml",
};

function file(layer: ConfigLayer, text: string): ConfigFile {
  return { layer, path: PATHS[layer], home: HOME, text };
}

function parseProject(text: string) {
  return parseConfig([file("project", text)]);
}

/** `line:column key message`, without the file. */
function short(problems: readonly ConfigProblem[]): string[] {
  return problems.map(({ line, column, key, message }) => `${line}:${column} ${key} ${message}`);
}

Deno.test("parseConfig() gives the defaults when there are no files, and for empty ones", () => {
  for (
    const text of ["", "\n", "# only a comment\n", "---\n", "{}", "\ufeff", "database:\ncapture:\n"]
  ) {
    assert.deepEqual(parseProject(text).config, DEFAULTS, text);
    assert.deepEqual(parseProject(text).problems, [], text);
  }
  assert.deepEqual(parseConfig([]).config, DEFAULTS);
});

Deno.test("parseConfig() lays local over project over user, maps deep and lists whole", () => {
  const { config, problems } = parseConfig([
    file("local", "capture: { exclude: { tools: [Edit] } }"),
    file(
      "user",
      "store: { sessionRetentionDays: 7 }\ncapture: { exclude: { tools: [Bash, Read] } }",
    ),
    file("project", "database: { busyTimeoutMs: 500 }\nstore: { sessionRetentionDays: 9 }"),
  ]);
  assert.deepEqual(problems, []);
  assert.equal(config.store.sessionRetentionDays, 9);
  assert.equal(config.database.busyTimeoutMs, 500);
  assert.deepEqual(config.capture.exclude.tools, ["Edit"]);
});

Deno.test("parseConfig() lets a key without a value keep what the lower layer says", () => {
  const { config } = parseConfig([
    file("user", "database: { path: /x.db }"),
    file("project", "database: { path: }\nstore:"),
  ]);
  assert.equal(config.database.path, "/x.db");
});

Deno.test("parseConfig() drops the user's layer on inherit: false, and local decides last", () => {
  const user = file("user", "store: { sessionRetentionDays: 7 }");
  const days = (...files: ConfigFile[]) =>
    parseConfig([user, ...files]).config.store.sessionRetentionDays;
  assert.equal(days(file("project", "inherit: false")), 30);
  assert.equal(days(file("local", "inherit: false")), 30);
  assert.equal(days(file("project", "inherit: false"), file("local", "inherit: true")), 7);
  assert.equal(days(), 7);
});

Deno.test("parseConfig() gives inherit: false in the user's own file no effect", () => {
  const { config } = parseConfig([
    file("user", "inherit: false\nstore: { sessionRetentionDays: 7 }"),
  ]);
  assert.deepEqual([config.inherit, config.store.sessionRetentionDays], [true, 7]);
});

Deno.test("parseConfig() keeps the valid rest beside a wrong value", () => {
  const { config, problems } = parseConfig([
    file("user", "database: { busyTimeoutMs: 700 }"),
    file("project", "database:\n  busyTimeoutMs: soon\n  enabled: false\n"),
  ]);
  assert.equal(config.database.busyTimeoutMs, 700);
  assert.equal(config.database.enabled, false);
  assert.deepEqual(short(problems), [
    '2:18 database.busyTimeoutMs expected a whole number from 100 to 8000, found "soon"',
  ]);
});

Deno.test("parseConfig() leaves a wrong entry out of a list and keeps the others", () => {
  const { config, hook, problems } = parseProject(
    'capture:\n  exclude:\n    tools: [Bash, "[x", 3, ~, "mcp__*"]\n  redact:\n    patterns: ["(", "a*", "k-[0-9]+"]\n',
  );
  assert.deepEqual(config.capture.exclude.tools, ["Bash", "mcp__*"]);
  assert.deepEqual(hook.redactPatterns, ["k-[0-9]+"]);
  assert.deepEqual(problems.map(({ line, column, key }) => `${line}:${column} ${key}`), [
    "3:19 capture.exclude.tools[1]",
    "3:25 capture.exclude.tools[2]",
    "3:28 capture.exclude.tools[3]",
    "5:16 capture.redact.patterns[0]",
    "5:21 capture.redact.patterns[1]",
  ]);
  assert.equal(hook.problems, 5);
});

Deno.test("parseConfig() puts the default in the place of a wrong entry, where the list has one", () => {
  for (const [written, meant] of Object.entries(CASES.scopes)) {
    const { config } = parseProject(`hooks: {stop: {verifyScopes: ${written}}}`);
    assert.deepEqual(config.hooks.stop.verifyScopes, meant, written);
  }
  assert.deepEqual(short(parseProject("hooks: {stop: {verifyScopes: [sesion]}}").problems), [
    '1:31 hooks.stop.verifyScopes[0] expected a scope, found "sesion": ' +
    "there are session, branch, permanent, single_use; session counts in its place",
  ]);
});

Deno.test("parseConfig() lets a list without a valid entry replace no list of a lower layer", () => {
  const { config } = parseConfig([
    file("user", "preToolUse: {uneditableFiles: [a]}\npermissionRequest: {deny: [Bash]}"),
    file("project", 'preToolUse: {uneditableFiles: [5]}\npermissionRequest: {deny: ["[x", 5]}'),
  ]);
  assert.deepEqual(config.preToolUse.uneditableFiles, ["a"]);
  assert.deepEqual(config.permissionRequest.deny, ["Bash"]);
});

Deno.test("parseConfig() names rules and commands by their index in the file, whatever was left out before them", () => {
  const { hook, policy } = parseConfig([
    file("user", "preToolUse: {uneditableFiles: [5, 5, 5, x]}"),
    file(
      "project",
      `preToolUse:
  uneditableFiles: [5, a, {pattern: b, mesage: c}]
  preventAdditions: ["[x", a]
  toolUsageValidation: [{tool: Bash}, {tool: Bash, action: block}]
stop: {commands: [{run: a}, {rum: b}, {run: c}]}
subagentStop: {commands: {"a.b": [5, {run: a}]}}
userPromptSubmit:
  contextRules: [{pattern: a}, {pattern: a, prompt: b}]
  commands: [5, {run: a}]
  slashCommands: {commands: {x: [5, 6, {run: a}]}}
`,
    ),
  ]);
  assert.deepEqual(policy.rules.map(({ name }) => name), [
    "preToolUse.uneditableFiles[1]",
    "preToolUse.uneditableFiles[2]",
    "preToolUse.toolUsageValidation[1]",
    "preToolUse.preventAdditions[1]",
  ]);
  const named = [hook.stop, hook.subagentStop, hook.prompts].join().match(/"rule":"[^"]*"/g);
  assert.deepEqual(named?.map((rule) => rule.slice(8, -1)), CASES.namedRules);
});

Deno.test("parseConfig() drops unknown keys and says what may have been meant", () => {
  const { config, problems } = parseProject(
    "capture:\n  exlude: { tools: [Bash] }\n  enabled: false\npath: x\n",
  );
  assert.equal(config.capture.enabled, false);
  assert.deepEqual(short(problems), [
    "2:3 capture.exlude there is no such key",
    "4:1 path there is no such key",
  ]);
  assert.deepEqual(problems.map(({ suggestion }) => suggestion), [
    'write "capture.exclude" instead',
    undefined,
  ]);
});

Deno.test("parseConfig() switches the summarizer off where one of its limits may be lost, and only there", () => {
  const lines = {
    "maxRunsPerDay: 3": null,
    "maxRunsPerDay: 0": null,
    "maxTokensPerDay: 10": null,
    "maxRunsPerDay:": null,
    "maxRunsPerDay: -1": "memory.summarizer.maxRunsPerDay",
    "maxRunsPerDays: 3": "memory.summarizer.maxRunsPerDays",
  };
  for (const [line, key] of Object.entries(lines)) {
    const parsed = parseConfig([
      file("user", `memory:\n  enabled: true\n  summarizer:\n    command: echo\n    ${line}\n`),
    ]);
    assert.equal(parsed.summarizerFault?.key ?? null, key, line);
    assert.equal(parsed.config.memory.summarizer.command, key === null ? "echo" : null, line);
  }
  const around = (text: string) => parseConfig([file("user", text)]);
  const named = "summarizer: { command: echo }";
  // Mistakes that are about something else.
  for (
    const text of [
      `memory: { ${named}, recal: {} }`,
      `memory: { ${named}, context: { tokens: many } }`,
      `memory: { ${named} }\nstore: { sessionRetentionDays: -1 }`,
      `memory: { ${named} }\nstop: { maxRuns: 3 }`,
    ]
  ) {
    const { config, problems, summarizerFault } = around(text);
    assert.equal(problems.length, 1, text);
    assert.deepEqual([config.memory.summarizer.command, summarizerFault], ["echo", null], text);
  }
  // A project's file has none to switch off.
  const both = parseConfig([
    file("user", `memory: { ${named} }`),
    file("project", "memory: { summarizer: { maxRunsPerDay: -1 } }"),
  ]);
  assert.equal(both.config.memory.summarizer.command, "echo");
});

Deno.test("parseConfig() proposes the value that was probably meant", () => {
  for (
    const [text, suggestion] of rowsOf<readonly [text: string, suggestion: string | null]>(
      CASES.probableValues,
    )
  ) {
    const { problems } = parseProject(text);
    assert.deepEqual([problems.length, problems[0]?.suggestion ?? null], [1, suggestion], text);
  }
});

Deno.test("parseConfig() counts a file that is not YAML as absent and says where it breaks", () => {
  const { config, problems } = parseConfig([
    file("user", "store: { sessionRetentionDays: 7 }"),
    file("project", "database:\n  enabled: false\n  path: 'x\n"),
  ]);
  assert.equal(config.database.enabled, true);
  assert.equal(config.store.sessionRetentionDays, 7);
  assert.deepEqual([problems.length, problems[0]?.path, problems[0]?.line], [1, PATHS.project, 4]);
  assert.match(problems[0]?.message ?? "", /^not valid YAML: Missing closing 'quote/);
});

interface OddFile {
  readonly name: string;
  readonly text: string;
  /** One pattern for each problem. */
  readonly problems: readonly string[];
}

const ODD_FILES: readonly OddFile[] = [
  ...rowsOf<OddFile>(CASES.oddFiles),
  {
    name: "endless nesting",
    text: "[".repeat(20_000),
    problems: ["not valid YAML|cannot be read"],
  },
];

for (const { name, text, problems } of ODD_FILES) {
  Deno.test(`parseConfig() gets along with ${name}`, () => {
    const parsed = parseProject(text);
    assert.deepEqual(parsed.config, DEFAULTS);
    const found = short(parsed.problems);
    assert.equal(found.length, problems.length, found.join("\n"));
    for (const [index, problem] of problems.entries()) {
      assert.match(found[index] ?? "", new RegExp(problem));
    }
  });
}

Deno.test("parseConfig() refuses aliases that multiply, quickly", () => {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let i = 1; i < 12; i++) lines.push(`a${i}: &a${i} [${`*a${i - 1},`.repeat(10)}]`);
  const start = performance.now();
  const { problems } = parseProject(lines.join("\n"));
  assert.match(problems[0]?.message ?? "", /Excessive alias count/);
  assert.ok(performance.now() - start < 5_000);
});

Deno.test("parseConfig() resolves an alias to the last anchor before it", () => {
  const { config, problems } = parseProject(
    "capture:\n  exclude:\n    tools: &names [Bash]\n    paths: *names\n",
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(config.capture.exclude.paths, ["Bash"]);
});

Deno.test("parseConfig() never lets a file change the prototype of all objects", () => {
  parseProject("__proto__: { polluted: 1 }\nconstructor: { prototype: { polluted: 1 } }\n");
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

Deno.test("parseConfig() reports a file that could not be read", () => {
  const { config, hook, problems } = parseConfig([
    { layer: "project", path: "/p/.conclaude.yaml", text: null, problem: "not a regular file" },
  ]);
  assert.deepEqual(config, DEFAULTS);
  assert.equal(hook.problems, 1);
  assert.deepEqual(short(problems), ["0:0  the file cannot be read: not a regular file"]);
});

Deno.test("parseConfig() makes database.path absolute from the folder of its own file", () => {
  const path = (...files: ConfigFile[]) => parseConfig(files).hook.databasePath;
  assert.equal(path(file("user", "database: { path: a.db }")), "/home/ana/.conclaude/a.db");
  assert.equal(path(file("project", "database: { path: ../a.db }")), "/work/a.db");
  assert.equal(path(file("project", "database: { path: ~/a.db }")), "/home/ana/a.db");
  assert.equal(
    path(file("user", "database: { path: a.db }"), file("local", "")),
    "/home/ana/.conclaude/a.db",
  );
  assert.equal(path(), null);
});

Deno.test("parseConfig() does not take ~ for a folder when there is no home", () => {
  const text = "database: { path: ~/a.db }";
  const { hook, problems } = parseConfig([{ layer: "project", path: "/p/.conclaude.yaml", text }]);
  assert.equal(hook.databasePath, null);
  assert.deepEqual(problems.map(({ key }) => key), ["database.path"]);
});

Deno.test("parseConfig() compiles the exclude globs for hooks", () => {
  const { hook } = parseProject(
    "capture: { exclude: { projects: [~/private], tools: ['mcp__*'], paths: [secrets, '*.env'], commands: ['vault *'] } }",
  );
  const matches = (sources: readonly string[], text: string) =>
    sources.some((source) => new RegExp(source, "s").test(text));
  assert.ok(matches(hook.excludeProjects, "/home/ana/private/app"));
  assert.ok(!matches(hook.excludeProjects, "/home/ana/private-not"));
  assert.ok(matches(hook.excludeTools, "mcp__mail__send"));
  assert.ok(!matches(hook.excludeTools, "Bash"));
  assert.ok(matches(hook.excludePaths, "secrets/key"));
  assert.ok(!matches(hook.excludePaths, "/work/app/secrets/key"));
  assert.ok(matches(hook.excludePaths, "/work/app/.env"));
  assert.ok(matches(hook.excludeCommands, "vault kv get a/b"));
  assert.ok(!matches(hook.excludeCommands, "vaults kv"));
});

it.sized("parseConfig() never throws, whatever the files say, and always gives a valid configuration", () => {
  const word = fc.constantFrom(...CASES.pieces);
  const text = fc.oneof(
    anyText(),
    fc.array(word, { maxLength: 30 }).map((words) => words.join("")),
    fc.json().map((json) => `capture: ${json}`),
  );
  fc.assert(
    fc.property(text, text, (user, project) => {
      const { config, hook, problems } = parseConfig([
        file("user", user),
        file("project", project),
      ]);
      assert.ok(configSchema().schema.safeParse(config).success);
      assert.deepEqual(JSON.parse(JSON.stringify(hook)), hook);
      for (const { line, column } of problems) assert.ok(line >= 1 && column >= 1);
      explainProblems(problems);
    }),
    { numRuns: runs(1500) },
  );
});

/** Values for some keys, all of them right. */
const someValues = fc.record({
  database: fc.record({
    enabled: fc.boolean(),
    path: fc.constantFrom("/a.db", "/b.db"),
    busyTimeoutMs: fc.integer({ min: 100, max: 8000 }),
  }, { requiredKeys: [], noNullPrototype: true }),
  capture: fc.record({
    exclude: fc.record({ tools: fc.array(fc.constantFrom("Bash", "mcp__*")) }, {
      requiredKeys: [],
      noNullPrototype: true,
    }),
    maxPayloadBytes: fc.integer({ min: 4096, max: 67_108_864 }),
  }, { requiredKeys: [], noNullPrototype: true }),
}, { requiredKeys: [], noNullPrototype: true });

Deno.test("parseConfig() keeps every right value, however many wrong ones stand beside it", () => {
  const wrong = fc.dictionary(
    fc.string({ minLength: 1 }).map((name) => `x-${name}`),
    // That name is told by itself, wherever it stands.
    fc.jsonValue().filter((value) => !JSON.stringify(value).includes("__proto__")),
  );
  fc.assert(fc.property(someValues, wrong, wrong, (values, outer, inner) => {
    const clean = parseProject(stringify(values));
    const { store, ...dirty } = {
      ...outer,
      store: { ...inner, sessionRetentionDays: "no" },
      ...values,
    };
    const parsed = parseProject(stringify({ store, ...dirty }));
    assert.deepEqual(clean.problems, []);
    assert.deepEqual(parsed.config, clean.config);
    const unknown = [...Object.values(outer), ...Object.values(inner)].filter((value) =>
      value !== null
    );
    assert.equal(parsed.problems.length, unknown.length + 1);
  }));
});

Deno.test("parseConfig() reads back what it gave, without problems", () => {
  fc.assert(fc.property(someValues, (values) => {
    const { config } = parseProject(stringify(values));
    const again = parseProject(stringify(config));
    assert.deepEqual([again.config, again.problems], [config, []]);
  }));
});

Deno.test("a wrong name of a requirement is answered with the rules for names", () => {
  for (const name of ["-x", ".x", "a b"]) {
    const { problems } = parseProject(`requirements: {${JSON.stringify(name)}: {}}`);
    assert.match(problems[0]!.message, /that begins with a letter, a digit or `_`/, name);
  }
});

Deno.test("mergeValues() is associative and idempotent, and the empty map changes nothing", () => {
  fc.assert(fc.property(someValues, someValues, someValues, (a, b, c) => {
    const before = structuredClone([a, b, c]);
    assert.deepEqual(mergeValues(mergeValues(a, b), c), mergeValues(a, mergeValues(b, c)));
    assert.deepEqual(mergeValues(a, a), a);
    assert.deepEqual(mergeValues(a, {}), a);
    assert.deepEqual(mergeValues({}, a), a);
    assert.deepEqual([a, b, c], before);
  }));
});

Deno.test("mergeValues() lets the upper value win, and replaces what is not a map on both sides", () => {
  const under = { a: { x: 1, y: [1, 2] }, b: { z: 1 }, c: [1] };
  const over = { a: { y: [3] }, b: 2, c: { z: 1 } };
  assert.deepEqual(mergeValues(under, over), { a: { x: 1, y: [3] }, b: 2, c: { z: 1 } });
});

Deno.test("permissionRequest.default counts in upper and lower case, and its tools without blanks around them", () => {
  for (const [word, meant] of [["ALLOW", "allow"], ["Deny", "deny"], ["deny", "deny"]]) {
    const { config, problems, policy } = parseProject(
      `permissionRequest: { default: ${word}, deny: [" Bash "] }`,
    );
    assert.deepEqual(problems, []);
    assert.equal(config.permissionRequest.default, meant);
    const permission = policy.permission.map(({ glob, answer }) => [glob, answer]);
    assert.deepEqual(permission, [["Bash", "deny"], ["", meant]]);
  }
});

Deno.test("a typing error in a list is told once, at its place, also after a wrong entry", () => {
  const lists = [
    ['preToolUse: {uneditableFiles: [5, "*.lock", {pattern: a, mesage: b}]}', "uneditableFiles"],
    ["stop: {commands: [5, {run: a}, {run: b, mesage: c}]}", "commands"],
  ];
  for (const [text, list] of lists) {
    const { problems } = parseProject(text!);
    assert.deepEqual(problems.map(({ key }) => key.split(".").slice(1).join(".")), [
      `${list}[0]`,
      `${list}[2].mesage`,
    ]);
    assert.equal(problems[1]?.column, text!.indexOf("mesage") + 1);
  }
});

Deno.test("a suggested key can be written as it is, and former sections are named with their new place", () => {
  for (const [text, suggestion] of Object.entries(CASES.renamedKeys)) {
    const { problems } = parseProject(text);
    assert.deepEqual(problems.map((problem) => problem.suggestion ?? null), [suggestion], text);
  }
});
