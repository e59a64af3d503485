/** A rule that a later prompt takes back, or puts another in the place of, is not told as standing. */
import assert from "node:assert/strict";
import { drainCaptures } from "../../../src/recall/capture_drain.ts";
import { saveEvent, tempDatabase } from "../../support/records.ts";

const PNPM = "From now on, use pnpm instead of npm.";
const HEADER = "From now on, all new files get a licence header";
const TASK = "Add the search page";

/** Prompts, each said in the session before it unless `/` stands between them; and the rules that stand in the end. */
type Row = readonly [prompts: readonly string[], standing: readonly string[]];

const OVER: readonly Row[] = [
  [[PNPM, "Actually scrap that, use npm again from now on."], ["use npm again from now on."]],
  [[PNPM, "/", "From now on, use npm again instead of pnpm."], [
    "From now on, use npm again instead of pnpm.",
  ]],
  [[PNPM, "/", "Scrap the pnpm rule, we use npm again."], []],
  [[PNPM, "/", "We no longer use pnpm. From now on use bun."], ["From now on use bun."]],
  [[HEADER, "/", "That licence header rule no longer applies."], []],
  [[HEADER, "/", "You don't need to add licence headers any more."], []],
  [[HEADER, TASK, "Forget that rule."], []],
  [[HEADER, "Forget it."], []],
  [["Never edit the migrations.", "/", "You may edit migrations again."], []],
  [["Please never use default exports here.", "/", "Default exports are fine again!"], []],
  [["Always run the linter before a commit.", "/", "No need to run the linter anymore."], []],
  [["Always answer in German.", "/", "From now on answer in English."], [
    "From now on answer in English.",
  ]],
  [["Write commit messages in German from now on.", "forget the German commit messages rule"], []],
  [["Use tabs, not spaces.", "/", "From now on use spaces."], ["From now on use spaces."]],
  [[
    "From now on keep lines under 80 characters.",
    "/",
    "Keep lines under 100 characters from now on.",
  ], [
    "Keep lines under 100 characters from now on.",
  ]],
  [["Always squash commits.", "/", "Never squash commits."], ["Never squash commits."]],
  [["Always ask before adding dependencies.", "/", "Stop asking before adding dependencies."], [
    "Stop asking before adding dependencies.",
  ]],
  [["Never push to main.", "/", "never push to main!", "/", "Never push to main"], [
    "Never push to main",
  ]],
  [["Use vitest, not jest.", "/", "We decided to go back to jest."], [
    "We decided to go back to jest.",
  ]],
  [
    ["Always use named exports.", "/", "From now on use default exports instead of named exports."],
    [
      "From now on use default exports instead of named exports.",
    ],
  ],
  [["Впредь используй pnpm вместо npm.", "/", "Впредь используй npm."], ["Впредь используй npm."]],
  [["De ahora en adelante usa pnpm, no npm.", "/", "De ahora en adelante usa npm."], [
    "De ahora en adelante usa npm.",
  ]],
  [
    ["Désormais, les commits sont en anglais.", "/", "La règle des commits ne s'applique plus."],
    [],
  ],
  [["Use tabs, not spaces.", "/", "I changed my mind about tabs."], []],
  [["Bearbeite nie die Migrationen.", "/", "Du darfst Migrationen wieder bearbeiten."], []],
  [[
    "Antworte immer auf Deutsch.",
    "/",
    "Antworte ab jetzt bitte auf Englisch.",
  ], [
    "Antworte ab jetzt bitte auf Englisch.",
  ]],
  // Which of the two is meant nobody can tell: neither is told as standing.
  [["Always sign commits. Never amend commits.", "/", "Drop the commits rule."], []],
  [[PNPM, "/", "From now on use npm.", "/", PNPM], [PNPM]],
];

const STANDING: readonly Row[] = [
  [["From now on use pnpm. Never use npm here!"], ["From now on use pnpm.", "Never use npm here!"]],
  [["From now on use pnpm.", "/", "Never use npm here!"], [
    "From now on use pnpm.",
    "Never use npm here!",
  ]],
  [["Never edit the migrations.", "OK for once you may edit the migration 004."], [
    "Never edit the migrations.",
  ]],
  [["Never push to main.", "You can push now."], ["Never push to main."]],
  [["Never push to main.", "/", "Should we scrap the push rule?"], ["Never push to main."]],
  [["Never push to main.", "/", "Bob wrote:\nDrop the push rule."], ["Never push to main."]],
  [["Use tabs, not spaces.", "/", "From now on use spaces in YAML files."], [
    "Use tabs, not spaces.",
    "From now on use spaces in YAML files.",
  ]],
  [["Always answer in German.", "/", "From now on write commit messages in English."], [
    "Always answer in German.",
    "From now on write commit messages in English.",
  ]],
  [["Always run the linter before a commit.", "/", "Always run the tests before a commit."], [
    "Always run the linter before a commit.",
    "Always run the tests before a commit.",
  ]],
  [["Never mock the database.", "/", "You may mock the network again."], [
    "Never mock the database.",
  ]],
  [["Never use default exports.", "/", "Use named exports instead of default exports."], [
    "Never use default exports.",
    "Use named exports instead of default exports.",
  ]],
  [["Limit functions to 50 lines from now on.", "/", "Limit files to 300 lines from now on."], [
    "Limit functions to 50 lines from now on.",
    "Limit files to 300 lines from now on.",
  ]],
  [["Never use var.", "/", "Always use const."], ["Never use var.", "Always use const."]],
  [[HEADER, "/", "Ignore the header rule for this file."], [HEADER]],
  [["Never run the dev server.", "/", "You may start the dev server again."], [
    "Never run the dev server.",
  ]],
  // What is dropped here is what was done, or what was asked for.
  [[HEADER, TASK, "Scrap that."], [HEADER]],
  [[`${HEADER}. ${TASK}.`, "Scrap that."], [`${HEADER}.`]],
  [[HEADER, "/", "Forget it."], [HEADER]],
  [[PNPM, "/", "Drop the users table, nobody needs it."], [PNPM]],
];

async function standingAfter(prompts: readonly string[], { late = 0 } = {}) {
  using temp = await tempDatabase();
  const startMs = Date.UTC(2026, 6, 15);
  let session = 1;
  let n = 0;
  const events = prompts.flatMap((prompt) => {
    if (prompt === "/") session++;
    return prompt === "/" ? [] : [{ prompt, sessionId: `s${session}`, atMs: startMs + 1000 * n++ }];
  });
  for (const { prompt, sessionId, atMs } of [...events.slice(late), ...events.slice(0, late)]) {
    saveEvent(temp.db, {
      atMs,
      sessionId,
      capture: {
        toolName: "UserPromptSubmit",
        payload: JSON.stringify({ prompt, project_dir: "/p" }),
      },
    });
    if (late > 0) drainCaptures(temp.db, { now: () => startMs + 1_000_000 });
  }
  drainCaptures(temp.db, { now: () => startMs + 1_000_000 });
  return temp.db.prepare(
    "SELECT text FROM observations WHERE kind = 'decision' AND resolved_by IS NULL ORDER BY created_at_ms, id",
  ).all().map(({ text }) => String(text));
}

for (const [prompts, standing] of OVER) {
  Deno.test(`a rule is over: ${prompts.join(" ")}`, async () => {
    assert.deepEqual(await standingAfter(prompts), standing);
  });
}

for (const [prompts, standing] of STANDING) {
  Deno.test(`a rule stands: ${prompts.join(" ")}`, async () => {
    assert.deepEqual(await standingAfter(prompts), standing);
  });
}

Deno.test("a rule that is captured late does not take the place of a later one", async () => {
  const prompts = ["Always answer in German.", "/", "From now on answer in English."];
  assert.deepEqual(await standingAfter(prompts, { late: 1 }), ["From now on answer in English."]);
});
