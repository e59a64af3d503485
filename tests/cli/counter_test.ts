import assert from "node:assert/strict";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { runVerb, runVerbJson } from "../support/verb.ts";
import { testWith } from "../support/fixtures.ts";

const SESSION = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";

const test = testWith(tempDatabase);

test("counter get prints 0 for a counter that nothing has raised, even of an unknown session", async (temp) => {
  saveEvent(temp.db, { counters: ["edits"] });
  const get = (type: string, session: string) =>
    runVerbJson(["counter", "get", type, "--session", session], temp);
  assert.deepEqual(await get("edits", SESSION), { value: 1 });
  assert.deepEqual(await get("edits", "cad0ac4d"), { value: 1 });
  assert.deepEqual(await get("prompts", SESSION), { value: 0 });
  assert.deepEqual(await get("edits", "nobody"), { value: 0 });
  assert.equal((await runVerb(["counter", "get", "edits"], temp)).code, 2);
});

test("a verb that needs a session says of an id which only a counter has that it finds no session", async (temp) => {
  await runVerb(["counter", "increment", "retries", "--session", "loose"], temp);
  for (const args of [["session", "show", "loose"], ["guard", "pause", "--session", "loose"]]) {
    const { code, stderr } = await runVerb(args, temp);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^Cannot find the session "loose"\n.*no session has an id.*\n {2}next: /);
  }
});

test("counter increment adds what it is told and prints the new value", async (temp) => {
  const raise = (...flags: string[]) =>
    runVerbJson(["counter", "increment", "retries", "--session", "s", ...flags], temp);
  assert.deepEqual(await raise(), { value: 1 });
  assert.deepEqual(await raise("--by", "5"), { value: 6 });
  assert.deepEqual(await raise("--by=-2"), { value: 4 });
  assert.equal((await runVerb(["counter", "increment", " ", "--session", "s"], temp)).code, 2);
  assert.equal((await runVerb(["counter", "increment", "x", "--session", ""], temp)).code, 2);
});

test("counter reset takes a type or --all, and nothing else", async (temp) => {
  saveEvent(temp.db, { counters: ["a", "b", "c"] });
  const reset = ["counter", "reset", "--session", "cad0ac4d"];
  assert.equal((await runVerb(reset, temp)).code, 2);
  assert.equal((await runVerb([...reset, "a", "--all"], temp)).code, 2);
  assert.deepEqual(await runVerbJson([...reset, "a"], temp), { reset: 1 });
  assert.deepEqual(await runVerbJson([...reset, "--all"], temp), { reset: 2 });
  assert.deepEqual((await runVerbJson(["counter", "list"], temp)).counters, []);
});

test("counter list shows the counters of all sessions or of one", async (temp) => {
  saveEvent(temp.db, { atMs: 5, sessionId: "s1", counters: ["edits"] });
  saveEvent(temp.db, { atMs: 6, sessionId: "s2", counters: ["edits"] });
  assert.equal((await runVerbJson(["counter", "list"], temp)).counters.length, 2);
  assert.deepEqual((await runVerbJson(["counter", "list", "--session", "s1"], temp)).counters, [
    { sessionId: "s1", type: "edits", value: 1, updatedAtMs: 5 },
  ]);
});

test("a secret in the name of a counter is masked", async (temp) => {
  const secret = `ghp_${"a1B2c3D4".repeat(4)}e5F6`;
  const of = (verb: string) => ["counter", verb, secret, "--session", "s"];
  assert.deepEqual(await runVerbJson(of("increment"), temp), { value: 1 });
  assert.deepEqual(await runVerbJson(of("get"), temp), { value: 1 });
  const { counters } = await runVerbJson(["counter", "list"], temp);
  assert.match(counters[0].type, /redacted/);
  assert.deepEqual(await runVerbJson(of("reset"), temp), { reset: 1 });
});
