/** What a new session is told is open, of earlier ones and of other branches, through the real hooks. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { drainLockPath, takeLock } from "../../../src/store/process_lock.ts";
import { git } from "../../support/git.ts";
import { runProgram } from "../../support/program.ts";
import {
  asked,
  edit,
  failed,
  ran,
  said,
  SECOND,
  send,
  start,
  talked,
  todos,
  work,
  workplace,
} from "../../support/told_sessions.ts";

const THIRD = { session: "c0de0000-0000-4000-8000-000000000003" };
const FOURTH = { session: "c0de0000-0000-4000-8000-000000000004" };

Deno.test("a new branch is told what was done on the one that it came from, and that it was done there", async () => {
  using at = await workplace();
  await work(at);
  await git(at.project, "checkout", "-q", "-b", "feat/z");
  const told = await start(at);
  assert.match(told, /Left open elsewhere:\n- #\d+ just now on main: `npm run lint` failed/);
  assert.match(told, /Last sessions:\n- #\d+ just now on main: The login forgets its token/);
  assert.match(told, /- #\d+ just now on main, fix: Fixed TypeError/);
  assert.match(told, /- #\d+ just now on main, commit: Commit 1a2b3c4: Login/);
});

Deno.test("what a session did before it changed the branch is told on a third one", async () => {
  using at = await workplace();
  await work(at);
  await git(at.project, "checkout", "-q", "-b", "feat/y");
  await edit(at, "src/y.ts", "export const y = 1;\n");
  await said(at, "Begun.");
  await git(at.project, "checkout", "-q", "-b", "feat/z");
  const told = await start(at);
  assert.match(told, /on main, fix: Fixed TypeError/);
  assert.match(told, /on feat\/y, edit: Write src\/y\.ts/);
});

Deno.test("what stands on no branch, as what was imported, is told on every one", async () => {
  using at = await workplace();
  await work(at);
  const db = new DatabaseSync(at.database);
  db.exec("UPDATE observations SET branch = NULL WHERE kind = 'fix'");
  db.close();
  assert.match(await start(at), /- #\d+ just now, fix: Fixed TypeError/);
});

Deno.test("the branch's own comes before what is of others, and others' facts about its files before the rest", async () => {
  using at = await workplace();
  await asked(at, "Mend what the tests complain about, all of it");
  await ran(at, "git commit -am a", "[main 1111111] Parser counts lines\n 1 file changed");
  await failed(at, "npm test", "Exit code 1\nTypeError: token is undefined");
  await edit(at, "src/auth.ts", "export const token = 1;\n");
  await ran(at, "npm test", "Tests: 4 passed, 4 total");
  await ran(at, "git commit -am b", "[main 2222222] Something else\n 1 file changed");
  await said(at, "Done with all of it.");
  await git(at.project, "checkout", "-q", "-b", "feat/z");
  await asked(at, "Let the login remember who was there last", THIRD);
  await edit(at, "src/auth.ts", "export const token = 2;\n", THIRD);
  await ran(at, "git commit -am c", "[feat/z 3333333] Own work\n 1 file changed", THIRD);
  await said(at, "The login remembers.", THIRD);
  const told = await start(at);
  const order = ["Own work", "Fixed TypeError", "Something else", "Parser counts lines"]
    .map((words) => told.indexOf(words));
  assert.ok(order[0]! > 0, told);
  assert.deepEqual(order, order.toSorted((a, b) => a - b), told);
});

Deno.test("what was only looked for is not left open; tests come first, then builds, then the rest", async () => {
  using at = await workplace();
  await failed(
    at,
    "cargo test",
    "Exit code 101\ntest a ... FAILED\ntest result: FAILED. 1 passed; 1 failed",
  );
  await failed(at, "cargo build", "Exit code 101\nerror[E0425]: cannot find value `x`");
  await failed(at, "./deploy.sh", "Exit code 3\nno key");
  const probes: readonly (readonly [command: string, error: string])[] = [
    ['git commit -m "x"', "Exit code 1\nOn branch main\nnothing to commit, working tree clean"],
    ["which nosuchprog", "Exit code 1"],
    ["ls nonexist", "Exit code 2\nls: cannot access 'nonexist': No such file or directory"],
    ['cd src && grep -rnE "a|b" .', "Exit code 1"],
    ["nosuchprog --x", "Exit code 127\nbash: nosuchprog: command not found"],
    ["./wipe.sh", "The user doesn't want to proceed with this tool use. The tool use was rejected"],
    ["git status && test -f build/x", "Exit code 1"],
  ];
  for (const [command, error] of probes) await failed(at, command, error);
  await send(at, "PostToolUseFailure", {
    tool_name: "Read",
    tool_input: { file_path: "/x" },
    error: "File does not exist.",
  });
  await said(at, "Some of it fails.");
  const told = await start(at);
  const open = /Left open on main:\n((?:- .*\n)+)/.exec(told)?.[1]?.trimEnd().split("\n") ?? [];
  assert.deepEqual(
    open.map((line) => /cargo test|cargo build|deploy/.exec(line)?.[0] ?? line),
    ["cargo test", "cargo build", "deploy"],
  );
  assert.doesNotMatch(told, /nosuchprog|nonexist|File does not exist|nothing to commit/);
});

Deno.test("a failing test is told although a hundred edits came after it", async () => {
  using at = await workplace();
  await failed(at, "cargo test", "Exit code 101\ntest result: FAILED. 1 passed; 1 failed");
  for (let n = 0; n < 40; n++) await edit(at, `src/m${n}.ts`, `export const m = ${n};\n`);
  await said(at, "Written.");
  const told = await start(at);
  assert.match(told, /Left open on main:\n- #\d+ just now: Tests fail: cargo test/);
  assert.match(told, /Last sessions:/);
  assert.ok((told.match(/, edit: /g) ?? []).length <= 6, told);
});

Deno.test("an edit is not told beside the commit or the fix that it went into", async () => {
  using at = await workplace();
  await work(at);
  await edit(at, "src/later.ts", "export const later = 1;\n");
  await said(at, "Begun something new.");
  const told = await start(at);
  assert.match(told, /edit: Write src\/later\.ts/);
  assert.doesNotMatch(told, /edit: Write src\/auth\.ts/);
});

Deno.test("what was to be done stays open over sessions that do nothing, until it is done", async () => {
  using at = await workplace();
  await asked(at, "Make the upload resumable, please");
  await todos(at, { "make test_resume pass": "in_progress", "write docs": "pending" });
  await said(at, "Half done.");
  await talked(at, 1, { prompt: "what time is it", answer: "Noon." });
  const told = await start(at);
  assert.match(told, /task: make test_resume pass/);
  assert.match(told, /task: write docs/);
  assert.match(told, /: Make the upload resumable, please, 2 open$/m);
  assert.doesNotMatch(told, /what time is it/);
  await todos(at, { "write docs": "completed" }, THIRD);
  await said(at, "The docs are there.", THIRD);
  const later = await start(at);
  assert.match(later, /task: make test_resume pass/);
  assert.doesNotMatch(later, /task: write docs/);
  assert.match(later, /: Make the upload resumable, please, 1 open$/m);
  await git(at.project, "checkout", "-q", "-b", "resume");
  await todos(at, { "make test_resume pass": "completed" }, FOURTH);
  await said(at, "It passes.", FOURTH);
  for (const branch of ["resume", "main"]) {
    await git(at.project, "symbolic-ref", "HEAD", `refs/heads/${branch}`);
    const last = await start(at);
    assert.match(last, /: Make the upload resumable, please$/m);
    assert.doesNotMatch(last, /task:|Left open|\d open/, branch);
  }
});

Deno.test("sessions in which nothing was done push out none in which something was", async () => {
  using at = await workplace();
  await work(at);
  for (let n = 0; n < 15; n++) await talked(at, n);
  const told = await start(at);
  assert.match(told, /Last sessions:\n- #\d+ just now: The login forgets its token/);
  assert.doesNotMatch(told, /: hi$/m);
});

Deno.test("what Claude said is still open is told, also when it said something short after it", async () => {
  using at = await workplace();
  await asked(at, "Let the slugs keep letters of other languages");
  await edit(at, "src/slug.ts", "export const slug = 1;\n");
  await said(at, "Slugs are lower case now. Still open: umlauts and the Turkish i.");
  await asked(at, "ok thanks");
  await said(at, "Understood.");
  const told = await start(at, "startup", { session: SECOND });
  assert.match(
    told,
    /Left open on main:\n- #\d+ just now, said: Still open: umlauts and the Turkish i\./,
  );
});

/** What a person says in a session of its own that does nothing else, and whether the item is open after it. */
const DROPPED: readonly (readonly [prompt: string, isOpen: boolean])[] = [
  ["I've removed the old job from Jenkins", false],
  ["we don't need the old job removed from Jenkins", false],
  ["I've removed the old job from the crontab", true],
  ["I've looked at Jenkins, thanks", true],
  ["skip the tests", true],
];

Deno.test("what a person has done or does not want counts in whichever session it is said, and has no line of its own", async () => {
  for (const [prompt, isOpen] of DROPPED) {
    using at = await workplace();
    await asked(at, "Move the nightly build to Actions");
    await edit(at, ".github/workflows/nightly.yml", "on: schedule\n");
    await said(at, "Moved to Actions. The old job still has to be removed from Jenkins.");
    assert.match(await start(at), /said: The old job still has to be removed/);
    await talked(at, 1, { prompt, answer: "Good." });
    const told = await start(at);
    assert.equal(told.includes("said: The old job"), isOpen, prompt);
    assert.equal(told.includes(", 1 open"), isOpen, prompt);
    assert.equal(told.includes(prompt), false, prompt);
  }
});

Deno.test("who goes on after a word in passing goes on with what was left before it", async () => {
  using at = await workplace();
  await asked(at, "Add a limiter for requests");
  await edit(at, "limiter.ts", "1\n");
  await said(at, "The limiter works.\n\nStill open:\n- a metric\n- a cache for the limiter");
  await talked(at, 1, { prompt: "skip the cache for the limiter", answer: "OK, no cache." });
  assert.deepEqual((await start(at)).match(/said: .*/g), ["said: a metric"]);
  await asked(at, "go on", THIRD);
  await edit(at, "count.ts", "1\n", THIRD);
  await said(at, "Done.", THIRD);
  assert.doesNotMatch(await start(at), /Left open/);
});

const DISCOUNTS = "Discounts are in.\n\nNext steps:\n- Negative discounts are not rejected yet";
/** A turn that came after it, and whether what was said is open still. */
const LATER_TURNS = [
  { prompt: "Which file did you change?", answer: "I changed price.py.", isOpen: true },
  { prompt: "Add a logo", file: "logo.css", answer: "The logo is there.", isOpen: true },
  { prompt: "Now the header, it is too wide", file: "a.css", answer: "Narrower.", isOpen: true },
  { prompt: "commit it", file: "b.css", answer: "Committed.", isOpen: true },
  { prompt: "ok, format it please", file: "price.py", answer: "Formatted.", isOpen: true },
  { prompt: "thanks!", file: "c.css", answer: "Welcome.", isOpen: true },
  { prompt: "what is it called?", file: "d.css", answer: "price.", isOpen: true },
  { prompt: "please do the next steps", file: "price.py", answer: "Done.", isOpen: false },
  { prompt: "yes, do that", file: "price.py", answer: "Done.", isOpen: false },
  { prompt: "go on", file: "price.py", answer: "It works.", isOpen: false },
  { prompt: "thanks, go on", file: "price.py", answer: "It works.", isOpen: false },
  { prompt: "clean up what is left", file: "price.py", answer: "Clean.", isOpen: false },
  {
    prompt: "Reject what is below zero",
    file: "price.py",
    answer: "Negative discounts are rejected now.",
    isOpen: false,
  },
  { prompt: "never mind, no need for that", answer: "Fine, I leave it.", isOpen: false },
  { prompt: "Anything else?", answer: "Still open: the currency.", isOpen: false },
];
for (const { prompt, file, answer, isOpen } of LATER_TURNS) {
  Deno.test(`what Claude said is left is ${isOpen ? "" : "not "}open after a turn of "${prompt}"`, async () => {
    using at = await workplace();
    await asked(at, "Add discounts");
    await edit(at, "price.py", "1\n");
    await said(at, DISCOUNTS);
    await asked(at, prompt);
    if (file !== undefined) await edit(at, file, "2\n");
    await said(at, answer);
    const told = await start(at, "startup", { session: SECOND });
    assert.equal(/said: Negative discounts are not rejected yet/.test(told), isOpen, told);
  });
}

Deno.test("a compaction takes nothing back of what Claude said is left", async () => {
  using at = await workplace();
  await asked(at, "Add discounts");
  await edit(at, "price.py", "1\n");
  await said(at, DISCOUNTS);
  await send(at, "PostCompact", { trigger: "manual", compact_summary: "Discounts were added." });
  const told = await start(at, "startup", { session: SECOND });
  assert.match(told, /said: Negative discounts are not rejected yet/);
});

Deno.test("two that differ by a number alone are both open", async () => {
  using at = await workplace();
  await asked(at, "Document module 10");
  await said(at, "Begun.\n\nNext steps:\n- Update CHANGELOG for 1.2.0\n- write docs of module 10");
  await asked(at, "Document module 11", THIRD);
  await said(
    at,
    "Begun.\n\nNext steps:\n- Update CHANGELOG for 1.3.0\n- write docs of module 11",
    THIRD,
  );
  assert.deepEqual((await start(at, "startup", { session: SECOND })).match(/said: .*/g), [
    "said: Update CHANGELOG for 1.3.0",
    "said: write docs of module 11",
    "said: Update CHANGELOG for 1.2.0",
    "said: write docs of module 10",
  ]);
});

Deno.test("a command that passes mends what failed before it, also when the clock was set back between", async () => {
  using at = await workplace();
  await failed(at, "cargo test", "Exit code 101\ntest result: FAILED. 1 passed; 1 failed");
  await said(at, "It fails.");
  const db = new DatabaseSync(at.database);
  db.exec(
    "UPDATE observations SET created_at_ms = created_at_ms + 9e6, updated_at_ms = updated_at_ms + 9e6",
  );
  db.close();
  await ran(at, "cargo test", "test result: ok. 2 passed; 0 failed");
  await said(at, "It passes.");
  assert.doesNotMatch(await start(at), /Left open/);
});

Deno.test("what was left on a branch that is gone is open no more; what was done there is known", async () => {
  using at = await workplace();
  const commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty"];
  await git(at.project, ...commit, "-m", "begun");
  await git(at.project, "checkout", "-q", "-b", "feat/z");
  await git(at.project, ...commit, "-m", "z");
  await work(at);
  await todos(at, { "Flags for admins": "pending" });
  await said(at, "Still open: umlauts in names.");
  await git(at.project, "checkout", "-q", "main");
  assert.match(
    await start(at),
    /Left open elsewhere:\n(?:- .*\n)*- #\d+ \S+ \S+ on feat\/z: `npm run lint` failed/,
  );
  // Where a branch is kept does not matter.
  await git(at.project, "pack-refs", "--all");
  assert.match(await start(at), /Flags for admins/);
  await git(at.project, "branch", "-q", "-D", "feat/z");
  const told = await start(at);
  assert.doesNotMatch(told, /Left open|lint|Flags for admins|umlauts|open$/m);
  assert.match(told, /on feat\/z, fix: Fixed TypeError/);
});

Deno.test("the line of a session counts what Claude said is left", async () => {
  using at = await workplace();
  await work(at);
  await said(at, "Still open: umlauts in names.");
  assert.match(await start(at), /Last sessions:\n- .*, 2 open$/m);
});

Deno.test("what Claude said is left stays open over sessions that do something else, until one has done it", async () => {
  using at = await workplace();
  await asked(at, "Import the customers");
  await edit(at, "imp.py", "1\n");
  await said(at, "The importer works. CSV headers with umlauts are not handled yet.");
  await asked(at, "Rename the logo", THIRD);
  await edit(at, "logo.css", "1\n", THIRD);
  await said(at, "The logo is renamed.", THIRD);
  const told = await start(at);
  assert.match(
    told,
    /Left open on main:\n- .*said: CSV headers with umlauts are not handled yet\.$/m,
  );
  assert.match(told, /: Import the customers \(1 file\), 1 open$/m);
  await asked(at, "umlauts please", FOURTH);
  await edit(at, "csv.py", "1\n", FOURTH);
  await said(at, "CSV headers with umlauts are handled now.", FOURTH);
  assert.doesNotMatch(await start(at), /Left open|\d open/);
});

Deno.test("what Claude said is left is done by a command that does just that, in its session and in a later one", async () => {
  for (const sender of [undefined, THIRD]) {
    using at = await workplace();
    await asked(at, "Change the total");
    await edit(at, "cart.ts", "1\n");
    await said(at, "Changed. Still to do: commit and push.");
    await asked(at, "is it there?", sender);
    await ran(at, "git status --short", "", sender);
    await said(at, "Yes, it is there.", sender);
    assert.match(await start(at), /said: Still to do: commit and push\.$/m);
    await asked(at, "do both", sender);
    await ran(at, "git commit -qam Total", "", sender);
    await ran(at, "git push origin main 2>&1 | tail -1", "main -> main", sender);
    await said(at, "Yes, it is there.", sender);
    assert.doesNotMatch(await start(at), /Left open|\d open/);
  }
});

Deno.test("what was asked for in a turn that broke off is open still", async () => {
  using at = await workplace();
  await asked(at, "Add a cart");
  await edit(at, "cart.ts", "1\n");
  await said(at, "The cart is there. Discounts are not handled yet.");
  await asked(at, "Handle discounts", THIRD);
  await edit(at, "cart.ts", "2\n", THIRD);
  await send(at, "SessionEnd", { reason: "other" }, THIRD);
  await send(at, "Drain", {}, THIRD);
  assert.match(
    await start(at),
    /said: Discounts are not handled yet\. \(its files were changed since\)$/m,
  );
});

Deno.test("what Claude tried and took back is still open, and told in the newest words", async () => {
  using at = await workplace();
  await asked(at, "Import the customers");
  await said(at, "The importer works. CSV headers with umlauts are not handled yet.");
  await asked(at, "Handle umlauts in CSV headers", THIRD);
  await edit(at, "csv.py", "1\n", THIRD);
  await said(at, "I tried CSV headers with umlauts, but it did not work; I reverted it.", THIRD);
  assert.match(await start(at), /said: CSV headers with umlauts are not handled yet/);
  await asked(at, "Once more: umlauts in CSV headers", FOURTH);
  await edit(at, "csv.py", "2\n", FOURTH);
  await said(at, "Headers in CSV with umlauts still fail in the decoder.", FOURTH);
  assert.deepEqual((await start(at)).match(/said: .*/g), [
    "said: Headers in CSV with umlauts still fail in the decoder.",
  ]);
});

Deno.test("a session that is gone on with for a word does not do its work once more", async () => {
  using at = await workplace();
  await asked(at, "Support hours in parseDuration");
  await edit(at, "parse.py", "1\n");
  await said(at, "Hours are supported in parseDuration.");
  await asked(at, "Take that back, it breaks minutes", THIRD);
  await edit(at, "parse.py", "2\n", THIRD);
  await said(at, "Reverted. Still open: support hours in parseDuration.", THIRD);
  const open = /said: Still open: support hours in parseDuration\.$/m;
  assert.match(await start(at), open);
  await asked(at, "thanks");
  await said(at, "You are welcome.");
  assert.match(await start(at), open);
  // Nor does one that has only talked since stand behind what was done meanwhile.
  await asked(at, "Support hours in parseDuration, with minutes", FOURTH);
  await edit(at, "parse.py", "3\n", FOURTH);
  await said(at, "parseDuration supports hours now.", FOURTH);
  await asked(at, "thanks", THIRD);
  await said(at, "You are welcome.", THIRD);
  assert.doesNotMatch(await start(at), /Left open/);
});

Deno.test("that something fails is open no more once a later session has mended it", async () => {
  using at = await workplace();
  await asked(at, "Add the admin page");
  await failed(at, "npm run build", "Exit code 1\nError: no admin in webpack.config.js");
  await said(at, "The build still fails since webpack.config.js lacks the entry for that page.");
  assert.match(await start(at), /said: The build still fails since/);
  await asked(at, "make it pass please", THIRD);
  await edit(at, "webpack.config.js", "1\n", THIRD);
  await ran(at, "npm run build", "built", THIRD);
  await said(at, "It passes.", THIRD);
  const told = await start(at);
  assert.match(told, /fix: Fixed Error: no admin in webpack\.config\.js/);
  assert.doesNotMatch(told, /still fails|Left open/);
});

Deno.test("that something fails is open no more, nor told by the summary, once its own session saw it pass", async () => {
  using at = await workplace();
  await asked(at, "Run the migration");
  await failed(at, "npx prisma migrate deploy", "Exit code 1\nError: P1001: Cannot reach database");
  await said(at, "The migration still fails, since the database is not running.");
  assert.match(await start(at), /said: The migration still fails/);
  await asked(at, "I started it, try again");
  await ran(at, "npx prisma migrate deploy", "All migrations applied");
  await said(at, "All migrations are applied.");
  assert.doesNotMatch(await start(at), /still fails|Left open/);
  const db = new DatabaseSync(at.database);
  const summaries = db.prepare("SELECT text FROM observations WHERE kind = 'summary'").all();
  db.close();
  assert.doesNotMatch(String(summaries[0]!["text"]), /still fails/);
});

Deno.test("what a session may have mended that is not worked in yet is not told to be open", async () => {
  using at = await workplace();
  await asked(at, "Let the app build");
  await failed(at, "make app", "Exit code 2\nerror: cannot find the header");
  await said(at, "It does not build yet.");
  assert.match(await start(at), /Left open on main:\n- #\d+ just now: `make app` failed/);
  await edit(at, "src/a.c", "1\n");
  await ran(at, "make app", "cc a.c");
  {
    // Somebody else is at work, so that nothing more is worked in.
    const lock = takeLock(drainLockPath(at.database), { waitMs: 1000 })!;
    assert.doesNotMatch(await start(at), /make app/);
    lock.release();
  }
  assert.match(await start(at), /fix: Fixed error: cannot find the header/);
});

Deno.test("of a command that fails in another way than before only the last failure is called open", async () => {
  using at = await workplace();
  await asked(at, "Let the app build");
  await failed(at, "make app", "Exit code 2\nerror: cannot find the header");
  await edit(at, "src/a.c", "1\n");
  await failed(at, "make app", "Exit code 2\nerror: undefined symbol");
  await said(at, "It fails in another place.");
  const told = await start(at);
  assert.match(told, /Left open on main:\n- #\d+ just now: `make app` failed .*undefined symbol/);
  assert.doesNotMatch(told, /cannot find the header|\(open\)/);
  assert.match(told, /, 1 open$/m);
});

Deno.test("what failed on a branch that is gone is counted nowhere", async () => {
  using at = await workplace();
  const commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty"];
  await git(at.project, ...commit, "-m", "begun");
  await git(at.project, "checkout", "-q", "-b", "feat");
  await asked(at, "Let the parser skip comments");
  await edit(at, "src/a.ts", "1\n");
  await failed(at, "npm run build", "Exit code 2\nerror TS2304: Cannot find name");
  await send(at, "Drain", {});
  await git(at.project, "checkout", "-q", "main");
  await edit(at, "src/b.ts", "1\n");
  await said(at, "Merged.");
  const counts = async () => {
    const env = { env: { HOME: at.path }, cwd: at.project };
    const { stdout } = await runProgram(["memory", "stats"], env);
    return [
      /open failures +(\d+)/.exec(stdout)?.[1],
      /, (\d) open$/m.exec(await start(at))?.[1] ?? "0",
    ];
  };
  assert.deepEqual(await counts(), ["1", "1"]);
  await git(at.project, "branch", "-q", "-D", "feat");
  assert.deepEqual(await counts(), ["0", "0"]);
});

Deno.test("what was left on a branch that has another name now is open on that, until it passes there", async () => {
  using at = await workplace();
  const commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty"];
  await git(at.project, ...commit, "-m", "begun");
  await git(at.project, "checkout", "-q", "-b", "feat");
  await asked(at, "Let the parser skip comments");
  await failed(at, "npm run build", "Exit code 2\nerror TS2304: Cannot find name");
  await failed(at, "make docs", "Exit code 2\nmake: *** [docs] Error 1");
  await said(at, "It fails.");
  await git(at.project, "branch", "-m", "feat", "feature/add");
  const begun = { session: THIRD.session };
  await ran(at, "make docs", "written", begun);
  await edit(at, "docs/a.md", "1\n", begun);
  await said(at, "The docs are written.", begun);
  const tried = await runProgram(["hook", "SessionStart", "--dry-run"], {
    env: { HOME: at.path, CLAUDE_PROJECT_DIR: at.project },
    cwd: at.project,
    stdin: JSON.stringify({ session_id: SECOND, cwd: at.project, source: "startup" }),
  });
  // Nothing is written by that, but the branch is known all the same.
  assert.match(tried.stdout, /Left open on feature\/add:\\n.*: `npm run build` failed/);
  const told = await start(at);
  assert.match(
    told,
    /Left open on feature\/add:\n- #\d+ just now: `npm run build` failed[^\n]*\nLast/,
  );
  assert.match(told, /- #\d+ just now: Let the parser skip comments, 1 open$/m);
  await ran(at, "npm run build", "built", FOURTH);
  await said(at, "It builds.", FOURTH);
  assert.doesNotMatch(await start(at), /Left open|\d open/);
});

Deno.test("what was done on a branch that is gone stays done", async () => {
  using at = await workplace();
  const commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty"];
  await git(at.project, ...commit, "-m", "begun");
  await asked(at, "Import the customers");
  await todos(at, { "write docs": "pending" });
  await said(at, "The importer works. CSV headers with umlauts are not handled yet.");
  await git(at.project, "checkout", "-q", "-b", "feat");
  await todos(at, { "write docs": "completed" }, THIRD);
  await said(at, "CSV headers with umlauts are handled now.", THIRD);
  await git(at.project, "checkout", "-q", "main");
  await git(at.project, "branch", "-q", "-D", "feat");
  const told = await start(at);
  assert.match(told, /: Import the customers$/m);
  assert.doesNotMatch(told, /Left open|\d open/);
});

Deno.test("what a session said is left is done by a commit of a person on its branch since", async () => {
  const rows: readonly (readonly [left: string, script: string, isOpen: boolean])[] = [
    ["Cache added; not committed yet.", "git commit -qm 'Add cache'", false],
    ["The cache is there. Still to do: commit it.", "git commit -qm x", false],
    ["Cache added. Still to do: add a progress bar.", "git commit -qm 'Add a progress bar'", false],
    ["Cache added. Still to do: add a progress bar.", "git commit -qm 'Add cache'", true],
    ["Cache added; not committed yet.", "true", true],
    [
      "Cache added; not committed yet.",
      "git switch -qc x; git commit -qm y; git switch -q -",
      true,
    ],
    ["Cache added; not pushed yet.", "git commit -qm 'Add cache'", true],
  ];
  for (const [left, script, isOpen] of rows) {
    using at = await workplace();
    const person = (script: string) =>
      new Deno.Command("sh", {
        args: ["-ec", `git() { command git -c user.name=a -c user.email=a@b "$@"; }; ${script}`],
        cwd: at.project,
      }).output();
    await person("GIT_COMMITTER_DATE=2026-01-01T00:00:00Z git commit -q --allow-empty -m begun");
    await asked(at, "Add a cache");
    await edit(at, "src/cache.ts", "1\n");
    await said(at, left);
    const db = new DatabaseSync(at.database);
    db.exec(
      "UPDATE observations SET updated_at_ms = updated_at_ms - 3e6, created_at_ms = created_at_ms - 3e6",
    );
    db.close();
    assert.match(await start(at), /Left open on main/);
    await person(`echo 1 > a; git add a; ${script}`);
    const told = await start(at);
    if (isOpen) assert.match(told, /Left open on main/, `${left} ${script}`);
    else assert.doesNotMatch(told, /Left open|\d open/, `${left} ${script}`);
  }
});

Deno.test("a commit of a person counts also in the second in which the session was seen last", async () => {
  using at = await workplace();
  await asked(at, "Add refunds");
  await edit(at, "src/refunds.ts", "1\n");
  await said(at, "Refunds work. The tests for refunds are still missing.");
  const second = Math.floor(Date.now() / 1_000) - 60;
  const db = new DatabaseSync(at.database);
  db.exec(`UPDATE observations SET updated_at_ms = ${second}900`);
  db.close();
  const commit = (subject: string, atSecond: number) =>
    new Deno.Command("git", {
      args: ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty"]
        .concat("-m", subject),
      cwd: at.project,
      env: { GIT_COMMITTER_DATE: `${atSecond} +0000` },
    }).output();
  await commit("Add tests for refunds", second - 1);
  assert.match(await start(at), /The tests for refunds are still missing/);
  await commit("Cover refunds: more tests", second);
  assert.doesNotMatch(await start(at), /Left open/);
});
