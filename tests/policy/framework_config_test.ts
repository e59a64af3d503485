/** The older requirements framework's configuration in our words. */
import "../../src/operations/config_sections.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import { type ConfigEntry, readLayer } from "../../src/config/layer.ts";
import { isMapping } from "../../src/config/yaml_tree.ts";
import { type LayerValues, type Plain } from "../../src/config/yaml_tree.ts";
import { mergeValues } from "../../src/config/parse.ts";
import { convertConfig, readFrameworkFile } from "../../src/policy/requirements/framework.ts";

/** Plain objects with plain prototypes, to be compared. */
const tidy = (value: unknown) => JSON.parse(JSON.stringify(value));

function convert(
  texts: { readonly global?: string; readonly project?: string; readonly local?: string },
  allOwn = false,
) {
  const of = (text: string | undefined) => {
    const read = text === undefined ? null : readFrameworkFile({ path: "p.yaml", text });
    assert.ok(typeof read !== "string", String(read));
    return read;
  };
  const { global, project, local } = texts;
  const layers = { global: of(global), project: of(project), local: of(local) };
  const notTaken: { name: string; why: string }[] = [];
  const leave = (name: string, why: string) => void notTaken.push({ name, why });
  return { ...convertConfig(layers, { allOwn, leave }), notTaken };
}

const namesOf = (left: readonly { readonly name: string }[]) => left.map(({ name }) => name);
const valuesOf = (entries: readonly ConfigEntry[]) =>
  tidy(Object.fromEntries(entries.map(({ name, value }) => [name, value])));

/** One requirement of a project, as the shared file gets it. */
function one(text: string): Plain | undefined {
  return valuesOf(convert({ project: `requirements: {x: ${text}}` }).shared).x;
}

Deno.test("convertConfig() gives every key of a requirement its name here", () => {
  const { shared, notTaken } = convert({
    project: `
version: "1.0"
requirements:
  plan:
    enabled: true
    type: blocking
    scope: session
    trigger_tools: [Edit, {tool: Bash, command_pattern: 'git\\s+commit'}]
    message: Plan first
    short_message: Plan
    description: A plan
    checklist: [one, two]
    satisfied_by_skill: my-plan
    auto_resolve_skill: /arch-review
    stop_only: yes
    replan_ttl: 60
  size:
    enabled: true
    type: dynamic
    calculator: branch_size_calculator
    thresholds: {warn: 10.0, block: 20}
    cache_ttl: 5
    approval_ttl: 6
    blocking_message: "{total} of {limit}"
  branch:
    enabled: On
    type: guard
    guard_type: protected_branch
    protected_branches: [main]
`,
  });
  assert.deepEqual(notTaken, []);
  assert.deepEqual(valuesOf(shared), {
    plan: {
      enabled: true,
      type: "blocking",
      scope: "session",
      triggerTools: ["Edit", { tool: "Bash", commandPattern: "git\\s+commit" }],
      message: "Plan first",
      shortMessage: "Plan",
      description: "A plan",
      checklist: ["one", "two"],
      satisfiedBySkill: ["my-plan"],
      autoResolveSkill: "/arch-review",
      stopOnly: true,
      replanTtl: 60,
    },
    size: {
      enabled: true,
      type: "dynamic",
      calculator: "branch_size",
      thresholds: { warn: 10, block: 20 },
      cacheTtl: 5,
      approvalTtl: 6,
      message: "{total} of {limit}",
    },
    branch: {
      enabled: true,
      type: "guard",
      guardType: "protected_branch",
      protectedBranches: ["main"],
    },
  });
});

Deno.test("a requirement that was not switched on in the old framework is written as switched off", () => {
  assert.deepEqual(one("{scope: branch}"), { enabled: false, scope: "branch" });
  assert.deepEqual(one("{enabled: no}"), { enabled: false });
  assert.deepEqual(one("{enabled: true}"), { enabled: true });
});

Deno.test("a person's own settings go into the file that is not committed", () => {
  const { shared, own } = convert({
    global:
      "requirements: {plan: {message: mine, scope: branch}, mine: {enabled: true, scope: branch}}",
    project: "requirements: {plan: {enabled: true, trigger_tools: [Edit]}, other: {enabled: true}}",
    local: "requirements: {plan: {trigger_tools: [Bash]}, other: {enabled: false}}",
  });
  assert.deepEqual(valuesOf(shared), {
    plan: { enabled: true, triggerTools: ["Edit"] },
    other: { enabled: true },
  });
  assert.deepEqual(valuesOf(own), {
    plan: { enabled: true, message: "mine", scope: "branch", triggerTools: ["Bash"] },
    mine: { enabled: true, scope: "branch" },
    other: { enabled: false },
  });
});

Deno.test("inherit: false drops the global layer", () => {
  const { own } = convert({
    global: "requirements: {mine: {enabled: true}}",
    project: "inherit: false\nrequirements: {plan: {enabled: true}}",
  });
  assert.deepEqual(valuesOf(own), {});
});

Deno.test("without a project's file the other files convert to nothing", () => {
  const { shared, own } = convert({ global: "requirements: {mine: {enabled: true}}" });
  assert.deepEqual([shared, own], [[], []]);
});

Deno.test("everything can go into the file that is not committed", () => {
  const { shared, own } = convert({
    project:
      "requirements: {plan: {enabled: true, scope: branch}}\nhooks: {stop: {verify_scopes: []}}",
    local: "requirements: {plan: {scope: session}}",
  }, true);
  assert.deepEqual(shared, []);
  assert.deepEqual(valuesOf(own), {
    plan: { enabled: true, scope: "session" },
    "hooks.stop.verifyScopes": [],
  });
});

Deno.test("keys of hooks are taken over one by one, only what differs goes into the own file", () => {
  const { shared, own, notTaken } = convert({
    project: `
requirements: {}
hooks:
  session_start: {inject_context: no, briefing_format: standard, carry_over: {window_seconds: 60, later: 1}}
  stop: {verify_requirements: true, verify_scopes: [session, branch]}
  session_end: {clear_session_state: true}
  obsidian: {enabled: true}
`,
    local: "hooks: {session_start: {briefing_format: long}, stop: {verify_requirements: false}}",
  });
  assert.deepEqual(valuesOf(shared), {
    "hooks.sessionStart.injectContext": false,
    "hooks.sessionStart.briefingFormat": "standard",
    "hooks.sessionStart.carryOver.windowSeconds": 60,
    "hooks.stop.verifyRequirements": true,
    "hooks.stop.verifyScopes": ["session", "branch"],
    "hooks.sessionEnd.clearSessionState": true,
  });
  assert.deepEqual(shared[0]!.path, ["hooks", "sessionStart", "injectContext"]);
  assert.deepEqual(valuesOf(own), { "hooks.stop.verifyRequirements": false });
  assert.deepEqual(namesOf(notTaken).sort(), [
    "hooks.obsidian",
    "hooks.sessionStart.briefingFormat",
    "hooks.session_start.carry_over.later",
  ]);
});

Deno.test("settings without a counterpart, or with a value that is not allowed, are named with the reason", () => {
  const { shared, notTaken } = convert({
    project: `
strict_preflight: true
requirements:
  good: {enabled: true}
  plan: {enabled: true, evidence: x}
  size: {enabled: true, type: dynamic, message: a, blocking_message: b}
  scope: {enabled: true, scope: nowhere}
  maybe: {enabled: maybe}
  list: [1]
  "a name": {enabled: true}
`,
  });
  assert.deepEqual(namesOf(shared), ["good", "plan", "size"]);
  assert.deepEqual(namesOf(notTaken), [
    "requirements.plan.evidence",
    "requirements.size.blocking_message",
    "scope",
    "maybe",
    "list",
    "a name",
    "strict_preflight",
  ]);
  assert.ok(notTaken.every(({ why }) => why.length > 10));
});

Deno.test("a Python expression is written in JavaScript's syntax, or its requirement is left out", () => {
  const pattern = (python: string) => {
    const trigger = `{enabled: true, trigger_tools: [{tool: Bash, command_pattern: '${python}'}]}`;
    const { shared, notTaken } = convert({ project: `requirements: {x: ${trigger}}` });
    const tools = valuesOf(shared).x?.triggerTools;
    return tools === undefined ? namesOf(notTaken) : tools[0].commandPattern;
  };
  assert.equal(pattern(String.raw`git\s+commit`), String.raw`git\s+commit`);
  assert.equal(pattern(String.raw`(?i)\Agit\Z`), "^git$");
  assert.equal(pattern("(?P<tool>git|hg)"), "(?<tool>git|hg)");
  for (const python of ["(?>git)", "a{,3}", "[]x]", "(?P=tool)", String.raw`\N{DASH}`, "("]) {
    assert.deepEqual(pattern(python), ["x"], python);
  }
});

Deno.test("an empty list of tools asks nowhere, before and after the conversion", () => {
  assert.deepEqual(one("{enabled: true, trigger_tools: []}"), {
    enabled: false,
    triggerTools: [],
  });
});

Deno.test("messages name the commands of this program", () => {
  const message = (text: string) =>
    (one(JSON.stringify({ enabled: true, message: text })) as LayerValues).message;
  assert.equal(message("Fallback: `req satisfy x`"), "Fallback: `conclaude req satisfy x`");
  assert.equal(message("req clear x; req pause"), "conclaude req clear x; conclaude req pause");
  for (
    const text of ["conclaude req satisfy x", "the prereq satisfy", "a req for x", "./req init"]
  ) {
    assert.equal(message(text), text);
  }
});

Deno.test("a framework that was switched off leaves every requirement switched off", () => {
  const { shared, own, notTaken } = convert({
    project: "requirements: {plan: {enabled: true}}",
    local: "enabled: false",
  });
  assert.deepEqual(valuesOf(shared), { plan: { enabled: true } });
  assert.deepEqual(valuesOf(own), { plan: { enabled: false } });
  assert.deepEqual(notTaken.map(({ name }) => name), ["enabled"]);
});

Deno.test("merge keys of older YAML are followed", () => {
  const { shared } = convert({
    project: `
base: &base {scope: branch, enabled: true}
requirements: {plan: {<<: *base, message: m}, other: {<<: [{message: a}, *base], scope: session}}
`,
  });
  assert.deepEqual(valuesOf(shared), {
    plan: { enabled: true, scope: "branch", message: "m" },
    other: { enabled: true, scope: "session", message: "a" },
  });
});

const words = fc.constantFrom(
  ...["enabled", "type", "scope", "trigger_tools", "tool", "command_pattern", "message", "hooks"],
  ...["blocking_message", "thresholds", "warn", "block", "requirements", "stop", "verify_scopes"],
  ...["session_start", "carry_over", "inherit", "<<", "__proto__", "constructor", "checklist"],
);
const value: fc.Arbitrary<Plain> = fc.letrec<{ readonly any: Plain }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    fc.oneof(
      fc.boolean(),
      fc.integer({ min: -1, max: 500 }),
      fc.constantFrom<Plain>(
        "session",
        "branch",
        "dynamic",
        "guard",
        "Bash",
        "yes",
        "(",
        "{x}",
        "",
      ),
      fc.string(),
    ),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.array(fc.tuple(fc.oneof(words, fc.string()), tie("any")), { maxLength: 6 })
      .map((entries): Plain => Object.fromEntries(entries)),
  ),
})).any;
const leave = () => {};
const anyLayer = fc.option(value.filter(isMapping), { nil: null });

Deno.test("convertConfig() never throws, and all that it gives passes our schema", () => {
  fc.assert(
    fc.property(anyLayer, anyLayer, anyLayer, fc.boolean(), (global, project, local, allOwn) => {
      const { shared, own } = convertConfig({ global, project, local }, { allOwn, leave });
      for (const { name, value } of [...shared, ...own].filter(({ path }) => path.length === 2)) {
        const text = JSON.stringify({ requirements: { [name]: value } });
        assert.deepEqual(readLayer({ layer: "project", path: "", text }).problems, []);
      }
    }),
  );
});

const NAMES = ["a", "b", "c"];
const scopes = fc.constantFrom("session", "branch", "permanent", "single_use", "nowhere");
const requirement = fc.record({
  enabled: fc.boolean(),
  scope: scopes,
  message: fc.constantFrom("m", "n"),
  trigger_tools: fc.constantFrom<Plain[]>(["Edit"], ["Bash", "Write"], []),
  thresholds: fc.record({ warn: fc.nat(9), block: fc.integer({ min: 10, max: 20 }) }, {
    requiredKeys: [],
  }),
}, { requiredKeys: [] });
const cascade = fc.record({
  enabled: fc.boolean(),
  inherit: fc.boolean(),
  requirements: fc.dictionary(fc.constantFrom(...NAMES), requirement),
}, { requiredKeys: ["requirements"] }) as unknown as fc.Arbitrary<LayerValues>;

Deno.test("the own file over the shared one gives the same as the older layers together", () => {
  fc.assert(fc.property(cascade, cascade, cascade, (global, project, local) => {
    const layers = { global, project, local };
    const { shared, own } = convertConfig(layers, { allOwn: false, leave });
    const [under, over] = [valuesOf(shared), valuesOf(own)];
    for (const { name, value } of convertConfig(layers, { allOwn: true, leave }).own) {
      const result = mergeValues(under[name] ?? {}, over[name] ?? {});
      assert.deepEqual(tidy({ enabled: true, ...result }), { enabled: true, ...tidy(value) });
    }
  }));
});
