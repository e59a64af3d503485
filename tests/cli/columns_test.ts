/** Every line for people fits a terminal of 80 columns. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { columnsOf, cutToColumns, fitToColumns } from "../../src/base/columns.ts";
import { VERBS } from "../../src/cli/verbs.ts";
import { makeRepository } from "../support/git.ts";
import { testWith } from "../support/fixtures.ts";
import { hook, type RunOptions } from "../support/program.ts";
import { type Stage, stage } from "./support.ts";

const test = testWith(stage);

const SESSION = "01980c5e-7c6f-4f3f-8a53-65c2a3c1b4d2";
const TWIN = "01980c5e-7d00-4f3f-8a53-65c2a3c1b4d3";
const TITLE = "Let uploads go on after a 上传 network fault, without asking for the file again, "
  .repeat(4);
const FOLDER = "customers/northwind/services/upload-gateway/packages/resumable-transfers";

/** Names verbs by their words, and every noun: `session`, `session list`. */
async function allVerbs(): Promise<string[][]> {
  const nouns = Object.entries(VERBS).map(async ([name, { load }]) => {
    const target = await load();
    const verbs = target.kind === "group" ? Object.keys(target.verbs) : [];
    return [[name], ...verbs.map((verb) => [name, verb])];
  });
  const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return (await Promise.all(nouns)).flat().map((words) => words.map(kebab));
}

function tooLong(text: string): string[] {
  return text.split("\n").filter((line) => columnsOf(line) > 80);
}

/** A project with a path of 90 characters below the home, two sessions that worked in it, and tasks. */
async function workedStage(place: Stage) {
  const project = join(place.home, FOLDER);
  Deno.mkdirSync(join(project, ".conclaude"), { recursive: true });
  Deno.writeTextFileSync(
    join(project, ".conclaude.yaml"),
    [
      "preToolUse:",
      `  uneditableFiles: [{pattern: "${"generated/".repeat(9)}**", message: "${TITLE}"}]`,
      "requirements:",
      "  items:",
      "    a_requirement_with_a_name_of_many_letters_that_nobody_would_type_by_hand:",
      "    enabled: true",
      `    message: "${TITLE}"`,
      "",
    ].join("\n"),
  );
  makeRepository(project);
  const file = join(project, "src/transfers/resumable/chunked_upload_with_retries.ts");
  const options: RunOptions = { cwd: project, env: { HOME: place.home } };
  for (const session_id of [SESSION, TWIN]) {
    const send = (event: string, more: object) =>
      hook(event, { session_id, cwd: project, ...more }, place.home, options);
    await send("SessionStart", { source: "startup" });
    await send("UserPromptSubmit", { prompt: TITLE });
    const edit = {
      tool_name: "Write",
      tool_use_id: `toolu_${session_id}`,
      tool_input: { file_path: file, content: TITLE },
    };
    await send("PostToolUse", { ...edit, tool_response: { filePath: file } });
    const long = {
      tool_name: "mcp__northwind_gateway__restart_the_upload_service",
      tool_input: {},
    };
    await send("PostToolUseFailure", { ...long, tool_use_id: `x_${session_id}`, error: TITLE });
  }
  const run = (...words: string[]) =>
    place.run(words, { cwd: project, env: { HOME: place.home, COLUMNS: "80" } });
  for (const words of [["remember", TITLE], ["remember", file]]) await run("memory", ...words);
  await run("task", "create", "--title", TITLE.slice(0, 300), "--tags", "uploads");
  const { stdout } = await run("task", "list", "--json");
  return { project, run, file, task: JSON.parse(stdout).tasks[0].id as string };
}

test("no page of help has a line of more than 80 columns", async (place) => {
  for (const words of [[], ...await allVerbs()]) {
    const { stdout } = await place.run([...words, "--help"], { env: { COLUMNS: "80" } });
    assert.deepEqual(tooLong(stdout), [], words.join(" "));
  }
});

test("no list, table or error has a line of more than 80 columns", async (place) => {
  const { run, file, task, project } = await workedStage(place);
  const lists = (await allVerbs())
    .filter(([noun, verb = ""]) =>
      noun !== "config" && /^(list|stats|sessions|files|show|check)$/.test(verb)
    );
  const lines = [
    ...lists,
    ["status"],
    ["doctor"],
    ["db", "check"],
    ["config", "path"],
    ["config", "validate"],
    ["req", "status"],
    ["req", "status", "--session", TWIN],
    ["task", "ready"],
    ["session", "show", TWIN],
    ["session", "show", "01980c5e"],
    ["session", "show", file],
    ["task", "show", task],
    ["task", "subtree", task],
    ["task", "subtree", task, "--flat"],
    ["task", "history", task],
    ["task", "children", task],
    ["task", "children", file],
    ["workflow", "match", task],
    ["workflow", "preview", "implement"],
    ["retention", "run", "--dry-run"],
    ["memory", "search", "uploads"],
    ["memory", "search", "nothingofthis", "--file", file],
    ["memory", "search", "nothingofthis", "--project", project],
    ["memory", "timeline", file],
    ["memory", "timeline", "1"],
    ["memory", "forget", "--file", file, "--preview"],
    ["explain", "Write", join(project, `${"generated/".repeat(9)}a.ts`)],
    ["explain", "Bash", "ls"],
    ["explain", "Bash", "git commit -m x", "--session", TWIN, "--all"],
    ["import", file],
    ["config", "validate", file],
    ["doctor", "--file", file],
    [TITLE],
    ["task", "list", "--status", TITLE],
    ["install-hooks", "--dry-run"],
    ["export", "--output", file],
    ["db", "restore", file],
    ["queue", "prune", "--dry-run"],
    ["effect", "list"],
    ["audit", "list", "--session", TITLE],
    ["queue", "drain"],
    ["memory", "search", "uploads"],
    ["status"],
    ["memory", "timeline", file],
  ];
  for (const words of lines) {
    const { stdout, stderr } = await run(...words);
    assert.deepEqual(tooLong(stdout + stderr), [], words.join(" "));
  }
});

test("an id in a list names the same record to the verb that shows it", async (place) => {
  const { run } = await workedStage(place);
  const ids = async (...words: string[]) =>
    (await run(...words)).stdout.split("\n").slice(1).flatMap((line) => line.split(/ +/, 1))
      .filter((id) => id !== "");
  for (const noun of ["session", "queue", "task"]) {
    const listed = await ids(noun, "list");
    assert.ok(listed.length > 0 && listed.every((id) => id.length < 32), `${noun}: ${listed}`);
    for (const id of listed) {
      const { code, stderr } = await run(noun, "show", id);
      assert.deepEqual([code, stderr], [0, ""], `${noun} show ${id}`);
    }
  }
});

test("a list tells paths from the current folder, and --json tells them whole", async (place) => {
  const { run, file, project } = await workedStage(place);
  const { stdout } = await run("queue", "list");
  assert.match(stdout, /Write src\/tr/);
  assert.match((await run("session", "list")).stdout, / ~\/cust/);
  assert.ok((await run("queue", "list", "--json")).stdout.includes(JSON.stringify(file)));
  assert.ok((await run("session", "list", "--json")).stdout.includes(JSON.stringify(project)));
});

Deno.test("a line is cut in its middle, and never takes more columns than there are", () => {
  const rows = [
    ["short", 8, "short"],
    ["src/auth/login.ts", 11, "src/a…in.ts"],
    ["上传文件到服务器", 9, "上传…务器"],
    ["👩‍💻👩‍💻👩‍💻👩‍💻", 5, null],
    ["a\u0301".repeat(9), 5, null],
  ] as const;
  for (const [text, columns, expected] of rows) {
    const cut = cutToColumns(text, columns);
    if (expected !== null) assert.equal(cut, expected);
    assert.ok(columnsOf(cut) <= columns && cut.isWellFormed(), cut);
  }
});

Deno.test("a long line goes on below its text, a path breaks at a slash, and a command can still be pasted", () => {
  assert.equal(
    fitToColumns("  why:  one two three four five", 20),
    "  why:  one two\n        three four\n        five",
  );
  assert.equal(
    fitToColumns("ok    search index   no fault found", 28),
    "ok    search index   no\n              fault found",
  );
  assert.equal(fitToColumns("/aaaa/bbbb/cccc/dddd", 12), "/aaaa/bbbb/\n  cccc/dddd");
  assert.equal(
    fitToColumns("  next: conclaude task show 'a b c' --json", 30),
    "  next: conclaude task show \\\n        'a b c' --json",
  );
  assert.equal(
    fitToColumns("  next: ls /aaaa/bbbb/cccc/dddd/eeee", 22),
    "  next: ls \\\n        /aaaa/bbbb/\\\ncccc/dddd/eeee",
  );
});
