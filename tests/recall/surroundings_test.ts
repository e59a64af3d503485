/** What mends a failure lies before the same command fails in another way, and of the surroundings it is a command. */
import assert from "node:assert/strict";
import { endOf, type MixedStep } from "../support/mixed_steps.ts";

const PORT: MixedStep = {
  failing: "docker compose up -d",
  output: "Error: port 5432 already allocated",
};
const IMAGE: MixedStep = {
  failing: "docker compose up -d",
  output: "Error: image foo:1 not found",
};
const UP: MixedStep = { passing: "docker compose up -d", output: "Started" };
const REFUSED: MixedStep = {
  failing: "pytest -q",
  output:
    "ERROR tests/test_db.py::test_a - psycopg2.OperationalError: connection refused\n1 error, 3 passed in 1s",
};
const PASSES: MixedStep = { passing: "pytest -q", output: "4 passed in 1s" };

Deno.test("what was changed after a failure had gone is not its fix", async () => {
  const edit: MixedStep = { edited: "docker-compose.yml", from: "foo:1", to: "foo:2" };
  const image = "Fixed Error: image foo:1 not found by docker-compose.yml";
  const stopped = await endOf(PORT, { passing: "docker stop pg" }, IMAGE, edit, UP);
  assert.deepEqual(stopped.fixes.toSorted(), [
    image,
    "Fixed Error: port 5432 already allocated by `docker stop pg`",
  ]);
  const unknown = await endOf(PORT, { passing: "./free-ports" }, IMAGE, edit, UP);
  assert.deepEqual([unknown.fixes, unknown.open], [[image], []]);
  const [first, second] = ["a", "b"].map((name): MixedStep => ({
    failing: "npx tsc",
    output: `src/${name}.ts(1,1): error TS2304: Cannot find name '${name}'.`,
  }));
  const checked = await endOf(
    first!,
    { edited: "src/a.ts" },
    second!,
    { edited: "src/b.ts" },
    { passing: "npx tsc" },
  );
  assert.deepEqual(checked.fixes.map((title) => title.slice(-11)).toSorted(), [
    "by src/a.ts",
    "by src/b.ts",
  ]);
});

Deno.test("a failure that may still be there is mended by all that is changed", async () => {
  const both = "src/a.ts(1,1): error TS1: x.\nsrc/b.ts(2,2): error TS2: y.";
  for (
    const [output, command] of [
      // The same error behind another one, on another line, and a part of what was printed.
      [`src/0.ts(1,1): error TS3: z.\n${both.replace("1,1", "9,1")}`, "npx tsc"],
      ["src/b.ts(2,2): error TS2: y.", "npx tsc | tail -1"],
    ] as const
  ) {
    const { fixes } = await endOf(
      { failing: "npx tsc", output: both },
      { edited: "src/c.ts" },
      { failing: command, output },
      { edited: "src/d.ts" },
      { passing: "npx tsc" },
    );
    assert.ok(fixes.some((title) => title.endsWith("src/c.ts, src/d.ts")), fixes.join("\n"));
  }
});

Deno.test("a failure of the surroundings is mended by the command that brings what was missing", async () => {
  const rows: readonly (readonly [error: string, command: string])[] = [
    ["Error: connect ECONNREFUSED 127.0.0.1:5432", "docker compose up -d db"],
    ["Error: connect ECONNREFUSED 127.0.0.1:5432", "sudo systemctl start postgresql"],
    ["Error: connect ECONNREFUSED 127.0.0.1:6379", "redis-server --daemonize yes"],
    ["Error: getaddrinfo ENOTFOUND db", "docker compose restart db"],
    ["Error: listen EADDRINUSE: address already in use :::3000", "kill 4711"],
    ["Error: listen EADDRINUSE: address already in use :::3000", "lsof -ti:3000 | xargs kill -9"],
    ["sh: 1: jest: not found", "npm ci"],
    ["E   ModuleNotFoundError: No module named 'yaml'", "pip install pyyaml"],
    ["Error: Cannot find module 'left-pad'", "npm install left-pad"],
    ['E   ProgrammingError: relation "x" does not exist', "python manage.py migrate"],
    ["E   OperationalError: no such table: users", "alembic upgrade head"],
    ['PG::UndefinedTable: ERROR: relation "x" does not exist', "bin/rails db:migrate"],
    ['error: database "app" does not exist', "createdb app"],
  ];
  for (const [output, command] of rows) {
    const { fixes, open } = await endOf(
      { failing: "npm run e2e", output },
      { edited: "src/other.ts" },
      { passing: command },
      { passing: "npm run e2e" },
    );
    const [title = ""] = fixes;
    assert.ok(title.includes(" by `") && !title.includes("src/other.ts"), `${command}: ${title}`);
    assert.deepEqual([fixes.length, open], [1, []], command);
  }
  const tests = await endOf(
    REFUSED,
    { edited: "app/b.py" },
    { passing: "docker compose up -d db" },
    PASSES,
  );
  assert.ok(tests.fixes[0]?.endsWith("by `docker compose up -d db`"), tests.fixes.join());
});

Deno.test("a runner that tells an error without its kind, or below a line that says nothing, is understood", async () => {
  const jest = (...lines: readonly string[]) =>
    `FAIL test/db.test.js\n  ✕ connects (4 ms)\n\n  ● connects\n\n    ${
      lines.join("\n    ")
    }\n\nTests:       1 failed, 2 passed, 3 total`;
  const suite = (line: string) =>
    `FAIL test/a.test.js\n  ● Test suite failed to run\n\n    ${line}\n\nTests:       0 total`;
  const vitest = (line: string) =>
    ` FAIL  src/a.test.ts [ src/a.test.ts ]\n${line}\n\n Test Files  1 failed (1)\n      Tests  no tests`;
  const missing = "Cannot find module 'zod' from 'src/a.js'";
  const imported = "Error: Cannot find package 'zod' imported from '/p/src/a.js'";
  const resolve = 'Error: Failed to resolve import "zod" from "src/a.js". Does the file exist?';
  const rows = [
    [jest("connect ECONNREFUSED 127.0.0.1:5432"), "docker compose up -d db", '"connects"'],
    [jest("getaddrinfo ENOTFOUND db"), "docker compose up -d db", '"connects"'],
    [jest("listen EADDRINUSE: address already in use :::3000"), "kill 4711", '"connects"'],
    [jest('relation "users" does not exist'), "npx prisma migrate deploy", '"connects"'],
    [jest("SQLITE_ERROR: no such table: users"), "npx knex migrate:latest", '"connects"'],
    [suite(missing), "npm install", missing],
    [vitest(imported), "npm install", imported],
    [vitest(resolve), "npm install zod", resolve],
  ] as const;
  for (const [output, command, what] of rows) {
    const { fixes } = await endOf(
      { failing: "npm test", output },
      { edited: "src/b.js" },
      { passing: command },
      { passing: "npm test", output: "Tests:       3 passed, 3 total" },
    );
    assert.deepEqual(fixes, [`Fixed ${what} by \`${command}\``]);
  }
  const own = await endOf(
    { failing: "npm test", output: suite("Cannot find module './a' from 'test/a.test.js'") },
    { edited: "src/a.js" },
    { passing: "npm install" },
    { passing: "npm test", output: "Tests:       3 passed, 3 total" },
  );
  assert.deepEqual(own.fixes, ["Fixed Cannot find module './a' from 'test/a.test.js' by src/a.js"]);
});

Deno.test("an edit is the fix where no such command ran, and beside one where it is of what surrounds", async () => {
  const missing: MixedStep = {
    failing: "npm run e2e",
    output: "Error: Cannot find module 'left-pad'",
  };
  const passes: MixedStep = { passing: "npm run e2e" };
  const byOf = async (...steps: readonly MixedStep[]) =>
    (await endOf(missing, ...steps, passes)).fixes.map((title) => title.split(" by ")[1]);
  const edit: MixedStep = { edited: "src/a.ts" };
  assert.deepEqual(await byOf(edit, { passing: "ls" }), ["src/a.ts"]);
  assert.deepEqual(await byOf(edit, { passing: "docker compose up -d" }), ["src/a.ts"]);
  assert.deepEqual(await byOf({ edited: "package.json" }, edit, { passing: "npm ci" }), [
    "package.json",
  ]);
  const own = await endOf(
    { failing: "npm run e2e", output: "Error: Cannot find module './b'" },
    edit,
    { passing: "npm ci" },
    passes,
  );
  assert.ok(own.fixes[0]?.endsWith("by src/a.ts"));
});

Deno.test("an edit that was taken back is no fix", async () => {
  const fails: MixedStep = { failing: "npm test", output: "Error: no such user" };
  const passes: MixedStep = { passing: "npm test", output: "ok" };
  const wrong: MixedStep = { edited: "src/wrong.js", from: "a", to: "b" };
  const back: MixedStep = { edited: "src/wrong.js", from: "b", to: "a" };
  const right: MixedStep = { edited: "src/cart.js" };
  const byOf = async (...steps: readonly MixedStep[]) =>
    (await endOf(fails, ...steps, passes)).fixes.map((title) => title.split(" by ")[1]);
  assert.deepEqual(await byOf(wrong, back, right), ["src/cart.js"]);
  assert.deepEqual(await byOf(wrong, back), []);
  for (
    const command of [
      "git checkout -- src/wrong.js",
      "git checkout HEAD -- src",
      "git checkout .",
      "git restore src/wrong.js",
      "cd src && git restore -q wrong.js",
      "git reset --hard",
    ]
  ) {
    assert.deepEqual(await byOf(wrong, { passing: command }, right), ["src/cart.js"], command);
  }
  for (
    const command of [
      "git checkout -- src/other.js",
      "git restore --staged src/wrong.js",
      "git checkout HEAD~1 -- src/wrong.js",
      "git restore src/wrong.js || true",
    ]
  ) {
    assert.deepEqual(await byOf(wrong, { passing: command }), ["src/wrong.js"], command);
  }
  // Made once more, or in another way.
  assert.deepEqual(await byOf(wrong, back, wrong), ["src/wrong.js"]);
  assert.deepEqual(await byOf(wrong, { ...back, to: "c" }), ["src/wrong.js"]);
  assert.deepEqual(await byOf(wrong, { passing: "git checkout ." }, wrong), ["src/wrong.js"]);
});

const TAKEN: MixedStep = {
  failing: "npm start",
  output: "> node server.js\nError: listen EADDRINUSE: address already in use :::3000",
};
const KILL: MixedStep = { passing: "kill $(lsof -ti :3000)" };
const ASK: MixedStep = { passing: "curl -s localhost:3000/health", output: "ok" };

Deno.test("a server that could not have its port is mended when it is started anew and answers", async () => {
  const rows: readonly (readonly MixedStep[])[] = [
    [KILL, {
      passing: "npm start & sleep 2; curl -s localhost:3000/health",
      output: "Server listening on 3000\nok",
    }],
    [KILL, { passing: "npm start & sleep 2", output: "Server listening on port 3000" }],
    [KILL, { passing: "nohup npm start > log.txt 2>&1 &\nsleep 2" }, ASK],
    [KILL, { started: "npm start" }, { passing: "sleep 2 && curl -fs http://127.0.0.1:3000/" }],
    [{ passing: "kill $(lsof -ti :3000); npm start & sleep 2; curl -s localhost:3000" }],
  ];
  for (const steps of rows) {
    const { open, fixes } = await endOf(TAKEN, { edited: "src/other.ts" }, ...steps);
    assert.deepEqual(open, [], JSON.stringify(steps));
    assert.match(fixes.join(), /^Fixed Error: listen EADDRINUSE.* by `kill /);
  }
});

Deno.test("a server of which nobody knows that it was started anew, or answers, stays open", async () => {
  const start: MixedStep = { started: "npm start" };
  const rows: readonly (readonly MixedStep[])[] = [
    [ASK],
    [KILL, ASK],
    [KILL, start],
    // The one that had the port may have answered.
    [start, ASK],
    [start, KILL, ASK],
    [KILL, start, { passing: "curl -s localhost:3001/health" }],
    [KILL, start, { passing: "curl -s localhost:3000/health || true" }],
    [KILL, { started: "npm run other" }, ASK],
    [KILL, { started: "cd web && npm start" }, ASK],
    [KILL, {
      passing: "npm start & sleep 2; curl -s localhost:3000/health",
      output: "Error: listen EADDRINUSE: address already in use :::3000\nok",
    }],
    [KILL, { passing: "npm start & sleep 2", output: "Error: no" }],
  ];
  for (const steps of rows) {
    const { open, fixes } = await endOf(TAKEN, ...steps);
    assert.deepEqual([open.length, fixes], [1, []], JSON.stringify(steps));
  }
});
