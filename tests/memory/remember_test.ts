/** What a person remembers: the files of a note, and notes that correct others. */
import assert from "node:assert/strict";
import { recallForFile, recallForPrompt } from "../../src/memory/search/recall.ts";
import { rememberHere, rememberNote } from "../../src/memory/drain/remember.ts";
import { takeInDocuments } from "../../src/memory/search/eval.ts";
import { answerMemory } from "../../src/memory/search/search.ts";
import { tellableOfProject } from "../../src/memory/tell/memory_context_table.ts";
import { EVERYTHING } from "../../src/memory/search/memory_search_table.ts";
import { readObservations } from "../../src/memory/drain/observations_table.ts";
import { testWith } from "../support/fixtures.ts";
import { tempDatabase } from "../support/records.ts";
import { tempFolder } from "../support/folders.ts";

const test = testWith(tempDatabase);

test("a note keeps its file without the line number, unless a file has that name", (temp) => {
  using folder = tempFolder();

  Deno.writeTextFileSync(`${folder.path}/log:3`, "called so");
  const { id } = rememberHere(temp.db, "The port is 5433", {
    folder: folder.path,
    files: ["src/a.ts:12", "src/b.ts:12:3", "src/c.ts", "log:3", "log:4"],
    redactPatterns: [],
    sessionId: null,
    atMs: 1_000,
  });
  const [note] = readObservations(temp.db, [id]);
  assert.deepEqual(note!.files, ["src/a.ts", "src/b.ts", "src/c.ts", "log:3", "log"]);
});

const PLACE = { sessionId: null, project: "/p", branch: "main", root: "/p" };
const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 6, 15);

/** A memory with notes, one a day up to now. */
async function notesOf(...texts: readonly string[]) {
  const temp = await tempDatabase();
  const note = (text: string, replaces: number | null = null, atMs = NOW_MS) =>
    rememberNote(temp.db, text, {
      ...PLACE,
      files: [{ path: "/p/src/db.ts", digest: null }],
      atMs,
      replaces,
    });
  const ids = texts.map((text, at) => note(text, null, NOW_MS - (texts.length - at) * DAY_MS).id);
  const find = (query: string, limit = 10) =>
    answerMemory(temp.db, query, { filter: EVERYTHING, limit, nowMs: NOW_MS }).results;
  return { temp, note, ids, find };
}

Deno.test("a replaced note is not told, and found last", async () => {
  const { temp, note, ids: [wrong, other], find } = await notesOf(
    "The staging database listens on port 5432",
    "Nobody looks at the staging server on Sundays",
  );
  using _ = temp;
  const right = note("Staging moved: its database listens on 6432", wrong);
  assert.deepEqual(right, { id: 3, isNew: true, replaces: wrong });

  const found = find("staging database listens on port 5432");
  assert.deepEqual(found.map(({ id }) => id), [right.id, other, wrong]);
  assert.equal(found.at(-1)!.resolvedBy, right.id);

  const told = tellableOfProject(temp.db, "/p", 10);
  assert.deepEqual(told.map(({ id }) => id), [right.id, other]);
  const place = { ...PLACE, sessionId: "now", nowMs: NOW_MS };
  const prompt = recallForPrompt(temp.db, "where does the staging database listen?", place);
  assert.match(prompt, /#3 /);
  assert.doesNotMatch(prompt, /5432/);
  const file = recallForFile(temp.db, "/p/src/db.ts", { ...place, sessionId: "later" });
  assert.match(file, /#3 /);
  assert.doesNotMatch(file, /5432/);
});

Deno.test("a replaced text may be remembered again, as a note of its own", async () => {
  const { temp, note, ids: [first], find } = await notesOf("The port is 5432");
  using _ = temp;
  const second = note("The port is 6432", first);
  const third = note("The port is 5432", second.id);
  assert.deepEqual(third, { id: 3, isNew: true, replaces: second.id });
  assert.deepEqual(find("port").map(({ id }) => id), [third.id, second.id, first]);
});

Deno.test("a note that cannot be replaced is named with the reason, and nothing is kept", async () => {
  const { temp, note, ids: [first], find } = await notesOf("The port is 5432");
  using _ = temp;
  const elsewhere = rememberNote(temp.db, "Other port", {
    ...PLACE,
    project: "/q",
    files: [],
    atMs: NOW_MS,
  });
  const right = note("The port is 6432", first);
  const cases: readonly (readonly [text: string, replaces: number, why: RegExp])[] = [
    ["The port is 1", 99, /^no observation has this number$/],
    ["The port is 1", elsewhere.id, /^it is of another project$/],
    ["The port is 1", first!, new RegExp(`^#${right.id} has replaced it already$`)],
    ["The port is 6432", right.id, /^it says the same$/],
  ];
  for (const [text, replaces, why] of cases) {
    assert.throws(() => note(text, replaces), { why }, text);
  }
  assert.deepEqual(find("port is").map(({ id }) => id).sort(), [first, elsewhere.id, right.id]);
  const [{ repeats } = {}] = readObservations(temp.db, [right.id]);
  assert.equal(repeats, 1);
});

Deno.test("the newer of two similar notes comes first", async () => {
  const { temp, find } = await notesOf(
    "Deploys go through the blue cluster",
    "Deploys go through the green cluster since June",
    "The cluster has three nodes",
  );
  using _ = temp;
  for (const limit of [1, 10]) {
    const [best] = find("which cluster do deploys go through", limit);
    assert.equal(best!.title, "Deploys go through the green cluster since June", `${limit}`);
  }
});

test("a note with the words of a question is found before a session that is full of them", (temp) => {
  takeInDocuments(
    temp.db,
    Array.from({ length: 60 }, (_, at) => ({
      id: String(at),
      sessionId: at < 20 ? "about it" : `other ${at}`,
      projectDir: "/p",
      text: at < 20
        ? `Step ${at}: the shadow branches named in commit ${at} lack a worktree id.`
        : `Ticket ${at}: the button is ${at} pixels too wide.`,
      createdAtMs: NOW_MS - at * 60_000,
      role: "assistant" as const,
    })),
  );
  const { id } = rememberHere(temp.db, "Shadow branches are named by their worktree id", {
    folder: "/p",
    files: [],
    redactPatterns: [],
    sessionId: null,
    atMs: NOW_MS,
  });
  for (const question of ["shadow branches named", "worktree id shadow branches"]) {
    const { results } = answerMemory(temp.db, question, {
      filter: EVERYTHING,
      limit: 3,
      nowMs: NOW_MS,
    });
    assert.equal(results[0]?.id, id, question);
  }
});
