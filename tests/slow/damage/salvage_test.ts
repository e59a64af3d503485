/** What an export still gives of a database some pages of which are damaged. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { exportLines } from "../../../src/maintenance/export.ts";
import { saveEvent, type TempDatabase, tempDatabase } from "../../support/records.ts";
import { closeDatabase, schemaPages, spoil } from "../../support/spoilt.ts";
import { seededRandom } from "../../support/tool_uses.ts";

const ALL = { sessionId: null, sinceMs: null, atMs: 77 };
/** Where a table of the export has its rows, and the key of these. */
const TABLES = { session: "sessions", execution: "hook_executions", capture: "pending_queue" };
const PAGE_BYTES = 4096;

type Line = Readonly<Record<string, unknown>>;

/** A database of some hundred pages, in one file; the payloads are shorter and longer than a page. */
async function usedDatabase(): Promise<TempDatabase> {
  const temp = await tempDatabase();
  const random = seededRandom(7);
  for (let i = 0; i < 240; i++) {
    saveEvent(temp.db, {
      atMs: 1_700_000_000_000 + i,
      sessionId: `session-${i % 60}-${"s".repeat(40)}`,
      execution: { errorMessage: "e".repeat(Math.floor(random() * 600)) },
      capture: { payload: JSON.stringify({ text: "x".repeat(Math.floor(random() * 9000)) }) },
      counters: ["edits", "tool_uses", `counter-${i}`],
    });
  }
  temp.db.close();
  closeDatabase(temp.path);
  return temp;
}

function openToRead(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true });
}

/** The rows that a search by their numbers still finds, by the type of their lines. */
function readableRows(path: string): Record<string, number> {
  const db = openToRead(path);
  const counts = Object.entries(TABLES).map(([type, table]) => {
    const statement = db.prepare(`SELECT * FROM ${table} WHERE rowid = ?`);
    const isReadable = (place: number) => {
      try {
        return statement.get(place) !== undefined;
      } catch {
        return false;
      }
    };
    return [type, Array.from({ length: 300 }, (_, i) => i + 1).filter(isReadable).length];
  });
  db.close();
  return Object.fromEntries(counts);
}

function exported(path: string): Line[] {
  const db = openToRead(path);
  try {
    return [...exportLines(db, ALL)].map((line) => JSON.parse(line));
  } finally {
    db.close();
  }
}

function countOf(lines: readonly Line[], type: string): number {
  return lines.filter((line) => line["type"] === type).length;
}

/** Pages of the tables and their indexes; the first ones hold the schema, without which nothing can be read. */
function spoilablePages(sound: Uint8Array, behind: number): number[] {
  return Array.from({ length: sound.length / PAGE_BYTES }, (_, page) => page).slice(behind);
}

Deno.test("wherever pages are damaged, an export gives every row that a search still finds", async () => {
  using temp = await usedDatabase();
  const sound = Deno.readFileSync(temp.path);
  const whole: Record<string, number> = readableRows(temp.path);
  assert.deepEqual({ ...whole }, { session: 60, execution: 240, capture: 240 });
  const pages = spoilablePages(sound, await schemaPages());
  assert.ok(pages.length > 250, `${pages.length}`);
  const random = seededRandom(3);
  const pick = () => pages[Math.floor(random() * pages.length)]!;
  const cases = [
    ...pages.filter((page) => page % 15 === 0).map((page) => [page]),
    ...Array.from({ length: 15 }, (_, i) => Array.from({ length: 2 + i % 9 }, pick)),
  ];
  let spoilt = 0;
  for (const damaged of cases) {
    Deno.writeFileSync(temp.path, sound);
    for (const page of damaged) spoil(temp.path, { at: page * PAGE_BYTES, length: PAGE_BYTES });
    const readable = readableRows(temp.path);
    const lines = exported(temp.path);
    for (const type of Object.keys(TABLES)) {
      assert.equal(countOf(lines, type), readable[type], `${type} with ${damaged}`);
    }
    const lost = Object.keys(TABLES).some((type) => readable[type]! < whole[type]!);
    if (lost) spoilt++;
    const end = lines.at(-1)!;
    assert.equal(end["type"], "end");
    if (lost) assert.ok(Number(end["unreadable"]) > 0, `nothing is missed with ${damaged}`);
  }
  assert.ok(spoilt > 15, `${spoilt}`);
});

Deno.test("a damaged page of the counters costs the counters on it", async () => {
  using temp = await usedDatabase();
  const sound = Deno.readFileSync(temp.path);
  const total = countOf(exported(temp.path), "counter");
  assert.equal(total, 360);
  let spoilt = 0;
  for (const page of spoilablePages(sound, await schemaPages())) {
    if (
      !new TextDecoder("latin1").decode(sound.subarray(page * PAGE_BYTES).subarray(0, PAGE_BYTES))
        .includes("tool_uses")
    ) continue;
    Deno.writeFileSync(temp.path, sound);
    spoil(temp.path, { at: page * PAGE_BYTES, length: PAGE_BYTES });
    const lines = exported(temp.path);
    const left = countOf(lines, "counter");
    assert.ok(left > total / 2, `${left} with ${page}`);
    if (left === total) continue;
    spoilt++;
    assert.ok(Number(lines.at(-1)!["unreadable"]) > 0);
  }
  assert.ok(spoilt > 3, `${spoilt}`);
});

Deno.test("wherever a database ends, an export of what is left ends as well", async () => {
  using temp = await usedDatabase();
  const sound = Deno.readFileSync(temp.path);
  const first = await schemaPages();
  for (let page = first; page < sound.length / PAGE_BYTES; page += 9) {
    const left = sound.slice();
    // Within a page, so that it begins as one that says how many rows it has.
    left.fill(0, page * PAGE_BYTES + 80 + page % 900);
    Deno.writeFileSync(temp.path, left);
    const lines = exported(temp.path);
    const { unreadable, type } = lines.at(-1)!;
    assert.equal(type, "end");
    assert.ok(Number(unreadable) > 0, `${page}`);
  }
});
