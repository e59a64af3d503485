import assert from "node:assert/strict";
import { SCHEMA_VERSION } from "../../src/db/transaction.ts";
import { VERBS } from "../../src/cli/verbs.ts";
import { VERSION } from "../../src/base/version.ts";
import { stage } from "./support.ts";
import { testWith } from "../support/fixtures.ts";

const GLOBAL = ["--db PATH", "--no-db", "--json", "--no-color", "--help"];

const test = testWith(stage);

test("every page of help has an example, and the flags that every verb takes", async (place) => {
  const page = async (...words: string[]) => (await place.run([...words, "--help"])).stdout;
  const verbs = commandsOf(await page());
  assert.ok(verbs.length > 10);
  for (const verb of verbs) {
    const text = await page(verb);
    for (const action of [null, ...commandsOf(text)]) {
      const help = action === null ? text : await page(verb, action);
      assert.match(help, /\nExamples:\n {2}\S/, `${verb} ${action}`);
      const [, flags = ""] = help.split("\nGLOBAL FLAGS\n");
      for (const flag of GLOBAL) {
        assert.ok(flags.includes(` ${flag} `), `${verb} ${action} ${flag}`);
      }
      assert.ok(!/^FLAGS\n(\n|$)/m.test(help), "no section is empty");
    }
  }
});

test("help is a word too, and shows what --help shows", async (place) => {
  const same = async (one: readonly string[], other: readonly string[]) => {
    const [first, second] = [await place.run(one), await place.run(other)];
    assert.deepEqual([first.code, first.stdout], [0, second.stdout], one.join(" "));
  };
  await same(["help"], ["--help"]);
  await same(["help", "session"], ["session", "--help"]);
  await same(["help", "session", "list"], ["session", "list", "--help"]);
  await same(["session", "help"], ["session", "--help"]);
  await same(["session"], ["session", "-h"]);
});

test("--version --json and --help --json are JSON", async (place) => {
  const { body: facts } = await place.json(["--version"]);
  assert.deepEqual(Object.keys(facts), ["version", "schema", "sqlite", "deno", "target"]);
  assert.deepEqual([facts.version, facts.schema], [VERSION, SCHEMA_VERSION]);
  assert.equal((await place.run(["--version"])).stdout, `${VERSION}\n`);
  for (const words of [["--help"], ["session"], ["session", "list", "--help"]]) {
    const { body } = await place.json(words);
    assert.equal(`${body.help}\n`, (await place.run(words)).stdout);
  }
});

/** The names under COMMANDS. */
function commandsOf(page: string): string[] {
  const [, list = ""] = page.split("\nCOMMANDS\n");
  return list.split("\n").flatMap((line) => /^ {2}(\S+)/.exec(line)?.slice(1) ?? []);
}

Deno.test("the table of verbs names the verbs of every noun", async () => {
  for (const [noun, { load, verbs }] of Object.entries(VERBS)) {
    const target = await load();
    assert.deepEqual(verbs, target.kind === "group" ? Object.keys(target.verbs) : [], noun);
  }
});
