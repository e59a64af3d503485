/** Machines of a team: homes of their own with a clone of one repository, where the real program runs. */
import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { indexTogether } from "../../../src/memory/store.ts";
import { saveObservation } from "../../../src/memory/drain/observations_table.ts";
import { indexedTerms } from "../../../src/memory/search/terms.ts";
import { newId } from "../../../src/base/ids.ts";
import { openDatabase } from "../../../src/db/database.ts";
import { gitSync, makeRepository } from "../../support/git.ts";
import { migratedDatabase } from "../../support/migrated.ts";
import { addToken, PERSON_TOKEN } from "../../support/person.ts";
import { needsPostgres, PASSWORD, postgres, type TeamDatabase } from "./postgres.ts";
import {
  type Finished,
  spawnProgram,
  startAsAgent,
  type StartOptions,
} from "../../support/process.ts";
import { jsonOf, tempHome } from "../../support/program.ts";
import { testWhere } from "../../support/requirements.ts";

/** The remote of every clone. */
const REMOTE = "https://git.example.org/team/shop.git";
/** What the project is called on the server. */
export const PROJECT_NAME = "git.example.org/team/shop";

/** A machine of a member. */
export interface TeamMachine extends Disposable {
  readonly login: string;
  /** The home, the clone in it, and the common git directory of that. */
  readonly home: string;
  readonly clone: string;
  readonly project: string;
  /** The path of the machine's database. */
  readonly database: string;
  readonly address: string;
  /** Starts the program in the clone, as a person. */
  readonly run: (args: readonly string[], options?: StartOptions) => Promise<Finished>;
  /** {@linkcode run} with `--json`, which has to succeed. */
  // deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
  readonly json: (args: readonly string[], options?: StartOptions) => Promise<any>;
  /** Starts the program and leaves it running. */
  readonly spawn: (args: readonly string[], options?: StartOptions) => Deno.ChildProcess;
  // deno-lint-ignore no-explicit-any -- as with `json`
  readonly join: (...more: readonly string[]) => Promise<any>;
  /** Works with the machine's database in this process. */
  readonly using: <Result>(work: (db: DatabaseSync) => Result) => Promise<Result>;
  /** Copies the machine's database. @returns Puts the copy in its place. */
  readonly backup: () => Promise<() => void>;
  /** Remembers notes, as an agent does in a session. @param clockMs How far the machine's clock is off. @returns Their uids. */
  readonly notes: (texts: readonly string[], clockMs?: number) => Promise<string[]>;
}

/** Sets a database up for a team, and lets logins in. @param name The project's name there. */
export async function setUpTeam(
  team: TeamDatabase,
  logins: readonly string[],
  { name = PROJECT_NAME, login }: {
    readonly name?: string;
    /** That of the server: makes a login. */
    readonly login: (name: string) => Promise<void>;
  },
): Promise<void> {
  using owner = machine(team.owner, team);
  await owner.json(["team", "init", team.address(team.owner), ...passwordOf(owner)]);
  for (const one of logins) {
    await login(one);
    await owner.json([
      ...["team", "members", "--add", one, "--name", name],
      ...[team.address(team.owner), ...passwordOf(owner)],
    ]);
  }
}

/** A machine of a login. @param options `port`: that of a proxy before the server. */
export function machine(
  login: string,
  team: TeamDatabase,
  { port }: { readonly port?: number } = {},
): TeamMachine {
  const home = tempHome();
  const clone = join(home.path, "shop");
  const address = team.address(login, port);
  Deno.mkdirSync(clone);
  makeRepository(clone, { files: { "README.md": "A shop.\n" } });
  gitSync(clone, "remote", "add", "origin", REMOTE);
  Deno.mkdirSync(join(home.path, ".conclaude"), { mode: 0o700 });
  Deno.writeFileSync(home.database, migratedDatabase(), { mode: 0o600 });
  addToken(home.database);
  Deno.writeTextFileSync(join(home.path, "password"), `${PASSWORD}\n`, { mode: 0o600 });
  const project = join(clone, ".git");
  const env = { HOME: home.path, CONCLAUDE_TOKEN: PERSON_TOKEN };
  const started = (options: StartOptions) => ({
    cwd: clone,
    ...options,
    env: { ...env, ...options.env },
  });
  const one: TeamMachine = {
    ...{ login, home: home.path, clone, project, database: home.database, address },
    run: (args, options = {}) => startAsAgent(args, started(options)),
    async json(args, options = {}) {
      const done = await one.run(["--json", ...args], options);
      assert.equal(done.code, 0, `${args.join(" ")}: ${done.stdout}${done.stderr}`);
      return jsonOf(done);
    },
    spawn: (args, options = {}) => spawnProgram(args, started(options)),
    join: (...more) => one.json(["team", "join", address, ...passwordOf(one), "--yes", ...more]),
    async using(work) {
      using db = await openDatabase(home.database, { busyTimeoutMs: 10_000 });
      return work(db);
    },
    async backup() {
      const copy = `${home.database}.copy`;
      await one.using((db) => db.exec(`VACUUM INTO '${copy}'`));
      return () => {
        for (const end of ["-wal", "-shm"]) rmSync(home.database + end, { force: true });
        Deno.renameSync(copy, home.database);
      };
    },
    notes: (texts, clockMs = 0) =>
      one.using((db) =>
        indexTogether(
          db,
          () => texts.map((text) => note(db, { text, project, login, atMs: Date.now() + clockMs })),
        )
      ),
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
  return one;
}

/** What a test of two members has: a server, its database, and a machine of each that has not joined yet. */
export interface TwoMachines {
  readonly server: Awaited<ReturnType<typeof postgres>>;
  readonly team: TeamDatabase;
  readonly alice: TeamMachine;
  readonly bob: TeamMachine;
}

/** A test with the machines of alice and bob; skipped where PostgreSQL cannot be started. */
export function teamTest(name: string, body: (two: TwoMachines) => Promise<void>): void {
  testWhere(needsPostgres(), name, async () => {
    const server = await postgres();
    const team = await server.database();
    await setUpTeam(team, ["alice", "bob"], server);
    using alice = machine("alice", team);
    using bob = machine("bob", team);
    await body({ server, team, alice, bob });
  });
}

/** The flag with which a verb finds the password of a machine's login. */
export function passwordOf({ home }: Pick<TeamMachine, "home">): string[] {
  return ["--password-file", join(home, "password")];
}

function note(
  db: DatabaseSync,
  { text, project, login, atMs }: {
    readonly text: string;
    readonly project: string;
    readonly login: string;
    readonly atMs: number;
  },
): string {
  const uid = newId(atMs);
  saveObservation(db, {
    ...{ uid, project, text, atMs },
    sessionId: `session of ${login} at ${atMs}`,
    branch: "main",
    kind: "note",
    outcome: null,
    title: text.slice(0, 80),
    terms: indexedTerms(text, project),
    files: [],
    facts: {},
    sameAs: null,
  });
  return uid;
}
