/** What was only tried out is no open failure, whatever it says; what somebody has to mend is. */
import assert from "node:assert/strict";
import { observe } from "../../../src/memory/observe/observe.ts";

type Row = readonly [command: string, output: string, exitCode?: number];

const MODULE = "ModuleNotFoundError: No module named 'nope'";
const TRIED: readonly Row[] = [
  ["python3 - <<'EOF'\nimport nope\nEOF", MODULE],
  ["python3 <<EOF\nimport nope\nEOF", MODULE],
  [`python3 - <<'EOF'\nimport nope\n${"x = 1\n".repeat(300)}EOF`, MODULE],
  ["cd api && python3 - <<'EOF' | head\nimport nope\nEOF", MODULE],
  ["cat > /tmp/x.py <<'EOF'\nimport nope\nEOF\npython3 /tmp/x.py", MODULE],
  ["node --input-type=module -e 'x'", "ReferenceError: x is not defined"],
  ["deno run -A /tmp/a.ts", "error: boom"],
  ["mkdir x", "mkdir: cannot create directory 'x': File exists"],
  ["rm x && rmdir y", "rm: cannot remove 'x': No such file or directory"],
  ["chmod +x run.sh", "chmod: cannot access 'run.sh': No such file or directory"],
  ["git checkout nope", "error: pathspec 'nope' did not match any file(s) known to git"],
  ["git stash pop", "No stash entries found."],
  ["timeout 5 npm start", "listening on 3000", 124],
  ["npm run tset", 'npm error Missing script: "tset"'],
  ["mytool --frob", "usage: mytool [--help]\nmytool: error: unrecognized arguments: --frob"],
  ["cargo build --frob", "error: unexpected argument '--frob' found"],
];
const OPEN: readonly Row[] = [
  ["python3 manage.py migrate <<EOF\ny\nEOF", "OperationalError: no such table"],
  ["python3 scripts/make.py", MODULE],
  ["cat > src/x.py <<'EOF'\nimport nope\nEOF\npython3 src/x.py", MODULE],
  ["npm run build", "error: unknown option '--frob'"],
  ["timeout 5 npm run build", "error: boom", 1],
  ["rm -rf dist && npm run build", "error: boom"],
  ["git merge side", "CONFLICT (content): Merge conflict in a"],
  ["python3 -m mypkg.tool", MODULE],
  ["node build.mjs -e production", "error: boom"],
];

function rankOf([command, output, exitCode = 1]: Row): number | null | undefined {
  const payload = { tool_input: { command }, error: `Exit code ${exitCode}\n${output}` };
  const told = observe({ toolName: "Bash", outcome: "failure", payload, root: "/home/ana/app" });
  return told?.facts.openRank;
}

Deno.test("what was tried out, cleared up or miscalled is no open failure", () => {
  assert.deepEqual(TRIED.filter((row) => rankOf(row) !== null), []);
});

Deno.test("what fails of the project's own is open, also with a text to read, or in a time that it has", () => {
  assert.deepEqual(OPEN.filter((row) => typeof rankOf(row) !== "number"), []);
});
