/** Checks a whole database: its pages, references, payloads, schema, search index and permissions. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { isDatabaseBusy, messageOf } from "../../base/errors.ts";
import { foreignKeyFaults, integrityFaults } from "./care_table.ts";
import { SCHEMA_VERSION } from "../../db/transaction.ts";
import { damagedPayloads } from "../../db/payloads.ts";
import { openToLook } from "../../db/database_identity.ts";
import { indexFaultsAt } from "../../memory/store.ts";
import { migrationFault, schemaDifferences } from "../../db/migrate.ts";
import { type Check, fail, faultsText, type Finding, ok, warn } from "./check.ts";
import { databasePermissionFaults } from "./private_files.ts";
import { requireOurs } from "./require_ours.ts";

const REPAIR = "conclaude doctor";
/** The command for faults that can be corrected without loss. */
const CORRECT = "conclaude doctor --fix";

/** Reads and judges a whole database without changing it. @throws {UserError} When it is not ours, or newer. */
export function checkDatabase(path: string): Check[] {
  const version = requireOurs("Cannot check", path);
  using db = openToLook(path);
  const judges: Readonly<Record<string, () => readonly Finding[]>> = {
    "integrity": () => findingOf(integrityFaults(db, "full"), REPAIR),
    "foreign keys": () => findingOf(foreignKeyFaults(db), CORRECT),
    "payloads": () => judgePayloads(db),
    "schema": () => judgeSchema(db, version),
    "search index": () => version < SCHEMA_VERSION ? [] : findingOf(indexFaultsAt(path), CORRECT),
    "permissions": () => {
      const faults = databasePermissionFaults(path);
      return faults.length > 0 ? faults : [ok("nobody else can read the files")];
    },
  };
  return Object.entries(judges).flatMap(([name, judge]) =>
    judgeSafely(judge).map(({ repair: _, ...finding }) => ({ name, ...finding }))
  );
}

function findingOf(faults: readonly string[], next: string, sound = "no fault found"): Finding[] {
  return [faults.length === 0 ? ok(sound) : { ...fail(faultsText(faults), next), faults }];
}

function judgeSafely(judge: () => readonly Finding[]): readonly Finding[] {
  try {
    return judge();
  } catch (thrown) {
    const isBusy = isDatabaseBusy(thrown);
    const busy = "another process is writing to the database and does not finish";
    return [fail(`it could not be looked at: ${isBusy ? busy : messageOf(thrown)}`, REPAIR)];
  }
}

function judgeSchema(db: DatabaseSync, version: number): Finding[] {
  if (version === SCHEMA_VERSION) {
    return findingOf(schemaDifferences(db).map(({ fault }) => fault), REPAIR, `version ${version}`);
  }
  const state = `version ${version}, this program's is ${SCHEMA_VERSION}`;
  const fault = migrationFault(db);
  return [
    fault === null
      ? warn(`${state}; the next hook migrates it too`, "conclaude db migrate")
      : fail(`${state}, but ${fault.message}`, REPAIR),
  ];
}

const MAX_NAMED = 3;

/** Checks whether all payloads can be read. A damaged payload is lost, but its observation stays. */
function judgePayloads(db: DatabaseSync): Finding[] {
  const damaged = damagedPayloads(db);
  if (damaged.length === 0) return findingOf([], REPAIR);
  const named = damaged.slice(0, MAX_NAMED).map(({ id }) => id).join(", ");
  const more = damaged.length - MAX_NAMED;
  const message = `${count(damaged.length, "payload is", "payloads are")} damaged and gone, ` +
    `of the captures ${named}${more > 0 ? ` and ${more} more` : ""}; all else of these rows stays`;
  const faults = damaged.map(({ id, why }) => `payload of the capture ${id}: ${why}`);
  return [{ ...fail(message, "conclaude queue prune --unreadable"), faults }];
}
