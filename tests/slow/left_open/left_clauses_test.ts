/** Of a sentence that says of several things that they are left one is done alone: the others are open still. */
import assert from "node:assert/strict";
import { openAfter, type ToldTurn } from "../../support/left_sessions.ts";
import { leftOpenIn } from "../../../src/memory/said/open.ts";

const SPEC: ToldTurn = {
  asked: "Regenerate the OpenAPI spec",
  said: "Regenerated and committed.",
  file: "openapi.yaml",
  commit: "Regenerate the OpenAPI spec",
};
const PAGES: ToldTurn = {
  asked: "Implement pagination",
  said: "Pagination works.",
  file: "src/users.ts",
  commit: "Implement pagination",
};

/** What is open of what was said after some turns of the same session, and after as many later sessions. */
function openOf(said: string, ...turns: readonly ToldTurn[]): readonly (readonly string[])[] {
  const left = { asked: "Work on the users endpoint", said, file: "src/users.ts" };
  return [openAfter([left, ...turns]), openAfter([left], ...turns.map((turn) => [turn]))];
}

/** What was said, and what is open of it once the one half is done, or the other. */
const HALVES: readonly (readonly [said: string, pages: string, spec: string])[] = [
  [
    "Pagination is not implemented, and the OpenAPI spec still needs to be regenerated.",
    "Pagination is not implemented",
    "the OpenAPI spec still needs to be regenerated.",
  ],
  [
    "Pagination is not implemented yet; the OpenAPI spec still needs to be regenerated.",
    "Pagination is not implemented yet",
    "the OpenAPI spec still needs to be regenerated.",
  ],
  [
    "The OpenAPI spec still needs to be regenerated, and pagination is not implemented.",
    "pagination is not implemented.",
    "The OpenAPI spec still needs to be regenerated",
  ],
  [
    "I have not implemented pagination yet and the OpenAPI spec still needs to be regenerated.",
    "I have not implemented pagination yet",
    "the OpenAPI spec still needs to be regenerated.",
  ],
  [
    "Pagination is still missing, as is the OpenAPI spec.",
    "Still open: Pagination is still missing",
    "Still open: the OpenAPI spec",
  ],
];

Deno.test("of two things that a sentence says are left the one is open when the other is done", () => {
  for (const [said, pages, spec] of HALVES) {
    assert.deepEqual(openOf(said, SPEC), [[pages], [pages]], said);
    assert.deepEqual(openOf(said, PAGES), [[spec], [spec]], said);
    assert.deepEqual(openOf(said, SPEC, PAGES), [[], []], said);
  }
  const tests = { asked: "add tests", said: "Added 4.", file: "t.ts", commit: "Add tests" };
  const pages = "Pagination is still missing";
  assert.deepEqual(openOf(`${pages} and there are no tests yet.`, tests), [[pages], [pages]]);
});

Deno.test("of what a sentence joins nothing is over by what was done, or is not wanted, of one thing alone", () => {
  const both = "Pagination and the OpenAPI spec still need to be regenerated.";
  assert.deepEqual(openOf(both, SPEC), [[both], [both]]);
  const neitherIs = "I did not add pagination or sorting.";
  assert.deepEqual(openOf(neitherIs, PAGES), [[neitherIs], [neitherIs]]);
  const done = { ...PAGES, asked: "Add pagination and sorting", said: "Both are in." };
  assert.deepEqual(openOf(neitherIs, done), [[], []]);
  const skip = { asked: "skip the docs, fix the header", said: "Fixed.", file: "src/header.ts" };
  const tests = "Still to do: tests";
  assert.deepEqual(openOf("Still to do: docs and tests.", skip), [[tests], [tests]]);
  const neither = { ...skip, asked: "skip the docs and the tests, fix the header" };
  assert.deepEqual(openOf("Still to do: docs and tests.", neither), [[], []]);
});

Deno.test("what goes on with a clause, or speaks of it, is told with that", () => {
  const whole = [
    "Pagination is not implemented yet, and it still needs tests.",
    "Pagination is still missing and has no tests yet.",
    "Pagination is not implemented yet, since the order of the rows is still open.",
    "Pagination is still missing and you need to add it yourself.",
    "The tests, the docs and the changelog are still missing.",
    "Steps 2, 3 and 4 remain, and both are still blocked: the key is missing.",
    "The docs are missing for users and orders and invoices are not migrated yet.",
    "The endpoint is still in the old module and should be moved.",
  ];
  for (const said of whole) assert.deepEqual(leftOpenIn(said), [said], said);
});
