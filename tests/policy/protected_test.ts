/** Which of the guards' own files a tool use means. */
import assert from "node:assert/strict";
import type { Effect, FileFacts, OwnFile } from "../../src/policy/guards/types.ts";
import {
  findOwn,
  NAMED_FILES,
  whyProtected as protections,
} from "../../src/policy/guards/protected.ts";
import { fileNamed } from "../support/judged_project.ts";

const OWN: readonly OwnFile[] = [
  { kind: "program", path: "/opt/bin/conclaude" },
  { kind: "settings", path: "/cc/settings.json" },
  { kind: "git", path: "/p/.git/HEAD" },
  { kind: "mods", path: "/h/.claude/plugins" },
  { kind: "skills", path: "/h/.claude/skills" },
];

Deno.test("removing the running program is denied, by itself and with a folder above it", () => {
  const kind = (effect: Effect, path: string) => findOwn(OWN, { effect, paths: [path] })?.kind;
  assert.equal(kind("remove", "/opt/bin/conclaude"), "program");
  assert.equal(kind("change", "/opt/bin/conclaude"), "program");
  assert.equal(kind("remove", "/opt"), "program");
  assert.equal(kind("tamper", "/opt/bin"), "program");
  assert.equal(kind("change", "/opt/bin"), undefined);
  assert.equal(kind("remove", "/opt/bi"), undefined);
  assert.equal(kind("fill", "/cc"), "settings");
  assert.equal(kind("fill", "/opt/bin"), undefined);
  assert.equal(kind("remove", "/p/.git/index"), undefined);
});

Deno.test("everything in a folder of plugins is protected, and everything but the texts in a folder of skills", () => {
  const kind = (path: string, effect: Effect = "change") =>
    findOwn(OWN, { effect, paths: [path] })?.kind;
  assert.equal(kind("/h/.claude/plugins/a/b/m.js"), "mods");
  assert.equal(kind("/h/.claude/plugins/a/README.md"), "mods");
  assert.equal(kind("/h/.claude/plugins", "fill"), "mods");
  assert.equal(kind("/h/.claude/plugins"), undefined);
  assert.equal(kind("/h/.claude/plugins2/a"), undefined);
  assert.equal(kind("/h/.claude/skills/a", "fill"), "skills");
  assert.equal(kind("/h/.claude/skills/a/run.py"), "skills");
  assert.equal(kind("/h/.claude/skills/a/SKILL.md"), undefined);
});

const whyProtected = (...asked: Parameters<typeof protections>) =>
  protections(...asked)[0]?.why ?? null;

Deno.test("each row of named files matches its example and not its counterexample", () => {
  const after = () => '{"modules": ["./m.js"], "hooks": {}}';
  for (const { example, counterexample } of NAMED_FILES) {
    assert.notEqual(whyProtected(fileNamed(example), after), null, example);
    if (!example.startsWith("/")) {
      assert.notEqual(whyProtected(fileNamed(`/a/b/${example}`), after), null, example);
    }
    assert.equal(whyProtected(fileNamed(counterexample), after), null, counterexample);
  }
});

Deno.test("filling a folder of skills is denied, since it may bring code; files that git restores are allowed", () => {
  const why = (name: string, more: Partial<FileFacts>) =>
    whyProtected(fileNamed(name, more), "unknown");
  assert.match(why(".claude/skills/x", { effect: "fill" })!, /inside Claude Code/);
  assert.match(why(".claude/skills", { effect: "fill" })!, /inside Claude Code/);
  assert.equal(why(".claude/skills/x", { effect: "fill", comesFromGit: true }), null);
  assert.equal(why(".claude/skills/x", { effect: "remove" }), null);
  assert.equal(why(".claude/skills/x/scripts/run.py", {}), null);
  assert.match(why(".claude/skills/x/hooks/m.js", { isPart: true })!, /inside Claude Code/);
  assert.equal(why("sub/.conclaude.yaml", { isPart: true }), null);
  assert.match(why("hooks/hooks.json", {})!, /inside Claude Code/);
  assert.equal(why("hooks/hooks.json", { effect: "remove" }), null);
  assert.equal(why(".cursor/hooks.json", {}), null);
});
