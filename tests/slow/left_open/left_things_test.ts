/** What was still to be made is there once it was made, by whatever word: `Add tests` for `the tests are not written yet`. */
import assert from "node:assert/strict";
import { committed } from "../../../src/memory/deed.ts";
import { hasDone } from "../../../src/memory/left/items.ts";
import { leftItemsIn } from "../../../src/memory/said/done.ts";
import { soughtItem } from "../../../src/memory/sought_item.ts";
import { openAfter, type ToldTurn } from "../../support/left_sessions.ts";

type Case = readonly [left: string, asked: string, said: string, commit?: string, file?: string];

const TESTS = "The tests are not written yet.";
const TEST_FILE = "tests/test_importer.py";

const MADE: readonly Case[] = [
  [TESTS, "Add tests", "Added 4 tests, all green."],
  [TESTS, "Add tests", "Added 4 tests, all green.", "Add importer tests"],
  [TESTS, "Now add some unit tests, please", "Done."],
  [TESTS, "Go ahead and add tests", "I added 4 tests for the importer, all green."],
  [TESTS, "and now the tests", "Tests are in place."],
  [TESTS, "go on with the importer", "The importer has tests.", "Add tests for the importer"],
  [TESTS, "ok write the tests", "Written."],
  [TESTS, "cover it with tests", "4 tests cover the importer now."],
  [TESTS, "go on", "Nine cases.", "Cover the importer with tests"],
  ["The docs are not written yet.", "Add docs", "Added a page.", "", "docs/importer.md"],
  [
    "A migration for the users table is not written yet.",
    "Add it",
    "Added a migration for the users table.",
  ],
  [
    "The changelog entry still has to be written.",
    "Create the changelog entry",
    "It is there.",
    "",
    "CHANGELOG.md",
  ],
];

const OTHERS: readonly Case[] = [
  [TESTS, "Add tests for the parser", "Added 4 tests for the parser.", "Add parser tests"],
  [TESTS, "Add a login page", "Added a login page with tests.", "Add login page with tests"],
  [TESTS, "Add e2e tests", "Added e2e tests.", "Add e2e tests"],
  [TESTS, "Run the tests", "There are none."],
  [
    TESTS,
    "cover the parser with tests",
    "4 tests cover the parser.",
    "Cover the parser with tests",
  ],
  [TESTS, "Remove the tests", "There are none."],
  [TESTS, "Move the tests of the importer", "Moved.", "Move importer tests"],
  [TESTS, "don't add tests yet, first rename rows", "Renamed.", "Rename rows"],
  [TESTS, "Add docs", "Added a page about the importer.", "Add importer docs"],
  [TESTS, "Add tests", "Which runner shall I use, pytest or unittest?"],
  [TESTS, "Add tests", "I tried pytest, but could not import it, so I reverted all."],
  ["The docs are not written yet.", "Add tests", "Added tests for the importer."],
  [
    "The tests for the importer are not written yet.",
    "Add tests",
    "Added tests for the exporter.",
    "Add exporter tests",
  ],
  [
    "A migration for the users table is not written yet.",
    "Add a migration for the orders table",
    "Added a migration for the orders table.",
  ],
];

const begun = (said: string): ToldTurn => ({
  asked: "Build the importer",
  said: `The importer works. ${said}`,
  file: "importer.py",
});

Deno.test("who agrees to what was said to be left has asked for it, and for nothing else", () => {
  const after = (asked: string) =>
    openAfter([begun(TESTS), { asked, said: "Written.", file: "x" }]);
  for (const asked of ["ok write them", "great, yes, do it", "Sure, write those"]) {
    assert.deepEqual(after(asked), [], asked);
  }
  for (const asked of ["ok rename rows in it", "ok, and now do that for the parser"]) {
    assert.deepEqual(after(asked), [TESTS], asked);
  }
});

function openOf([left, asked, said, commit = "", file = TEST_FILE]: Case): readonly string[][] {
  const turn = { asked, said, file, ...commit === "" ? {} : { commit } };
  return [openAfter([begun(left)], [turn]), openAfter([begun(left), turn])];
}

Deno.test("what was to be written is there once it was added, in a later session and in the same", () => {
  for (const one of MADE) assert.deepEqual(openOf(one), [[], []], `${one[1]} / ${one[2]}`);
});

Deno.test("what was to be written is open still where something else was added, or nothing", () => {
  for (const one of OTHERS) {
    const [later = [], same = []] = openOf(one);
    for (const open of [later, same]) {
      assert.ok(open.includes(one[0]), `${one[0]} ${one[1]} / ${one[2]}: ${open}`);
    }
  }
});

Deno.test("what a person commits is made as what a session commits", () => {
  const rows: readonly (readonly [subject: string, isDone: boolean])[] = [
    ["Add CSV exporter", true],
    ["Add the CSV exporter", true],
    ["feat(export): add CSV exporter (#3)", true],
    ["Write the CSV exporter", true],
    ["Add XML exporter", false],
    ["Add exporter", false],
    ["Remove CSV exporter", false],
    ["Rename CSV exporter", false],
    ["docs: CSV exporter", false],
    ["Add CSV importer", false],
  ];
  const [item] = leftItemsIn("The CSV exporter is not written yet.").map(soughtItem);
  for (const [subject, isDone] of rows) {
    const later = { turns: [committed(subject)], files: [] };
    assert.equal(hasDone(item!, later, { files: ["a.py"] }), isDone, subject);
  }
});
