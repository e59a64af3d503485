/** Reads and writes the requirements that a team's configurations define. The table enforces nothing. */
import type { DatabaseSync } from "node:sqlite";
import { statement } from "../db/statement.ts";
import { queueForgotten } from "../db/team_outbox.ts";
import { transaction } from "../db/transaction.ts";

export interface TeamRequirement {
  readonly uid: string;
  readonly name: string;
  /** The login; null for this machine, empty for another machine of the same person. */
  readonly author: string | null;
  /** The requirement in the configuration, as JSON. */
  readonly definition: string;
}

/** Lists the requirements that other machines define, by name. */
export function listTeamRequirements(db: DatabaseSync, project: string): TeamRequirement[] {
  return statement(
    db,
    `SELECT uid, name, author, definition
       FROM team_requirements
      WHERE project = ?
        AND author IS NOT NULL
      ORDER BY name, author`,
  ).all(project) as unknown as TeamRequirement[];
}

/** Reads a requirement for sending; null when it is not defined any more. */
export function readTeamRequirement(
  db: DatabaseSync,
  uid: string,
): Pick<TeamRequirement, "uid" | "name" | "definition"> | null {
  const row = statement(db, "SELECT uid, name, definition FROM team_requirements WHERE uid = ?")
    .get(uid);
  return row as unknown as TeamRequirement | undefined ?? null;
}

/** Writes a requirement, in the caller's transaction. */
export function takeTeamRequirement(
  db: DatabaseSync,
  project: string,
  { uid, name, author, definition }: TeamRequirement,
): void {
  statement(
    db,
    `INSERT INTO team_requirements (uid, project, name, author, definition)
     VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (uid) DO UPDATE SET definition = excluded.definition`,
  ).run(uid, project, name, author, definition);
}

/**
 * Records which requirements this machine's configuration defines. The other machines forget those that it does not
 * define any more.
 */
export function noteRequirements(
  db: DatabaseSync,
  { project, origin }: { readonly project: string; readonly origin: string },
  definitions: Readonly<Record<string, unknown>>,
): void {
  const all = Object.entries(definitions).map(([name, definition]) => ({
    uid: `requirement/${origin}/${name}`,
    name,
    definition: JSON.stringify(definition),
  }));
  transaction(db, () => {
    const removed = statement(
      db,
      `DELETE FROM team_requirements
        WHERE project = ?
          AND author IS NULL
          AND uid NOT IN (SELECT value FROM json_each(?))
       RETURNING uid`,
    ).all(project, JSON.stringify(all.map(({ uid }) => uid))).map(({ uid }) => String(uid));
    if (removed.length > 0) queueForgotten(db, removed);
    for (const one of all) takeTeamRequirement(db, project, { ...one, author: null });
  });
}
