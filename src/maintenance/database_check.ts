import type { DatabaseSync } from "node:sqlite";
import { count } from "../counts.ts";
import { isDatabaseBusy, messageOf } from "../errors.ts";
import { foreignKeyFaults, integrityFaults, numberFaults } from "../store/care.ts";
import { SCHEMA_VERSION } from "../store/database.ts";
import { damagedPayloads } from "../store/damaged_payloads.ts";
import { openToLook } from "../store/identity.ts";
import { indexFaultsAt } from "../store/memory_index.ts";
import { schemaDifferences, schemaFaults } from "../store/schema_care.ts";
import { migrationFault } from "../store/rehearsal.ts";
import { type Check, fail, faultsText, type Finding, ok, warn } from "./check.ts";
import { databasePermissions } from "./private_files.ts";
import { requireOurs } from "./require_ours.ts";

/** What a sound database that nobody has to repair is told by. */
type Faults = (db: ReturnType<typeof openToLook>) => readonly string[];

const REPAIR = "conclaude doctor";
const CORRECT = "conclaude doctor --fix";
const NOT_SEEN =
  "it could not be looked at: another process is writing to the database and does not finish";

const OF_CONTENT: readonly {
  readonly name: string;
  readonly faults: Faults;
  readonly next: string;
}[] = [
  {
    name: "integrity",
    faults: (db) => [...integrityFaults(db, "full"), ...numberFaults(db)],
    next: REPAIR,
  },
  { name: "foreign keys", faults: foreignKeyFaults, next: CORRECT },
];

/**
 * Reads a whole database and judges it: its pages, its references, its schema, its permissions. Nothing is changed.
 *
 * @throws {UserError} When it is no database of this program, or a newer one's.
 */
export function checkDatabase(path: string): Check[] {
  const version = requireOurs("Cannot check", path);
  const db = openToLook(path);
  try {
    const content = OF_CONTENT.map(({ name, faults, next }) => ({
      name,
      finding: judge(() => faults(db), next),
    }));
    return [
      ...content.map(({ name, finding }) => named(name, finding)),
      named("payloads", orFail(() => checkPayloads(db))),
      named("schema", schemaFinding(db, version)),
      ...version < SCHEMA_VERSION ? [] : [named("search index", indexFinding(path))],
      ...databasePermissions(path).map((finding) => named("permissions", finding)),
    ];
  } finally {
    db.close();
  }
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

/** It can always be made anew, so nothing is lost. */
function indexFinding(path: string): Finding {
  return judge(() => indexFaultsAt(path), CORRECT);
}

function schemaFinding(db: ReturnType<typeof openToLook>, version: number): Finding {
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

function named(name: string, { status, message, next, faults }: Finding): Check {
  return { name, status, message, next, ...faults && { faults } };
}

/** Captures that are named; `faults` has them all. */
const MAX_NAMED = 3;

/**
 * Whether all payloads can be read. Nothing brings one back that cannot: what was made of it stays, and an export holds
 * what is stored, until a person gives it up.
 */
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
