/**
 * Gives a copy of a damaged database its schema back. This program makes its tables and indexes in one order, and a file
 * with `auto_vacuum` gives each the next page for its root: so what a damaged row told of is known without it.
 */
import { DatabaseSync } from "node:sqlite";
import { SCHEMA_VERSION, schemaVersion } from "./database.ts";
import { orDamaged, reachablePlaces } from "./export_salvage.ts";
import { migrate } from "./migrate.ts";
import { PageFile } from "./page_file.ts";
import { HEADER_AT, PAGE_KIND, SCHEMA_ROOT, viewOf } from "./page_format.ts";
import { emptyTree } from "./reattach_leaves.ts";

/** A row of the table that names all others. */
interface Part {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  readonly root: number;
  readonly sql: string | null;
}

/** What the map says of a page where a tree begins. */
const MAPPED_ROOT = 1;
const ROW_KINDS: ReadonlySet<number> = new Set([PAGE_KIND.tableInner, PAGE_KIND.tableLeaf]);
const KEY_KINDS: ReadonlySet<number> = new Set([PAGE_KIND.indexInner, PAGE_KIND.indexLeaf]);

/**
 * Puts this program's tables and indexes in the place of what the copy tells of its own, where that is not the same. What
 * nobody reads there is left out: triggers, and the search index.
 *
 * @param path A copy in one file that nobody else has open. @returns Whether anything was to be mended.
 * @throws {Error} What SQLite or the file system says.
 */
export function mendSchema(path: string): boolean {
  const model = modelParts();
  const present = partsIn(path);
  if (present === null) return false;
  const found = new Map(present.map((part) => [`${part.type} ${part.name}`, part]));
  const isSame = model.every((part) => found.get(`${part.type} ${part.name}`)?.sql === part.sql);
  if (isSame && canBeRead(path)) return false;
  const needed = model.filter(({ name }) => !/^memory_index/.test(name));
  writeParts(path, placed(path, needed, found));
  return true;
}

function modelParts(): Part[] {
  const db = new DatabaseSync(":memory:");
  try {
    migrate(db, ":memory:");
    return db.prepare(`${PARTS} WHERE rootpage > 0 ORDER BY rowid`).all() as unknown as Part[];
  } finally {
    db.close();
  }
}

const PARTS = "SELECT type, name, tbl_name AS 'table', rootpage AS root, sql FROM sqlite_schema";

/** What can be read of it; null where it is of another version, or cannot be opened. */
function partsIn(path: string): Part[] | null {
  const db = openSchema(path);
  try {
    if (schemaVersion(db) !== SCHEMA_VERSION) return null;
    const { places } = reachablePlaces(db, { table: "sqlite_schema", key: null });
    const row = db.prepare(`${PARTS} WHERE rowid = ?`);
    return places.map((place) => orDamaged(() => row.get(place), () => undefined))
      .filter((part) => part !== undefined) as unknown as Part[];
  } catch {
    return null;
  } finally {
    db.close();
  }
}

/** Opened so, SQLite passes over what it cannot make sense of. */
function openSchema(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  // Older runtimes do not forbid it in the first place.
  if ("enableDefensive" in db) (db as DatabaseSync & Defensive).enableDefensive(false);
  db.exec("PRAGMA writable_schema = ON");
  return db;
}

interface Defensive {
  enableDefensive(isOn: boolean): void;
}

function canBeRead(path: string): boolean {
  const db = new DatabaseSync(path);
  try {
    db.prepare("SELECT * FROM pending_queue");
    return true;
  } catch {
    return false;
  } finally {
    db.close();
  }
}

/** Each part with the page where it begins: as the copy says, or where this program's databases have it. */
function placed(
  path: string,
  model: readonly Part[],
  found: ReadonlyMap<string, Part>,
): readonly Part[] {
  using file = Deno.openSync(path);
  const pages = new PageFile(file);
  const isRoot = (root: unknown, part: Part): root is number => {
    if (!Number.isSafeInteger(root) || Number(root) < 3 || Number(root) > pages.count) return false;
    const page = Number(root);
    const hasRows = part.type === "table" && !/\bWITHOUT ROWID\b/.test(part.sql ?? "");
    const kind = pages.read(page)[0]!;
    const isRight = (hasRows ? ROW_KINDS : KEY_KINDS).has(kind);
    const isWrong = (hasRows ? KEY_KINDS : ROW_KINDS).has(kind);
    const isMapped = !pages.layout?.autoVacuum || pages.refersTo(page).kind === MAPPED_ROOT;
    return isMapped ? !isWrong : isRight;
  };
  const told = new Map<string, number>();
  const taken = new Set<number>();
  for (const part of model) {
    const root = found.get(`${part.type} ${part.name}`)?.root;
    if (!isRoot(root, part) || taken.has(root)) continue;
    told.set(part.name, root);
    taken.add(root);
  }
  const alike = model.filter(({ name, root }) => told.get(name) === root).length;
  const isOwnOrder = pages.layout?.autoVacuum === true && alike >= told.size - told.size / 4;
  return model.flatMap((part) => {
    const own = found.get(`${part.type} ${part.name}`);
    const sql = own !== undefined && isOtherTable(own, part) ? own.sql : part.sql;
    const root = told.get(part.name);
    if (root !== undefined) return [{ ...part, sql, root }];
    const isFree = isOwnOrder && !taken.has(part.root) && isRoot(part.root, part);
    return isFree ? [{ ...part, sql }] : [];
  });
}

/** Whether it was made otherwise, and not damaged: flipped bits change no length. */
function isOtherTable(own: Part, { sql }: Part): boolean {
  if (own.type !== "table" || own.sql === null || own.sql.length === sql?.length) return false;
  const db = new DatabaseSync(":memory:");
  try {
    db.exec(own.sql);
    return true;
  } catch {
    return false;
  } finally {
    db.close();
  }
}

/** In a new tree: to delete from the damaged one may fail. Pages that were free stay unused, since they may not be. */
function writeParts(path: string, parts: readonly Part[]): void {
  {
    using file = Deno.openSync(path, { read: true, write: true });
    const pages = new PageFile(file);
    emptyTree(pages, SCHEMA_ROOT);
    const first = pages.read(SCHEMA_ROOT);
    const view = viewOf(first);
    view.setUint32(HEADER_AT.firstFree, 0);
    view.setUint32(HEADER_AT.freePages, 0);
    pages.write(SCHEMA_ROOT, first);
    pages.end();
  }
  const db = openSchema(path);
  try {
    const put = db.prepare(
      "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, ?, ?)",
    );
    db.exec("BEGIN");
    for (const { type, name, table, root, sql } of parts) put.run(type, name, table, root, sql);
    db.exec("COMMIT");
  } finally {
    db.close();
  }
}
