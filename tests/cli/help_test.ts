import assert from "node:assert/strict";
import { SCHEMA_VERSION } from "../../src/db/transaction.ts";
import HELP from "../../src/operations/help.json" with { type: "json" };
import { POLICY_PRESETS } from "../../src/policy/requirements/presets.ts";
import { VERBS } from "../../src/operations/all_verbs.ts";
import { VERSION } from "../../src/base/version.ts";
import { namesIn } from "../support/look.ts";
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

test("every text of help is of a verb, and that of `config init` tells every preset", async (place) => {
  for (const [words, { brief }] of Object.entries(HELP)) {
    const { body } = await place.json([...words.split(" "), "--help"]);
    const isGroup = !("about" in HELP[words as keyof typeof HELP]);
    assert.match(body.help, new RegExp(`^USAGE\n {2}conclaude ${words}(?: |$)`, "m"), words);
    if (isGroup) assert.ok(body.help.includes(`\n${brief}\n`), words);
  }
  for (const [name, about] of Object.entries(POLICY_PRESETS)) {
    assert.ok(HELP["config init"].about.includes(`\n${name}: ${about}`), name);
  }
});

/** The names of the verbs that a page lists behind the flags. */
function commandsOf(page: string): string[] {
  const [, list = ""] = page.split("\nGLOBAL FLAGS\n");
  const [, verbs = ""] = list.split(/\n\n(?!ARGUMENTS)([^]*)/);
  return verbs.split("\n").flatMap((line) => /^ {2}([a-z]\S*) /.exec(line)?.slice(1) ?? []);
}

test("the first page of help names every verb once, below what people do with it", async (place) => {
  const { stdout } = await place.run(["--help"]);
  const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  assert.deepEqual(commandsOf(stdout), Object.keys(VERBS).map(kebab));
  const { stdout: narrow } = await place.run(["--help"], { env: { COLUMNS: "80" } });
  assert.deepEqual(commandsOf(narrow), commandsOf(stdout));
  assert.doesNotMatch(narrow, /\n {5,}[a-z]/, "each verb takes one line of 80 columns");
  for (const heading of ["START", "LOOK", "RULES", "WORK", "CARE", "FOR PROGRAMS"]) {
    assert.ok(stdout.includes(`\n\n${heading}\n  `), heading);
  }
});

test("short flags, `ls` and a title without a flag mean what the long forms mean", async (place) => {
  await place.run(["task", "create", "One"]);
  await place.run(["task", "create", "--title", "Two"]);
  const same = async (one: readonly string[], other: readonly string[]) => {
    const [first, second] = [await place.run(one), await place.run(other)];
    assert.deepEqual([first.code, first.stdout], [0, second.stdout], one.join(" "));
  };
  await same(["task", "ls"], ["task", "list"]);
  await same(["task", "ls", "-n", "1", "--json"], ["task", "list", "--limit", "1", "--json"]);
  await same(["-V"], ["--version"]);
  await place.run(["export", "-o", "kept.jsonl"]);
  assert.ok(namesIn(place.project).includes("kept.jsonl"));
  const { stdout: listed } = await place.run(["task", "list"]);
  assert.ok(listed.includes("One") && listed.includes("Two"), listed);
  for (const quiet of ["-q", "--quiet"]) {
    const { code, stdout } = await place.run(["task", "list", quiet]);
    assert.deepEqual([code, stdout], [0, ""]);
  }
  const { code, stderr } = await place.run(["task", "create", "One", "--title", "Two"]);
  assert.equal(code, 2);
  assert.match(stderr, /both a title and --title are given/);
});
