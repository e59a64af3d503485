/** Private text that goes on over several strings of what a tool gave, or that stands there without its tags, is in no byte that is kept. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { query } from "../../support/look.ts";
import { editOf, privatePlace } from "../../support/private_place.ts";
import { runProgram } from "../../support/program.ts";
import { jsonLines, toolUseLines } from "../../support/transcripts.ts";
import { testWith } from "../../support/fixtures.ts";

const NOTES =
  "intro\n<private>\nthe vault HUSHWORD is\nHUSHWORD-ONE\nHUSHWORD-TWO\nHUSHWORD-THREE\n</private>\npublic line\nmore\n";

/** An Edit of the notes. */
function edit(file: string, change: Omit<Parameters<typeof editOf>[1], "original">) {
  return editOf(file, { ...change, original: NOTES });
}

function answer(content: unknown) {
  return { tool_name: "mcp__notes__read", tool_input: { id: "seven" }, tool_response: content };
}

function shell(stdout: string) {
  const tool_input = { command: "tail notes.md", description: "Read the notes" };
  return { tool_name: "Bash", tool_input, tool_response: { stdout, stderr: "" } };
}

/** What is told of one tool use, and a word of it that stays. */
const USES: Readonly<Record<string, readonly [use: Record<string, unknown>, kept: string]>> = {
  "a patch that begins inside of the block": [
    edit("/p/a.md", {
      old: "public line",
      made: "public wombat",
      lines: [
        " HUSHWORD-TWO",
        " HUSHWORD-THREE",
        " </private>",
        "-public line",
        "+public wombat",
        " more",
      ],
    }),
    "public wombat",
  ],
  "a patch that begins and ends inside of the block": [
    edit("/p/b.md", {
      old: "intro",
      made: "intro of wombats",
      lines: [" the vault HUSHWORD is", " HUSHWORD-ONE", " HUSHWORD-TWO"],
    }),
    "intro of wombats",
  ],
  "what is put in the place of private text": [
    edit("/p/c.md", {
      old: "HUSHWORD-TWO",
      made: "HUSHWORD-NEW",
      lines: [" HUSHWORD-ONE", "-HUSHWORD-TWO", "+HUSHWORD-NEW", " HUSHWORD-THREE"],
    }),
    "/p/c.md",
  ],
  "a part of a private line that is replaced": [
    edit("/p/c2.md", {
      old: "vault HUSHWORD",
      made: "door hushword",
      lines: ["-the vault HUSHWORD is", "+the door hushword is", " HUSHWORD-ONE"],
    }),
    "/p/c2.md",
  ],
  "blocks of text of an MCP server": [
    answer([
      { type: "text", text: "wombat <private>" },
      { type: "text", text: "HUSHWORD" },
      { type: "text", text: "</private>kept" },
    ]),
    "kept",
  ],
  "a list of an MCP server": [
    answer(["wombat", "<private>", "HUSHWORD", "</private>", "kept"]),
    "kept",
  ],
  "a block that is never closed": [
    answer(["wombat", "<private>", "HUSHWORD", "HUSHWORD"]),
    "wombat",
  ],
  "a block that was opened before the list": [
    answer({ content: [{ text: "HUSHWORD" }, { text: "HUSHWORD</private>" }, { text: "wombat" }] }),
    "wombat",
  ],
  "fields of an object": [
    answer({ a: "wombat <private>", b: { c: "HUSHWORD" }, d: "</private>", e: "kept" }),
    "kept",
  ],
  "edits of one file, the tags in different ones": [
    {
      tool_name: "MultiEdit",
      tool_input: {
        file_path: "/p/d.md",
        edits: [
          { old_string: "wombat", new_string: "wombats\n<private>\nHUSHWORD-ONE" },
          { old_string: "b", new_string: "HUSHWORD-TWO\n</private>\nkept" },
        ],
      },
      tool_response: { filePath: "/p/d.md" },
    },
    "wombats",
  ],
  "a file that is written again": [
    {
      tool_name: "Write",
      tool_input: { file_path: "/p/e.md", content: NOTES },
      tool_response: {
        type: "update",
        filePath: "/p/e.md",
        content: NOTES,
        originalFile: NOTES.replace("more", "less"),
        structuredPatch: [{ lines: [" HUSHWORD-THREE", " </private>", " public line", "-less"] }],
      },
    },
    "public line",
  ],
  "the end of a file that is read": [
    {
      tool_name: "Read",
      tool_input: { file_path: "/p/f.md", offset: 5 },
      tool_response: {
        type: "text",
        file: { filePath: "/p/f.md", content: NOTES.slice(NOTES.indexOf("HUSHWORD-TWO")) },
      },
    },
    "/p/f.md",
  ],
  "the end of an output": [shell(NOTES.slice(NOTES.indexOf("WORD-TWO") - 4)), "public line"],
  "the end of an output with numbers": [
    shell("     5\tHUSHWORD-TWO\n     6\tHUSHWORD</private>\n     7\tpublic line\n"),
    "public line",
  ],
  "a diff with colours": [
    shell(
      "\x1b[36m@@ -4 +4 @@\x1b[m\n HUSHWORD\n \x1b[1m</private>\x1b[m\n\x1b[32m+public line\x1b[m\n",
    ),
    "public line",
  ],
  "an output that fails": [
    { tool_name: "Bash", tool_input: { command: "x" }, error: `Exit code 1\n${NOTES}wombat` },
    "wombat",
  ],
};

const test = testWith(privatePlace);

for (const [what, [use, kept]] of Object.entries(USES)) {
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
    const uses = Object.values(USES).map(([use]) => use);
    const common = { cwd: here.home.path, sessionId: "trans" };
    const lines = uses.flatMap((use, at) =>
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
    assert.equal(rows.length, uses.length);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
