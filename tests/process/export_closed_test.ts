/** An export that arrives nowhere is none. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startHook, startProgram } from "../support/process.ts";
import { type TempHome, tempHome } from "../support/program.ts";
import { testWhere } from "../support/requirements.ts";

const USE = { session_id: "s1", tool_name: "Bash", tool_use_id: "a" };
const missing = Deno.build.os === "linux" ? null : "needs Linux";

function exported(home: TempHome, redirection: string, ...args: string[]) {
  return startProgram(["export", ...args], {
    env: { HOME: home.path },
    cwd: home.path,
    through: ["sh", "-c", `"$@" ${redirection}`, "sh"],
  });
}

testWhere(missing, "export fails where the standard output is closed", async () => {
  using home = tempHome();
  await startHook("PostToolUse", USE, home);
  const closed = await exported(home, ">&-");
  assert.equal(closed.code, 1);
  assert.match(
    closed.stderr,
    /^Cannot write the export\n {2}why: {2}the standard output is closed.*\n {2}next: conclaude export --output/,
  );
  for (const redirection of [">/dev/null", "| cat >lines", ">file", ">>file", "1<>file"]) {
    const { code, stderr } = await exported(home, redirection);
    assert.deepEqual([code, stderr], [0, ""], redirection);
  }
  const named = await exported(home, ">&-", "--output", "out.jsonl");
  assert.equal(named.code, 0, named.stderr);
  assert.match(Deno.readTextFileSync(join(home.path, "out.jsonl")), /"type":"end"/);
});
