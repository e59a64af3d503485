/** Which of the guards' own files a tool use means. */
import assert from "node:assert/strict";
import type { Effect } from "../../src/guard/files.ts";
import { findOwn, type OwnFile } from "../../src/guard/protected.ts";

const OWN: readonly OwnFile[] = [
  { kind: "program", path: "/opt/bin/conclaude" },
  { kind: "settings", path: "/cc/settings.json" },
  { kind: "git", path: "/p/.git/HEAD" },
];

Deno.test("the program that runs is taken away by itself, or with a folder above it", () => {
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
