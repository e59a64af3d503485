/** Reads and writes the log of a project's rows on the server, mostly with one statement for each function. */
import type { Server } from "./server.ts";
import type { JoinedProject, OriginSum, RowVersion, ServerRow } from "./types.ts";

/** The server's answer for a pushed row. */
export interface PushedRow {
  readonly originSeq: number;
  /** The number that the server gave the row; null when it refused the row. */
  readonly seq: number | null;
  /**
   * Why the server refused the row, in its own words or as one of these. `changed`: somebody else changed the task.
   * `forgotten`: the row must not come back. `renumber`: another version has this number. `reused`: another row has it,
   * since this machine was copied or restored. `lost`: the server was restored.
   */
  readonly refused: string | null;
}

/**
 * Begins a project, unless the server has it.
 *
 * @param fingerprint The fingerprint of the team's key; null when there is none.
 * @returns The fingerprint of the project's key; undefined when this user does not belong to the project.
 */
export async function beginProject(
  server: Server,
  name: string,
  fingerprint: string | null,
): Promise<string | null | undefined> {
  const sql = "SELECT conclaude.begin_project($1, $2) AS ok";
  const { rows: [{ ok }] } = await server.query(sql, [name, fingerprint]);
  if (!ok) return undefined;
  const { rows } = await server.query(
    "SELECT key_check FROM conclaude.head WHERE project = $1",
    [name],
  );
  return rows[0].key_check;
}

/** Reads the version of the schema on the server. */
export async function schemaOf(server: Server): Promise<number> {
  const { rows } = await server.query("SELECT conclaude.version() AS version");
  return Number(rows[0].version);
}

/** The size at which a page ends, in bytes of bodies on the server's disk. */
const PAGE_BYTES = 1 << 20;

/** Sends rows. @param batch A JSON list of rows. */
export async function pushRows(
  server: Server,
  { name, origin, ackedSeq, batch }: Pick<JoinedProject, "name" | "origin" | "ackedSeq"> & {
    readonly batch: string;
  },
): Promise<PushedRow[]> {
  const { rows } = await server.query("SELECT * FROM conclaude.push($1, $2, $3, $4)", [
    name,
    origin,
    batch,
    ackedSeq,
  ]);
  return rows.map(({ n, number, refused }) => ({
    originSeq: Number(n),
    seq: number === null ? null : Number(number),
    refused,
  }));
}

/** The numbers of a row: that of the server, and that of its machine. */
export type RowNumber = Pick<ServerRow, "seq" | "origin" | "originSeq">;

/** Reads the rows that follow a number, and the newest number. It does not fetch bodies of this machine's own rows. */
export async function pullRows(
  server: Server,
  { name, origin, after, limit }: {
    readonly name: string;
    readonly origin: string;
    readonly after: number;
    readonly limit: number;
  },
): Promise<
  {
    readonly rows: ServerRow[];
    readonly headSeq: number | null;
    /** The row with the number `after` itself; null when there is none. */
    readonly last: RowNumber | null;
    /** The highest `originSeq` of this machine's rows on the server. */
    readonly ownSeq: number;
    /** The version of the server's schema. */
    readonly version: number;
  }
> {
  const { rows } = await server.query(
    `SELECT h.seq AS head, conclaude.version() AS version, last.origin AS last_origin, last.origin_seq AS last_seq,
            (SELECT origin_seq FROM conclaude.log WHERE origin = $2 AND project = $1
              ORDER BY origin_seq DESC LIMIT 1) AS own, l.*
       FROM conclaude.head AS h
       LEFT JOIN conclaude.log AS last ON last.project = h.project AND last.seq = $3
       LEFT JOIN LATERAL (
              SELECT seq, origin, origin_seq, author, kind, uid, op, digest, (extract(epoch FROM at) * 1000)::bigint AS at,
                     CASE WHEN origin = $2 THEN NULL ELSE body END AS body
                FROM (SELECT *, sum(CASE WHEN origin = $2 THEN 0 ELSE coalesce(pg_column_size(body), 0) END)
                                  OVER (ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
                        FROM conclaude.log
                       WHERE project = $1
                         AND seq > $3
                         AND seq <= $3 + $4) AS page
               WHERE coalesce(before, 0) < ${PAGE_BYTES}
               ORDER BY seq) AS l ON true
      WHERE h.project = $1`,
    [name, origin, after, limit],
  );
  return {
    headSeq: rows.length === 0 ? null : Number(rows[0].head),
    last: (rows[0]?.last_origin ?? null) === null
      ? null
      : { seq: after, origin: rows[0].last_origin, originSeq: Number(rows[0].last_seq) },
    ownSeq: Number(rows[0]?.own ?? 0),
    version: rows.length === 0 ? 0 : Number(rows[0].version),
    rows: rows.filter(({ seq }) => seq !== null).map((row) => ({
      seq: Number(row.seq),
      origin: row.origin,
      originSeq: Number(row.origin_seq),
      author: row.author,
      kind: row.kind,
      uid: row.uid,
      op: row.op,
      digest: row.digest,
      atMs: Number(row.at),
      body: row.body,
    })),
  };
}

/** Lists the numbers of rows up to a number, the newest first. */
export async function listNumbers(
  server: Server,
  name: string,
  { upTo, limit }: { readonly upTo: number; readonly limit: number },
): Promise<RowNumber[]> {
  const { rows } = await server.query(
    `SELECT seq, origin, origin_seq
       FROM conclaude.log
      WHERE project = $1
        AND seq <= $2
      ORDER BY seq DESC
      LIMIT $3`,
    [name, upTo, limit],
  );
  return rows.map(({ seq, origin, origin_seq: originSeq }) => ({
    seq: Number(seq),
    origin,
    originSeq: Number(originSeq),
  }));
}

/** Lists all versions of some rows, the oldest first. */
export async function listVersions(
  server: Server,
  name: string,
  uids: readonly string[],
): Promise<RowVersion[]> {
  const { rows } = await server.query(
    `SELECT uid, kind, op, origin, author, seq
       FROM conclaude.log
      WHERE project = $1
        AND uid = ANY ($2)
      ORDER BY seq`,
    [name, uids],
  );
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}

/** Counts each machine's rows up to a number; also returns the sum of their digests and the machine's last number. */
export async function sumOrigins(server: Server, name: string, upTo: number): Promise<OriginSum[]> {
  const { rows } = await server.query(
    `SELECT origin, min(author) AS author, count(*) AS rows, max(origin_seq) AS last,
            (sum(('x' || substr(digest, 1, 15))::bit(60)::bigint) % 18446744073709551616)::text AS digest
       FROM conclaude.log
      WHERE project = $1
        AND seq <= $2
      GROUP BY origin
      ORDER BY origin`,
    [name, upTo],
  );
  return rows.map(({ last, ...row }) => ({
    ...row,
    rows: Number(row.rows),
    lastSeq: Number(last),
  }));
}
