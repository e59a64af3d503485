/** What was left open with a question to the person: over by the answer and the work, or by a plain no. */
import assert from "node:assert/strict";
import { openAfter, type ToldTurn } from "../../support/left_sessions.ts";

const ORDER =
  "I haven't handled stacking several coupons yet - that needs a decision: in which order are they applied?";
const LIMIT = "Open question: should the limiter also count successful logins?";
const DEFAULT = "The migration isn't written yet: which default should old rows get?";
const STORE = "Still open: should the sessions be kept in Redis or in Postgres?";
const PREFIX = "IPv6 prefixes are not handled yet: /64 or /56?";

/** What is open of what was said when the next turn, or the next session, has ended. */
function openOf(said: string, next: ToldTurn, { isLater = false } = {}): string[] {
  const first = { asked: "Work on the shop", said, file: "src/cart.ts" };
  return isLater ? openAfter([first], [next]) : openAfter([first, next]);
}

Deno.test("what was left with a question is over once the person answered and the work was done", () => {
  const cases: readonly (readonly [said: string, next: ToldTurn])[] = [
    [ORDER, {
      asked: "percent first, then fixed. Do it",
      file: "src/cart.ts",
      commit: "Stack coupons: percent first, then fixed amounts",
      said: "Done. `applyCoupons` applies percent coupons first, then fixed amounts.",
    }],
    [ORDER, { asked: "percent first", file: "src/a.ts", said: "Done. Coupons stack now." }],
    [DEFAULT, { asked: "0", file: "m.sql", said: "The migration is written." }],
    [DEFAULT, { asked: "0", file: "m.sql", said: "Old rows get 0." }],
    [STORE, { asked: "Redis", file: "src/store.ts", said: "Done." }],
    [STORE, { asked: "use Redis, please", file: "src/store.ts", said: "It is Redis." }],
    [PREFIX, { asked: "/64. Do it", file: "src/ip.ts", said: "Grouped by /64." }],
    [LIMIT, { asked: "no", said: "OK, it stays as it is." }],
    [LIMIT, { asked: "No, thanks.", said: "OK." }],
    [LIMIT, { asked: "nope", commit: "Tidy up", said: "Left as it is." }],
  ];
  for (const [said, next] of cases) assert.deepEqual(openOf(said, next), [], next.asked);
  const written = { asked: "default 0", file: "m.sql", said: "The migration is written." };
  assert.deepEqual(openOf(DEFAULT, written, { isLater: true }), []);
});

Deno.test("what was left with a question stays open where it was not answered, or nothing was done for it", () => {
  const cases: readonly (readonly [said: string, next: ToldTurn])[] = [
    [ORDER, { asked: "percent first", said: "Good, I'll do that next." }],
    [ORDER, { asked: "rename the cart", file: "src/cart.ts", said: "Renamed." }],
    [DEFAULT, { asked: "0", said: "Understood." }],
    [DEFAULT, { asked: "why do you ask?", file: "notes.md", said: "Old rows have none." }],
    [STORE, {
      asked: "Redis",
      file: "src/store.ts",
      said: "I couldn't connect, so I reverted it.",
    }],
    [STORE, { asked: "fix the header", file: "src/head.ts", said: "Fixed." }],
    [LIMIT, { asked: "fix the header", file: "src/head.ts", said: "Fixed." }],
    [LIMIT, { asked: "no idea, ask Ida", said: "I'll leave it open." }],
    ["The docs are not written yet: shall I write them?", { asked: "no", said: "OK." }],
    ["Open question: which store do we use?", { asked: "no", said: "Which one then?" }],
    ["Open question: should we keep the old flag?", { asked: "no", said: "OK." }],
  ];
  for (const [said, next] of cases) assert.deepEqual(openOf(said, next), [said], next.asked);
  const two = `${LIMIT}\n\nOpen question: should locked users get a mail?`;
  assert.equal(openOf(two, { asked: "no", said: "OK." }).length, 2);
});

const LEFT_SO = "Should the endpoint be public or behind auth? I left it public for now.";

Deno.test("how it is until a question is answered is told with that, and is over with the answer", () => {
  const auth = {
    asked: "behind auth please",
    said: "The endpoint requires auth now.",
    file: "src/users.ts",
    commit: "Require auth for /users",
  };
  assert.deepEqual(openOf(LEFT_SO, auth), []);
  assert.deepEqual(openOf(LEFT_SO, auth, { isLater: true }), []);
  for (const asked of ["public is fine", "keep it public", "no"]) {
    assert.deepEqual(openOf(LEFT_SO, { asked, said: "OK." }), [], asked);
  }
  const others: readonly ToldTurn[] = [
    { asked: "rename the route", said: "Renamed.", file: "src/users.ts" },
    { asked: "behind auth", said: "Good, I'll do that next." },
    { asked: "thanks", said: "You're welcome." },
    { asked: "public or not, what do others do?", said: "Most require a token." },
  ];
  for (const next of others) assert.deepEqual(openOf(LEFT_SO, next), [LEFT_SO], next.asked);
  assert.deepEqual(openOf(`Open question: ${LEFT_SO}`, auth), []);
  assert.deepEqual(openOf("I left it public for now.", { asked: "thanks", said: "Sure." }), [
    "I left it public for now.",
  ]);
});

Deno.test("what could not be tested is over once a person says that it is right there", () => {
  const browser = "I could not test this in a browser.";
  const safari = "The upload has not been tested in Safari yet.";
  const rows: readonly (readonly [said: string, asked: string, isOpen: boolean])[] = [
    [`${browser} Please verify the layout manually.`, "looks good in the browser", false],
    [browser, "it looks great in the browser. Now add a footer", false],
    [safari, "works in Safari", false],
    [safari, "ok, the upload works fine in Safari", false],
    [safari, "works in Firefox", true],
    [safari, "the download works fine in Safari", true],
    [safari, "make sure that it looks good in Safari", true],
    [safari, "works in Safari?", true],
    [
      "I was not able to verify it in Chrome and Safari.",
      "works in Chrome but not in Safari",
      true,
    ],
    ["The tests for the browser are still missing.", "looks good in the browser", true],
    ["Dark mode is not supported in the browser yet.", "looks good in the browser", true],
  ];
  for (const [said, asked, isOpen] of rows) {
    for (const isLater of [false, true]) {
      const open = openOf(said, { asked, said: "Great." }, { isLater });
      assert.equal(open.length, isOpen ? 1 : 0, `${said} ${asked} ${open}`);
    }
  }
});

Deno.test("what Claude needed to hear before it could go on is over once it was told, and went on", () => {
  const rate = "I need you to decide which rate is right before I go on";
  const turn = (asked: string, said = "Done, the rate is 19%."): ToldTurn => ({
    asked,
    said,
    file: "src/tax.ts",
  });
  for (const asked of ["19% is right, go on", "19", "take the reduced rate"]) {
    assert.deepEqual(openOf(rate, turn(asked)), [], asked);
  }
  for (const next of [turn("rename the header", "Renamed."), turn("19", "Which country?")]) {
    assert.deepEqual(openOf(rate, next), [rate], next.asked);
  }
  assert.deepEqual(openOf(rate, { asked: "19", said: "Understood." }), [rate]);
});
