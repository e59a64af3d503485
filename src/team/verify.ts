/** Compares the rows stored on this machine with the rows on the server. */
import { sumOrigins } from "./log_table.ts";
import { listOrigins } from "./received_table.ts";
import type { Server } from "./server.ts";
import type { JoinedProject, TeamStore } from "./types.ts";

/** How many rows of one machine the server (`there`) and this machine (`here`) have. */
export interface VerifiedOrigin {
  readonly origin: string;
  readonly author: string;
  readonly there: number;
  readonly here: number;
  readonly isSame: boolean;
}

/** Compares count and sum of digests for each machine, up to the last row stored here. */
export async function verifyProject(
  { db }: Pick<TeamStore, "db">,
  { project, name, pulledSeq }: JoinedProject,
  server: Server,
): Promise<VerifiedOrigin[]> {
  const here = new Map(listOrigins(db, project).map((one) => [one.origin, one]));
  const there = await sumOrigins(server, name, pulledSeq);
  const onlyHere = [...here.values()].filter(({ origin }) =>
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
    ...onlyHere.map(({ origin, author, rows }) => ({
      origin,
      author,
      there: 0,
      here: rows,
      isSame: false,
    })),
  ];
}
