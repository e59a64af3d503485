/** Finds payloads whose compressed bytes are damaged, which SQLite does not notice. */
import type { DatabaseSync } from "node:sqlite";
import { isUserError, messageOf } from "../errors.ts";
import { payloadText, type StoredPayload } from "./payloads.ts";

/** A capture whose payload is damaged. */
export interface DamagedPayload {
  readonly id: string;
  readonly why: string;
}

/**
 * Reads every payload, one at a time.
 *
 * @param options `status`: only captures that were given up.
 * @throws {Error} What SQLite says, of a damaged page for example.
 */
export function damagedPayloads(
  db: DatabaseSync,
  { status = null }: { readonly status?: "error" | null } = {},
): DamagedPayload[] {
  const next = db.prepare(
    `SELECT rowid AS place, id, encoding,
            iif(encoding = 'json', CAST(payload AS BLOB), payload) AS payload,
            raw_bytes AS rawBytes
       FROM pending_queue
      WHERE rowid > ?1
        AND (?2 IS NULL OR status = ?2)
      ORDER BY rowid
      LIMIT 1`,
  );
  const decoder = new TextDecoder();
  const found: DamagedPayload[] = [];
  let place = 0;
  for (let row = next.get(place, status); row !== undefined; row = next.get(place, status)) {
    place = Number(row["place"]);
    const { encoding, payload } = row;
    const isText = encoding === "json" && payload instanceof Uint8Array;
    const stored = isText ? { ...row, payload: decoder.decode(payload) } : row;
    try {
      payloadText(stored as unknown as StoredPayload);
    } catch (thrown) {
      found.push({
        id: String(row["id"]),
        why: isUserError(thrown) ? thrown.why : messageOf(thrown),
      });
    }
  }
  return found;
}
