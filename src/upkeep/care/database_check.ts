import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { isDatabaseBusy, messageOf } from "../../base/errors.ts";
import {
  foreignKeyFaults,
  integrityFaults,
  numberFaults,
  schemaDifferences,
  schemaFaults,
} from "./care_table.ts";
import { SCHEMA_VERSION } from "../../db/transaction.ts";
import { damagedPayloads } from "../../db/payloads.ts";
import { openToLook } from "../../db/database_identity.ts";
import { indexFaultsAt } from "../../memory/store.ts";
import { migrationFault } from "../../db/migrate.ts";
import { type Check, fail, faultsText, type Finding, ok, warn } from "./check.ts";
import { databasePermissionFaults } from "./private_files.ts";
import { requireOurs } from "./require_ours.ts";
import { OS } from "../../system/environment.ts";

const REPAIR = "conclaude doctor";
const CORRECT = "conclaude doctor --fix";
const NOT_SEEN =
  "it could not be looked at: another process is writing to the database and does not finish";

/**
 * Reads a whole database and judges its pages, references, schema and permissions. Nothing is changed.
 *
 * @throws {UserError} When it is no database of this program, or a newer one's.
 */
export function checkDatabase(path: string): Check[] {
  const version = requireOurs("Cannot check", path);
  using db = openToLook(path);
  const findings: readonly (readonly [name: string, finding: Finding])[] = [
    ["integrity", judge(() => [...integrityFaults(db, "full"), ...numberFaults(db)])],
    ["foreign keys", judge(() => foreignKeyFaults(db), CORRECT)],
    ["payloads", orFail(() => checkPayloads(db))],
    ["schema", schemaFinding(db, version)],
    // The index can always be made anew, so nothing is lost.
    ...version < SCHEMA_VERSION
      ? []
      : [["search index", judge(() => indexFaultsAt(path), CORRECT)] as const],
    ...permissionFindings(path).map((finding) => ["permissions", finding] as const),
  ];
  return findings.map(([name, { status, message, next, faults }]) => (
    { name, status, message, next, ...faults && { faults } }
  ));
}

function permissionFindings(path: string): Finding[] {
  const faults = databasePermissionFaults(path);
  return faults.length === 0 && OS !== "windows" ? [ok("0600: nobody else can read them")] : faults;
}

function judge(look: () => readonly string[], next = REPAIR): Finding {
  return orFail(() => {
    const faults = look();
    return faults.length === 0
      ? ok("no fault found")
      : { ...fail(faultsText(faults), next), faults };
  });
}

function orFail(look: () => Finding): Finding {
  try {
    return look();
  } catch (thrown) {
    return fail(isDatabaseBusy(thrown) ? NOT_SEEN : messageOf(thrown), REPAIR);
  }
}

function schemaFinding(db: DatabaseSync, version: number): Finding {
  if (version < SCHEMA_VERSION) {
    const state = `version ${version}, this program's is ${SCHEMA_VERSION}`;
    const fault = migrationFault(db);
    return fault === null
      ? warn(`${state}; the next hook migrates it too`, "conclaude db migrate")
      : fail(`${state}, but ${fault.message}`, REPAIR);
  }
  const finding = judge(() => schemaFaults(schemaDifferences(db)));
  return finding.status === "ok" ? ok(`version ${version}`) : finding;
}

/** Captures that the message names; `faults` has them all. */
const MAX_NAMED = 3;

/** Whether all payloads can be read. Nothing brings a damaged one back; what memory made of it stays. */
function checkPayloads(db: DatabaseSync): Finding {
  const damaged = damagedPayloads(db);
  if (damaged.length === 0) return ok("no fault found");
  const named = damaged.slice(0, MAX_NAMED).map(({ id }) => id).join(", ");
  const more = damaged.length - MAX_NAMED;
  const are = count(damaged.length, "payload is", "payloads are");
  const of = damaged.length === 1 ? "the capture" : "the captures";
  return {
    ...fail(
      `${are} damaged and cannot be brought back, of ${of} ${named}` +
        (more > 0 ? ` and ${more} more` : "") +
        "; all else of these rows and what was made of them stays, and an export keeps what is stored, until it is given up",
      "conclaude queue prune --unreadable",
    ),
    faults: damaged.map(({ id, why }) => `payload of the capture ${id}: ${why}`),
  };
}
