/** A turn that did some of what was picked of a list, and names what it could not do. */
import assert from "node:assert/strict";
import { openAfter, type ToldTurn } from "../../support/left_sessions.ts";

const [TESTS, README, METRIC] = [
  "tests for the limiter",
  "README section about limits",
  "a metric for rejected requests",
];
const LEFT: ToldTurn = {
  asked: "Add a limiter for requests",
  said: `The limiter works.\n\nStill open:\n1. ${TESTS}\n2. ${README}\n3. ${METRIC}`,
  file: "src/limiter.ts",
};

const CASES: readonly (readonly [asked: string, said: string, open: readonly string[]])[] = [
  [
    "do 1 and 2",
    "The tests are written. I couldn't do the README section, since mkdocs is missing.",
    [README, METRIC],
  ],
  ["1 and 2, please", "Done with both.", [METRIC]],
  ["1 and 3", "The metric counts now. I was not able to write the tests for lack of a runner.", [
    TESTS,
    README,
  ]],
  ["all but the last", "I could not write the README section; the tests pass.", [README, METRIC]],
  ["next", "I couldn't write the tests because vitest is missing.", [TESTS, README, METRIC]],
  ["do 1 and 2", "I could not get it to work, so I reverted all.", [TESTS, README, METRIC]],
  ["do 1 and 2", "I couldn't do either of them.", [TESTS, README, METRIC]],
  ["do 1 and 2", "I couldn't run the tests. I gave up on this.", [TESTS, README, METRIC]],
  ["do 1 and 2", "Should the section be in English?", [TESTS, README, METRIC]],
  ["do the first two", "The tests for the limiter and the README section are in.", [METRIC]],
  ["do the first two", "Both are in.", [METRIC]],
  ["do the last two", "Done.", [TESTS]],
  ["please do the last two", "Both are in.", [TESTS]],
  ["mach die letzten zwei", "Fertig.", [TESTS]],
  ["do the last two tests", "The rate is tested.", [TESTS, README, METRIC]],
  ["everything but the metric please", "Done.", [METRIC]],
  ["all except the metric and the tests", "Done.", [TESTS, METRIC]],
  ["everything but the metric", "The tests are in. I could not do the README section.", [
    README,
    METRIC,
  ]],
  ["everything but the limits is slow", "Done.", [TESTS, README, METRIC]],
  ["do the first two tests", "The rate is tested.", [TESTS, README, METRIC]],
  ["1 and 3", "Both are in.", [README]],
  ["skip the metric and do the others", "The tests and the section are in.", []],
  ["skip the metric, do the rest", "Both are in.", []],
  ["do the others, but not the metric", "The tests and the section are done.", []],
  ["do the others, but not the metric yet", "The tests for the limiter are in.", [README, METRIC]],
  ["skip the metric and the tests, do the other one", "Written.", []],
  ["skip the metric, do the others", "I could not do the README section.", [README]],
  ["skip the metric and do the other endpoint", "The endpoint is in.", [TESTS, README]],
  ["write the tests and the section", "Both are in.", [METRIC]],
  ["please add the metric and the tests", "The metric is in. I could not write the tests.", [
    TESTS,
    README,
  ]],
  ["write the tests and the guide", "Here they are.", [TESTS, README, METRIC]],
  ["write the tests and the limits", "Here they are.", [TESTS, README, METRIC]],
  ["write the tests and the section", "In which language?", [TESTS, README, METRIC]],
  ["skip the metric, do the others", "Which runner do you use?", [TESTS, README]],
  ["write the tests and the section", "Neither is in yet.", [TESTS, README, METRIC]],
  ["do the first two", "Neither of them is in yet.", [TESTS, README, METRIC]],
  ["do 1 and 2", "None of it is in yet, I only set up the files.", [TESTS, README, METRIC]],
  ["do the first two", "Only the tests are in.", [TESTS, README, METRIC]],
  ["do the first two", "Just the tests for the limiter are done so far.", [README, METRIC]],
  ["write the tests and the metric", "The tests are in, the metric is not.", [
    TESTS,
    README,
    METRIC,
  ]],
  ["write the tests and the metric", "Only the metric for rejected requests is done.", [
    TESTS,
    README,
  ]],
  ["do the first two", "Only two files were changed. Both are in.", [METRIC]],
];

Deno.test("of what was picked only that is open which a turn says it could not do", () => {
  for (const [asked, said, open] of CASES) {
    const turn = { asked, said, file: "test/limiter.test.ts" };
    // What gives all up may be told besides, in its own words.
    const listed = (told: readonly string[]) =>
      told.filter((one) => [TESTS, README, METRIC].includes(one));
    assert.deepEqual(listed(openAfter([LEFT, turn])), open, `${asked} / ${said}`);
    assert.deepEqual(listed(openAfter([LEFT], [turn])), open, `later: ${asked} / ${said}`);
  }
});

Deno.test("what was done stays done where a turn could not do another thing", () => {
  const left = { ...LEFT, said: "The login endpoint still has to be documented." };
  const turn = (said: string) => ({ asked: "go on", said, file: "docs/login.md" });
  const done = "The login endpoint is documented.";
  const other = "I couldn't publish the changelog.";
  assert.deepEqual(openAfter([left], [turn(`${done} ${other}`)]), [other]);
  for (const back of ["I couldn't publish the documented endpoint.", "I reverted it again."]) {
    assert.ok(openAfter([left], [turn(`${done} ${back}`)]).includes(left.said), back);
  }
});

const WHOLE: readonly (readonly [asked: string, said: string, open: readonly string[]])[] = [
  ["implement the rest", "All three are done.", []],
  ["go on", "All 3 items are done, and the suite passes.", []],
  ["finish the list", "Everything on the list is done now; nothing is left.", []],
  ["please complete the whole list", "The metric counts. That's it. Nothing is left to do.", []],
  ["do all of them", "Done.", []],
  ["weiter", "Fertig.", []],
  ["implement the rest", "All three remaining items are done: the metric counts, too.", []],
  ["implement the rest", "All items from the list are implemented.", []],
  ["implement the rest", "Everything's done.", []],
  ["implement the rest", "I've implemented all three. The suite passes.", []],
  ["do all three", "That's all three done.", []],
  ["implement the rest", "I've implemented all of the tests.", [README, METRIC]],
  ["implement the rest", "Done with the tests.", [README, METRIC]],
  ["implement the rest", "I've added all three tests.", [README, METRIC]],
  ["implement the rest", "All done with the first one. Shall I go on?", [README, METRIC]],
  ["implement the rest", "All three are done: the metric only in part.", [README, METRIC]],
  ["implement the rest", "The tests are done.", [README, METRIC]],
  ["implement the rest", "Done. The tests for the limiter pass.", [README, METRIC]],
  ["implement the rest", "Both are done.", [README, METRIC]],
  ["implement the rest", "All tests are done.", [README, METRIC]],
  ["implement the rest", "All three are done, except the metric.", [README, METRIC]],
  ["implement the rest", "All is done for the tests.", [README, METRIC]],
  ["finish the list", "The tests are done.", [README, METRIC]],
  ["finish the list of users", "Everything on the list is done.", [README, METRIC]],
  ["write the tests", "All are done.", [README, METRIC]],
];

Deno.test("a list that was done as a whole is done, whatever of it a commit names", () => {
  for (const [asked, said, open] of WHOLE) {
    const turn = { asked, said, file: "test/limiter.test.ts", commit: "Add tests for the limiter" };
    const told = openAfter([LEFT], [turn]).filter((one) => [TESTS, README, METRIC].includes(one));
    assert.deepEqual(told, open, `${asked} / ${said}`);
  }
});

Deno.test("what stands beside a list is not done with all that is on it", () => {
  const left = { ...LEFT, said: `The staging proxy is not updated yet.\n\n${LEFT.said}` };
  const turn = {
    asked: "go on",
    file: "test/limiter.test.ts",
    commit: "Add tests for the limiter",
  };
  const told = (said: string) => openAfter([left], [{ ...turn, said }]);
  assert.deepEqual(told("All three are done."), ["The staging proxy is not updated yet."]);
  assert.deepEqual(told("Everything is done."), []);
});
