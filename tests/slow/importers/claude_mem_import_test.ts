/** The memory of claude-mem is taken over in small steps, beside hooks that write. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import {
  type ClaudeMemOptions,
  importClaudeMemory,
} from "../../../src/recall/claude_mem_import.ts";
import { checkIndex } from "../../../src/store/memory_index.ts";
import { addRow, makeClaudeMem } from "../../support/claude_mem.ts";
import { tempDatabase } from "../../support/records.ts";

const ROWS = 450;
const PLACE = { project: "/work/website/.git", root: "/work/website" };

/** A database of claude-mem with many observations of one project. */
function many(): DatabaseSync {
  const source = makeClaudeMem(":memory:");
  addRow(source, "sdk_sessions", {
    content_session_id: "c",
    memory_session_id: "m",
    project: "website",
  });
  source.exec("BEGIN");
  for (let n = 0; n < ROWS; n++) {
    addRow(source, "observations", {
      memory_session_id: "m",
      project: "website",
      type: "change",
      title: `Title ${n}`,
      files_modified: `["/work/website/src/a${n}.ts"]`,
    });
  }
  source.exec("COMMIT");
  return source;
}

const ALL: Omit<ClaudeMemOptions, "placeOf"> = {
  tables: ["observations", "session_summaries", "user_prompts"],
  mask: (text) => text,
  dryRun: false,
};

const count = (db: DatabaseSync, condition: string) =>
  Number(db.prepare(`SELECT count(*) AS n FROM observations WHERE ${condition}`).get()!["n"]);

Deno.test("while texts of claude-mem are made ready, hooks can write", async () => {
  using temp = await tempDatabase();
  using source = many();
  using hook = new DatabaseSync(temp.path, { timeout: 0 });
  let writes = 0;
  const mask = (text: string) => {
    hook.exec("BEGIN IMMEDIATE; COMMIT");
    writes++;
    return text;
  };
  for (const placeOf of [() => null, () => PLACE]) {
    importClaudeMemory(temp.db, source, { ...ALL, mask, placeOf });
  }
  assert.ok(writes >= 2 * ROWS);
  assert.equal(count(temp.db, "project = '/work/website/.git'"), ROWS);
});

Deno.test("beside hooks that write, claude-mem is taken over and moved in smaller steps", async () => {
  using temp = await tempDatabase();
  using source = many();
  using hook = new DatabaseSync(temp.path, { timeout: 0 });
  hook.exec("PRAGMA synchronous = OFF");
  const exec = temp.db.exec.bind(temp.db);
  const longest = (placeOf: ClaudeMemOptions["placeOf"], isBusy: boolean) => {
    const steps: number[] = [];
    let before = 0;
    temp.db.exec = (sql) => {
      const changed = () => Number(temp.db.prepare("SELECT total_changes() AS n").get()!["n"]);
      if (sql === "BEGIN IMMEDIATE") before = changed();
      exec(sql);
      if (sql === "COMMIT") steps.push(changed() - before);
    };
    const mask = (text: string) => {
      if (isBusy) hook.exec("PRAGMA user_version = 18");
      return text;
    };
    importClaudeMemory(temp.db, source, { ...ALL, mask, placeOf });
    temp.db.exec = exec;
    return Math.max(...steps);
  };
  const alone = longest(() => null, false);
  exec("DELETE FROM observations");
  const beside = longest(() => null, true);
  assert.ok(beside < alone / 2, `${beside} changes at once, ${alone} where nobody writes`);
  const moved = longest(() => PLACE, true);
  assert.ok(moved < alone, `${moved} changes at once, ${alone} where nobody writes`);
});

Deno.test("what is moved keeps its number, and is found by its new words and files alone", async () => {
  using temp = await tempDatabase();
  using source = many();
  const { db } = temp;
  const all = () =>
    db.prepare("SELECT * FROM observations ORDER BY id").all()
      .map(({ project: _project, terms: _terms, files: _files, ...kept }) => kept);
  importClaudeMemory(db, source, { ...ALL, placeOf: () => null });
  const before = all();
  const matches = (word: string) =>
    db.prepare("SELECT count(*) AS n FROM memory_index WHERE memory_index MATCH ?").get(
      `"${word}"`,
    )!["n"];
  assert.equal(matches("workǀwebsiteǀsrcǀa7ǀtsǃ"), 1);
  const report = importClaudeMemory(db, source, { ...ALL, placeOf: () => PLACE });
  assert.deepEqual([report.known, report.moved, report.imported.observations], [ROWS, ROWS, 0]);
  assert.deepEqual(all(), before);
  assert.equal(matches("workǀwebsiteǀsrcǀa7ǀtsǃ"), 0);
  assert.equal(matches("srcǀa7ǀtsǃ"), 1);
  assert.deepEqual(checkIndex(db), []);
  const files = db.prepare("SELECT path FROM observation_files ORDER BY observation_id LIMIT 1");
  assert.equal(files.get()!["path"], "src/a0.ts");
  const secure = db.prepare("SELECT v FROM memory_index_config WHERE k = 'secure-delete'").get();
  assert.equal(secure!["v"], 1);
});

Deno.test("no word of where they were is left in the index, once observations were moved", async () => {
  using temp = await tempDatabase();
  using source = many();
  const { db } = temp;
  importClaudeMemory(db, source, { ...ALL, placeOf: () => null });
  importClaudeMemory(db, source, { ...ALL, placeOf: () => PLACE });
  const pages = db.prepare("SELECT block FROM memory_index_data").all()
    .map(({ block }) => new TextDecoder().decode(block as Uint8Array)).join("\n");
  assert.ok(pages.includes("projectǀ"));
  assert.ok(!pages.includes("workǀwebsiteǀsrc"), "the whole paths are gone");
});

Deno.test("what was broken off on the way is taken over, and moved, by the next run", async () => {
  using temp = await tempDatabase();
  using source = many();
  const { db } = temp;
  const breakOff = (placeOf: ClaudeMemOptions["placeOf"]) => {
    let masked = 0;
    const mask = (text: string) => {
      if (++masked > 700) throw new Error("killed");
      return text;
    };
    assert.throws(
      () => importClaudeMemory(db, source, { ...ALL, mask, placeOf }),
      /killed/,
    );
  };
  breakOff(() => null);
  const some = count(db, "TRUE");
  assert.ok(some > 0 && some < ROWS);
  const rest = importClaudeMemory(db, source, { ...ALL, placeOf: () => null });
  assert.deepEqual([rest.known, rest.imported.observations], [some, ROWS - some]);
  breakOff(() => PLACE);
  const moved = count(db, "project = '/work/website/.git'");
  assert.ok(moved > 0 && moved < ROWS);
  assert.deepEqual(checkIndex(db), []);
  const left = importClaudeMemory(db, source, { ...ALL, placeOf: () => PLACE });
  assert.deepEqual([left.known, left.moved], [ROWS, ROWS - moved]);
  assert.equal(count(db, "project = '/work/website/.git'"), ROWS);
  assert.deepEqual(checkIndex(db), []);
});

Deno.test("two that take over at once take every row over once", async () => {
  using temp = await tempDatabase();
  using source = many();
  using other = new DatabaseSync(temp.path, { timeout: 5_000 });
  let isFirst = true;
  const report = importClaudeMemory(temp.db, source, {
    ...ALL,
    mask: (text) => {
      // The other one is done while the first rows are made ready.
      if (isFirst && text.includes("Title 9")) {
        isFirst = false;
        importClaudeMemory(other, source, { ...ALL, placeOf: () => null });
      }
      return text;
    },
    placeOf: () => null,
  });
  assert.deepEqual([report.known, report.imported.observations], [ROWS, 0]);
  assert.equal(count(temp.db, "TRUE"), ROWS);
});
