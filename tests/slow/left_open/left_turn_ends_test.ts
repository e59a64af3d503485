/** Turns that ended before what they were asked for was done, and those that only ask for more. */
import assert from "node:assert/strict";
import { openAfter } from "../../support/left_sessions.ts";

const LEFT = "Still to do: add pagination to the user list.";
const ASKED = "Add pagination to the user list";

const UNFINISHED: readonly string[] = [
  "Here is my plan in docs/plan.md. Shall I go ahead?",
  "I've written up a plan in docs/plan.md.",
  "Here's the proposal: keyset pagination with a cursor.",
  "I sketched the types in a.ts. Should the page size be 20 or 50?",
  "Which page size do you want?",
  "I looked into it.\n\n**Do you prefer offset or keyset pagination?**",
  "Do you want me to proceed with keyset pagination?",
  "Two ways are possible. Shall I implement it with a cursor or with an offset?",
  "Hier ist mein Plan. Soll ich so weitermachen?",
  "I've hit the usage limit while editing.",
  "You've hit your limit · resets 3pm",
  "Claude AI usage limit reached|1763910000",
  "5-hour limit reached ∙ resets 5pm",
  "API Error: 529 overloaded",
  "[Request interrupted by user]",
  "I ran out of context before finishing the list.",
  "I'll have to stop here; the list is half way there.",
];

const FINISHED: readonly string[] = [
  "Done.",
  "Done. Is that what you had in mind?",
  "Done, 20 per page. Should I also add it to the order list?",
  "20 per page now. Want me to commit?",
  "20 per page now. Anything else?",
  "The list is paginated. Is 20 per page right?",
  "I added pagination to the list. Should the page size be 20 or 50?",
  "Pagination is in place. Shall I go ahead with the order list?",
  "I followed the plan: the user list is paginated.",
  "The user list stops after 20 rows now. A limit of 50 is reached by ?size=50.",
  "20 per page. The API answers 429 to who has hit the rate limit.",
];

Deno.test("a turn that ended with a plan, a question or a limit has not done what it was asked for", () => {
  for (const said of UNFINISHED) {
    const turns = [{ asked: "Work", said: LEFT, file: "src/app.ts" }, {
      asked: ASKED,
      said,
      file: "src/app.ts",
    }];
    assert.ok(openAfter(...turns.map((one) => [one])).includes(LEFT), said);
    assert.ok(openAfter(turns).includes(LEFT), said);
    const goneOn = { asked: "go on", said, file: "src/app.ts" };
    assert.ok(openAfter([turns[0]!, goneOn]).includes(LEFT), said);
  }
});

Deno.test("a turn that says what it did, or only offers more, has done it", () => {
  for (const said of FINISHED) {
    const turns = [{ asked: "Work", said: LEFT, file: "src/app.ts" }, {
      asked: ASKED,
      said,
      file: "src/list.ts",
    }];
    assert.deepEqual(openAfter(...turns.map((one) => [one])), [], said);
    assert.deepEqual(openAfter(turns), [], said);
  }
});

Deno.test("who asked for a plan has got it", () => {
  const left = { asked: "Work", said: "Still to do: write a plan for the migration." };
  const later = {
    asked: "Write the plan for the migration",
    said: "I've written the plan in docs/plan.md.",
    file: "docs/plan.md",
  };
  assert.deepEqual(openAfter([left], [later]), []);
});
