/** Reads and writes who belongs to a project on the server, and how far each machine has read. */
import type { Server } from "./server.ts";
import type { SeenMachine } from "./types.ts";

/** Tells the server that this machine belongs to its user, so that the server takes rows from it. */
export async function registerMachine(server: Server, name: string, origin: string): Promise<void> {
  await server.query(
    "INSERT INTO conclaude.seen (project, origin) VALUES ($1, $2) ON CONFLICT DO NOTHING",
    [name, origin],
  );
}

/** Tells the server how far this machine has read. A machine that had left counts as present again. */
export async function noteSeen(
  server: Server,
  { name, origin, seq }: { readonly name: string; readonly origin: string; readonly seq: number },
): Promise<void> {
  await server.query(
    `UPDATE conclaude.seen SET seq = $3, at = now(), left_seq = NULL, heir = NULL
      WHERE project = $1
        AND origin = $2
        AND (seq < $3 OR left_seq IS NOT NULL)`,
    [name, origin, seq],
  );
}

/** Tells the server that a machine of this user has left, and may still hold rows. @param heir The machine's new id. */
export async function noteGone(
  server: Server,
  { name, origin, heir = null }: {
    readonly name: string;
    readonly origin: string;
    readonly heir?: string | null;
  },
): Promise<void> {
  await server.query(
    `UPDATE conclaude.seen AS machine SET left_seq = head.seq, heir = $3, at = now()
       FROM conclaude.head
      WHERE head.project = $1
        AND machine.project = $1
        AND machine.origin = $2`,
    [name, origin, heir],
  );
}

export async function listMachines(server: Server, name: string): Promise<SeenMachine[]> {
  const { rows } = await server.query(
    `SELECT origin, author, seq, (extract(epoch FROM at) * 1000)::bigint AS at, left_seq, heir
       FROM conclaude.seen
      WHERE project = $1
      ORDER BY author, at`,
    [name],
  );
  return rows.map(({ origin, author, seq, at, left_seq: leftSeq, heir }) => ({
    origin,
    author,
    seq: Number(seq),
    atMs: Number(at),
    leftSeq: leftSeq === null ? null : Number(leftSeq),
    heir,
  }));
}

export async function listMembers(
  server: Server,
  name: string,
): Promise<{ readonly login: string; readonly isOwner: boolean }[]> {
  const { rows } = await server.query("SELECT * FROM conclaude.members_of($1)", [name]);
  return rows.map(({ login, is_owner: isOwner }) => ({ login, isOwner }));
}

/** Lets a login into a project. @returns False when this user may not do that. */
export async function addMember(server: Server, name: string, login: string): Promise<boolean> {
  const { rows } = await server.query("SELECT conclaude.add_member($1, $2) AS ok", [name, login]);
  return rows[0].ok;
}
