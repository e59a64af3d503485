/**
 * Verbs that only a person may run. No process that descends from Claude Code or from an agent may run them. While a
 * session is under way, only a terminal or a token shows that a person runs them.
 */
import type { DatabaseSync } from "node:sqlite";
import { type Environment, locate, OS, userId } from "../system/environment.ts";
import { messageOf, quietly, UserError } from "../base/errors.ts";
import { normalizeSessionId } from "../base/ids.ts";
import { appendLog } from "../system/log.ts";
import { realPath } from "../system/real_paths.ts";
import { isThere } from "../system/on_disk.ts";
import { joinPath, resolvePath, withParents } from "../base/paths.ts";
import { type Descent, readDescent } from "../system/process/ancestors.ts";
import {
  type ProcessFacts,
  readProcesses,
  startedAtMs,
} from "../system/process/process_identity.ts";
import { identifyDatabase, openToLook } from "../db/database_identity.ts";
import {
  activeWithoutProcess,
  agentNamed,
  type AgentProcess,
  agentProcesses,
  configuredDatabases,
  knowsSessions,
  knowsToken,
  sessionProjects,
} from "../policy/store.ts";
import { tellingId } from "../db/sessions.ts";
import type { CliContext } from "./context.ts";
import { placeOf } from "./open_store.ts";
import { readTextFileSync } from "../system/files.ts";

export const TOKEN_VARIABLE = "CONCLAUDE_TOKEN";
/** How much the system's clock and its process table may differ, in milliseconds. */
const CLOCK_SLACK_MS = 2_000;

const OTHER_TERMINAL =
  "Run it yourself in a terminal that Claude Code did not open (its own `!` line counts as the agent)";

/** Refuses a verb to everybody but a person. @param options `atTerminal`: a token is not enough. @throws {UserError} */
export async function requirePerson(
  context: CliContext,
  verb: string,
  options: { readonly atTerminal?: boolean } = {},
): Promise<void> {
  const { environment } = context;
  const caller = { ...environment.descent ?? readDescent(), environment, ...options };
  const refusal = await anyRefusal(context, caller).catch((thrown) => blindRefusal(thrown, caller));
  if (refusal === null) return;
  const { why, next = OTHER_TERMINAL } = refusal;
  const { logFile, home } = context.locations;
  const message = `refused \`conclaude ${verb}\`: ${why}`;
  appendLog([logFile], { level: "warn", message, atMs: Date.now(), home });
  throw new UserError(`Only a person may run \`conclaude ${verb}\``, {
    why: `${why}; nothing was changed`,
    next,
    reason: "PERSON_REQUIRED",
  });
}

/** Why a verb is refused, and the next step: by default, to use another terminal. */
type Refusal = { readonly why: string; readonly next?: string };

/** Tells by its project whether a session or an agent counts. */
type Counts = (one: Pick<AgentProcess, "projectDir">) => boolean;

/** The process that runs the verb, with its environment. */
interface Caller extends Descent {
  readonly environment: Environment;
  readonly atTerminal?: boolean;
}

async function anyRefusal(context: CliContext, caller: Caller): Promise<Refusal | null> {
  const { globals, locations } = context;
  const { database } = await placeOf({ ...context, globals: { ...globals, noDb: false } });
  const here = [...new Set([database, ...databasesOf(context, locations.home)])];
  for (const path of here) {
    const refusal = await refusalOf(path, caller, () => true);
    if (refusal !== null) return refusal;
  }
  // An agent may set another HOME, so sessions of other homes count where the command names their files.
  const paths = namedPaths(context);
  for (const home of homesElsewhere(context, caller.environments, paths)) {
    const ofHome = [joinPath(home, ".claude"), joinPath(home, ".conclaude")];
    const counts: Counts = ({ projectDir }) =>
      [projectDir, ...ofHome].some((one) => touches(paths, one));
    for (const path of databasesOf(context, home).filter((path) => !here.includes(path))) {
      const refusal = await refusalOf(path, caller, counts);
      if (refusal !== null) return refusal;
    }
  }
  return null;
}

/** Returns why the verb is refused for the sessions in one database; null if it is not. */
async function refusalOf(path: string, caller: Caller, counts: Counts): Promise<Refusal | null> {
  using db = openToAsk(path);
  if (db === null) return null;
  const agent = agentAmong(db, caller, counts);
  if (agent !== null) return { why: agent };
  const { doubt } = caller.lineage;
  if (doubt === null) return null;
  if (caller.atTerminal) return sessionProjects(db).some(counts) ? { why: doubt } : null;
  const busy = sessionAtWork(db, counts);
  const token = caller.environment.variable(TOKEN_VARIABLE);
  if (busy === null || (token !== undefined && await knowsToken(db, token))) return null;
  return {
    why: `${doubt}, and session ${busy} is under way`,
    next: `${OTHER_TERMINAL}. A script of your own shows a token in ${TOKEN_VARIABLE}: ` +
      "`conclaude token` prints one",
  };
}

/** Decides when the database cannot be read: an agent may have locked it, so only a terminal is proof of a person. */
function blindRefusal(thrown: unknown, { lineage, environments }: Caller): Refusal | null {
  const [agent] = environments.match(IDENTITY) ?? [];
  if (agent === undefined && lineage.doubt === null) return null;
  const why = agent === undefined ? lineage.doubt : `it runs below ${agent}`;
  return { why: `${why}, and the database cannot be asked who is at work (${messageOf(thrown)})` };
}

/** Names the session or agent that this process descends from; null if there is none. */
function agentAmong(
  db: DatabaseSync,
  { lineage, environments }: Caller,
  counts: Counts,
): string | null {
  const above = new Map(lineage.processes.map((one) => [one.pid, one]));
  // In a container Claude Code may be process 1, above everything; then the environment tells.
  const running = agentProcesses(db).find((one) =>
    one.pid > 1 && counts(one) && isSame(one, above.get(one.pid))
  );
  const ids = Array.from(environments.matchAll(IDENTITY), ([, id]) => normalizeSessionId(id)!);
  const found = running ??
    [...new Set(ids)].flatMap((id) => agentNamed(db, id) ?? []).find(counts);
  if (found === undefined) return null;
  const id = found.kind === "session" ? tellingId(db, found.id) : found.id;
  return running === undefined
    ? `${found.kind} ${id} started it`
    : `it runs below process ${running.pid}, which runs ${found.kind} ${id}`;
}

/** Variables in which Claude Code passes its session's id, and our engine the agent's, to the commands they start. */
const IDENTITY = /\b(?:CLAUDE_CODE_SESSION_ID|CONCLAUDE_AGENT_ID)=([\w.-]{8,64})/g;

/** Returns the short id of a session that is active or has a running process; null if there is none. */
function sessionAtWork(db: DatabaseSync, counts: Counts): string | null {
  const known = agentProcesses(db).filter((one) => one.kind === "session" && counts(one));
  const facts = readProcesses([...new Set(known.map(({ pid }) => pid))]);
  // On Windows we cannot see which processes run.
  const running = known.find((one) => {
    const now = facts.get(one.pid);
    return OS === "windows" ? one.isActive : now?.hasEnded === false && isSame(one, now);
  });
  const id = running?.id ?? activeWithoutProcess(db).find(counts)?.id;
  return id === undefined ? null : tellingId(db, id);
}

/** Tells whether a running process is the recorded one, not a later one with the same number. */
function isSame({ mark, seenAtMs }: AgentProcess, now: ProcessFacts | undefined): boolean {
  if (now === undefined) return false;
  if (mark !== null) return mark === now.mark;
  return (startedAtMs(now.mark) ?? 0) <= seenAtMs + CLOCK_SLACK_MS;
}

/** Returns the databases that hooks of a home write to, without that of the current folder: an agent can choose it. */
function databasesOf({ environment }: CliContext, home: string | null): string[] {
  const variable = (name: string) => name === "HOME" ? home ?? undefined : undefined;
  const { database } = locate({ ...environment, variable }, { namesIn: () => [] });
  using db = openToAsk(database);
  return [database, ...db === null ? [] : configuredDatabases(db)];
}

/** Returns other homes: those of ancestor processes and of the user's account, and those above the named paths. */
function homesElsewhere(
  context: CliContext,
  environments: string,
  paths: readonly string[],
): string[] {
  const named = Array.from(environments.matchAll(/(?:^|\0)HOME=([^\0]+)/g), ([, home]) => home!);
  const around = paths.flatMap(withParents)
    .filter((folder) => isThere(joinPath(folder, ".conclaude/conclaude.db")));
  return [...new Set([...named, ...homeOfAccount(), ...around])]
    .filter((home) => home !== context.locations.home);
}

/** Returns the home that the system records for this user, in an empty list if it records none. */
export function homeOfAccount(): string[] {
  const accounts = quietly(() => readTextFileSync("/etc/passwd"))?.split("\n") ?? [];
  const own = accounts.map((line) => line.split(":")).find(([, , uid]) => uid === `${userId()}`);
  return own?.[5] === undefined ? [] : [own[5]];
}

/** Returns the folder in which the command works and every path that it names. */
function namedPaths({ cwd, environment }: CliContext): string[] {
  const folders = ["CLAUDE_PROJECT_DIR", "CLAUDE_CONFIG_DIR"].map(environment.variable);
  return [".", ...environment.args, ...folders.map((folder) => folder ?? ".")]
    .map((word) => resolvePath(word.replace(/^--[\w-]+=/, ""), { folder: cwd }))
    .flatMap((path) => [path, realPath(path)]);
}

function touches(paths: readonly string[], folder: string | null): boolean {
  return folder !== null && paths.some((path) => `${path}/`.startsWith(`${folder}/`));
}

/** Opens a database of conclaude of any schema; returns null for other files. @throws {Error} If it is locked. */
function openToAsk(path: string): DatabaseSync | null {
  const { kind } = identifyDatabase(path);
  if (kind !== "ours" && kind !== "older") return null;
  const db = openToLook(path);
  if (knowsSessions(db)) return db;
  db.close();
  return null;
}
