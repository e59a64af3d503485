/** Sessions that speak of several things: what is said of one takes nothing back of another. */
import assert from "node:assert/strict";
import { openAfter, type ToldTurn } from "../../support/left_sessions.ts";

const turn = (asked: string, said: string, file = "src/imp.ts"): ToldTurn => ({
  asked,
  said,
  ...file === "" ? {} : { file },
});
const IMPORTER = turn("Build the importer", "Importer built. Umlauts are not handled yet.");
const LIST = turn("Build it", "Built. Remaining:\n- parser tests\n- printer tests\n- docs");

const IN_A_SESSION: readonly (readonly [left: readonly string[], ...turns: ToldTurn[]])[] = [
  [
    ["check it in Safari", "show a progress bar", "write an error report"],
    turn("Build it", "Built.\n\nNext steps:\n- show a progress bar\n- write an error report"),
    turn("Now the footer", "Footer fixed.\n\nNext steps:\n- check it in Safari", "src/footer.ts"),
  ],
  [
    ["I could not verify it in Safari.", "Umlauts are not handled yet."],
    IMPORTER,
    turn("Now fix the footer", "Footer fixed. I could not verify it in Safari.", "a.css"),
  ],
  [
    ["Umlauts are not handled yet."],
    IMPORTER,
    turn("Now fix the footer layout", "Footer fixed; nothing left to do there.", "a.css"),
  ],
  [
    ["Umlauts are not handled yet."],
    IMPORTER,
    turn("Now fix the footer layout", "All of the footer is done.", "a.css"),
  ],
  [[], IMPORTER, turn("Finish it", "Everything is done.")],
  [[], IMPORTER, turn("And the special characters?", "Everything is done now.")],
  [
    ["Not committed yet.", "The progress bar is still missing."],
    turn("Build it", "Built. Not committed yet. The progress bar is still missing."),
    turn("Add a footer", "Added. Not committed yet.", "b.ts"),
  ],
  [
    ["printer tests", "docs"],
    LIST,
    turn("the parser tests", "They are there.\n\nRemaining:\n- printer tests\n- docs"),
  ],
  [["docs"], LIST, turn("the tests", "There.\n\nRemaining:\n- docs")],
  [["Remaining: docs."], turn("Build it", "Still to do: parser, printer, docs."), {
    ...turn("the parser, then the printer", "Both are there. Remaining: docs."),
  }],
  [["A mail is not sent yet."], LIST, turn("go on", "They are there. A mail is not sent yet.")],
  [
    ["Since the printer tests are not written yet.", "docs", "parser tests"],
    LIST,
    turn("Why?", "Since the printer tests are not written yet.", ""),
  ],
  [
    ["Still open: the currency."],
    IMPORTER,
    turn("Anything else?", "Still open: the currency.", ""),
  ],
  [
    ["Rounding is not handled yet.", "Umlauts are not handled yet."],
    IMPORTER,
    turn("What does src/cart.ts do?", "It adds. Rounding is not handled yet.", ""),
  ],
  [
    ["Umlauts are not handled yet."],
    IMPORTER,
    turn("Add a logo", "Added. The logo is not shown on phones yet.", "logo.css"),
    turn("go on", "The logo is shown on phones now.", "logo.css"),
  ],
  [
    ["The alt text is not translated yet.", "Umlauts are not handled yet."],
    IMPORTER,
    turn("Add a logo", "Added. The alt text is not translated yet.", "logo.css"),
  ],
  [
    ["follow the system theme", "I could not verify the mails."],
    turn("Refactor the mails", "Refactored. I could not verify the mails."),
    turn("Add dark mode", "Next steps:\n- persist the choice\n- follow the system theme", "a.css"),
    turn("persist it please", "The choice is kept in localStorage.", "a.css"),
  ],
  [
    ["write tests", "add retries"],
    turn("Build the importer", "Next steps:\n- add retries\n- write tests"),
    turn("Now the footer", "Footer fixed.\n\nNext steps:\n- write tests", "a.css"),
  ],
  [
    ["Step 3 remains."],
    turn("Plan it", "Begun. Steps 2 and 3 remain."),
    turn("do step 2", "The rows are there. Step 3 remains."),
    turn("thanks", "You are welcome.", ""),
  ],
  [[], turn("Begin", "Begun. Step 3 remains."), turn("step 3", "The column is dropped.")],
  [
    ["Still to do: retries in the upload.", "Still to do: retries in the download."],
    turn("Download", "Works. Still to do: retries in the download."),
    turn("Upload", "Works. Still to do: retries in the upload.", "src/up.ts"),
  ],
];

Deno.test("what a turn says is left takes the place of what it says again, and of nothing else", () => {
  for (const [left, ...turns] of IN_A_SESSION) {
    assert.deepEqual(openAfter(turns).sort(), [...left].sort(), turns.at(-1)!.said);
  }
});

Deno.test("what was said last in a session is told first, and at most six", () => {
  const turns = ["home", "cart", "search", "profile", "admin", "help", "terms"].map((page) =>
    turn(`Build the ${page} page`, `Still to do: translate the ${page} page.`, `${page}.ts`)
  );
  assert.deepEqual(
    openAfter(turns),
    ["terms", "help", "admin", "profile", "search", "cart"].map((page) =>
      `Still to do: translate the ${page} page.`
    ),
  );
});

/** What is said at the end of sessions that each do the same for another thing; all of it is open. */
const OF_SEVERAL: readonly (readonly [said: string, of: readonly string[]])[] = [
  ["Still to do: mobile tests for the X page.", ["cart", "search", "profile", "admin"]],
  ["Still to do: error handling in the X handler.", ["users", "orders", "carts"]],
  ["Not handled yet: keyboard navigation on the X page.", ["cart", "search"]],
  ["Still missing: plural forms for X.", ["French", "German", "Polish"]],
  ["Still to do: a regression test for #X.", ["101", "102", "103"]],
  ["Remaining: write the migration for the X table.", ["users", "orders"]],
  ["The X endpoint has to be documented: not done yet.", ["login", "upload"]],
  ["Still open: show the X chart on the dashboard.", ["sales", "visits"]],
  ["Next: move the X settings into the database.", ["mail", "proxy"]],
  ["Still to do: retry failed X deliveries with backoff.", ["webhook", "mail"]],
];

Deno.test("what is left of one thing is not said again by what is left of another", () => {
  for (const [said, of] of OF_SEVERAL) {
    const all = of.map((one) => said.replace("X", one));
    const sessions = all.map((said, n) => [turn(`Work on ${of[n]}`, said, `${of[n]}.ts`)]);
    assert.deepEqual(openAfter(...sessions), all.toReversed());
  }
});

/** What is said once more in other words, which is told in the newer ones alone. */
const AGAIN: readonly (readonly [older: string, newer: string])[] = [
  [
    "CSV headers with umlauts are not handled yet.",
    "Umlauts in CSV headers are still not handled.",
  ],
  [
    "Still to do: mobile tests for the cart page.",
    "Still to do: tests of the cart page on mobile.",
  ],
  [
    "Still to do: add rate limiting to the login endpoint.",
    "Rate limiting of the login is not done yet.",
  ],
  ["Noch offen: die Migration der Tabelle users.", "Die Migration der Tabelle users fehlt noch."],
  [
    "Remaining: error handling in the users handler.",
    "Error handling in the users handler is still missing.",
  ],
];

Deno.test("what is said to be left once more is told in the newest words", () => {
  for (const [older, newer] of AGAIN) {
    const told = openAfter([turn("Begin", older)], [turn("Go on a bit", newer, "")]);
    assert.deepEqual(told, [newer]);
  }
});

Deno.test("who went on with all that was left tells what of it is left now", () => {
  const list = [turn("Migrate", "Next steps:\n- Migrate orders\n- Migrate invoices")];
  const rest = turn(
    "go on with the next steps",
    "Orders are migrated. I did not get to the invoices.",
  );
  assert.deepEqual(openAfter(list, [rest]), ["I did not get to the invoices."]);
  assert.deepEqual(openAfter([...list, rest]), ["I did not get to the invoices."]);
});
