/** Filters of a search, as people type and paste them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { hook, jsonOf, runProgram, type TempHome, tempHome } from "../support/program.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

async function edit(home: TempHome, project: string, file: string): Promise<void> {
  const cwd = join(home.path, project);
  Deno.mkdirSync(join(cwd, ".git"), { recursive: true });
  Deno.writeTextFileSync(join(cwd, ".git", "HEAD"), "ref: refs/heads/feature/uploads\n");
  const payload = {
    session_id: `5e55a000-0000-4000-8000-0000000000${project === "webshop" ? 1 : 2}0`,
    cwd,
    hook_event_name: "PostToolUse",
    tool_name: "Edit",
    tool_use_id: `toolu_${project}_${file}`,
    tool_input: {
      file_path: join(cwd, file),
      old_string: "uploads = 1",
      new_string: "uploads = 3",
    },
    tool_response: {},
  };
  const { code, stderr } = await hook("PostToolUse", payload, home, { cwd });
  assert.equal(code, 0, stderr);
}

async function filled(
  home: TempHome,
): Promise<(...args: string[]) => ReturnType<typeof runProgram>> {
  await edit(home, "webshop", "src/auth/sessionStore.ts");
  await edit(home, "backend", "Source/FileWriter.cs");
  const run = (...args: string[]) => runProgram(args, { env: { HOME: home.path }, cwd: home.path });
  assert.equal((await run("queue", "drain")).code, 0);
  return run;
}

const test = testWith(tempHome);

test("a filter that matches nothing is named, with the nearest known value as a command to paste", async (home) => {
  const run = await filled(home);
  const cases = rowsOf<readonly [args: string[], told: string]>(CASES.emptyFilters);
  for (const [args, told] of cases) {
    const { code, stdout } = await run("memory", "search", "uploads", ...args);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^Nothing is remembered that matches\.\nNothing at all is /,
      args.join(" "),
    );
    assert.match(stdout, new RegExp(told));
    const [, next] = / {2}next: conclaude (.+)\n/.exec(stdout) ?? [];
    if (next === undefined) continue;
    const again = await run(...next.split(" "));
    assert.match(again.stdout, /uploads/, next);
  }
  const { unknown } = JSON.parse(
    (await run("memory", "search", "uploads", "--branch", "main", "--json")).stdout,
  );
  assert.deepEqual(unknown, [{ flag: "branch", value: "main", known: ["feature/uploads"] }]);
  // What is known, and does not match, is not a mistake.
  const none = await run("memory", "search", "zebra", "--branch", "feature/uploads");
  assert.equal(none.stdout, "Nothing is remembered that matches.\n");
  const timeline = await run("memory", "timeline", "sessionStoer.ts", "--here");
  assert.match(timeline.stdout, /^Files like it: src\/auth\/sessionStore\.ts\.\n.*\.ts --here$/m);
});

test("a project is found by its name, and a file as it is pasted: with its line, with the other slashes", async (home) => {
  const run = await filled(home);
  for (
    const args of [
      ["search", "uploads", "--project", "webshop"],
      ["search", "uploads", "--project", "WebShop"],
      ["search", "uploads", "--file", "sessionStore.ts:12"],
      ["search", "uploads", "--file", "src/auth/sessionStore.ts:12:3"],
      ["search", "uploads", "--file", join(home.path, "webshop/src/auth/sessionStore.ts:12")],
      ["timeline", "src/auth/sessionStore.ts:12"],
      ["timeline", "src\\auth\\sessionStore.ts"],
    ]
  ) {
    const { stdout } = await run("memory", ...args);
    assert.match(stdout, /sessionStore/, args.join(" "));
    assert.doesNotMatch(stdout, /FileWriter/, args.join(" "));
  }
  const { stdout } = await run("memory", "search", "uploads", "--file", "Source\\FileWriter.cs");
  assert.match(stdout, /FileWriter/);
});

test("--since and --until take a day as people say it, and in the wrong order they are refused", async (home) => {
  const run = await filled(home);
  for (
    const when of [
      "yesterday",
      "today",
      "last week",
      "monday",
      new Date().toISOString().slice(0, 7),
    ]
  ) {
    const { code, stdout, stderr } = await run("memory", "search", "uploads", "--since", when);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /sessionStore/, when);
  }
  for (
    const [since, why] of [
      ["today", /--since is later than --until/],
      ["yesterday", /--until means before then/],
    ] as const
  ) {
    const { code, stdout, stderr } = await run(
      ...["memory", "search", "uploads", "--since", since, "--until", "yesterday"],
    );
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, why);
  }
});

test("a whole path, or one in a project, is one file of that project; where nothing is of it a like one is named", async (home) => {
  await edit(home, "webshop", "src/a.ts");
  await edit(home, "backend", "src/a.ts");
  const shop = join(home.path, "webshop");
  const at = (cwd: string) => async (...args: string[]) =>
    jsonOf(await runProgram(["memory", ...args, "--json"], { env: { HOME: home.path }, cwd }));
  const inShop = at(shop);
  assert.equal((await runProgram(["queue", "drain"], { env: { HOME: home.path } })).code, 0);

  const whole = join(shop, "src/a.ts");
  const sessions = (results: readonly { sessionId: string }[]) =>
    new Set(results.map(({ sessionId }) => sessionId.slice(-2)));
  for (const file of [whole, "~/webshop/src/a.ts", "../webshop/src/a.ts", `${shop}/src`]) {
    const { results } = await inShop("search", "uploads", "--file", file);
    assert.deepEqual(sessions(results), new Set(["10"]), file);
    const { observations } = await inShop("timeline", file);
    assert.deepEqual(sessions(observations), new Set(["10"]), file);
  }
  const any = await inShop("search", "uploads", "--file", "src/a.ts");
  assert.deepEqual(sessions(any.results), new Set(["10", "20"]));

  for (const file of [whole, "src/a.ts", "./src/a.ts", "src", `${shop}/src`]) {
    const { wouldRemove } = await inShop("forget", "--file", file, "--dry-run");
    assert.deepEqual([wouldRemove.observations, wouldRemove.captures], [2, 1], file);
  }
  const like = await runProgram(["memory", "forget", "--file", "a.ts", "--yes"], {
    env: { HOME: home.path },
    cwd: join(home.path, "webshop"),
  });
  assert.match(
    like.stdout,
    /^Nothing fits; nothing was changed\.\nNothing at all is known of the file "a\.ts"; known: /,
  );
  assert.ok(like.stdout.includes(`/src/a.ts\n`), like.stdout);
  const nowhere = await inShop("forget", "--project", "/nope", "--yes");
  assert.equal(nowhere.unknown[0].flag, "project");

  const { receipt } = await inShop("forget", "--file", "src/a.ts", "--yes");
  assert.equal(receipt.removed.captures, 1);
  const left = await at(join(home.path, "backend"))("search", "uploads");
  assert.deepEqual(sessions(left.results), new Set(["20"]));
});

test("a question without a word finds nothing, and is no error", async (home) => {
  const run = await filled(home);
  for (const text of ["", " \t", "\ufeff", "(", '"'] as const) {
    const { code, stdout, stderr } = await run("memory", "search", text, "--json");
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" }, JSON.stringify(text));
    assert.deepEqual(JSON.parse(stdout).results, []);
  }
  assert.equal((await run("memory", "search")).code, 2);
});

test("`.` is this folder, and `./src` a part of a path as ever", async (home) => {
  await filled(home);
  const at = (cwd: string) => async (...args: string[]) =>
    (await runProgram(["memory", ...args], {
      env: { HOME: home.path },
      cwd: join(home.path, cwd),
    })).stdout;
  const inShop = at("webshop");
  for (const file of [".", "./", "././"]) {
    for (const verb of [["search", "uploads", "--file"], ["timeline"]]) {
      const told = await inShop(...verb, file);
      assert.match(told, /sessionStore/, `${verb} ${file}`);
      assert.doesNotMatch(told, /FileWriter/, `${verb} ${file}`);
    }
  }
  Deno.mkdirSync(join(home.path, "webshop/src/auth"), { recursive: true });
  assert.match(await at("webshop/src/auth")("timeline", "."), /sessionStore/);
  Deno.mkdirSync(join(home.path, "webshop/docs"));
  assert.match(await at("webshop/docs")("timeline", "."), /^Nothing is remembered of "\."/);
  assert.match(await at("backend")("timeline", "."), /FileWriter/);
  assert.match(await inShop("timeline", "./src"), /sessionStore/);
  assert.match(await inShop("timeline", ".hidden"), /^Nothing is remembered/);
});

test("a timeline is narrowed to a project, by its number as by its file", async (home) => {
  const run = await filled(home);
  const { results } = JSON.parse(
    (await run("memory", "search", "uploads", "--project", "webshop", "--json")).stdout,
  );
  const id = String(results[0].id);
  assert.match((await run("memory", "timeline", id, "--project", "webshop")).stdout, /^> /m);
  const other = await run("memory", "timeline", id, "--project", "backend");
  assert.deepEqual([other.code, other.stdout], [1, ""]);
  assert.match(
    other.stderr,
    new RegExp(
      `^Cannot show the timeline of #${id}\n {2}why: {2}it is of the project \\S+webshop, not of "backend"\n` +
        ` {2}next: conclaude memory timeline ${id}\n$`,
    ),
  );
  const here = await runProgram(["memory", "timeline", id, "--here"], {
    env: { HOME: home.path },
    cwd: join(home.path, "backend"),
  });
  assert.match(here.stderr, /not of this one\n/);

  const nowhere = await run("memory", "timeline", "quite-another.py");
  assert.equal(
    nowhere.stdout,
    'Nothing is remembered of "quite-another.py".\nNothing at all is known of the file "quite-another.py".\n',
  );
});

test("--here and --project together are refused", async (home) => {
  const run = await filled(home);
  for (const verb of [["search", "uploads"], ["timeline", "a.ts"]]) {
    const { code, stdout, stderr } = await run(
      ...["memory", ...verb, "--here", "--project", "webshop"],
    );
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^Cannot narrow to two projects\n/);
  }
});
