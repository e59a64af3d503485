/** Whether a spelling walks around a guard, and whether a guard stops what only looks like it. */
import assert from "node:assert/strict";
import { THIS_PROCESS } from "../../src/system/environment.ts";
import { join } from "node:path";
import fc from "fast-check";
import { parseConfig } from "../support/configuration.ts";
import { judgeUse } from "../../src/policy/guards/judge_use.ts";
import { judgeBash } from "../../src/policy/guards/bash.ts";
import { mayConcernCommands } from "../../src/policy/guards/decide.ts";
import type { GuardPolicy, Verdict } from "../../src/policy/guards/guard_policy.ts";
import { DOUBTFUL, FORBIDDEN, INNOCENT, POLICY, type Use } from "./spellings.ts";
import { runs, sizedTest } from "../support/lanes.ts";

/** Those that tell how good the rules are. Their lines end where there is no more room. */
const PAGES = ["README.md", "docs/guards.md"].map((path) =>
  Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url)).replaceAll("\n", " ")
);

/** A project with the files that the spellings speak of. */
async function project(): Promise<AsyncDisposable & { readonly path: string }> {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "conclaude-guard-" }));
  const path = join(home, "work", "project");
  for (const folder of [".git", "src/gen", "sub", "vendor/src/gen", "notes.md.txt.d"]) {
    await Deno.mkdir(join(path, folder), { recursive: true });
  }
  for (
    const file of [
      "yarn.lock",
      "package.json",
      "a.txt",
      "yarn.locked",
      "old.txt",
      "src/gen/x.ts",
      "sub/a.txt",
      "vendor/more.lock",
      "vendor/src/gen/x.ts",
    ]
  ) {
    await Deno.writeTextFile(join(path, file), "x");
  }
  await Deno.symlink(join(path, "yarn.lock"), join(path, "link"));
  await Deno.symlink("src/gen", join(path, "linked"));
  return { path, [Symbol.asyncDispose]: () => Deno.remove(home, { recursive: true }) };
}

async function judge([tool, text]: Use, path: string, policy: GuardPolicy): Promise<Verdict> {
  const input = text.replaceAll("PROJECT", path);
  return await judgeUse(policy, {
    tool,
    input: tool === "Bash"
      ? { command: input }
      : { [tool === "NotebookEdit" ? "notebook_path" : "file_path"]: input },
    environment: THIS_PROCESS,
    gitAliases: new Map(),
    agents: ["main"],
    folder: path,
    projectDir: path,
    home: join(path, "..", ".."),
  }, { configFiles: [], database: ":memory:", repository: undefined, environment: THIS_PROCESS });
}

function policyAt(path: string): GuardPolicy {
  const file = join(path, ".conclaude.yaml");
  const { hook, problems } = parseConfig([{ layer: "project", path: file, text: POLICY }]);
  assert.deepEqual(problems, []);
  return JSON.parse(hook.guards);
}

Deno.test("no spelling of what is forbidden walks around a guard", async () => {
  await using at = await project();
  const policy = policyAt(at.path);
  const passed: string[] = [];
  for (const use of FORBIDDEN) {
    const { blocks, doubts } = await judge(use, at.path, policy);
    if (blocks.length === 0) passed.push(`${use.join(" ")}   [${doubts.join("; ")}]`);
  }
  assert.deepEqual(passed, []);
});

Deno.test("what only looks like something forbidden passes", async () => {
  await using at = await project();
  const policy = policyAt(at.path);
  const stopped: string[] = [];
  for (const use of INNOCENT) {
    const { blocks } = await judge(use, at.path, policy);
    if (blocks.length > 0) stopped.push(`${use.join(" ")}   [${blocks[0]!.reason}]`);
  }
  assert.deepEqual(stopped, []);
});

Deno.test("what only the running shell can decide passes with a note, and a strict policy denies it", async () => {
  await using at = await project();
  const policy = policyAt(at.path);
  for (const use of DOUBTFUL) {
    const { blocks, doubts } = await judge(use, at.path, policy);
    assert.deepEqual([use, blocks], [use, []]);
    assert.ok(doubts.length > 0, use.join(" "));
    const strict = await judge(use, at.path, { ...policy, isStrict: true });
    assert.deepEqual(strict.blocks.map(({ rule }) => rule), ["preToolUse.strict"], use.join(" "));
  }
});

sizedTest("the cheap look lets no script pass that the rules would forbid or doubt", async () => {
  await using at = await project();
  const policy = policyAt(at.path);
  const file = {
    name: "yarn.lock",
    spellings: ["yarn.lock"],
    real: "/p/yarn.lock",
    own: null,
    ignored: null,
    exists: true,
    becomesFolder: () => false,
    isInRoot: true,
    head: "",
    text: () => null,
    effect: "change" as const,
    below: [],
    isMadeAnew: false,
    isPart: false,
    comesFromGit: false,
    isElsewhere: false,
  };
  const look = () => ({ files: [file], unknown: [] });
  const words =
    "git push npm publish terraform rm -rf / ~ sh -c eval sudo env xargs find -delete -exec echo cd . " +
    "yarn.lock dd of=x mv cp tee sed -i $X $(a) `a` 'a' \"b\" \\ { } ( ) {a,b} * [a] ? > >> | && ; & \n << E < #";
  const scripts = fc.array(fc.constantFrom(...words.split(" ")), { maxLength: 8 })
    .map((list) => list.join(" "));
  fc.assert(
    fc.property(scripts, (command) => {
      if (mayConcernCommands(policy, command)) return;
      const use = {
        tool: "Bash",
        command,
        agents: ["main"],
        folder: at.path,
        home: "/h",
        root: at.path,
      };
      const { blocks, doubts } = judgeBash(policy, use, look);
      // What is no script is not run either.
      const own = doubts.filter((doubt) => !doubt.startsWith("it cannot be read"));
      assert.deepEqual({ blocks, own }, { blocks: [], own: [] }, command);
    }),
    { numRuns: runs(20_000) },
  );
});

Deno.test("a strict policy lets pass what is plain", async () => {
  await using at = await project();
  const policy = { ...policyAt(at.path), isStrict: true };
  const stopped: string[] = [];
  for (const use of INNOCENT) {
    const { blocks } = await judge(use, at.path, policy);
    if (blocks.length > 0) stopped.push(`${use.join(" ")}   [${blocks[0]!.reason}]`);
  }
  assert.deepEqual(stopped, []);
});

Deno.test("the documentation says how many spellings are decided rightly", () => {
  for (const page of PAGES) {
    assert.ok(page.includes(`all ${FORBIDDEN.length} spellings`), String(FORBIDDEN.length));
    assert.ok(page.includes(`all ${INNOCENT.length} look-alikes`), String(INNOCENT.length));
  }
});
