/** Private text that goes on over several strings of what a tool gave, or that stands there without its tags, is in no byte that is kept. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { query } from "../../support/look.ts";
import { privatePlace } from "../../support/private_place.ts";
import { runProgram } from "../../support/program.ts";
import { jsonLines, toolUseLines } from "../../support/transcripts.ts";
import { testWith } from "../../support/fixtures.ts";
import { rowsOf } from "../../support/rows.ts";
import CASES from "../../testdata/secret_cases.json" with { type: "json" };

/** What is told of one tool use, and a word of it that stays. */
const USES = rowsOf<readonly [what: string, use: Record<string, unknown>, kept: string]>(
  CASES.usesWithPrivateText,
);

const test = testWith(privatePlace);

for (const [what, use, kept] of USES) {
  test(`private text is not kept: ${what}`, async (here) => {
    const fields = { ...use, tool_use_id: "toolu_1" };
    await here.event("error" in use ? "PostToolUseFailure" : "PostToolUse", fields);
    const captured = await here.search();
    assert.ok(captured.includes(kept), captured);
    await here.event("Drain", {});
    await here.search();
    const [row] = query(here.home, "SELECT count(*) AS n FROM observations");
    assert.equal(Number(row?.["n"]) > 0, true);
  });
}

test("private text is not kept: prompts and last messages that begin within a block", async (here) => {
  await here.event("SessionStart", { source: "startup" });
  await here.event("UserPromptSubmit", { prompt: "HUSHWORD one\n</private>\nFind the wombats" });
  await here.event("Stop", {
    stop_hook_active: false,
    last_assistant_message: "HUSHWORD</private> The wombats are found",
  });
  await here.event("Drain", {});
  assert.match(await here.search(), /Find the wombats/);
  const texts = query(here.home, "SELECT text FROM observations").map(({ text }) => String(text));
  assert.ok(texts.some((text) => text.includes("The wombats are found")), texts.join("\n"));
});

test("a text that speaks of the closing tag is kept as it is", async (here) => {
  const prompt = "Why does the wombat parser skip `</private>` in a quotation?";
  await here.event("UserPromptSubmit", { prompt });
  await here.event("Drain", {});
  const [row] = query(here.home, "SELECT text FROM observations");
  assert.equal(row?.["text"], prompt);
});

test("private text of a transcript is not kept, in whichever strings it stands", async (here) => {
  const folder = join(here.home.path, "..", `transcripts-private-${Deno.pid}`);
  Deno.mkdirSync(folder);
  try {
    const common = { cwd: here.home.path, sessionId: "trans" };
    const lines = USES.flatMap(([, use], at) =>
      toolUseLines({ id: `toolu_t${at}`, atMs: Date.UTC(2026, 0, 5, 0, 0, at), use }, common)
    );
    Deno.writeTextFileSync(join(folder, "s.jsonl"), jsonLines(lines));
    const args = ["reconcile", "--backfill", "--transcripts", folder];
    const env = { HOME: here.home.path };
    const { code, stderr } = await runProgram(args, { cwd: here.home.path, env });
    assert.equal(code, 0, stderr);
    await runProgram(["queue", "drain"], { cwd: here.home.path, env });
    assert.match(await here.search(), /public wombat/);
    const rows = query(here.home, "SELECT 1 FROM pending_queue");
    assert.equal(rows.length, USES.length);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
