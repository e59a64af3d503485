/** The built-in protections: each row of their table by its own example, and on the page about guards. */
import assert from "node:assert/strict";
import { join } from "node:path";
import BUILT_IN from "../../src/policy/guards/built_in.json" with { type: "json" };
import { testWith } from "../support/fixtures.ts";
import { gitSync, makeRepository } from "../support/git.ts";
import { guardedHome } from "../support/guarded.ts";
import { lastMetadata } from "../support/look.ts";

const PAGE = Deno.readTextFileSync(new URL("../../docs/guards.md", import.meta.url));

const test = testWith(guardedHome);

Deno.test("each built-in protection stands on the page under its key", () => {
  for (const { key, keeps, example } of BUILT_IN) {
    const ofKey = PAGE.split(`\n\`${key}\``)[1]?.split("\n`")[0] ?? "";
    assert.ok(ofKey.includes(`\n- \`${example}\`: ${keeps}\n`), `${key}: ${example}`);
  }
});

test.git("each built-in protection refuses its example by its key, and lets its counterexample pass", async (home) => {
  const project = join(home.path, "project");
  makeRepository(project, {
    files: {
      ".conclaude.yaml": "preToolUse: { protectOtherTrees: true }\n",
      ".claude/settings.json": "{}\n",
      "a.txt": "x\n",
      "sub/b.txt": "x\n",
    },
  });
  gitSync(project, "worktree", "add", "-q", "../tree");
  Deno.mkdirSync(join(home.path, "other/.git"), { recursive: true });
  Deno.writeTextFileSync(join(project, "a.txt"), "put away");
  gitSync(project, "stash", "-q");
  Deno.writeTextFileSync(join(project, "sub/b.txt"), "work");
  Deno.writeTextFileSync(join(project, "new.txt"), "work");
  for (const { key, example, counterexample } of BUILT_IN) {
    assert.notEqual(await home.bash(example), null, example);
    const { rules } = lastMetadata(home) as { readonly rules: readonly string[] };
    assert.ok(rules.includes(`preToolUse.${key}`), `${example}: ${rules}`);
    assert.equal(await home.bash(counterexample), null, counterexample);
  }
});
