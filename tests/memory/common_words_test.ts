/** Words that are in thousands of observations each, and what has more than one of them. */
import assert from "node:assert/strict";
import { indexedTerms } from "../../src/memory/search/terms.ts";
import { answerMemory } from "../../src/memory/search/search.ts";
import { openDatabase } from "../../src/db/database.ts";
import { transaction } from "../../src/db/transaction.ts";
import { EVERYTHING } from "../../src/memory/search/memory_search_table.ts";
import { saveObservation } from "../../src/memory/drain/observations_table.ts";
import { tempHome } from "../support/program.ts";
import { it } from "../support/fixtures.ts";

const PROJECT = "/work/tides/.git";
/** More than what is ranked of one word. */
const EACH = 4_500;

it.slow("an observation with two words of a question is found among thousands with one of them, in its project alone", async () => {
  using home = tempHome();
  using db = await openDatabase(`${home.path}/m.db`, { busyTimeoutMs: 1_000 });
  let atMs = Date.UTC(2026, 0, 1);
  const keep = (text: string, project = PROJECT) => {
    saveObservation(db, {
      uid: String(atMs),
      sessionId: `s${atMs}`,
      project,
      branch: "main",
      kind: "message",
      outcome: null,
      title: text,
      text,
      terms: indexedTerms(text, project),
      files: [],
      facts: {},
      sameAs: null,
      atMs: atMs += 1_000,
    });
  };
  transaction(db, () => {
    keep("the renderer met a crash, the cache was full");
    keep("their renderer and their crash", "/work/other/.git");
    for (let i = 0; i < EACH; i++) {
      keep(`renderer changed once more, ${i}`);
      keep(`crash looked into, part ${i}`);
      keep(`quota raised to ${i}`);
    }
  });
  const options = { filter: { ...EVERYTHING, project: PROJECT }, limit: 5, nowMs: atMs };
  const [best, ...others] = answerMemory(db, "renderer crash quota", options).results;
  assert.match(best!.title, /^the renderer met a crash/);
  assert.ok(others.every(({ project }) => project === PROJECT));
});
