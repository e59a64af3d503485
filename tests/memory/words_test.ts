/** Words of code in the index, and what a person typed as a question to it. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { anyText } from "../support/any_text.ts";
import { digestOf } from "../../src/base/fnv.ts";
import { readQuestion } from "../../src/memory/search/question.ts";
import { codeTerms, exactTerm, projectTerm, wordsOf } from "../../src/memory/search/terms.ts";
import { estimateTokens } from "../../src/memory/text.ts";
import { openDatabase } from "../../src/db/database.ts";
import { rememberNote } from "../../src/memory/drain/remember.ts";
import { answerMemory } from "../../src/memory/search/search.ts";
import { EVERYTHING } from "../../src/memory/search/memory_search_table.ts";
import CASES from "../testdata/memory_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const PLACE = { sessionId: null, project: "/p", branch: null, root: "/p", files: [], atMs: NOW_MS };

/** A memory of some notes, and what is found in it, by their places in the list. */
async function memoryOf(notes: readonly string[]) {
  const db = await openDatabase(":memory:", { busyTimeoutMs: 100 });
  notes.forEach((note, n) => rememberNote(db, note, { ...PLACE, atMs: NOW_MS + n * 1_000 }));
  return (query: string) =>
    answerMemory(db, query, { filter: EVERYTHING, limit: 20, nowMs: NOW_MS }).results
      .map(({ id }) => id - 1);
}

Deno.test("an identifier is one exact word, and the words of its parts", () => {
  assert.deepEqual(codeTerms("call parseHTTPEvent2 now"), {
    exact: ["parsehttpevent2ǃ"],
    parts: ["parse", "http", "event"],
  });
  assert.equal(exactTerm("hook_event"), exactTerm("hookEvent"));
  assert.deepEqual(wordsOf("XMLHttpRequest_v2"), ["xml", "http", "request", "v", "2"]);
});

Deno.test("digests and project words are the same as in existing databases", () => {
  assert.equal(digestOf("/home/ana/shop"), "74fc5fcd85a33682");
  assert.equal(digestOf(""), "811c9dc59747b28c");
  assert.equal(projectTerm("/home/ana/shop"), "projectǀwgjefh112v98iǃ");
});

Deno.test("a path is found whole and by its end, with or without a line number", () => {
  for (const text of ["src/hook/run.ts", "src/hook/run.ts:12", "(src/hook/run.ts:12:5)"]) {
    const { exact } = codeTerms(text);
    assert.ok(exact.includes("srcǀhookǀrunǀtsǃ") && exact.includes("runǀtsǃ"), `${text}: ${exact}`);
  }
});

Deno.test("identifiers, paths, flags, codes and other scripts are found by what people type", async () => {
  const find = await memoryOf(CASES.spelledTexts);
  const rows = rowsOf<readonly [query: string, first: number]>(CASES.ranked);
  for (const [query, first] of rows) assert.equal(find(query)[0], first, query);
});

Deno.test("a quoted phrase must be found as it is, unless nothing holds it", async () => {
  const find = await memoryOf(CASES.quotedTexts);
  assert.deepEqual(find('"failing upload"'), [0]);
  assert.equal(find('"failing download" upload').length > 0, true);
  assert.deepEqual(find('"list" upload'), [1]);
});

Deno.test("words that no text holds are searched for as beginnings", async () => {
  const find = await memoryOf(["authentication is done by the gateway"]);
  for (const beginning of ["authen", "aut"]) assert.deepEqual(find(beginning), [0]);
});

Deno.test("any text is a question, and none is an error", async () => {
  const find = await memoryOf(["foo and bar", "a near b", "x:y*"]);
  const odd = [...CASES.oddQuestions, "\ud800"];
  for (const query of odd) find(query);
  assert.equal(find("foo AND (")[0], 0);
  fc.assert(
    fc.property(anyText(60), (query) => {
      find(query);
    }),
    { numRuns: 300 },
  );
});

Deno.test("a query drops words without meaning, unless no other word is left", () => {
  const words = (text: string) =>
    readQuestion(text).terms.filter(({ kind }) => kind === "word").map(({ match }) => match);
  assert.deepEqual(words("why did the upload time out"), ['"upload"', '"time"']);
  assert.deepEqual(words("who is it"), ['"who"', '"is"', '"it"']);
  assert.deepEqual(words("!!!"), []);
});

Deno.test("tokens are estimated by length, one at least", () => {
  assert.equal(estimateTokens(""), 1);
  assert.equal(estimateTokens("1234567"), 2);
  assert.equal(estimateTokens("x".repeat(35)), 10);
});
