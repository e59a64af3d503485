/**
 * Rows that stay: words that the search index has without their accents and endings, and observations that tell some of what
 * is forgotten.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { jsonOf, type TempHome, tempHome } from "../../support/program.ts";
import { run } from "../../support/verb.ts";
import { printed } from "../../support/on_home.ts";
import { workplace } from "../../support/told_sessions.ts";

/** What is forgotten, and the word of a row that the index has in this form. */
const FORMS = {
  zurich: "Zürich",
  munoz: "Muñoz",
  happi: "happy",
  istanbul: "İstanbul",
};

/** A home with a note for each text. */
async function withNotes(texts: readonly string[]): Promise<TempHome> {
  const home = tempHome();
  for (const text of texts) {
    const { code, stderr } = await run(home, "memory", "remember", text);
    assert.equal(code, 0, stderr);
  }
  return home;
}

Deno.test("a row that the search index has in a form with the text stays, and is named", async () => {
  using home = await withNotes(Object.values(FORMS).map((word) => `We met ${word} on the way`));
  for (const [text, word] of Object.entries(FORMS)) {
    for (const flag of ["--dry-run", "--yes"]) {
      const args = ["memory", "forget", "--text", text, flag];
      const { code, stdout } = await run(home, ...args);
      assert.equal(code, 0, stdout);
      assert.match(stdout, /^Nothing fits; nothing (?:would be removed|was changed)\.\n#\d/, text);
      assert.match(stdout, new RegExp(`#\\d has it in another form, and stays: ${word}\n`));
    }
  }
  const [, next] = /next: conclaude (memory forget --text .+)\n/
    .exec((await run(home, "memory", "forget", "--text", "happi", "--yes")).stdout + "\n") ?? [];
  assert.equal((await run(home, ...next!.split(" "), "--yes")).code, 0);
  const { stdout } = await run(home, "memory", "forget", "--text", "happi", "--yes");
  assert.equal(stdout, "Nothing fits; nothing was changed.\n");
});

Deno.test("nothing of a text is left where another row stays whose words look the same in the index", async () => {
  using home = await withNotes(["We met in zurich at noon", "We met in Zürich at night"]);
  const forgotten = await run(home, "memory", "forget", "--text", "zurich", "--yes", "--json");
  assert.equal(forgotten.code, 0, forgotten.stdout);
  const { receipt, left, otherForms } = jsonOf(forgotten);
  assert.deepEqual(left, []);
  assert.deepEqual(otherForms, [{ word: "zurich", observation: 2, as: "Zürich" }]);
  const args = ["memory", "verify", receipt.id, "--text", "zurich"];
  assert.equal((await run(home, ...args)).code, 0);
});

Deno.test("a word that is in the index and in no row is found and removed", async () => {
  using home = await withNotes(["We met on the Zürichberg at noon", "We met in Zürich at night"]);
  {
    // A row that changes and the index does not hear of it.
    using db = new DatabaseSync(home.database);
    const { sql } = db.prepare(
      "SELECT sql FROM sqlite_schema WHERE name = 'observations_reindexed'",
    )
      .get()!;
    db.exec("DROP TRIGGER observations_reindexed");
    db.exec("UPDATE observations SET title = 'gone', text = 'gone', terms = '' WHERE id = 1");
    db.exec(String(sql));
  }
  const forget = ["memory", "forget", "--text", "zurich"];
  assert.match(
    (await run(home, ...forget, "--dry-run")).stdout,
    /^Would remove 1 remain in unused room\.\n#2 has it in another form, and stays: Zürich/,
  );
  const { code, stdout } = await run(home, ...forget, "--yes");
  assert.equal(code, 0, stdout);
  assert.match(stdout, /#2 has it in another form, and stays: Zürich/);
  assert.match((await run(home, ...forget, "--dry-run")).stdout, /^Nothing fits/);
});

Deno.test("a look for what would be forgotten makes no database", async () => {
  using home = tempHome();
  assert.equal((await run(home, "memory", "forget", "--text", "zurich", "--dry-run")).code, 0);
  assert.throws(() => Deno.statSync(home.database), Deno.errors.NotFound);
});

Deno.test("two Chinese, Japanese or Korean signs can be forgotten, two Latin letters cannot", async () => {
  for (
    const [name, code] of [["李明", 0], ["김철", 0], ["ゆき", 0], ["明", 2], ["ab", 2], [
      "éa",
      2,
    ]] as const
  ) {
    using home = await withNotes([`${name} said so`]);
    const forgotten = await run(home, "memory", "forget", "--text", name, "--yes");
    assert.equal(forgotten.code, code, name + forgotten.stdout + forgotten.stderr);
    const { stdout } = await run(home, "export");
    assert.equal(stdout.includes(name), code !== 0, name);
  }
});

Deno.test("memory forget --file names the commands that have shown the file, and what forgets them", async () => {
  using at = workplace();
  await at.edit("src/login.ts", "export const SEAL = 'walrus';\n");
  await at.edit("src/relogin.ts", "export const other = 1;\n");
  await at.ran("git diff src/login.ts", "+export const SEAL = 'walrus';");
  await at.ran("cat src/relogin.ts", "export const other = 1;");
  await at.said("Done.");
  const run = (...args: string[]) => at.verb("memory", ...args);
  const dry = await run("forget", "--file", "src/login.ts", "--dry-run", "--json");
  const { toldBy, wouldRemove } = jsonOf(dry);
  assert.equal(wouldRemove.captures, 1);
  assert.equal(toldBy.length, 1);
  const shown = await run("show", String(toldBy[0]));
  assert.match(shown.stdout, /git diff src\/login\.ts/);
  const { stdout } = await run("forget", "--file", "src/login.ts", "--yes");
  assert.match(
    stdout,
    new RegExp(`^Observations that stay tell some of the same: #${toldBy[0]}\\.$`, "m"),
  );
  const [, next] = /next: conclaude (memory forget \d+)\n/.exec(stdout) ?? [];
  await printed(at, at.project, ...next!.split(" "), "--yes");
  assert.doesNotMatch(await printed(at, at.project, "export"), /walrus/);
});

/** Prompts of which a rule is drawn that tells the same; the short one is too short to be looked for by its letters. */
const RULES = [
  "From now on never edit bomukawuzok files by hand.",
  "Never edit bomukawuzok by hand.",
];

Deno.test("memory forget of a prompt names the decision that was drawn from it, and the other way round", async () => {
  for (const rule of RULES) {
    for (const [forgotten, stays] of [["prompt", "decision"], ["decision", "prompt"]]) {
      using at = workplace();
      await at.asked(rule);
      await at.said("Understood.");
      const run = (...args: string[]) => at.verb("memory", ...args);
      const { results } = jsonOf(await run("search", "bomukawuzok", "--json"));
      const numberOf = (kind: string | undefined) =>
        results.find((one: { kind: string }) => one.kind === kind).id;
      const [gone, other] = [numberOf(forgotten), numberOf(stays)];
      const dry = jsonOf(await run("forget", `${gone}`, "--dry-run", "--json"));
      assert.deepEqual(dry.toldBy, [other], rule);
      const { stdout } = await run("forget", `${gone}`, "--yes");
      const line = `^Observations that stay tell some of the same: #${other}\\.\\n` +
        `  next: conclaude memory forget ${other}$`;
      assert.match(stdout, new RegExp(line, "m"), rule);
      const last = jsonOf(await run("forget", `${other}`, "--yes", "--json"));
      assert.deepEqual(last.toldBy, [], rule);
      assert.doesNotMatch(await printed(at, at.project, "export"), /bomukawuzok/);
    }
  }
});

Deno.test("memory forget --dry-run names observations with the same words, and none with similar words", async () => {
  using at = workplace();
  await at.said("The alpha importer is built. Not done yet: docs of alpha.", { session: "a" });
  await at.said("The beta importer is built. Not done yet: docs of beta.", { session: "b" });
  const quoted = "The alpha importer is built. Not done yet: docs of alpha. So it was said.";
  await at.said(quoted, { session: "c" });
  const run = (...args: string[]) => at.verb("memory", ...args);
  const dry = jsonOf(await run("forget", "--session", "a", "--dry-run", "--json"));
  const { toldBy } = jsonOf(await run("forget", "--session", "a", "--yes", "--json"));
  assert.deepEqual(dry.toldBy, toldBy);
  assert.ok(toldBy.length > 0);
  for (const id of toldBy) assert.match((await run("show", `${id}`)).stdout, /So it was said/);
});
