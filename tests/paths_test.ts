import assert from "node:assert/strict";
import { locate, THIS_PROCESS } from "../src/system/environment.ts";
import { homeAlone } from "./support/program.ts";
import { baseName, isAbsolutePath, joinPath, parentOf, resolvePath } from "../src/base/paths.ts";
import { tempFolder } from "./support/folders.ts";

Deno.test("parentOf() climbs to the root and stays there", () => {
  const cases: readonly (readonly [path: string, parent: string])[] = [
    ["/a/b", "/a"],
    ["/a", "/"],
    ["/", "/"],
    ["C:\\a\\b", "C:\\a"],
    ["C:\\a", "C:\\"],
    ["name", "."],
  ];
  for (const [path, parent] of cases) assert.equal(parentOf(path), parent);
});

Deno.test("joinPath() puts one separator", () => {
  assert.equal(joinPath("/a", "b"), "/a/b");
  assert.equal(joinPath("/", "b"), "/b");
  assert.equal(joinPath("C:\\", "b"), "C:\\b");
});

Deno.test("resolvePath() knows the home, the starting folder and dots", () => {
  const from = { folder: "/work/x", home: "/home/ana" };
  assert.equal(resolvePath("~/db/../c.db", from), "/home/ana/c.db");
  assert.equal(resolvePath("./c.db", from), "/work/x/c.db");
  assert.equal(resolvePath("/a//b/./c", from), "/a/b/c");
  assert.equal(resolvePath("../../../..", from), "/");
  assert.equal(resolvePath("C:\\a\\..\\b", from), "C:/b");
});

Deno.test("isAbsolutePath() and baseName() know both styles", () => {
  for (const path of ["/a", "C:\\a", "C:/a", "\\\\server\\a"]) {
    assert.ok(isAbsolutePath(path), path);
  }
  for (const path of ["a", "./a", "C:a"]) assert.ok(!isAbsolutePath(path), path);
  assert.equal(baseName("/a/b.ts"), "b.ts");
  assert.equal(baseName("C:\\a\\b.ts"), "b.ts");
});

Deno.test("locate() follows the order: flag, environment, home, temporary folder", () => {
  using home = tempFolder();

  const named = homeAlone(home.path, { CONCLAUDE_DB_PATH: "/x/y.db" });
  assert.equal(locate(named, { dbFlag: "/f.db" }).database, "/f.db");
  assert.equal(locate(named).database, "/x/y.db");
  const usual = locate(homeAlone(home.path));
  assert.equal(usual.database, `${home.path}/.conclaude/conclaude.db`);
  assert.equal(usual.databaseFrom, "default");
  for (const HOME of ["", "/dev/null/nope"]) {
    const { temporaryFolder } = THIS_PROCESS;
    const fallback = locate({ ...homeAlone(home.path, { HOME }), temporaryFolder });
    assert.equal(fallback.databaseFrom, "fallback");
    if (Deno.build.os !== "windows") assert.equal(fallback.database, "/tmp/conclaude.db");
  }
});
