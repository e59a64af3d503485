/** Observations that are lost are made once more of their captures, as far as these are there. */
import type { DatabaseSync } from "node:sqlite";
import { damagedPayloads } from "./damaged_payloads.ts";
import { transaction } from "./database.ts";
import { reserveNumber } from "./import_observations.ts";
import { IS_PRUNED } from "./payload_pruning.ts";

/** Characters of a capture's id: the uid of what is made of it begins with that. */
const ID_CHARS = 36;

const THERE = "(SELECT id FROM observations)";

/**
 * Lets captures wait again what was made of which is lost. A session all of whose captures can be read is worked in anew
 * as a whole, since what is made of one depends on the others: which failure a success has mended, for one.
 *
 * @returns How many captures wait again.
 */
export function workInAgain(db: DatabaseSync, atMs: number): number {
  return transaction(db, () => {
    keepNumbers(db);
    const again = JSON.stringify(sessionsAgain(db));
    db.prepare(
      `DELETE FROM observations
        WHERE kind <> 'summary'
          AND session_id IN (SELECT value FROM json_each(?))`,
    ).run(again);
    const { changes } = db.prepare(
      `UPDATE pending_queue
          SET status = 'raw', attempts = 0, observation_id = NULL, updated_at_ms = ?1
        WHERE status = 'done'
          AND (session_id IN (SELECT value FROM json_each(?2)) OR observation_id NOT IN ${THERE})`,
    ).run(atMs, again);
    db.exec(
      `INSERT OR IGNORE INTO sessions_to_summarize (session_id)
       SELECT DISTINCT session_id
         FROM observations
        WHERE session_id IN (SELECT session_id FROM pending_queue)
          AND 'summary/' || session_id NOT IN (SELECT uid FROM observations)`,
    );
    return Number(changes);
  });
}

/** No other observation gets a number that somebody may have read. */
function keepNumbers(db: DatabaseSync): void {
  const row = db.prepare("SELECT max(observation_id) AS highest FROM pending_queue").get();
  if (typeof row?.["highest"] === "number") reserveNumber(db, row["highest"]);
}

/**
 * The sessions that lost something, each with those that have mended a failure of it, or had one mended by it; none of
 * them where one cannot be made once more.
 */
function sessionsAgain(db: DatabaseSync): string[] {
  const [notWhole, mended] = [sessionsNotWhole(db), mendedBetween(db)];
  const again = new Set<string>();
  for (const session of sessionsWithLoss(db)) {
    const together = new Set([session]);
    for (const one of together) {
      for (const other of mended.get(one) ?? []) together.add(other);
    }
    if (together.isDisjointFrom(notWhole)) together.forEach((one) => again.add(one));
  }
  return [...again];
}

/** Sessions of which an observation is gone: what a capture became, or what mended a failure. */
function sessionsWithLoss(db: DatabaseSync): string[] {
  return db.prepare(
    `SELECT session_id AS id
       FROM pending_queue
      WHERE status = 'done'
        AND observation_id NOT IN ${THERE}
      UNION
     SELECT session_id
       FROM observations
      WHERE resolved_by > 0
        AND resolved_by NOT IN ${THERE}`,
  ).all().map(({ id }) => String(id));
}

/** Sessions not all of whose observations could be made once more. */
function sessionsNotWhole(db: DatabaseSync): ReadonlySet<string> {
  const rows = db.prepare(
    `SELECT session_id AS id
       FROM pending_queue
      WHERE ${IS_PRUNED}
         OR id IN (SELECT value FROM json_each(?))
      UNION
     SELECT session_id
       FROM observations
      WHERE kind <> 'summary'
        AND substr(uid, 1, ${ID_CHARS}) NOT IN (SELECT id FROM pending_queue)`,
  ).all(JSON.stringify(damagedPayloads(db).map(({ id }) => id)));
  return new Set(rows.map(({ id }) => String(id)));
}

/**
 * By session: those that have mended a failure of it, or may have, where what has mended it is lost; and the other way
 * round.
 */
function mendedBetween(db: DatabaseSync): ReadonlyMap<string, readonly string[]> {
  const rows = db.prepare(
    `SELECT failure.session_id AS id, mender.session_id AS mender
       FROM observations AS failure
       JOIN observations AS mender ON mender.id = failure.resolved_by
      WHERE failure.session_id <> mender.session_id
      UNION
     SELECT failure.session_id, later.session_id
       FROM observations AS failure
       JOIN observations AS later ON later.project IS failure.project
                                 AND later.created_at_ms > failure.updated_at_ms
      WHERE failure.resolved_by > 0
        AND failure.resolved_by NOT IN ${THERE}
        AND failure.session_id <> later.session_id
        AND later.kind <> 'summary'`,
  ).all();
  const pairs = rows.flatMap(({ id, mender }) =>
    [[id, mender], [mender, id]].map((pair) => pair.map(String))
  );
  const grouped = Map.groupBy(pairs, ([one]) => one!);
  return new Map([...grouped].map(([one, of]) => [one, of.map(([, other]) => other!)]));
}
