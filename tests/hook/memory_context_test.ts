/** What a session is told when it starts, and while it works, through the real hooks. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { git, makeRepository } from "../support/git.ts";
import { runProgram } from "../support/program.ts";
import { FIRST, SECOND, type Workplace, workplace } from "../support/told_sessions.ts";
import { testWith } from "../support/fixtures.ts";
import { openDatabase } from "../../src/db/database.ts";
import { change, printed } from "../support/on_home.ts";
import { saveWork } from "../support/work_sessions.ts";

const test = testWith(workplace);
const [THIRD = "", FOURTH = ""] = [3, 4].map((n) => FIRST.slice(0, -1) + n);

test("a new session is told what is open, what was mended and what Claude said last, each with its number", async (at) => {
  await at.work();
  const told = await at.start("startup", { session: SECOND });
  assert.match(told, /^## Memory of this project/);
  assert.match(told, /Left open on main:\n- #\d+ just now: `npm run lint` failed \(exit 2\)/);
  assert.match(told, /- #\d+ just now, fix: Fixed TypeError: token is undefined by src\/auth\.ts/);
  assert.match(told, /- #\d+ just now, [\d-]+: "The login works; lint still complains\."/);
  // The log of the branch tells it.
  assert.doesNotMatch(told, /, commit:/);
  const [, number] = /#(\d+) just now, fix/.exec(told)!;
  const { stdout } = await runProgram(["memory", "show", number!], { env: { HOME: at.path } });
  assert.match(stdout, /^Fixed TypeError: token is undefined[^]*mended +#\d+[^]*src\/auth\.ts/);
});

test("nothing is told of another project, nor where there is nothing to tell", async (at) => {
  assert.equal(await at.start("startup", { session: FIRST }), "");
  await at.work();
  const elsewhere = join(at.path, "elsewhere");
  await Deno.mkdir(elsewhere);
  assert.equal(await at.start("startup", { session: SECOND, project: elsewhere }), "");
});

test("what was replaced is not told, neither by its prompt nor by the summary of its session", async (at) => {
  await at.asked("Rename the parser. Always indent with tabs.");
  await at.edit("src/a.ts", "1\n");
  await at.said("Done.");
  await at.asked("Never use yarn here.", { session: THIRD });
  await at.said("Right.", { session: THIRD });
  const told = await at.start();
  for (const rule of ["Always indent", "Never use"]) {
    const [, id] = new RegExp(`#(\\d+) just now, decision: ${rule}`).exec(told)!;
    await at.verb("memory", "remember", `Instead of ${rule.length}`, "--replaces", id!);
  }
  const later = await at.start("startup", { session: FOURTH });
  assert.doesNotMatch(later, /tabs|yarn/);
  assert.match(later, /: Rename the parser\. \(1 file\)/);
});

test("worktrees of a repository are one project", async (at) => {
  await at.work();
  await at.inGit("commit -q --allow-empty -m one");
  const tree = join(at.path, "tree");
  await git(at.project, "worktree", "add", "-q", "-b", "other", tree);
  const told = await at.start("startup", { session: SECOND, project: tree });
  assert.match(told, /Session: The login forgets|The login forgets its token/);
});

test("a session that is resumed is told only of what others did since, a compacted one of its own past", async (at) => {
  await at.work();
  await at.start("startup", { session: SECOND });
  assert.equal(await at.start("resume", { session: SECOND }), "");
  await at.failed("npm run typecheck", "Exit code 2\nerror: no such type");
  await at.send("Drain", {});
  const news = await at.start("resume", { session: SECOND });
  assert.match(news, /Left open on main:\n- .*npm run typecheck.*\nLast/);
  assert.doesNotMatch(news, /npm run lint/);
  assert.match(await at.start("compact", { session: FIRST }), /npm run lint/);
});

test("memory of a file says so where the file has changed since", async (at) => {
  await at.work();
  const path = join(at.project, "src/auth.ts");
  const later = new Date(Date.now() + 60_000);
  await Deno.utime(path, later, later);
  assert.doesNotMatch(await at.start("startup", { session: SECOND }), /changed since/);
  await Deno.writeTextFile(path, "export const token = 2;\n");
  await Deno.utime(path, later, later);
  const told = await at.start("startup", { session: SECOND });
  assert.match(told, /fix: Fixed TypeError[^\n]*\(its file has changed since\)/);
  await Deno.remove(path);
  assert.match(await at.start("startup", { session: SECOND }), /\(its file is gone\)/);
});

test("a file that another branch has, and this one never had, is not gone", async (at) => {
  await at.work();
  await at.inGit("commit -q --allow-empty -m Start", "checkout -q -b feat");
  await Deno.writeTextFile(join(at.project, "src/only.ts"), "export const only = 1;\n");
  const note = ["memory", "remember", "Only is a constant", "--file", "src/only.ts"];
  await at.verb(...note);
  await at.inGit("add -A", "commit -qm Only", "checkout -q main");
  const told = await at.start("startup", { session: SECOND });
  assert.match(told, /on feat, note: Only is a constant\n/);
});

test("a file beside the project has not changed as long as it is as it was", async (at) => {
  const path = join(at.path, "notes.md");
  await at.edit("../notes.md", "# Tides\n");
  await Deno.writeTextFile(path, "# Tides\n");
  await at.said("Written.");
  const told = await at.start();
  assert.match(told, /edit: Write /);
  assert.doesNotMatch(told, /changed since/);
  await Deno.remove(path);
  assert.match(await at.start(), /edit: Write [^\n]*\(its file is gone\)/);
});

test("a file that changes in the moment after an edit has changed since", async (at) => {
  await at.edit("src/now.ts", "export const now = 1;\n");
  await Deno.writeTextFile(join(at.project, "src/now.ts"), "export const now = 1;\n");
  await at.said("Written.");
  assert.doesNotMatch(await at.start(), /changed since/);
  await at.edit("src/now.ts", "export const now = 1;\n");
  await Deno.writeTextFile(join(at.project, "src/now.ts"), "export const now = 2;\n");
  await at.said("Written again.");
  assert.match(await at.start(), /edit: Write src\/now\.ts[^\n]*\(its file has changed since\)/);
});

test("a failure that names a file says when that is another one now, or gone, on its branch", async (at) => {
  await at.inGit("commit -q --allow-empty -m one");
  const path = join(at.project, "src/cart.test.js");
  const wrote = async (text: string) => {
    await Deno.writeTextFile(path, text);
    const later = new Date(Date.now() + 60_000);
    await Deno.utime(path, later, later);
  };
  await wrote("1\n");
  const red = "Exit code 1\nFAIL src/cart.test.js\n  ● adds\n\nTests: 1 failed, 1 total";
  await at.failed("npm test", red);
  await at.failed("make docs", "Exit code 2\nmake: *** [docs] Error 1");
  await at.said("Both fail.");
  const open = async () => (await at.start()).match(/(?<=: )(?:Tests fail|`make).*(?<!open)$/gm);
  const [tests, docs] = ["Tests fail: npm test (1 failed): adds", "`make docs` failed (exit 2)"];
  const told = await open();
  assert.deepEqual(told?.map((line) => line.replace(/(exit 2\)).*/, "$1")), [tests, docs]);
  await wrote("2\n");
  assert.equal((await open())?.[0], `${tests} (its file has changed since)`);
  assert.doesNotMatch((await open())?.[1] ?? "", /its file/);
  await at.inGit("switch -q -c other");
  assert.equal((await open())?.[0], tests);
  await at.inGit("switch -q main");
  await Deno.remove(path);
  assert.equal((await open())?.[0], `${tests} (its file is gone)`);
});

test("the files of a failure are not compared while another branch is checked out", async (at) => {
  await at.inGit("commit -q --allow-empty -m one");
  const path = join(at.project, "src/cart.test.js");
  await Deno.writeTextFile(path, "1\n");
  const red = "Exit code 1\nFAIL src/cart.test.js\n  ● adds\n\nTests: 1 failed, 1 total";
  await at.failed("npm test", red);
  await at.inGit("switch -q -c other");
  await Deno.writeTextFile(path, "2\n");
  await at.said("It fails.");
  await at.inGit("switch -q main");
  await Deno.writeTextFile(path, "1\n");
  assert.match(await at.start(), /Tests fail: npm test .*: adds$/m);
});

test("a note about a file says when that is another one now, or gone", async (at) => {
  const path = join(at.project, "src/port.ts");
  const remember = () => at.verb("memory", "remember", "--file", "src/port.ts", "The port is 5433");
  const later = new Date(Date.now() + 60_000);
  await Deno.writeTextFile(path, "export const port = 5433;\n");
  await remember();
  await Deno.utime(path, later, later);
  assert.match(await at.start(), /note: The port is 5433$/m);
  await Deno.writeTextFile(path, "export const port = 6000;\n");
  await Deno.utime(path, later, later);
  assert.match(await at.start(), /note: The port is 5433 \(its file has changed since\)$/m);
  await remember();
  assert.match(await at.start(), /note: The port is 5433$/m);
  await Deno.remove(path);
  assert.match(await at.start(), /note: The port is 5433 \(its file is gone\)$/m);
});

test("every line about a changed file says so, however many lines are told", async (at) => {
  const numbers = Array.from({ length: 14 }, (_, n) => n);
  for (const n of numbers) {
    await Deno.writeTextFile(join(at.project, `n${n}.txt`), "1\n");
    const note = ["memory", "remember", `The answer to ${n} is known`, "--file", `n${n}.txt`];
    await at.verb(...note);
  }
  const later = new Date(Date.now() + 60_000);
  for (const n of numbers) {
    await Deno.writeTextFile(join(at.project, `n${n}.txt`), "2\n");
    await Deno.utime(join(at.project, `n${n}.txt`), later, later);
  }
  const notes = (await at.start()).match(/note: .*/g) ?? [];
  assert.equal(notes.length, numbers.length);
  assert.deepEqual(notes.filter((line) => !line.endsWith(" (its file has changed since)")), []);
});

test("a session is named after its first prompt that says something", async (at) => {
  for (const prompt of ["continue", "ok, go on!", "Weiter", "Let the importer skip blank lines"]) {
    await at.asked(prompt);
  }
  await at.edit("src/a.ts", "1\n");
  await at.said("It skips them.");
  assert.match(await at.start(), /Last sessions:\n- .*: Let the importer skip blank lines/);
});

test("a fork, which has its parent's history, is told only of what came since it was seen", async (at) => {
  await at.work();
  assert.equal(await at.start("fork", { session: SECOND }), "");
  await at.failed("npm run typecheck", "Exit code 2\nerror: no such type");
  await at.send("Drain", {});
  const news = await at.start("fork", { session: SECOND });
  assert.match(news, /Left open on main:\n- .*npm run typecheck.*\nLast/);
  assert.doesNotMatch(news, /npm run lint/);
});

test("the budget is kept, by whole lines, and 0 tells nothing", async (at) => {
  for (let n = 0; n < 40; n++) {
    await at.verb("memory", "remember", `Note ${n}: ${"a long remark ".repeat(9)}`);
  }
  const config = (tokens: number) => at.configure(`memory: {context: {tokens: ${tokens}}}\n`);
  const whole = await at.start("startup", { session: FIRST });
  assert.ok(whole.length <= 1_200 * 3.5 && whole.length > 3_500, String(whole.length));
  await config(200);
  const few = await at.start("startup", { session: SECOND });
  assert.ok(few.length <= 700 && few.length > 300, String(few.length));
  assert.match(few.trimEnd(), /finds more\.$/);
  await config(2_500);
  const most = await at.start("startup", { session: SECOND });
  assert.ok(most.length <= 8_750 && most.length > 4_200, String(most.length));
  await config(0);
  assert.equal(await at.start("startup", { session: SECOND }), "");
});

test("a budget that memory does not fit into is kept by the list of sessions as well", async (at) => {
  await at.work();
  for (const tokens of [1, 20, 25, 30, 40, 60, 90]) {
    await at.configure(`memory: {context: {tokens: ${tokens}}}\n`);
    const told = await at.start("startup", { session: `${SECOND.slice(0, -2)}${tokens + 10}` });
    assert.ok(told.length <= tokens * 3.5, `${tokens}: ${told.length}`);
    // Nothing is told of a session of which nothing but its beginning is known, and a heading never alone.
    assert.match(told, tokens < 90 ? /^$/ : /^## Memory of this project .*\nLeft open.*\n- #\d+ /);
  }
});

test("a prompt and an edit are answered with what is remembered, once, where that is switched on", async (at) => {
  await at.work();
  const prompt = { prompt: "The token of the login is undefined once more" };
  assert.equal(await at.send("UserPromptSubmit", prompt, { session: SECOND }), "");
  await at.configure("memory: {recall: {prompts: true, edits: true}}\n");
  const told = await at.send("UserPromptSubmit", prompt, { session: SECOND });
  assert.match(told, /^Remembered about this[^]*Fixed TypeError: token is undefined/);
  assert.ok(told.length <= 250 * 3.5, String(told.length));
  const again = await at.send("UserPromptSubmit", prompt, { session: SECOND });
  assert.doesNotMatch(again, /Fixed TypeError/);
  const third = "c0de0000-0000-4000-8000-000000000003";
  const file = await at.editing("src/auth.ts", { session: third });
  assert.match(file, /^Remembered about src\/auth\.ts[^]*Fixed TypeError/);
  assert.equal(await at.editing("src/auth.ts", { session: third }), "");
  assert.equal(await at.send("UserPromptSubmit", { prompt: "go on" }, { session: third }), "");
});

test("memory of a file is told before an edit, however often the file was edited since", async (at) => {
  const run = (...args: string[]) => at.verb("memory", ...args);
  await run("remember", "Prices are in cents", "--file", "src/price.py");
  for (let n = 0; n < 30; n++) {
    await at.edit("src/price.py", `price = ${n}\n`);
    if (n % 10 === 9) await at.said("Changed.");
  }
  await at.configure("memory: {recall: {edits: true}}\n");
  const told = await at.editing("src/price.py");
  assert.match(told, /Prices are in cents/);
});

test("with memory switched off nothing is worked in and nothing told; captures stay", async (at) => {
  await at.configure("memory: {enabled: false}\n");
  await at.work();
  assert.equal(await at.start("startup", { session: SECOND }), "");
  const { stdout } = await runProgram(["queue", "stats", "--json"], { env: { HOME: at.path } });
  assert.equal(JSON.parse(stdout).byStatus.done, 0);
});

test("a failure is found by the files that it names, and told before one of them is edited", async (at) => {
  await at.failed("npx tsc --noEmit", "Exit code 2\nsrc/tide.ts(3,5): error TS2304: no name 'x'");
  await at.said("It fails.");
  await at.configure("memory: {recall: {edits: true}}\n");
  const run = (...args: string[]) => at.verb("memory", ...args, "--here", "--json");
  const { stdout } = await run("search", "--file", "src/tide.ts", "name");
  assert.match(JSON.parse(stdout).results[0].title, /npx tsc --noEmit.* failed/);
  assert.match((await run("timeline", "src/tide.ts")).stdout, /npx tsc --noEmit/);
  assert.match(await at.editing("src/tide.ts"), /npx tsc --noEmit/);
});

const WAIT =
  /\d+ captures of other sessions of this project are not worked in yet, .*`conclaude queue drain`/;

/** More captures than a SessionStart has time for, of a project. */
async function fill(at: Workplace, project: string): Promise<void> {
  const db = await openDatabase(at.database, { busyTimeoutMs: 1000 });
  saveWork(db, 1_500, { seed: 3, project, startMs: Date.now() - 86_400_000 });
  db.close();
  change(
    at,
    `UPDATE sessions SET repository = '${join(project, ".git")}' WHERE project_dir = '${project}'`,
  );
}

test("a session is told that captures of its project wait, until they are worked in", async (at) => {
  await at.asked("Look after the tides");
  await fill(at, at.project);
  const told = await at.start();
  assert.match(told, WAIT);
  assert.ok(told.length <= 4 * 1_200);
  await printed(at, at.project, "queue", "drain");
  const later = await at.start("startup", { session: "c0de0000-0000-4000-8000-000000000003" });
  assert.match(later, /Memory of this project/);
  assert.doesNotMatch(later, /not worked in yet/);
});

test("a session is told nothing of captures of another project", async (at) => {
  await at.asked("Look after the tides");
  await printed(at, at.project, "queue", "drain");
  await fill(at, "/home/ana/other");
  assert.doesNotMatch(await at.start(), /not worked in yet/);
});

test("the end of a session works its captures in, also when no drain ran beside its Stop", async (at) => {
  await at.asked("Look after the tides");
  let titles: string[] = [];
  // The hook works for 150 ms at most, so on a busy machine the next one goes on.
  for (let n = 0; n < 20 && titles.length < 2; n++) {
    await at.send("SessionEnd", { reason: "other" });
    const found = await printed(at, at.project, "memory", "search", "tides", "--json");
    titles = JSON.parse(found).results.map(({ title }: { title: string }) => title);
  }
  assert.deepEqual(titles, ["Look after the tides", "Session: Look after the tides"]);
});

const HEADING = /^## What is known from the repository around: (\S+) /m;

test("a session in a submodule is told what is known of the repository around, and marked so", async (at) => {
  await at.work();
  const inner = join(at.path, "inner");
  makeRepository(inner, { files: { "a.txt": "one\n" } });
  const words = "-c protocol.file.allow=always submodule add -q".split(" ");
  await git(at.project, ...words, inner, "part");
  const told = await at.start("startup", { session: SECOND, project: join(at.project, "part") });
  assert.equal(HEADING.exec(told)?.[1], at.project);
  assert.match(told, /Left open on main:\n- #\d+ just now: `npm run lint` failed/);
  assert.doesNotMatch(told, /Memory of this project/);
});

test("a session in a plain folder is told of the workspace around; the home folder is none", async (at) => {
  const workspace = join(at.path, "workspace");
  const plain = join(workspace, "plain");
  await Deno.mkdir(plain, { recursive: true });
  await at.start("startup", { project: at.path });
  assert.equal(await at.start("startup", { session: SECOND, project: plain }), "");
  const third = "c0de0000-0000-4000-8000-000000000003";
  await at.asked("Where are the keys?", { session: third, project: workspace });
  const note = ["memory", "remember", "The keys lie in the safe"];
  await runProgram(note, { env: { HOME: at.path }, cwd: workspace });
  const told = await at.start("startup", { session: SECOND, project: plain });
  assert.equal(HEADING.exec(told)?.[1], workspace);
  assert.match(told, /The keys lie in the safe/);
  const searched = ["memory", "search", "keys", "safe", "--here"];
  const found = await runProgram(searched, { env: { HOME: at.path }, cwd: plain });
  assert.match(
    found.stdout,
    /The keys lie in the safe\n.* · from the repository around: workspace ·/,
  );
  await runProgram(["memory", "remember", "Own"], { env: { HOME: at.path }, cwd: plain });
  const both = await at.start("startup", { session: SECOND, project: plain });
  assert.match(both, /^## Memory of this project[^]*Own[^]*repository around[^]*in the safe/);
});
