/** The older requirements framework's configuration, and its records of branches, in our words. */
import "../../src/operations/config_sections.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import { type ConfigEntry, readLayer } from "../../src/config/layer.ts";
import { isMapping, type LayerValues, type Plain } from "../../src/config/yaml_tree.ts";
import { mergeValues } from "../../src/config/parse.ts";
import {
  convertConfig,
  readFrameworkFile,
  readState,
} from "../../src/upkeep/transfer/requirements_framework.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

/** Plain objects with plain prototypes, to be compared. */
const tidy = (value: unknown) => JSON.parse(JSON.stringify(value));

/** The text of each of the older files. */
interface Given {
  readonly global?: string;
  readonly project?: string;
  readonly local?: string;
}

function convert(texts: Given, allOwn = false) {
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

/** What older files say, and what becomes of it. */
interface Converted {
  readonly title: string;
  readonly given: Given;
  readonly allOwn?: boolean;
  readonly shared: unknown;
  readonly own: unknown;
  readonly notTaken: readonly string[];
}

for (const { title, given, allOwn, shared, own, notTaken } of rowsOf<Converted>(CASES.converted)) {
  Deno.test(title, () => {
    const converted = convert(given, allOwn);
    assert.deepEqual(valuesOf(converted.shared), shared);
    assert.deepEqual(valuesOf(converted.own), own);
    assert.deepEqual(converted.notTaken.map(({ name }) => name).sort(), notTaken);
    assert.ok(converted.notTaken.every(({ why }) => why.length > 10));
    for (const { name, path } of [...converted.shared, ...converted.own]) {
      assert.equal(path.join("."), name.startsWith("hooks.") ? name : `requirements.${name}`);
    }
  });
}

Deno.test("a requirement that was not switched on in the old framework is written as switched off", () => {
  assert.deepEqual(one("{scope: branch}"), { enabled: false, scope: "branch" });
  assert.deepEqual(one("{enabled: no}"), { enabled: false });
  assert.deepEqual(one("{enabled: true}"), { enabled: true });
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

const FULL = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";

function readText(text: string) {
  const skipped: string[] = [];
  const skip = (why: string) => void skipped.push(why);
  return { found: readState({ path: "p.json", text }, skip), skipped };
}

const read = (requirements: object, more = {}) =>
  readText(JSON.stringify({ version: "1.0", branch: "feature/auth", requirements, ...more }));

const told = ({ found }: { readonly found: readonly ReturnType<typeof readState>[number][] }) =>
  found.map((one) => [one.requirement, one.sessionId, one.atMs, one.originalAtMs, one.expiresAtMs]);

Deno.test("sessions and the whole branch are read, and seconds become milliseconds", () => {
  const sessions = {
    [FULL]: { satisfied: true, satisfied_at: 1734567890.25 },
    deadbeef: { satisfied: false, triggered: true, triggered_at: 1734567890 },
    branchov: { satisfied: true, satisfied_at: 1734567891 },
  };
  const carried = {
    satisfied_by: "carry_over",
    metadata: { original_satisfied_at: 1734560000 },
  };
  const reading = read({
    plan: { sessions },
    ticket: { scope: "branch", satisfied: true, satisfied_at: 1734567892, expires_at: 1734567999 },
    later: { sessions: { [FULL]: { satisfied: true, satisfied_at: 1734567890, ...carried } } },
  });
  assert.deepEqual(told(reading), [
    ["plan", FULL, 1734567890250, 1734567890250, null],
    ["plan", "", 1734567891000, 1734567891000, null],
    ["ticket", "", 1734567892000, 1734567892000, 1734567999000],
    ["later", FULL, 1734567890000, 1734560000000, null],
  ]);
  assert.deepEqual(reading.skipped, []);
});

Deno.test("unusable state is named, and the rest is taken", () => {
  const sessions = { [FULL]: 1, deadbeef: { satisfied: true } };
  const { found, skipped } = read({
    "a name": {},
    odd: { scope: "nowhere" },
    plan: { sessions },
    good: { satisfied: true, satisfied_at: 1734567890 },
  });
  assert.deepEqual(found.map(({ requirement }) => requirement), ["good"]);
  assert.equal(skipped.length, 3);
  for (const text of ["{", "[]", '{"version":"2.0"}', '{"version":"1.0","branch":""}']) {
    assert.deepEqual([readText(text).found, readText(text).skipped.length], [[], 1], text);
  }
});

Deno.test("reading throws for no content of a file", () => {
  const words = fc.constantFrom("satisfied", "satisfied_at", "sessions", "scope", "expires_at");
  const requirements = fc.dictionary(
    fc.constantFrom("a", "b"),
    fc.dictionary(words, fc.jsonValue()),
  );
  fc.assert(fc.property(requirements, fc.jsonValue(), (given, updated_at) => {
    for (const { atMs } of read(given, { updated_at }).found) assert.ok(atMs > 0);
  }));
});
