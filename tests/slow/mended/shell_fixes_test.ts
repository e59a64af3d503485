/** What was changed through the shell is told as the fix of what passes since, where nothing was edited. */
import assert from "node:assert/strict";
import { endOf, type MixedStep } from "../../support/mixed_steps.ts";
import { failed } from "../../support/commands_observed.ts";
import { outcomeOf, outcomeWithoutEdits, type Step } from "../../support/left_open.ts";

const FAILS: Step = ["npm test", "Error: Cannot find module 'left-pad'", true];
const PASSES: Step = ["npm test", "Tests: 4 passed, 4 total"];
const ERROR = "Error: Cannot find module 'left-pad'";

Deno.test("a failure that passes after commands that change something has the last of them as its fix", async () => {
  const rows: readonly (readonly [command: string, by: string])[] = [
    ["npm install left-pad", "npm install left-pad"],
    ["cd web && npm i left-pad", "npm i left-pad"],
    ["sed -i 's/a/b/' src/a.ts", "sed -i 's/a/b/' src/a.ts"],
    ["cat > src/a.ts <<'EOF'\nexport const a = 1;\nEOF", "cat > src/a.ts <<'EOF'"],
    ["echo PORT=1 >> .env", "echo PORT=1 >> .env"],
    ["sudo apt-get install -y libpq-dev", "sudo apt-get install -y libpq-dev"],
    ["docker compose up -d db", "docker compose up -d db"],
    ["git cherry-pick 1a2b3c4", "git cherry-pick 1a2b3c4"],
    ["npx prettier --write .", "npx prettier --write ."],
    ["uv add left-pad && uv run x", "uv add left-pad"],
  ];
  for (const [command, by] of rows) {
    const { fixes, open } = await outcomeWithoutEdits(FAILS, [command, "ok"], PASSES);
    assert.deepEqual(fixes, [`Fixed ${ERROR} by \`${by}\``]);
    assert.deepEqual(open, []);
  }
});

Deno.test("a command that changes nothing, or nothing that stays, is no fix", async () => {
  const commands = [
    "ls -la",
    "sed -n 1,5p src/a.ts",
    "npm ls left-pad",
    "echo hello",
    "cat src/a.ts > /tmp/a.ts",
    "cp src/a.ts /tmp/a.ts",
    "npm test 2>&1 > /dev/null",
    "git log --grep='a > b'",
    "echo 'a > b'",
    "rm src/a.test.ts",
    "npx prettier --check .",
  ];
  for (const command of commands) {
    const { fixes, open } = await outcomeWithoutEdits(FAILS, [command, "ok"], PASSES);
    assert.deepEqual([fixes, open], [[], []], command);
  }
});

Deno.test("an edit is the fix before any command, and what failed is none of its own", async () => {
  const fails: Step = ["npm test", "Error: no such user", true];
  const { fixes } = await outcomeOf(fails, ["npm install left-pad", "ok"], PASSES);
  assert.deepEqual(fixes, ["Fixed Error: no such user by src/a.py"]);
  const failing: Step = ["npm install x", "npm error network", true];
  assert.deepEqual((await outcomeWithoutEdits(failing, ["npm install x", "ok"])).fixes, []);
});

Deno.test("what failed twice with nothing done between, once through a filter, is one fix", async () => {
  const line = "src/b.ts(2,2): error TS7006: Implicit any.";
  const whole = `src/a.ts(1,1): error TS2304: No name foo.\n${line}`;
  const passes: Step = ["npx tsc", "ok"];
  const { fixes, open } = await outcomeWithoutEdits(
    ["npx tsc", whole, true],
    ["npx tsc | tail -1", line],
    ["npm install -D @types/node", "ok"],
    passes,
  );
  assert.deepEqual([fixes.length, open], [1, []]);
  const twice = await outcomeOf(["npx tsc", whole, true], ["npx tsc", line, true], passes);
  assert.equal(twice.fixes.length, 2);
});

Deno.test("a failing script of lines is called by the command that tells most", () => {
  assert.equal(
    failed("cd /home/ana/app\nexport CI=1\nnpm test", "boom").title,
    "Tests fail: npm test: boom",
  );
  assert.equal(failed("set -e\nnpm run build", "no").title, "`npm run build` failed (exit 1): no");
  assert.equal(failed("make a\nmake b", "no").title, "`make a make b` failed (exit 1): no");
});

Deno.test("of what two checks name each is mended by the edit of its own file", async () => {
  const lint = (path: string): MixedStep => ({
    failing: "npx eslint src",
    output:
      `/p/${path}\n  1:1  error  'x' is never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)`,
  });
  const types: MixedStep = {
    failing: "npx tsc --noEmit",
    output: "src/b.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
  };
  const edits: MixedStep[] = ["a", "b"].map((name) => ({ edited: `src/${name}.ts` }));
  const pass: MixedStep[] = [{ passing: "npx eslint src" }, { passing: "npx tsc --noEmit" }];
  const byOf = async (...steps: readonly MixedStep[]) =>
    (await endOf(...steps)).fixes.map((title) => title.split(" by ")[1]);
  const own = ["src/a.ts", "src/b.ts"];
  assert.deepEqual(await byOf(lint("src/a.ts"), types, ...edits, ...pass), own);
  assert.deepEqual(await byOf(types, lint("src/a.ts"), ...edits.toReversed(), ...pass), own);
  const all = "src/a.ts, src/b.ts";
  // An edit that no other one names, or that both name, may be for each.
  const other: MixedStep = { edited: "src/c.ts" };
  assert.deepEqual(await byOf(types, edits[1]!, other, pass[1]!), ["src/b.ts, src/c.ts"]);
  assert.deepEqual(
    (await byOf(lint("src/b.ts"), types, ...edits, ...pass)).map((by) => by?.length),
    [
      all.length,
      all.length,
    ],
  );
  // What was edited after the other one was over was edited for this.
  const again: MixedStep = { edited: "src/a.ts", from: "b", to: "c" };
  const late = await byOf(lint("src/a.ts"), types, edits[0]!, pass[0]!, again, edits[1]!, pass[1]!);
  assert.equal(late[1]?.length, all.length);
});
