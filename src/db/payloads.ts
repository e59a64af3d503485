/** Reads, compresses and prunes payloads of captures, which are stored as text (`json`) or Brotli (`br`, RFC 7932). */
import type { DatabaseSync } from "node:sqlite";
import { isUserError, messageOf, quietly, UserError } from "../base/errors.ts";
import { collectGarbage } from "../system/process/garbage.ts";
import { checkpoint } from "./database.ts";
import { statement } from "./statement.ts";
import { transaction } from "./transaction.ts";

export interface StoredPayload {
  readonly id: string;
  readonly encoding: "json" | "br";
  readonly payload: string | Uint8Array;
  /** Size of the JSON in UTF-8. */
  readonly rawBytes: number;
}

/** A payload that is not compressed yet. `place` is its row number, which grows when the row is moved. */
type PlainPayload = Readonly<{ id: string; place: number; bytes: Uint8Array }>;

interface Replacement extends Pick<PlainPayload, "id" | "bytes"> {
  readonly compressed: Uint8Array;
}

/**
 * Sizes of payloads of 0.3 to 50 kB, as shares of their JSON: quality 4 gives 0.32, 5 gives 0.29 in 0.5 ms each, 9 the
 * same, 11 gives 0.27 in 20 ms; deflate gives 0.31, zstd 19 gives 0.30. A smaller window costs time and saves nothing.
 */
const BROTLI_QUALITY = 5;

/** Returns the JSON of a payload. @throws {UserError} When the stored payload is damaged. */
export function payloadText(stored: StoredPayload): string {
  return readPayload(stored).text;
}

/** Returns the JSON of a payload, and its value. @throws {UserError} When the stored payload is damaged. */
export function readPayload(
  { id, encoding, payload, rawBytes }: StoredPayload,
): { readonly text: string; readonly value: unknown } {
  try {
    const text = encoding === "br"
      ? new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
        decompress(payload, rawBytes),
      )
      : payload;
    if (typeof text !== "string") throw new Error("it is not text");
    return { text, value: JSON.parse(text) };
  } catch (thrown) {
    throw new UserError(`Cannot read the payload of the capture "${id}"`, {
      why: `what is stored is damaged: ${messageOf(thrown)}; other captures can be read`,
      next: "conclaude db check",
      cause: thrown,
    });
  }
}

/** Compresses a payload and checks that it can be read back. @returns Null when it would not be smaller. */
export function compressPayload(bytes: Uint8Array): Uint8Array | null {
  const { brotliCompressSync, constants } = zlib();
  const compressed = brotliCompressSync(bytes, {
    chunkSize: chunkFor(bytes.length),
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  if (compressed.length >= bytes.length) return null;
  const readBack = decompress(compressed, bytes.length);
  return readBack.every((byte, index) => byte === bytes[index]) ? compressed : null;
}

/** Returns the next payloads that are still text, in rows with a greater number than `after`. */
export function plainPayloads(
  db: DatabaseSync,
  { after, maxRows, maxBytes }: Readonly<Record<"after" | "maxRows" | "maxBytes", number>>,
): PlainPayload[] {
  const columns = "id, CAST(payload AS BLOB) AS bytes";
  const where = `encoding = 'json' AND NOT ${IS_PRUNED}`;
  const found: PlainPayload[] = [];
  let bytes = 0;
  for (const row of eachCapture(db, { columns, where, after })) {
    const payload = row as unknown as PlainPayload;
    found.push(payload);
    bytes += payload.bytes.length;
    if (found.length >= maxRows || bytes >= maxBytes) break;
  }
  return found;
}

/** Reads rows of the queue one by one, because the runtime's iterator ends silently at a damaged page. */
function* eachCapture(
  db: DatabaseSync,
  { columns, where, after }: Readonly<{ columns: string; where: string; after: number }>,
) {
  const next = statement(db)`
    SELECT rowid AS place, ${columns}
      FROM pending_queue
     WHERE rowid > ?
       AND ${where}
     ORDER BY rowid
     LIMIT 1`;
  for (let row = next.get(after); row !== undefined; row = next.get(row["place"]!)) yield row;
}

/**
 * Replaces texts by compressed payloads in one transaction, unless they changed meanwhile. Each row moves to the end of
 * the table, so that whole pages become free.
 */
export function replacePayloads(
  db: DatabaseSync,
  replacements: readonly Replacement[],
): { readonly count: number; readonly savedBytes: number } {
  return transaction(db, () => {
    const replace = db.prepare(
      `UPDATE pending_queue
          SET rowid = (SELECT max(rowid) FROM pending_queue) + 1, payload = ?, raw_bytes = ?,
              encoding = 'br'
        WHERE id = ?
          AND encoding = 'json'
          AND CAST(payload AS BLOB) = ?`,
    );
    let count = 0;
    let savedBytes = 0;
    for (const { id, bytes, compressed } of replacements) {
      if (replace.run(compressed, bytes.length, id, bytes).changes === 0) continue;
      count++;
      savedBytes += bytes.length - compressed.length;
    }
    return { count, savedBytes };
  });
}

/** How much one transaction of a compaction replaces at most: a hook never waits long. */
const BATCH = { maxRows: 64, maxBytes: 4 * 1024 * 1024 };

/** The batches after which the write-ahead log is moved into the database, so that it stays short. */
const CHECKPOINT_EVERY_BATCHES = 8;

/** The batches after which dead compressors are collected: each holds 7 kB and its payload. */
const COLLECT_EVERY_BATCHES = 4;

/**
 * Compresses payloads that become smaller by it. It works without a lock and replaces in short transactions, so hooks
 * and a second compaction may work at the same time, and a killed process leaves every payload whole.
 * @param options `untilMs`: stop at this time, by `performance.now()`. `onProgress`: called after every batch.
 * @returns How many payloads became smaller and by how many bytes; `complete` is false when the time ran out.
 * @throws {Error} What SQLite says; what was done before stays done.
 */
export function compactPayloads(
  db: DatabaseSync,
  options: {
    readonly untilMs?: number;
    readonly onProgress?: (done: { compressed: number; savedBytes: number }) => void;
  } = {},
): { readonly compressed: number; readonly savedBytes: number; readonly complete: boolean } {
  const done = { compressed: 0, savedBytes: 0, complete: false };
  let after = 0;
  for (let batch = 1; performance.now() < (options.untilMs ?? Infinity); batch++) {
    const plain = plainPayloads(db, { after, ...BATCH });
    if (plain.length === 0) return { ...done, complete: true };
    after = plain.at(-1)!.place;
    const smaller = plain.flatMap(({ id, bytes }): Replacement[] => {
      const compressed = compressPayload(bytes);
      return compressed === null ? [] : [{ id, bytes, compressed }];
    });
    const { count, savedBytes } = replacePayloads(db, smaller);
    done.compressed += count;
    done.savedBytes += savedBytes;
    if (batch % CHECKPOINT_EVERY_BATCHES === 0) checkpoint(db, "PASSIVE");
    if (batch % COLLECT_EVERY_BATCHES === 0) collectGarbage();
    options.onProgress?.(done);
  }
  return done;
}

/** Loads zlib when a payload needs it: most commands read none, and loading takes a few milliseconds. */
function zlib() {
  return process.getBuiltinModule("node:zlib");
}

/** Returns the buffer size for zlib: its default of 16 KiB is too much for a small payload. */
function chunkFor(bytes: number): number {
  return Math.min(Math.max(bytes, 64), 65_536);
}

/** Decompresses a stream. The size is checked, since a truncated stream gives no error; it also limits the memory. */
function decompress(payload: string | Uint8Array, rawBytes: number): Uint8Array {
  if (typeof payload === "string") throw new Error("it is text, not a compressed stream");
  const bytes = zlib().brotliDecompressSync(payload, {
    chunkSize: chunkFor(rawBytes),
    maxOutputLength: Math.max(1, rawBytes),
  });
  if (bytes.length !== rawBytes) {
    throw new Error(`it gives ${bytes.length} bytes instead of ${rawBytes}`);
  }
  return bytes;
}

export type PruneCounts = Readonly<{ pruned: number; freedBytes: number }>;

/** The beginning of a pruned payload, which is too short to be compressed. */
const PRUNED = '{"pruned":true,';

const IN_ITS_PLACE = `'${PRUNED}"bytes":' || max(raw_bytes, 0) || '}'`;
const TO_PRUNED =
  `encoding = 'json', payload = ${IN_ITS_PLACE}, raw_bytes = length(${IN_ITS_PLACE})`;

/** SQL that tells whether the payload of a row of the queue is pruned. */
export const IS_PRUNED = `(encoding = 'json' AND raw_bytes < 64 AND payload LIKE '${PRUNED}%')`;

/** Returns the size in bytes of a payload before it was pruned; null when the text is not a pruned payload. */
export function prunedBytes(payload: string): number | null {
  const [, bytes] = /^\{"pruned":true,"bytes":(\d+)\}$/.exec(payload) ?? [];
  return bytes === undefined ? null : Number(bytes);
}

/**
 * Returns the ids of the captures to prune: those that are done and older than a moment, without the newest of them.
 * Pruned captures count among the newest.
 */
export function payloadsToPrune(
  db: DatabaseSync,
  { beforeMs, keepNewest }: Readonly<Record<"beforeMs" | "keepNewest", number>>,
): string[] {
  return statement(db)`
    SELECT id
      FROM pending_queue
     WHERE status = 'done'
       AND created_at_ms < ?1
       AND NOT ${IS_PRUNED}
       AND id NOT IN (
         SELECT id
           FROM pending_queue
          WHERE status = 'done'
            AND created_at_ms < ?1
          ORDER BY created_at_ms DESC, id DESC
          LIMIT ?2)
     ORDER BY id`.all(beforeMs, keepNewest).map(({ id }) => String(id));
}

const PRUNED_ROWS = 200;

/**
 * Prunes the payloads of captures that are done, in batches, and yields the counts so far.
 * @param options `unreadable`: also prunes captures that wait or failed, and marks them done. `dryRun`: only counts.
 */
export function* prunePayloads(
  db: DatabaseSync,
  ids: readonly string[],
  { unreadable, dryRun }: { readonly unreadable: boolean; readonly dryRun: boolean },
): Generator<PruneCounts, void> {
  const [status, also] = unreadable
    ? ["('done', 'error', 'raw')", ", status = 'done', error_message = NULL"]
    : ["('done')", ""];
  const where = `WHERE id IN (SELECT value FROM json_each(?)) AND status IN ${status}`;
  const done = { pruned: 0, freedBytes: 0 };
  for (let at = 0; at < ids.length; at += PRUNED_ROWS) {
    const list = JSON.stringify(ids.slice(at, at + PRUNED_ROWS));
    const prune = () => {
      const { pruned, freedBytes } = statement(db)`
        SELECT count(*) AS pruned, coalesce(sum(octet_length(payload)), 0) AS freedBytes
          FROM pending_queue
        ${where}`.get(list) as unknown as PruneCounts;
      if (!dryRun) db.prepare(`UPDATE pending_queue SET ${TO_PRUNED}${also} ${where}`).run(list);
      done.pruned += pruned;
      done.freedBytes += freedBytes;
    };
    if (dryRun) prune();
    else transaction(db, prune);
    yield { ...done };
  }
}

/** Returns the JSON of a capture's payload; null when it is damaged. */
export function readablePayload(row: Readonly<Record<string, unknown>>): string | null {
  return quietly(() => payloadText(row as unknown as StoredPayload)) ?? null;
}

/** Reads every payload, and returns the damaged ones. @param options `status`: only captures that were given up. */
export function damagedPayloads(
  db: DatabaseSync,
  { status = null }: { readonly status?: "error" | null } = {},
): { readonly id: string; readonly why: string }[] {
  const columns = "id, encoding, raw_bytes AS rawBytes, " +
    "iif(encoding = 'json', CAST(payload AS BLOB), payload) AS payload";
  const where = status === null ? "1" : `status = '${status}'`;
  const decoder = new TextDecoder();
  const found: ReturnType<typeof damagedPayloads> = [];
  for (const row of eachCapture(db, { columns, where, after: 0 })) {
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
