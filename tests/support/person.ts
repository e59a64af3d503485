/** Plays the person at a terminal, whom no test has: it shows a token that the database knows. */
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import type { Finished, StartOptions } from "./process.ts";

/** The token that tests show in `CONCLAUDE_TOKEN`. */
export const PERSON_TOKEN = "the person of these tests";

/** Whether a verb refused because nothing showed that a person ran it. */
function isRefusedToAgents(
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): boolean {
  return `${stdout}${stderr}`.includes("Only a person may run `conclaude");
}

/** Lets the databases that a command may mean know the token. @returns Whether any does now. */
function letKnowToken(args: readonly string[], env: Readonly<Record<string, string>>): boolean {
  const flag = args.indexOf("--db");
  const paths = [
    args[flag + 1],
    env["CONCLAUDE_DB_PATH"],
    env["HOME"] && join(env["HOME"], ".conclaude", "conclaude.db"),
  ].slice(flag < 0 ? 1 : 0);
  return paths.map((path) => path !== undefined && addToken(path)).includes(true);
}

/** @returns Whether a database is there that takes it. */
export function addToken(database: string): boolean {
  try {
    Deno.statSync(database);
    using db = new DatabaseSync(database, { timeout: 5_000 });
    const hash = createHash("sha256").update(PERSON_TOKEN).digest("hex");
    db.prepare("INSERT OR IGNORE INTO person_tokens (hash, created_at_ms) VALUES (?, 0)").run(hash);
    return true;
  } catch {
    return false;
  }
}

/**
 * Lets the configuration files of a home be in force as they are: the person of these tests, who writes them between hooks,
 * accepts each.
 */
export function acceptConfiguration(home: string): void {
  try {
    const path = join(home, ".conclaude", "conclaude.db");
    Deno.statSync(path);
    using db = new DatabaseSync(path, { timeout: 100 });
    db.exec(
      "DELETE FROM kept_files WHERE path GLOB '*conclaude*.y*ml' OR path GLOB '*config.y*ml'",
    );
  } catch {
    // There is none yet, or it is damaged or held on purpose.
  }
}

/** Runs a verb; where it refuses to run for an agent, runs it again with a token that its database knows. */
export async function asPerson(
  run: (args: readonly string[], options: StartOptions) => Promise<Finished>,
  args: readonly string[],
  options: StartOptions,
): Promise<Finished> {
  const env = { CONCLAUDE_TOKEN: PERSON_TOKEN, ...options.env };
  const finished = await run(args, { ...options, env });
  if (!isRefusedToAgents(finished) || !letKnowToken(args, env)) return finished;
  return await run(args, { ...options, env });
}

/** A call of each verb of a person; the first one pauses the guards. */
export function personCalls(session: string): readonly [string[], ...string[][]] {
  return [
    ["guard", "pause", "--session", session],
    ["guard", "resume", "--session", session],
    ["req", "satisfy", "plan", "--session", session],
    ["req", "approve", "plan", "--session", session],
    ["req", "clear", "plan", "--session", session],
    ["req", "pause", "--session", session],
    ["req", "disable", "plan"],
    ["req", "enable", "plan"],
    ["req", "prune"],
    ["req", "init"],
    ["req", "import"],
    ["question", "answer", "1", "yes"],
    ["workflow", "approve", "1"],
    ["workflow", "reject", "1"],
    ["memory", "forget", "--text", "x", "--yes"],
    ["team", "init", "postgres://a@localhost/a"],
    ["team", "join", "postgres://a@localhost/a", "--yes"],
    ["team", "leave", "--yes"],
    ["db", "reset", "--yes"],
    ["db", "restore", "x.db"],
    ["config", "init"],
    ["config", "set", "store.backups", "3"],
    ["counter", "increment", "edits", "--session", session],
    ["counter", "reset", "edits", "--session", session],
    ["import", "x.jsonl"],
    ["import", "claude-mem", "x.db"],
    ["import", "transcripts", "."],
    ["uninstall-hooks"],
    ["token"],
  ];
}
