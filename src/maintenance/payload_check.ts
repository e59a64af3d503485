import { count } from "../counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { damagedPayloads } from "../store/damaged_payloads.ts";
import { fail, type Finding, ok } from "./check.ts";

/** Captures that are named; `faults` has them all. */
const MAX_NAMED = 3;

/**
 * Whether all payloads can be read. Nothing brings one back that cannot: what was made of it stays, and an export holds
 * what is stored, until a person gives it up.
 */
export function checkPayloads(db: DatabaseSync): Finding {
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
