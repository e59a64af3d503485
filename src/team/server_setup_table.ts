/** Sets up a team's database, and lets logins use it. */
import { UserError } from "../base/errors.ts";
import { schemaOf } from "./log_table.ts";
import SCHEMA from "./server_schema.sql" with { type: "text" };
import type { Server } from "./server.ts";
import { KNOWN_VERSION } from "./schema_version.ts";

/** Makes or renews schema, roles and rights, all or nothing. @throws {UserError} When this user lacks the rights. */
export async function setUpServer(server: Server): Promise<void> {
  const { rows: [known] } = await server.query("SELECT to_regproc('conclaude.version') AS name");
  if (known.name !== null) {
    if (await schemaOf(server) > KNOWN_VERSION) {
      throw new UserError("Cannot set up the team's database", {
        why: "a newer conclaude has set it up; nothing was changed",
        next: "Install the newest conclaude",
      });
    }
  }
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

/**
 * Lets a login use the schema, and creates the login if it does not exist.
 * @returns Whether the login was created; null when this user may not let it in.
 */
export async function letLogin(
  server: Server,
  login: string,
): Promise<{ readonly isNew: boolean } | null> {
  const { rows: [role] } = await server.query(
    "SELECT rolcanlogin AND pg_has_role(oid, 'conclaude_member', 'USAGE') AS ok FROM pg_roles WHERE rolname = $1",
    [login],
  );
  if (role?.ok) return { isNew: false };
  const name = server.escapeIdentifier(login);
  try {
    if (role === undefined) await server.query(`CREATE ROLE ${name} LOGIN`);
    await server.query(`GRANT conclaude_member TO ${name}`);
    return { isNew: role === undefined };
  } catch {
    return null;
  }
}
