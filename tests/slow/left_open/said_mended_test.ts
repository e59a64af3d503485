/** What a prompt says of a failure: that it is mended already, or that it is to be mended now. */
import assert from "node:assert/strict";
import { asksToMend, saysItIsMended } from "../../../src/memory/said/mended.ts";

Deno.test("a prompt that says what a person has changed is told from one that asks for it", () => {
  const said = [
    "fixed it in cart.ts, try again",
    "I fixed that, run it again",
    "I've just restarted the server",
    "we already reverted it",
    "ok, done, try again",
    "Installed it. Go on.",
    "should work now",
    "that should be fine now",
    "the database is running again",
    "ist repariert, bitte nochmal",
    "ya está arreglado",
    "Thanks! I have updated the fixture.",
  ];
  const asked = [
    "try again",
    "fix it",
    "please get it fixed",
    "is it fixed?",
    "fixed?",
    "the header should be fixed at the top",
    "I want this changed",
    "Add a changed date to the orders",
    "did you install it?",
    "go on",
    "run the tests now",
  ];
  assert.deepEqual(said.filter((prompt) => !saysItIsMended(prompt)), []);
  assert.deepEqual(asked.filter(saysItIsMended), []);
});

Deno.test("a prompt asks for a failure to be mended where it names what failed", () => {
  const tests = { command: "npx jest", failed: 1, failing: ["cart adds tax"] };
  const build = { command: "npm run build", error: "src/a.ts(1,1): error TS2304: no foo" };
  const rows = [
    [tests, "now fix the failing test", true],
    [tests, "Please repair the tax calculation", true],
    [tests, "get the tests green", true],
    [tests, "fix the header", false],
    [tests, "don't fix the test yet", false],
    [tests, "add a footer, we fix the test later", false],
    [tests, "why does the test fail?", false],
    [build, "fix the build", true],
    [build, "fix the tests", false],
  ] as const;
  for (const [facts, prompt, asks] of rows) assert.equal(asksToMend(prompt, facts), asks, prompt);
});
