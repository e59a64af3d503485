/** No spelling gets around the guards of a shell, and the guards stop nothing that only looks like it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { judgeBash } from "../../src/policy/guards/bash.ts";
import { mayConcernCommands } from "../../src/policy/guards/judge_use.ts";
import { fileNamed, JudgedProject } from "../support/judged_project.ts";
import { runs } from "../support/lanes.ts";
import { BASH, POWERSHELL } from "./spellings.ts";
import { it } from "../support/fixtures.ts";

/** The page that tells how good the rules are. Its lines end where there is no more room. */
const PAGE = Deno.readTextFileSync(new URL("../../docs/guards.md", import.meta.url))
  .replaceAll("\n", " ");

/** A project with the files that the spellings name. */
function project({ policy }: { readonly policy: string }): JudgedProject {
  const made = new JudgedProject(policy, [
    ".git/",
    "notes.md.txt.d/",
    "yarn.lock",
    "package.json",
    "a.txt",
    "yarn.locked",
    "old.txt",
    "src/gen/x.ts",
    "sub/a.txt",
    "vendor/more.lock",
    "vendor/src/gen/x.ts",
  ]);
  Deno.writeTextFileSync(join(made.path, "lock.diff"), "--- a/yarn.lock\n+++ b/yarn.lock\n");
  Deno.symlinkSync(join(made.path, "yarn.lock"), join(made.path, "link"));
  Deno.symlinkSync("src/gen", join(made.path, "linked"));
  return made;
}

for (const [shell, spellings] of Object.entries({ Bash: BASH, PowerShell: POWERSHELL })) {
  Deno.test(`${shell}: no spelling of a forbidden command or file passes the guards`, async () => {
    using at = project(spellings);
    const passed: string[] = [];
    for (const use of spellings.forbidden) {
      const { blocks, doubts } = await at.judge(...use);
      if (blocks.length === 0) passed.push(`${use.join(" ")}   [${doubts.join("; ")}]`);
    }
    assert.deepEqual(passed, []);
  });

  for (const isStrict of [false, true]) {
    const policy = isStrict ? "a strict policy" : "a policy";
    Deno.test(`${shell}: ordinary work passes ${policy}, also where it looks forbidden`, async () => {
      using at = project(spellings);
      const stopped: string[] = [];
      for (const use of spellings.innocent) {
        const { blocks } = await at.judge(...use, { isStrict });
        if (blocks.length > 0) stopped.push(`${use.join(" ")}   [${blocks[0]!.reason}]`);
      }
      assert.deepEqual(stopped, []);
    });
  }

  Deno.test(`${shell}: a command that only the running shell can decide passes with a note, and a strict policy denies it`, async () => {
    using at = project(spellings);
    for (const use of spellings.doubtful) {
      const { blocks, doubts } = await at.judge(...use);
      assert.deepEqual([use, blocks], [use, []]);
      assert.ok(doubts.length > 0, use.join(" "));
      const strict = await at.judge(...use, { isStrict: true });
      assert.deepEqual(strict.blocks.map(({ rule }) => rule), ["preToolUse.strict"], use.join(" "));
    }
  });
}

it.sized("the cheap look lets no script pass that the rules would forbid or be unsure of", () => {
  using at = project(BASH);
  const { policy } = at;
  const file = fileNamed("yarn.lock", { exists: true, isInRoot: true });
  const look = (path: string) => ({
    files: path.endsWith("yarn.lock") ? [file] : [],
    unknown: [],
  });
  const words =
    "git push npm publish terraform rm -rf / ~ sh -c eval sudo env xargs find -delete -exec echo cd . " +
    "yarn.lock dd of=x mv cp tee sed -i $X $(a) `a` 'a' \"b\" \\ { } ( ) {a,b} * [a] ? > >> | && ; & \n << E < #";
  const scripts = fc.array(fc.constantFrom(...words.split(" ")), { maxLength: 8 })
    .map((list) => list.join(" "));
  fc.assert(
    fc.property(scripts, (command) => {
      if (mayConcernCommands(policy, command, at.path)) return;
      const use = {
        tool: "Bash",
        command,
        agents: ["main"],
        folder: at.path,
        home: "/h",
        root: at.path,
      };
      const { blocks, doubts } = judgeBash(policy, use, look);
      // What is not a script is not run either.
      const own = doubts.filter((doubt) => !doubt.startsWith("it cannot be read"));
      assert.deepEqual({ blocks, own }, { blocks: [], own: [] }, command);
    }),
    { numRuns: runs(20_000) },
  );
});

Deno.test("the documentation gives the true number of spellings and look-alikes", () => {
  for (
    const told of [
      `all ${BASH.forbidden.length} spellings`,
      `all ${BASH.innocent.length} look-alikes`,
    ]
  ) assert.ok(PAGE.includes(told), told);
});
