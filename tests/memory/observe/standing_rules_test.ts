import assert from "node:assert/strict";
import { observe } from "../../../src/memory/observe/observe.ts";
import { standingRules } from "../../../src/memory/observe/standing_rules.ts";

const RULES: readonly (readonly [prompt: string, rule: string])[] = [
  [
    "From now on always use pnpm, never npm. Add the search page.",
    "From now on always use pnpm, never npm.",
  ],
  [
    "Stop. Never edit generated files under src/gen, they are overwritten.",
    "Never edit generated files under src/gen, they are overwritten.",
  ],
  ["and please always run the linter before a commit", "always run the linter before a commit"],
  ["Use vitest, not jest.", "Use vitest, not jest."],
  ["Don't use any casts again.", "Don't use any casts again."],
  ["- In this repo we never force-push to main", "In this repo we never force-push to main"],
  ["Remember to bump the version in both places.", "Remember to bump the version in both places."],
  ["Rule: one component per file", "Rule: one component per file"],
  ["Ab jetzt bitte nur noch pnpm benutzen.", "Ab jetzt bitte nur noch pnpm benutzen."],
  ["Verwende immer einfache Anführungszeichen.", "Verwende immer einfache Anführungszeichen."],
  ["Fix the test.\nNever mock the database!", "Never mock the database!"],
];

const NONE: readonly string[] = [
  "never mind, leave it",
  "It always fails on CI, never locally. Why?",
  "Always use pnpm?",
  "Should we always use pnpm?",
  "The cache never returns a value",
  "always green now",
  "Use the new API not",
  "Add a rule: users may not vote twice",
  "```\nnever use eval in here\n```\nWhat does this say",
  "never run",
];

Deno.test("standingRules() finds what a person lays down for all that comes", () => {
  for (const [prompt, rule] of RULES) assert.deepEqual(standingRules(prompt), [rule]);
});

Deno.test("standingRules() finds none in reports, questions, tasks and code", () => {
  for (const prompt of NONE) assert.deepEqual(standingRules(prompt), [], prompt);
});

Deno.test("a rule in a prompt is a decision besides it", () => {
  const told = observe({
    toolName: "UserPromptSubmit",
    outcome: "success",
    payload: { prompt: "From now on use pnpm. Never use npm here! Add a page." },
    root: "/p",
  });
  assert.equal(told?.kind, "prompt");
  const rules = [told?.besides, told?.besides?.besides];
  assert.deepEqual(rules.map((one) => [one?.kind, one?.title]), [
    ["decision", "From now on use pnpm."],
    ["decision", "Never use npm here!"],
  ]);
  assert.equal(told?.besides?.besides?.besides, undefined);
});
