import assert from "node:assert/strict";
import { pathInProject } from "../../src/memory/project_paths.ts";
import CASES from "../testdata/memory_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

Deno.test("pathInProject() speaks of the same file in all working trees of a repository", () => {
  const rows = rowsOf<readonly [path: string, root: string | null, told: string]>(
    CASES.pathsInProjects,
  );
  for (const [path, root, told] of rows) assert.equal(pathInProject(path, root), told, path);
});
