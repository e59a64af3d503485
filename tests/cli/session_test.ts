import assert from "node:assert/strict";
import { isNext } from "../support/next.ts";
import { kebab } from "../../src/operations/usage.ts";
import { nextHere } from "../../src/operations/next_command.ts";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { runVerb, runVerbJson } from "../support/verb.ts";
import { testWith } from "../support/fixtures.ts";
import { VERBS } from "../../src/operations/all_verbs.ts";

const SESSION = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";
const TWIN = "cad0ac4d-3933-45ad-9a1c-14aec05bb941";
const LOOSE = "10000000-3933-45ad-9a1c-14aec05bb940";

/** Verbs that take the id of a session, and are content with one that only events have. */
const FILTERS: readonly (readonly string[])[] = [
  ["audit", "list", "--session"],
  ["queue", "list", "--session"],
  ["counter", "list", "--session"],
  ["export", "--session"],
];

const UNKNOWN =
  /^Cannot find the session ".*"\n {2}why: {2}.*\n {2}next: conclaude session list\n$/;

const test = testWith(tempDatabase);

test("session show takes any beginning of four characters, in any case, with or without dashes", async (temp) => {
  saveEvent(temp.db);
  saveEvent(temp.db, { sessionId: "other" });
  for (const id of [SESSION, "cad0", "CAD0AC", "cad0ac4d39", "cad0ac4d-39", "CAD0AC4D-3933-45AD"]) {
    const { session } = await runVerbJson(["session", "show", id], temp);
    assert.equal(session.sessionId, SESSION, id);
  }
  const { session } = await runVerbJson(["session", "show", "othe"], temp);
  assert.equal(session.sessionId, "other");
});

test("session list --until leaves out what was seen since", async (temp) => {
  saveEvent(temp.db, { sessionId: "early", atMs: 1_000 });
  saveEvent(temp.db, { sessionId: "late", atMs: 5_000 });
  const listed = async (...flags: readonly string[]) => {
    const { sessions } = await runVerbJson(["session", "list", ...flags], temp);
    return sessions.map(({ sessionId }: { sessionId: string }) => sessionId);
  };
  assert.deepEqual(await listed(), ["late", "early"]);
  assert.deepEqual(await listed("--until", new Date(5_000).toISOString()), ["early"]);
  assert.deepEqual(await listed("--until", new Date(5_001).toISOString()), ["late", "early"]);
});

test("every --session accepts the same ids as session show", async (temp) => {
  saveEvent(temp.db, { capture: {}, counters: ["edits"] });
  saveEvent(temp.db, { sessionId: "other", capture: {}, counters: ["edits"] });
  for (const verb of FILTERS) {
    const { stdout } = await runVerb([...verb, "CAD0-AC", "--json"], temp);
    assert.ok(stdout.includes(SESSION) && !stdout.includes("other"), verb.join(" "));
  }
  const get = ["counter", "get", "edits", "--session", "CAD0"];
  assert.deepEqual(await runVerbJson(get, temp), { value: 1 });
});

test("an id that several sessions share is an error that names them", async (temp) => {
  for (const sessionId of [SESSION, TWIN]) saveEvent(temp.db, { sessionId });
  for (const verb of [["session", "show"], ["counter", "get", "edits", "--session"], ...FILTERS]) {
    const { error } = await runVerbJson([...verb, "cad0"], temp);
    assert.equal(error.code, 1, verb.join(" "));
    assert.ok(error.why.includes(SESSION) && error.why.includes(TWIN), error.why);
    assert.match(error.next, /^conclaude session show cad0ac4d-/);
  }
  const { session } = await runVerbJson(["session", "show", TWIN], temp);
  assert.equal(session.sessionId, TWIN);
});

test("an unknown id is an error, so that a wrong id does not look like a session without records", async (temp) => {
  saveEvent(temp.db);
  for (const verb of [["session", "show"], ...FILTERS]) {
    for (const id of ["nope", "cad", "ad0ac4d"]) {
      const { code, stdout, stderr } = await runVerb([...verb, id], temp);
      assert.deepEqual([code, stdout], [1, ""], verb.join(" "));
      assert.match(stderr, UNKNOWN);
    }
  }
});

test("lists accept an id that only events have", async (temp) => {
  saveEvent(temp.db, { sessionId: LOOSE, capture: {}, counters: ["edits"] });
  temp.db.exec("DELETE FROM sessions");
  for (const verb of FILTERS) {
    const { code, stdout } = await runVerb([...verb, "1000-0000", "--json"], temp);
    assert.equal(code, 0, verb.join(" "));
    assert.ok(stdout.includes(LOOSE), verb.join(" "));
  }
});

test("a whole id is never taken for the beginning of another one, nor a script's counter for a session's", async (temp) => {
  for (const sessionId of ["build", "build-2", "deploy-2"]) saveEvent(temp.db, { sessionId });
  const { session } = await runVerbJson(["session", "show", "BUILD"], temp);
  assert.equal(session.sessionId, "build");
  const raise = (session: string) =>
    runVerbJson(["counter", "increment", "runs", "--session", session], temp);
  assert.deepEqual([await raise("deploy-2"), await raise("deploy")], [{ value: 1 }, { value: 1 }]);
});

test("the way out of an error is a command on the database that --db named", async (temp) => {
  const show = ["--db", temp.path, "session", "show", "nope"];
  const { error: { next } } = await runVerbJson(show, { home: temp.folder });
  assert.equal(next, `conclaude --db ${temp.path} session list`);
  assert.ok(isNext(next));
  const here = (line: string) => nextHere(line, { db: "x" });
  const isLeft = (name: string) => !here(`conclaude ${name}`).includes(" --db x ");
  const left = ["install-hooks", "uninstall-hooks", "plugin", "completions", "hook", "mcp"];
  assert.deepEqual(Object.keys(VERBS).map(kebab).filter(isLeft), left);
  assert.match(here("conclaude config accept a, or conclaude config undo a"), /(--db x conf.*){2}/);
});

test("a hint in any text is a command on the database that --db named, and a title stays", async (temp) => {
  const run = (...words: string[]) => runVerb(["--db", temp.path, ...words], { home: temp.folder });
  const { stdout } = await run("usage");
  assert.ok(stdout.includes(`now: conclaude --db ${temp.path} queue drain`), stdout);
  const made = await run("task", "create", "fix: conclaude crashes");
  assert.match(made.stdout, /: conclaude crashes"/);
});

test("without an id the newest session of this project is shown", async (temp) => {
  saveEvent(temp.db);
  const place = temp;
  const { error } = await runVerbJson(["session", "show"], place);
  assert.match(error.why, /no session of this project is known/);
  temp.db.prepare("UPDATE sessions SET repository = NULL, project_dir = ?").run(temp.folder);
  for (const verb of ["show", "log"]) {
    const told = await runVerbJson(["session", verb], place);
    assert.equal(told.sessionId ?? told.session.sessionId, SESSION, verb);
  }
});
