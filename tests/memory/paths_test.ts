import assert from "node:assert/strict";
import { pathInProject } from "../../src/memory/project_paths.ts";

Deno.test("pathInProject() speaks of the same file in all working trees of a repository", () => {
  const rows: readonly (readonly [path: string, root: string | null, told: string])[] = [
    ["/p/src/a.ts", "/p", "src/a.ts"],
    ["src/a.ts", "/p", "src/a.ts"],
    ["/p/.claude/worktrees/w1/src/a.ts", "/p", "src/a.ts"],
    ["/p/.claude/worktrees/w1/src/a.ts", "/p/.claude/worktrees/w1", "src/a.ts"],
    ["/p/.worktrees/feat-x/src/a.ts", "/p", "src/a.ts"],
    ["/p/.claude/worktrees/note.md", "/p", ".claude/worktrees/note.md"],
    ["/p/lib/.worktrees/x/a.ts", "/p", "lib/.worktrees/x/a.ts"],
    ["/other/a.ts", "/p", "/other/a.ts"],
    ["a.ts", null, "a.ts"],
  ];
  for (const [path, root, told] of rows) assert.equal(pathInProject(path, root), told, path);
});
