/** Replaces a folder's path in all tables after a project has moved. */
import type { DatabaseSync } from "node:sqlite";
import COLUMNS from "./moved_columns.json" with { type: "json" };
import { moveProjects } from "../../memory/store.ts";

export interface MovedTable {
  /** The words for one row and for several; missing if people do not know the rows. */
  readonly words?: readonly string[];
  readonly paths?: readonly string[];
  /** Columns that hold a word, a colon, a path and more: `coven:/work/shop:task:7`. */
  readonly marked?: readonly string[];
  /** Columns that hold JSON; a path is replaced where it follows a quotation mark. */
  readonly json?: readonly string[];
  /** If the move gives two rows the same key, the larger value here stays; without this column the row at `to`. */
  readonly newest?: string;
}

export const MOVED_TABLES: Readonly<Record<string, MovedTable>> = COLUMNS;

/** The old and the new path: absolute, without a slash at the end, neither below the other. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** Counts the rows of each table that name a folder or one below it; leaves out tables without any. */
export function countBelow(db: DatabaseSync, folder: string): Readonly<Record<string, number>> {
  const counts = Object.entries(MOVED_TABLES).map(([name, table]) => {
    const own = name === "observations" ? [isBelow("project")] : [];
    const conditions = [...own, ...formsOf(table).map(({ condition }) => condition)];
    const row = db.prepare(`SELECT count(*) AS n FROM ${name} WHERE ${conditions.join(" OR ")}`)
      .get({ from: folder });
    return [name, Number(row!["n"])] as const;
  });
  return Object.fromEntries(counts.filter(([, n]) => n > 0));
}

/** Changes all rows that name a folder or one below it, in the caller's transaction. */
export function moveRows(db: DatabaseSync, { from, to }: Move): void {
  moveProjects(
    db,
    (project) =>
      project === from || project.startsWith(`${from}/`) ? to + project.slice(from.length) : null,
  );
  for (const [name, table] of Object.entries(MOVED_TABLES)) {
    joinRows(db, name, table, { from, to });
    for (const { column, condition, moved } of formsOf(table)) {
      db.prepare(`UPDATE OR IGNORE ${name} SET ${column} = ${moved} WHERE ${condition}`)
        .run({ from, to });
    }
  }
}

/** SQL for one column: `condition` selects the rows, `moved` is the new value. */
interface Form {
  readonly column: string;
  readonly condition: string;
  readonly moved: string;
}

function formsOf({ paths = [], marked = [], json = [] }: MovedTable): Form[] {
  return [
    ...paths.map((column) => ({
      column,
      condition: isBelow(column),
      moved: `:to || substr(${column}, length(:from) + 1)`,
    })),
    ...marked.map((column) => {
      const at = `instr(${column}, ':' || :from)`;
      const rest = `substr(${column}, ${at} + length(:from) + 1)`;
      return {
        column,
        condition: `(${at} > 0 AND substr(${rest}, 1, 1) IN ('', '/', ':'))`,
        moved: `substr(${column}, 1, ${at}) || :to || ${rest}`,
      };
    }),
    ...json.map((column) => {
      const begin = (name: string) => `rtrim(json_quote(${name}), '"')`;
      const whole = `replace(${column}, json_quote(:from), json_quote(:to))`;
      return {
        column,
        condition: `(typeof(${column}) = 'text' AND (instr(${column}, json_quote(:from)) > 0 ` +
          `OR instr(${column}, ${begin(":from")} || '/') > 0))`,
        moved: `replace(${whole}, ${begin(":from")} || '/', ${begin(":to")} || '/')`,
      };
    }),
  ];
}

function isBelow(column: string): string {
  return `(${column} = :from OR substr(${column}, 1, length(:from) + 1) = :from || '/')`;
}

/** Removes one of two rows that would become the same; only needed for tables with a path in their key. */
function joinRows(db: DatabaseSync, name: string, table: MovedTable, move: Move): void {
  const keys = db.prepare("SELECT name FROM pragma_table_info(?) WHERE pk > 0").all(name)
    .map((row) => String(row["name"]));
  const path = table.paths?.find((column) => keys.includes(column));
  if (path === undefined) return;
  const pair = [
    isBelow(`here.${path}`),
    `there.${path} = :to || substr(here.${path}, length(:from) + 1)`,
    ...keys.filter((key) => key !== path).map((key) => `here.${key} = there.${key}`),
  ];
  const remove = (one: string, other: string, conditions: readonly string[]) =>
    db.prepare(
      `DELETE FROM ${name} AS ${one}
        WHERE EXISTS (SELECT 1 FROM ${name} AS ${other} WHERE ${conditions.join(" AND ")})`,
    ).run({ ...move });
  const { newest } = table;
  if (newest !== undefined) {
    remove("there", "here", [...pair, `here.${newest} > there.${newest}`]);
  }
  remove("here", "there", pair);
}
