/** Who belongs to a project on the server, and how far each machine has read. */
import type { Server } from "./server.ts";
import type { SeenMachine } from "./types.ts";

/** Tells the server that this machine belongs to its user: rows are taken from it afterwards. */
export async function registerMachine(server: Server, name: string, origin: string): Promise<void> {
  await server.query(
    "INSERT INTO conclaude.seen (project, origin) VALUES ($1, $2) ON CONFLICT DO NOTHING",
    [name, origin],
  );
}

/** Tells how far this machine has read. */
export async function noteSeen(
  server: Server,
  { name, origin, seq }: { readonly name: string; readonly origin: string; readonly seq: number },
): Promise<void> {
  await server.query(
    "UPDATE conclaude.seen SET seq = $3, at = now() WHERE project = $1 AND origin = $2 AND seq < $3",
    [name, origin, seq],
  );
}

export async function listMachines(server: Server, name: string): Promise<SeenMachine[]> {
  const { rows } = await server.query(
    `SELECT origin, author, seq, (extract(epoch FROM at) * 1000)::bigint AS at
       FROM conclaude.seen
      WHERE project = $1
      ORDER BY author, at`,
    [name],
  );
  return rows.map(({ origin, author, seq, at }) => ({
    origin,
    author,
    seq: Number(seq),
    atMs: Number(at),
  }));
}

export async function listMembers(
  server: Server,
  name: string,
): Promise<{ readonly login: string; readonly isOwner: boolean }[]> {
  const { rows } = await server.query("SELECT * FROM conclaude.members_of($1)", [name]);
  return rows.map(({ login, is_owner: isOwner }) => ({ login, isOwner }));
}

/** Lets a login into a project. @returns False where this user may not. */
export async function addMember(server: Server, name: string, login: string): Promise<boolean> {
  const { rows } = await server.query("SELECT conclaude.add_member($1, $2) AS ok", [name, login]);
  return rows[0].ok;
}
