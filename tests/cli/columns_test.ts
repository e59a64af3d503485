/** Every line for people fits a terminal of 80 columns: help, lists, tables, reports, errors; what a list shows then. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { columnsOf, cutToColumns, fitToColumns } from "../../src/base/columns.ts";
import { VERBS } from "../../src/operations/all_verbs.ts";
import { openDatabase } from "../../src/db/database.ts";
import { kebab } from "../../src/operations/usage.ts";
import type { Verbs } from "../../src/operations/verb.ts";
import { fillEveryTable } from "../support/every_row.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import { makeRepository } from "../support/git.ts";
import { addToken, PERSON_TOKEN } from "../support/person.ts";
import { hook, type RunOptions } from "../support/program.ts";
import { drainAt } from "../support/records.ts";
import { needsTerminal, writtenOnTerminal } from "../support/terminal.ts";
import { type Stage, stage } from "./support.ts";
import LENGTHEN from "../testdata/lengthen.sql" with { type: "text" };
import CASES from "../testdata/cli_cases.json" with { type: "json" };
import { tableText } from "../../src/operations/table.ts";

const test = testWith(stage);
const testOnTerminal = testWith(stage, needsTerminal());

const SESSION = "01980c5e-7c6f-4f3f-8a53-65c2a3c1b4d2";
const TWIN = "01980c5e-7d00-4f3f-8a53-65c2a3c1b4d3";
const TITLE = "Let uploads go on after a 上传 network fault, without asking for the file again, "
  .repeat(4).slice(0, 300);
const FOLDER = "customers/northwind/services/upload-gateway/packages/resumable-transfers";
const FILE = "src/transfers/resumable/chunked_upload_with_retries.ts";
const RULE = "a_requirement_with_a_name_of_many_letters_that_nobody_types";

const CONFIGURATION = {
  preToolUse: {
    uneditableFiles: [{ pattern: `${"generated/".repeat(9)}**`, message: TITLE }],
    toolUsageValidation: [
      { tool: "Bash", commandPattern: "git push*", action: "block", message: TITLE },
    ],
    uneditableFile: [],
  },
  requirements: { [RULE]: { message: TITLE, scope: "branch", triggerTools: ["Write", "Edit"] } },
};

/** What a verb is given so that it has something to tell; a verb that is not here gets nothing. `_` stands for a blank. */
const GIVEN: Readonly<Record<string, readonly string[]>> = CASES.given;

/** Verbs that print what others wrote or what programs read, and those that go on until they are ended. */
const LEFT_OUT =
  /^(memory (context|show)|agent output|completions|config schema|daemon run|hook|mcp)\b/;

/** All verbs by their words. */
async function allVerbs(verbs: Verbs = VERBS, before = ""): Promise<string[]> {
  const named = Object.entries(verbs).map(async ([name, verb]) => {
    const target = verb.kind === "lazy" ? await verb.load() : verb;
    const words = `${before}${kebab(name)}`;
    return target.kind === "group" ? await allVerbs(target.verbs, `${words} `) : [words];
  });
  return (await Promise.all(named)).flat();
}

/** Begins what a command printed. */
const MARK = "\x1e";

/** The lines that do not fit; what is written over a line stands for itself. A path alone is for programs, and stays whole. */
function tooLong(text: string): string[] {
  return text.split(/\r|\n/).filter((line) => columnsOf(line) > 80 && !/^\/\S+$/.test(line));
}

/** Runs the commands on a terminal, and tells the lines that do not fit, below their commands. */
async function tooLongOnTerminal(
  commands: readonly string[],
  options: RunOptions,
): Promise<string[]> {
  const script = commands.map((words) =>
    `printf '${MARK}%s\\n' "${words.replaceAll(/["$]/g, "")}"; "$@" ${words} </dev/null\n`
  );
  const written = await writtenOnTerminal(script.join(""), options);
  const parts = written.split(MARK).slice(1);
  assert.equal(parts.length, commands.length);
  return parts.flatMap((part) => {
    const [command, ...lines] = part.split("\n");
    const long = tooLong(lines.join("\n"));
    return long.length === 0 ? [] : [command!, ...long];
  });
}

/** Adds rows of every kind, with texts and paths as long as real ones. @returns The id of a capture. */
async function fillLong(
  database: string,
  texts: { folder: string; file: string },
): Promise<string> {
  using db = await openDatabase(database, { busyTimeoutMs: 5000 });
  const [{ id: capture }] = db.prepare("SELECT id FROM pending_queue").all() as [{ id: string }];
  fillEveryTable(db);
  drainAt(db);
  for (const statement of LENGTHEN.trimEnd().split(";\n")) {
    db.prepare(statement).run(
      Object.fromEntries(
        Object.entries({ $title: TITLE, $folder: texts.folder, $file: texts.file, $rule: RULE })
          .filter(([name]) => statement.includes(name)),
      ),
    );
  }
  return capture;
}

/** A project with a path of 90 characters below the home, in which two sessions have worked. @param options `withRows`: and everything else has been used. */
async function usedPlace(place: Stage, { withRows = false } = {}) {
  const folder = join(place.home, FOLDER);
  const file = join(folder, FILE);
  Deno.mkdirSync(join(folder, ".conclaude"), { recursive: true });
  Deno.writeTextFileSync(join(folder, ".conclaude.yaml"), JSON.stringify(CONFIGURATION));
  makeRepository(folder);
  const options: RunOptions = {
    cwd: folder,
    env: { HOME: place.home, CONCLAUDE_TOKEN: PERSON_TOKEN },
  };
  for (const session_id of [SESSION, TWIN]) {
    const send = (event: string, more: object) =>
      hook(event, { session_id, cwd: folder, ...more }, place.home, options);
    const use = (tool_name: string, tool_input: object, more: object) =>
      send("error" in more ? "PostToolUseFailure" : "PostToolUse", {
        tool_name,
        tool_input,
        tool_use_id: `${tool_name}_${session_id}`,
        ...more,
      });
    await send("SessionStart", { source: "startup" });
    await send("UserPromptSubmit", { prompt: TITLE });
    const edit = { file_path: file, content: TITLE };
    await use("Write", edit, { tool_response: { filePath: file } });
    await use("mcp__northwind_gateway__restart_the_upload_service", {}, { error: TITLE });
    await use("Bash", { command: `echo ${TITLE}` }, { error: TITLE });
  }
  const capture = withRows ? await fillLong(place.database, { folder, file }) : "";
  addToken(place.database);
  const { stdout } = await place.run(["task", "create", TITLE, "--json"], options);
  const words = {
    TITLE,
    FILE: file,
    FOLDER: folder,
    RULE,
    TWIN,
    CAPTURE: capture,
    TASK: JSON.parse(stdout).task.id as string,
  };
  /** A word that stands for a text, or holds one, becomes that text. */
  const filled = (given: string) =>
    given.replace(/[A-Z]{4,}/g, (name) => words[name as keyof typeof words] ?? name);
  const run = (...given: string[]) =>
    place.run(given.map(filled), { ...options, env: { ...options.env, COLUMNS: "" } });
  return { options, filled, run, file, folder };
}

/** The command lines of all verbs; those that damage what others need come last. */
async function commandLines(): Promise<string[][]> {
  const verbs = await allVerbs();
  assert.deepEqual(Object.keys(GIVEN).filter((verb) => !verbs.includes(verb)), []);
  const isLast = (verb: string) => /^(db|daemon|ui|uninstall)/.test(verb);
  const sorted = verbs.toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)));
  const lines = sorted.filter((verb) => !LEFT_OUT.test(verb))
    .flatMap((verb) => (GIVEN[verb] ?? [""]).map((words) => `${verb} ${words}`.trim()));
  return [...lines, "nonsense", "task list --nonsense", "task list --status TITLE", "TITLE"]
    .map((line) => line.split(" ").map((word) => word.replaceAll("_", " ")));
}

test("every page of help fits", async (place) => {
  const verbs = await allVerbs();
  const groups = [...new Set(verbs.map((verb) => verb.split(" ").slice(0, -1).join(" ")))];
  for (const words of [...groups, ...verbs]) {
    const line = [...words.split(" "), "--help"].filter((word) => word !== "");
    const { stdout } = await place.run(line, { env: { COLUMNS: "80" } });
    assert.deepEqual(tooLong(stdout), [], words);
  }
});

test("every list, table, report and error fits, with long titles and paths", async (place) => {
  const { run } = await usedPlace(place, { withRows: true });
  for (const words of await commandLines()) {
    if (/^(daemon|ui)$/.test(words[0]!)) continue;
    const { stdout, stderr } = await run(...words);
    assert.deepEqual(tooLong(stdout + stderr), [], words.join(" "));
  }
});

testOnTerminal.slow("on a terminal of 80 columns every line of every verb fits", async (place) => {
  const { options, filled } = await usedPlace(place, { withRows: true });
  const quoted = (await commandLines()).map((words) =>
    words.map((word) => `'${filled(word)}'`).join(" ")
  );
  assert.deepEqual(await tooLongOnTerminal(quoted, options), []);
});

test("an id in a list names the same record to the verb that shows it", async (place) => {
  const { run } = await usedPlace(place);
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
  const { run, file, folder } = await usedPlace(place);
  const { stdout } = await run("queue", "list");
  assert.match(stdout, /Write src\/tr/);
  assert.match((await run("session", "list")).stdout, / ~\/cust/);
  assert.ok((await run("queue", "list", "--json")).stdout.includes(JSON.stringify(file)));
  assert.ok((await run("session", "list", "--json")).stdout.includes(JSON.stringify(folder)));
});

test("a path inside of the project is told from its folder, and a long one keeps its file's name", async (place) => {
  const { run, options, file, folder } = await usedPlace(place);
  const command = `deno test ${file}`;
  const use = { tool_name: "Bash", tool_use_id: "toolu_9", tool_input: { command } };
  const payload = { session_id: TWIN, cwd: folder, error: "Exit code 1", ...use };
  await hook("PostToolUseFailure", payload, place.home, options);
  for (const isDrained of [false, true]) {
    if (isDrained) await run("queue", "drain");
    for (
      const words of [["memory", "context"], ["session", "show", TWIN], ["session", "log", TWIN]]
    ) {
      const { stdout } = await run(...words);
      if (!isDrained && words[1] === "show") continue;
      assert.match(stdout, /deno test src\/.*\/chunked_/, stdout);
      assert.ok(!stdout.includes(FOLDER.slice(0, 20)), stdout);
    }
  }
});

Deno.test("a line is cut in its middle, and never takes more columns than there are", () => {
  for (const [text, columns, expected] of rowsOf<readonly [string, number, string?]>(CASES.cuts)) {
    const cut = cutToColumns(text, columns);
    if (expected !== undefined) assert.equal(cut, expected);
    assert.ok(columnsOf(cut) <= columns && cut.isWellFormed() && !cut.includes("\ufffd"), cut);
  }
});

Deno.test("a long line goes on below its text, a path breaks at a slash, and a command can still be pasted", () => {
  for (const [text, columns, fits] of rowsOf<readonly [string, number, string]>(CASES.fits)) {
    assert.equal(fitToColumns(text, columns), fits);
  }
  const [whole, long] = ["task create --title".padEnd(72, "x"), "word ".repeat(20).trim()];
  assert.equal(fitToColumns(`Run one: \`${whole}\`.`, 80), `Run one:\n\`${whole}\`.`);
  assert.deepEqual(fitToColumns(`Run \`${long}\``, 80).split("\n").map(columnsOf), [79, 25]);
  for (const columns of [1, 2, 3]) {
    assert.equal(fitToColumns("# a # b", columns).replace(/[\s#]/g, ""), "ab");
  }
  const deep = `${" ".repeat(500)}"key": "${"word ".repeat(50)}${"letters".repeat(50)}"`;
  assert.deepEqual(tooLong(fitToColumns(deep, 80)), []);
});

const REFUSE = "Refuse expired tokens in every service of the gateway, and tell callers why";
const context = (columns: number) => ({
  globals: { columns, color: false } as never,
  cwd: "/work",
  locations: { home: "/home/ana" } as never,
});
const lines = (columns: number, row: Readonly<Record<string, string>>) =>
  tableText(
    context(columns),
    [row],
    Object.fromEntries(Object.keys(row).map((name) => [name, () => row[name]!])),
    "",
  ).split("\n");

Deno.test("the last column of a list gets what the others can spare", () => {
  const path = "services/gateway/src/authentication/tokens.ts";
  const [, row] = lines(80, { ID: "1a2b3c4d", FILE: path, TITLE: REFUSE });
  assert.equal(columnsOf(row!), 80);
  assert.match(row!, /^1a2b3c4d {2}servic…ns\.ts {2}Refuse expired tokens.*…/);
});

Deno.test("a last column that is not the widest shares the room with the widest", () => {
  const [, row] = lines(80, { ID: "1a2b3c4d", TITLE: REFUSE, "CLAIMED BY": "agent-".repeat(8) });
  const [, title = "", claimer = ""] = row!.split("  ");
  assert.ok(Math.abs(columnsOf(title) - columnsOf(claimer)) < 3, row!);
});

Deno.test("the first column, which names the row, is cut only when the others are narrow", () => {
  const row = {
    RULE: "preToolUse.toolUsageValidation[0]",
    FILE: "src/a/path/of/a/file.ts",
    TITLE: REFUSE,
  };
  for (const columns of [80, 60, 50]) {
    assert.match(lines(columns, row).join("\n"), /^preT.*n\[0\] {2}/m);
  }
  assert.match(lines(30, row).join("\n"), /^preToo\S*…\S+ {2}\S{12}$/m);
});

Deno.test("where next to nothing is left for the last column, what does not fit stands below its row", () => {
  const row = {
    ID: "1a2b3c4d",
    STATUS: "ended",
    "LAST SEEN": "290d ago",
    BRANCH: "feature/expired-tokens",
    PROJECT: "~/services/gateway/main",
  };
  const [, first, second] = lines(84, { ...row, TITLE: REFUSE });
  assert.match(first!, /feature\/expired-tokens {2}~\/services\/gateway\/main$/);
  assert.equal(second, `    ${REFUSE}`);
  const [head, short] = lines(84, { ...row, TITLE: "yes" });
  assert.match(head!, /TITLE$/);
  assert.match(short!, /yes$/);
});

Deno.test("no line of a list is wider than the terminal", () => {
  const rows = {
    ID: "1a2b3c4d",
    KIND: "edit",
    PLACE: "src/a/very/long/path/of/a/file.ts",
    TITLE: REFUSE,
  };
  for (const columns of [30, 40, 60, 80, 120]) {
    assert.ok(lines(columns, rows).every((line) => columnsOf(line) <= columns), `${columns}`);
  }
});
