import assert from "node:assert/strict";
import fc from "fast-check";
import {
  isOver,
  newestOnly,
  readRegistry,
  readState,
  type RecordedSatisfaction,
  resolveSession,
} from "../../../src/requirement/import_state.ts";

const NOW_MS = 1_800_000_000_000;
const AT = { path: "/p/.git/requirements/x.json", nowMs: NOW_MS };
const FULL = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";

function read(requirements: unknown, more: Record<string, unknown> = {}) {
  const file = { version: "1.0", branch: "feature/auth", requirements, ...more };
  return readState(JSON.stringify(file), AT);
}

/** Who is satisfied of what, and when. */
const told = ({ satisfactions }: { satisfactions: readonly RecordedSatisfaction[] }) =>
  satisfactions.map((one) => [one.requirement, one.sessionId, one.atMs, one.expiresAtMs]);

Deno.test("readState() reads sessions and the whole branch, seconds become milliseconds", () => {
  const reading = read({
    commit_plan: {
      scope: "session",
      sessions: {
        [FULL]: { satisfied: true, satisfied_at: 1734567890.25, satisfied_by: "skill" },
        deadbeef: { satisfied: false, triggered: true, triggered_at: 1734567890 },
      },
    },
    ticket: {
      scope: "branch",
      satisfied: true,
      satisfied_at: 1734567891,
      satisfied_by: "cli",
      expires_at: 1734567999,
      metadata: { ticket: "X-1" },
    },
  });
  assert.deepEqual(reading.skipped, []);
  assert.deepEqual(told(reading), [
    ["commit_plan", FULL, 1734567890250, null],
    ["ticket", "", 1734567891000, 1734567999000],
  ]);
  const [, ticket] = reading.satisfactions;
  assert.deepEqual([ticket!.branch, ticket!.scope, ticket!.by, ticket!.metadata], [
    "feature/auth",
    "branch",
    "cli",
    { ticket: "X-1" },
  ]);
});

Deno.test("readState() takes a satisfaction beside the sessions for the whole branch, whatever the scope", () => {
  const reading = read({
    plan: { scope: "session", satisfied: true, satisfied_at: 2, sessions: {} },
  });
  assert.deepEqual(told(reading), [["plan", "", 2000, null]]);
});

Deno.test("readState() knows the branch behind the shortened names of no session", () => {
  for (const key of ["branchov", "branch-override", "BRANCHOV"]) {
    const reading = read({ plan: { sessions: { [key]: { satisfied: true, satisfied_at: 2 } } } });
    assert.deepEqual(told(reading), [["plan", "", 2000, null]], key);
  }
});

Deno.test("readState() does not take an entry without an id for the whole branch", () => {
  for (const key of ["", " ", "\n"]) {
    const reading = read({ plan: { sessions: { [key]: { satisfied: true, satisfied_at: 2 } } } });
    assert.deepEqual(told(reading), []);
    assert.match(reading.skipped.join(), /names no session/);
  }
});

Deno.test("readState() writes whole ids as they are written here", () => {
  for (const key of [FULL.toUpperCase(), FULL.replaceAll("-", "")]) {
    const reading = read({ plan: { sessions: { [key]: { satisfied: true, satisfied_at: 2 } } } });
    assert.equal(reading.satisfactions[0]!.sessionId, FULL);
  }
});

Deno.test("readState() names what it cannot use and goes on with the rest", () => {
  const reading = read({
    "two words": { satisfied: true, satisfied_at: 2 },
    scope: { scope: "galaxy", satisfied: true, satisfied_at: 2 },
    list: [],
    text: { sessions: "x" },
    time: { satisfied: true, satisfied_at: "noon" },
    millis: { satisfied: true, satisfied_at: 1734567890000 },
    expiry: { satisfied: true, satisfied_at: 2, expires_at: "never" },
    entry: { sessions: { [FULL]: true } },
    good: { satisfied: true, satisfied_at: 2 },
  });
  assert.deepEqual(told(reading), [["good", "", 2000, null]]);
  assert.equal(reading.skipped.length, 8, reading.skipped.join("\n"));
});

Deno.test("readState() uses the file's time where an entry has none, and no time to come", () => {
  const reading = read({
    plan: { satisfied: true },
    later: { satisfied: true, satisfied_at: NOW_MS / 1000 + 500 },
  }, { updated_at: 7 });
  assert.deepEqual(told(reading), [["plan", "", 7000, null], ["later", "", NOW_MS, null]]);
});

Deno.test("readState() keeps the first time of what was carried over from another session", () => {
  const entry = (satisfied_by: string, original_satisfied_at: unknown) => ({
    satisfied: true,
    satisfied_at: 9,
    satisfied_by,
    metadata: { original_satisfied_at },
  });
  const { satisfactions } = read({
    plan: {
      sessions: {
        aaaaaaaa: entry("carry_over", 5.5),
        bbbbbbbb: entry("carry_over", "x"),
        cccccccc: entry("skill", 5),
        dddddddd: entry("carry_over", 11),
      },
    },
  });
  assert.deepEqual(satisfactions.map(({ atMs, originalAtMs }) => [atMs, originalAtMs]), [
    [9000, 5500],
    [9000, 9000],
    [9000, 9000],
    [9000, 9000],
  ]);
});

Deno.test("readState() says why a file as a whole is passed over", () => {
  const rows: readonly (readonly [text: string, why: RegExp])[] = [
    ["", /not valid JSON/],
    ['{"version":"1.0"', /not valid JSON/],
    ["[]", /no JSON object/],
    ['{"branch":"x","requirements":{}}', /version 1\.0 is expected/],
    ['{"version":"2.0","branch":"x"}', /it has "2\.0"/],
    ['{"version":"1.0","requirements":{}}', /which branch/],
    ['{"version":"1.0","branch":"","requirements":{}}', /which branch/],
    ['{"version":"1.0","branch":"x","requirements":[]}', /requirements are no/],
  ];
  for (const [text, why] of rows) {
    const reading = readState(text, AT);
    assert.deepEqual(reading.satisfactions, [], text);
    assert.match(reading.skipped.join(), why, text);
  }
});

Deno.test("readState() never throws, and gives only times that have been", () => {
  const key = fc.oneof(
    fc.constantFrom("scope", "satisfied", "satisfied_at", "expires_at", "sessions", "metadata"),
    fc.constantFrom("__proto__", "branchov", FULL, "cad0ac4d"),
    fc.string(),
  );
  const any = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(true, false, null, "session", "1.0", 5),
      fc.double(),
      fc.string(),
      fc.dictionary(key, tie("value"), { maxKeys: 5 }),
    ),
  })).value;
  fc.assert(fc.property(any, fc.constantFrom("1.0", "2"), (requirements, version) => {
    for (const one of read(requirements, { version }).satisfactions) {
      assert.ok(Number.isSafeInteger(one.atMs) && one.atMs <= NOW_MS);
      assert.ok(one.expiresAtMs === null || Number.isSafeInteger(one.expiresAtMs));
    }
  }));
  fc.assert(fc.property(fc.string(), (text) => void readState(text, AT)));
});

const known = (sessionId: string, isHere = false) => ({ sessionId, isHere });

Deno.test("resolveSession() finds the only session that a short id can mean", () => {
  const other = "cad0ac4d-0000-4000-8000-000000000000";
  assert.equal(resolveSession("cad0ac4d", [known(FULL)]), FULL);
  assert.equal(resolveSession("CAD0AC4D", [known(FULL), known(FULL)]), FULL);
  assert.equal(resolveSession("cad0ac4d", []), "cad0ac4d");
  assert.equal(resolveSession("cad0ac4d", [known(FULL), known(other)]), "cad0ac4d");
  assert.equal(resolveSession("cad0ac4d", [known(FULL), known(other, true)]), other);
  assert.equal(resolveSession("cad", [known(FULL)]), "cad");
  assert.equal(resolveSession("", [known(FULL)]), "");
  assert.equal(resolveSession("cad0ac4d", [known("cad0ac4d"), known(FULL)]), "cad0ac4d");
});

const satisfaction = (more: Partial<RecordedSatisfaction>): RecordedSatisfaction => ({
  path: "a",
  branch: "b",
  requirement: "plan",
  sessionId: FULL,
  scope: "session",
  atMs: 1,
  originalAtMs: 1,
  expiresAtMs: null,
  by: null,
  metadata: {},
  ...more,
});

Deno.test("newestOnly() keeps one satisfaction an owner, the newest wherever it stands", () => {
  const old = satisfaction({ atMs: 1 });
  const fresh = satisfaction({ atMs: 2, path: "c" });
  const others = [satisfaction({ sessionId: "" }), satisfaction({ branch: "c" })];
  assert.deepEqual(newestOnly([old, fresh, ...others]), [fresh, ...others]);
  assert.deepEqual(newestOnly([fresh, old]), [fresh]);
});

Deno.test("isOver() is true from the moment of expiry on, and never for what is permanent", () => {
  assert.equal(isOver(satisfaction({ expiresAtMs: 5 }), 4), false);
  assert.equal(isOver(satisfaction({ expiresAtMs: 5 }), 5), true);
  assert.equal(isOver(satisfaction({}), 5), false);
  assert.equal(isOver(satisfaction({ expiresAtMs: 5, scope: "permanent" }), 9), false);
});

Deno.test("readRegistry() gives whole ids and whether they are of this project", () => {
  const text = JSON.stringify({
    version: "1.0",
    sessions: { [FULL]: { project_dir: "/p/x" }, deadbeef: { project_dir: "/p/x" }, odd: 1 },
  });
  assert.deepEqual(readRegistry(text, (folder) => folder === "/p/x"), [known(FULL, true)]);
  assert.deepEqual(readRegistry("{}", () => true), []);
  for (const text of ["", "[]", "7", '{"sessions":[]}']) {
    assert.equal(readRegistry(text, () => true), null, text);
  }
});
