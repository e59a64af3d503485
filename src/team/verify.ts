/** Compares what this machine has taken in with what the server has. */
import { sumOrigins } from "./log_table.ts";
import { listOrigins } from "./received_table.ts";
import type { Server } from "./server.ts";
import type { JoinedProject, TeamStore } from "./types.ts";

/** The rows of one machine, there and here. */
export interface VerifiedOrigin {
  readonly origin: string;
  readonly author: string;
  readonly there: number;
  readonly here: number;
  readonly isSame: boolean;
}

/** Up to the last row that was taken in, machine by machine: how many rows, and a sum over their digests. */
export async function verifyProject(
  { db }: Pick<TeamStore, "db">,
  { project, name, pulledSeq }: JoinedProject,
  server: Server,
): Promise<VerifiedOrigin[]> {
  const here = new Map(listOrigins(db, project).map((one) => [one.origin, one]));
  const there = await sumOrigins(server, name, pulledSeq);
  const gone = [...here.values()].filter(({ origin }) =>
    !there.some((one) => one.origin === origin)
  );
  return [
    ...there.map(({ origin, author, rows, digest }) => ({
      origin,
      author,
      there: rows,
      here: here.get(origin)?.rows ?? 0,
      isSame: here.get(origin)?.rows === rows && here.get(origin)?.digest === digest,
    })),
    ...gone.map(({ origin, author, rows }) => ({
      origin,
      author,
      there: 0,
      here: rows,
      isSame: false,
    })),
  ];
}
