import assert from "node:assert/strict";
import { join } from "node:path";
import { filesOf, messageOf } from "../../src/web/kit/review_lines.ts";
import { git, makeRepository } from "../support/git.ts";
import { tempHome } from "../support/program.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(tempHome);

test("a diff of git is read file by file, whatever its lines look like", async ({ path }) => {
  const write = (name: string, text: string) => Deno.writeTextFileSync(join(path, name), text);
  makeRepository(path);
  const lines = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`);
  write("song.txt", `${lines.join("\n")}\n`);
  write("gone.sql", "-- a comment\nSELECT 1;\n");
  write("old name.txt", "the same\nin both\nplaces\n");
  write("picture.png", "\0\x01");
  await git(path, "add", "--all");
  await git(path, "commit", "--quiet", "-m", "first");
  write("song.txt", `${lines.with(1, "++ louder").toSpliced(18, 1).join("\n")}`);
  Deno.removeSync(join(path, "gone.sql"));
  Deno.renameSync(join(path, "old name.txt"), join(path, "new name.txt"));
  write("picture.png", "\0\x02");
  write("diff.txt", "diff --git a/x b/x\n@@ -1 +1 @@\n");
  await git(path, "add", "--all");
  const files = filesOf(await git(path, "diff", "--cached", "-M", "HEAD"));
  const told = files.map(({ path, lines }) => [
    path,
    ...lines.filter(({ mark }) => mark === "+" || mark === "-")
      .map(({ mark, text, at }) => `${mark}${at} ${text}`),
  ]);
  assert.deepEqual(told, [
    ["diff.txt", "+1 diff --git a/x b/x", "+2 @@ -1 +1 @@"],
    ["gone.sql", "-1 -- a comment", "-2 SELECT 1;"],
    ["new name.txt"],
    ["picture.png"],
    ["song.txt", "-2 line 2", "+2 ++ louder", "-19 line 19", "-20 line 20", "+19 line 20"],
  ]);
  assert.match(files[3]!.lines.at(-1)!.text, /^Binary files/);
});

Deno.test("comments and words become one message, each comment with its place and what it is about", () => {
  const place = { path: "a.ts", below: 3, place: "line 4", quoted: "> +four" };
  const comment = { ...place, words: "Louder." };
  assert.equal(messageOf([], "  "), "");
  assert.equal(messageOf([comment], ""), "a.ts, line 4:\n> +four\nLouder.");
  assert.equal(messageOf([comment], "Thanks. "), "a.ts, line 4:\n> +four\nLouder.\n\nThanks.");
});
