/** Requirements as the configurations of a team define them. Nothing here is in force. */
import type { DatabaseSync } from "node:sqlite";
import { statement } from "../db/statement.ts";
import { queueForgotten } from "../db/team_outbox.ts";
import { transaction } from "../db/transaction.ts";

export interface TeamRequirement {
  readonly uid: string;
  readonly name: string;
  /** Null for one of this machine; empty for one of the same person's other machine. */
  readonly author: string | null;
  /** JSON, as the configuration has it. */
  readonly definition: string;
}

/** The requirements that other machines define, by their names. */
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

/** A requirement as it is sent; null when it is not defined any more. */
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
 * Notes which requirements this machine's configuration defines; the others lose those that it does not define any
 * more.
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
    const gone = statement(
      db,
      `DELETE FROM team_requirements
        WHERE project = ?
          AND author IS NULL
          AND uid NOT IN (SELECT value FROM json_each(?))
       RETURNING uid`,
    ).all(project, JSON.stringify(all.map(({ uid }) => uid))).map(({ uid }) => String(uid));
    if (gone.length > 0) queueForgotten(db, gone);
    for (const one of all) takeTeamRequirement(db, project, { ...one, author: null });
  });
}
