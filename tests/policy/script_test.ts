import assert from "node:assert/strict";
import fc from "fast-check";
import { anyText } from "../support/any_text.ts";
import { readPowerShellWith } from "../../src/policy/shell/wrappers.ts";
import { POWERSHELL } from "../../src/policy/shell/powershell.ts";
import { readScript } from "../../src/policy/shell/script.ts";
import { findTargets } from "../../src/policy/shell/writes.ts";
import { runs } from "../support/lanes.ts";
import { it } from "../support/fixtures.ts";
import CASES from "../testdata/script_cases.json" with { type: "json" };

readPowerShellWith(POWERSHELL);

const AROUND = { folder: "/w", home: "/h" };

/** The commands of a script as text; `…` stands for what is not known, `@` for another folder than the first. */
function read(source: string): string[] {
  return readScript(source, AROUND).commands
    .filter(({ words }) => words.length > 0)
    .map(({ words, folder }) =>
      words.map(({ text, isOpen }) => text + (isOpen ? "…" : "")).join(" ") +
      (folder === "/w" ? "" : ` @${folder}`)
    );
}

for (const [what, cases] of Object.entries(CASES)) {
  Deno.test(`readScript() takes scripts apart: ${what}`, () => {
    for (const [source, commands] of cases) {
      assert.deepEqual([source, read(source as string)], [source, commands]);
    }
  });
}

Deno.test("readScript() says what it cannot know", () => {
  for (const source of ["$X", 'sh -c "$X"', "curl x | sh", "perl -e 1", "if a; then", "'"]) {
    assert.notDeepEqual(readScript(source, AROUND).unknown, [], source);
  }
  for (const source of ["a", "a $X", "a | b", "sh x.sh", "a 'perl -e 1'"]) {
    assert.deepEqual(readScript(source, AROUND).unknown, [], source);
  }
});

it.sized("readScript() and findTargets() never throw, and come to an end", () => {
  const pieces = fc.constantFrom(
    ..."a|b|rm|git|push|-f|--|cd|sh|-c|eval|xargs|find|-exec|for|in|do|done|if|then|fi|f()|{|}|(|)|$(|`|'|\"|\\|;|&&|<<E|\nE\n|>|>>|<|$X|${X:-a}|X=|*|[a]|{a,b}|{1..9}|#|!|[[|]]|((|))|\n| |sudo|env|-u|dd|of=|tee|mv|cp"
      .split("|"),
    "|",
  );
  const scripts = fc.array(pieces, { maxLength: 30 }).map((list) => list.join(" "));
  fc.assert(
    fc.property(fc.oneof(scripts, anyText()), (source) => {
      for (const command of readScript(source, AROUND).commands) findTargets(command);
    }),
    { numRuns: runs(5_000) },
  );
});

Deno.test("readScript() gives up what is nested too deeply, and says so", () => {
  for (const open of ["$(", "eval $("]) {
    assert.notDeepEqual(readScript(open.repeat(5_000), AROUND).unknown, []);
  }
});

Deno.test("a script that calls itself, or nests without end, is given up", () => {
  for (
    const source of [
      "f() { f; f; }; f",
      "$(".repeat(5_000),
      "(".repeat(50_000),
      "eval ".repeat(2_000) + "a",
      "bash -c ".repeat(500) + "a",
      `a ${"{b,c}".repeat(40)}`,
      `for i in ${"x ".repeat(100)}; do for j in ${"y ".repeat(100)}; do a; done; done`,
    ]
  ) {
    const { commands } = readScript(source, AROUND);
    assert.ok(commands.length <= 6_000, source.slice(0, 30));
  }
  // Each of these commands has a path in a long folder.
  const { commands, tooLarge } = readScript(
    `cd /${"a/".repeat(200_000)}${"; cd b".repeat(99)}`,
    AROUND,
  );
  assert.ok(commands.length < 50 && tooLarge !== null, `${commands.length}`);
});
