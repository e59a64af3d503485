import { count } from "../../counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { quoteWord } from "../../settings/hooks.ts";
import { openDatabase } from "../../store/database.ts";
import { workInAgain } from "../../store/lost_again.ts";
import {
  canBeMade,
  isOfSearchIndex,
  makeAnew,
  type SchemaDifference,
  schemaDifferences,
} from "../../store/schema_care.ts";
import { newestBackup } from "../backup.ts";
import { fail, type Finding, warn } from "../check.ts";
import type { DatabasePlace } from "./place.ts";

/** How long the repair waits for a process that writes. */
const BUSY_TIMEOUT_MS = 5_000;

/** What is missing in a database, or is not as this program makes it; null when nothing is. The search index is looked at by itself. */
export function lookAtSchema(place: DatabasePlace, db: DatabaseSync): Finding | null {
  const found = schemaDifferences(db).filter((part) => !isOfSearchIndex(part));
  if (found.length === 0) return null;
  const { database, locations } = place;
  const makeable = found.filter(canBeMade);
  const lost = makeable.filter(({ type }) => type === "table");
  const backup = newestBackup(locations.dataFolder);
  const restore = backup === null ? null : `conclaude db restore ${quoteWord(backup)}`;
  const state = `in ${database} ${found.map(told).join(", ")}`;
  if (makeable.length === 0) {
    return warn(
      `${state}; what is in it can be saved first, with \`conclaude export\``,
      restore ?? "conclaude db reset",
    );
  }
  return (lost.length > 0 || makeable.some(isNeeded) ? fail : warn)(
    state +
      (lost.length === 0
        ? "; nothing is lost by that"
        : `; the rows of ${names(lost)} are lost${
          restore === null ? "" : `, unless the newest backup has them: \`${restore}\``
        }${isOfCaptures(lost) ? "; observations are made once more of their captures" : ""}`),
    "conclaude doctor --fix",
    () => repair(database, makeable, place.nowMs),
  );
}

/** Writes go by it. */
function isNeeded({ sql }: SchemaDifference): boolean {
  return /^CREATE UNIQUE INDEX\b/i.test(sql);
}

function told({ type, name, isGone }: SchemaDifference): string {
  return `the ${type} ${name} ${isGone ? "is missing" : "is not as this program makes it"}`;
}

function names(parts: readonly SchemaDifference[]): string {
  return parts.map(({ name }) => name).join(", ");
}

/** Whether captures tell what was in a table. */
function isOfCaptures(lost: readonly SchemaDifference[]): boolean {
  return lost.some(({ name }) => name === "observations") &&
    !lost.some(({ name }) => name === "pending_queue");
}

async function repair(
  database: string,
  parts: readonly SchemaDifference[],
  nowMs: number,
): Promise<string> {
  const lost = parts.filter(({ type }) => type === "table");
  const db = await openDatabase(database, { busyTimeoutMs: BUSY_TIMEOUT_MS });
  let again = 0;
  try {
    makeAnew(db, parts);
    if (isOfCaptures(lost)) again = workInAgain(db, nowMs);
  } finally {
    db.close();
  }
  return `made anew in the database: ${
    parts.map(({ type, name }) => `${type} ${name}`).join(", ")
  }${lost.length === 0 ? "" : `; the rows of ${names(lost)} are lost`}` +
    (again === 0
      ? ""
      : `, and ${count(again, "capture is", "captures are")} worked into memory once more`);
}
