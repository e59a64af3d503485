/** Every verb in every trouble: a failure says what, why and next, for people and for programs. */
import assert from "node:assert/strict";
import { someOf } from "../support/lanes.ts";
import { change } from "../support/on_home.ts";
import { programCommand, surroundings } from "../../src/build/program.ts";
import { join } from "node:path";
import { migratedDatabase } from "../support/migrated.ts";
import { isNext } from "../support/next.ts";
import { garbage } from "../support/spoilt.ts";
import { runVerb } from "../support/verb.ts";
import { stage } from "./support.ts";
import CASES from "../testdata/cli_cases.json" with { type: "json" };
import { it, rowsOf } from "../support/fixtures.ts";
import { tempFolder } from "../support/folders.ts";

const VERBS = rowsOf<readonly string[]>(CASES.verbs);

/** What may lie in the database's place. */
const TROUBLES: Readonly<Record<string, (path: string) => void>> = {
  "nothing": () => {},
  "garbage": (path) => Deno.writeFileSync(path, garbage(9000)),
  "half a header": (path) => Deno.writeTextFileSync(path, "SQLite format 3\0"),
  "a folder": (path) => Deno.mkdirSync(path),
  "a newer schema": (path) => spoil(path, "PRAGMA user_version = 99"),
  "a migration that fails": (path) => spoil(path, "PRAGMA user_version = 2"),
  "another program's": (path) => change(path, "CREATE TABLE bookmarks (url TEXT)"),
};

for (const [trouble, make] of someOf(Object.entries(TROUBLES), 4)) {
  it.sized(`every failure says what, why and next, with ${trouble} in the database's place`, async () => {
    using home = tempFolder();
    const database = join(home.path, "x.db");

    for (const verb of VERBS) {
      await prepare(home.path, database, make);
      const text = await runVerb(verb, { home: home.path, database });
      await prepare(home.path, database, make);
      const json = await runVerb([...verb, "--json"], { home: home.path, database });
      const line = `${verb.join(" ")}: ${text.stdout}${text.stderr}${json.stdout}${json.stderr}`;
      assert.equal(json.code, text.code, line);
      assert.ok(text.code >= 0 && text.code <= 2, line);
      assert.doesNotMatch(line, /^ +at /m);
      if (text.code !== 0) judge(text.stderr, JSON.parse(json.stdout), line);
    }
  });
}

/** A failure is an error, or a report of findings. */
// deno-lint-ignore no-explicit-any -- it looks into whatever was printed
function judge(stderr: string, body: any, line: string): void {
  if (body.checks !== undefined) {
    for (const { status, message, next } of body.checks) {
      assert.ok(
        status === "ok" ? next === null : isNext(next) && next !== "",
        `${message}: ${next}`,
      );
    }
    return;
  }
  assert.deepEqual(Object.keys(body.error), ["what", "why", "next", "code"], line);
  assert.ok(isNext(body.error.next), line);
  assert.match(stderr, /^[A-Z][^\n]+\n {2}why: {2}[^\n]+\n( {2}next: [^\n]+\n)?$/, line);
}

async function prepare(
  home: string,
  database: string,
  make: (path: string) => void,
): Promise<void> {
  for await (const { name } of Deno.readDir(home)) {
    Deno.removeSync(join(home, name), { recursive: true });
  }
  Deno.writeTextFileSync(join(home, "taken"), "mine");
  // So that config init has something to refuse.
  Deno.writeTextFileSync(join(home, ".conclaude.yaml"), "inherit: true\n");
  make(database);
}

/** A database with all our tables, and then something wrong with it. */
function spoil(path: string, sql: string): void {
  Deno.writeFileSync(path, migratedDatabase());
  change(path, sql);
}

Deno.test("every verb reports an output that takes nothing as what, why and next", async () => {
  if (Deno.build.os !== "linux") return; // only there is a device that is always full
  using place = stage();
  const [program, ...first] = programCommand();
  for (const line of [["session", "list"], ["status", "--json"], ["--help"]]) {
    const words = [program, ...first, ...line].map((word) => `'${word}'`).join(" ");
    const { code, stderr } = await new Deno.Command("/bin/sh", {
      args: ["-c", `${words} > /dev/full`],
      clearEnv: true,
      env: { ...surroundings(`${place.home}/runtime-cache`), HOME: place.home },
    }).output();
    const text = new TextDecoder().decode(stderr);
    assert.equal(code, 1);
    assert.match(text, /^.+\n {2}why: {2}.*No space left.*\n {2}next: .+\n$/);
  }
});
