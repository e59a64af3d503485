/** Edits that git has put back: neither done, nor told, and what puts them back is no fix of what they broke. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  asked,
  edit,
  failed,
  ran,
  said,
  send,
  start,
  workplace,
} from "../../support/told_sessions.ts";
import type { Workplace } from "../../support/told_sessions.ts";

const LEFT = "Pagination is still missing.";
const A = { session: "c0de0000-0000-4000-8000-00000000000a" };
const B = { session: "c0de0000-0000-4000-8000-00000000000b" };

/** A file is changed, as Claude Code tells it: with what was there before. */
const change = (
  at: Workplace,
  [from, to]: readonly [from: string, to: string],
  originalFile: string | null = `def users():\n  ${from}\n`,
) =>
  send(at, "PostToolUse", {
    tool_name: "Edit",
    tool_input: { file_path: join(at.project, "users.py"), old_string: from, new_string: to },
    tool_response: { originalFile, structuredPatch: [] },
  }, B);

/** One session leaves something, and another one is asked for it. */
async function wanted(at: Workplace): Promise<void> {
  await asked(at, "List the users", A);
  await said(at, LEFT, A);
  await asked(at, "Implement pagination", B);
}

Deno.test("a file that was made anew is there still when git puts back all that it has", async () => {
  await using at = await workplace();
  await wanted(at);
  await edit(at, "pages.py", "def page():\n  pass\n", B);
  await ran(at, "git checkout .", "", B);
  await said(at, "Pagination is in pages.py.", B);
  assert.ok(!(await start(at)).includes(LEFT));
});

Deno.test("what is edited after that, or committed before it, is done", async () => {
  for (
    const steps of [
      async (at: Workplace) => {
        await ran(at, "git checkout -- users.py", "", B);
        await change(at, ["pass", "return page(1)"]);
      },
      (at: Workplace) => ran(at, "cp users.py users.py.bak && git checkout -- users.py", "", B),
      async (at: Workplace) => {
        await ran(at, "git commit -am x", "[main 1a2b3c4] Paginate\n 1 file changed", B);
        await ran(at, "git checkout -- users.py", "", B);
      },
    ]
  ) {
    await using at = await workplace();
    await wanted(at);
    await change(at, ["pass", "return page()"]);
    await steps(at);
    await said(at, "The users come in pages now.", B);
    assert.ok(!(await start(at)).includes(LEFT), String(steps));
  }
});

Deno.test("what breaks by an edit and passes when that is put back is mended, and no fix", async () => {
  await using at = await workplace();
  await asked(at, "List the users", B);
  await change(at, ["pass", "return ("]);
  await failed(at, "python users.py", "Exit code 1\nSyntaxError: '(' was never closed", B);
  await ran(at, "git checkout -- users.py", "", B);
  await ran(at, "python users.py", "", B);
  await said(at, "The list is as it was.", B);
  const told = await start(at);
  assert.ok(!/fix:|failed|Edit users\.py/.test(told), told);
});

Deno.test("what mends a failure by putting back what no edit had changed is its fix", async () => {
  await using at = await workplace();
  await asked(at, "Run it", B);
  await failed(at, "python users.py", "Exit code 1\nSyntaxError: '(' was never closed", B);
  await ran(at, "git checkout -- users.py", "", B);
  await ran(at, "python users.py", "", B);
  await said(at, "It runs.", B);
  assert.match(await start(at), /fix: Fixed .* by `git checkout -- users\.py`/);
});
