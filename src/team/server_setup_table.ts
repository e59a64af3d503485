/** Sets up a database for teams. */
import { UserError } from "../base/errors.ts";
import SCHEMA from "./server_schema.sql" with { type: "text" };
import type { Server } from "./server.ts";

/** Makes or renews schema, roles and rights, all or nothing. @throws {UserError} When this user may not. */
export async function setUpServer(server: Server): Promise<void> {
  try {
    await server.query("BEGIN");
    await server.query(SCHEMA);
    await server.query("COMMIT");
  } catch (thrown) {
    await server.query("ROLLBACK").catch(() => {});
    if ((thrown as { readonly code?: string }).code !== "42501") throw thrown;
    throw new UserError("Cannot set up the team's database", {
      why: `this user may not: ${(thrown as Error).message}; nothing was changed`,
      next: "Use the owner of the database, who may make roles (CREATEROLE)",
    });
  }
}

/** Makes a login a member of the group that may use the schema, and the login itself where there is none yet. */
export async function letLogin(
  server: Server,
  login: string,
): Promise<{ readonly isNew: boolean }> {
  const { rows } = await server.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [login]);
  const name = server.escapeIdentifier(login);
  if (rows.length === 0) await server.query(`CREATE ROLE ${name} LOGIN`);
  await server.query(`GRANT conclaude_member TO ${name}`);
  return { isNew: rows.length === 0 };
}
