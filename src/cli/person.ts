/**
 * Verbs that only a person may run. Names are no identity, so the process is asked: nobody who descends from Claude Code
 * or from an agent may, and while a session is under way a terminal, or a token, has to show the person.
 */
import type { DatabaseSync } from "node:sqlite";
import { messageOf, UserError } from "../errors.ts";
import { normalizeSessionId } from "../ids.ts";
import { appendLog } from "../log/log.ts";
import { locate, readVariable, resolvePath } from "../paths.ts";
import { type Lineage, readLineage } from "../process/ancestors.ts";
import {
  type ProcessFacts,
  readEnvironments,
  readProcesses,
  startedAtMs,
} from "../process/identity.ts";
import { identifyDatabase, openToLook } from "../store/identity.ts";
import {
  activeWithoutProcess,
  type AgentProcess,
  agentProcesses,
  agentsNamed,
  hasSessions,
  knowsToken,
} from "../store/person_proof.ts";
import { tellingId } from "../store/telling_id.ts";
import { type CliContext, readEnvironment } from "./context.ts";
import { placeOf } from "./store.ts";

/** The variable in which a script shows a token. */
export const TOKEN_VARIABLE = "CONCLAUDE_TOKEN";

/** Processes that are looked up in one call. */
const BATCH = 1_000;
/** The clock of the system and its process table differ by a moment, in milliseconds. */
const CLOCK_SLACK_MS = 2_000;

const OTHER_TERMINAL =
  "Run it yourself in a terminal that Claude Code did not open (its own `!` line counts as the agent)";

/**
 * Lets only a person go on.
 *
 * @param verb The verb as it is typed: `guard pause`.
 * @param options `atTerminal`: from the first session on a terminal is needed, and no token replaces it.
 * @throws {UserError} When an agent runs it, or nothing shows that a person does.
 */
export async function requirePerson(
  context: CliContext,
  verb: string,
  options: { readonly atTerminal?: boolean } = {},
): Promise<void> {
  const lineage = readLineage();
  const environments = readEnvironments(lineage.processes.map(({ pid }) => pid));
  const by = { lineage, environments, ...options };
  const refusal = await whyNot(context, by).catch((thrown) => whyNotUnasked(thrown, by));
  if (refusal === null) return;
  const { why, next } = refusal;
  const { logFile, home } = context.locations;
  const message = `refused \`conclaude ${verb}\`: ${why}`;
  appendLog([logFile], { level: "warn", message, atMs: Date.now(), home });
  throw new UserError(`Only a person may run \`conclaude ${verb}\``, {
    why: `${why}; nothing was changed`,
    next,
    reason: "PERSON_REQUIRED",
  });
}

type Refusal = { readonly why: string; readonly next: string };

async function whyNot(
  context: CliContext,
  by: {
    readonly lineage: Lineage;
    readonly environments: string;
    readonly atTerminal?: boolean;
  },
): Promise<Refusal | null> {
  const { lineage, environments, atTerminal = false } = by;
  for (const path of await databasesHere(context)) {
    using db = openToAsk(path);
    if (db === null) continue;
    const agent = agentAmong(db, by);
    if (agent !== null) return { why: agent, next: OTHER_TERMINAL };
    if (lineage.doubt === null) continue;
    if (atTerminal) {
      if (hasSessions(db)) return { why: lineage.doubt, next: OTHER_TERMINAL };
      continue;
    }
    const busy = sessionAtWork(db);
    if (busy === null || await showsToken(db)) continue;
    return {
      why: `${lineage.doubt}, and session ${busy} is under way`,
      next: `${OTHER_TERMINAL}. A script of your own shows a token in ${TOKEN_VARIABLE}: ` +
        "`conclaude token` prints one",
    };
  }
  // With another HOME an agent would seem to be somebody else: its ancestors still name their own.
  for (const path of databasesElsewhere(context, environments)) {
    using db = openToAsk(path);
    const agent = db && agentAmong(db, by, ({ projectDir }) => touches(context, projectDir));
    if (agent !== null) return { why: agent, next: OTHER_TERMINAL };
  }
  return null;
}

/** Where a database cannot be asked, an agent may see to that: then only a terminal that no agent has opened will do. */
function whyNotUnasked(
  thrown: unknown,
  { lineage, environments }: { readonly lineage: Lineage; readonly environments: string },
): Refusal | null {
  const [agent] = environments.match(IDENTITY) ?? [];
  if (agent === undefined && lineage.doubt === null) return null;
  const why = agent === undefined ? lineage.doubt : `it runs below ${agent}`;
  return {
    why: `${why}, and the database cannot be asked who is at work (${messageOf(thrown)})`,
    next: OTHER_TERMINAL,
  };
}

/** Which session or agent is above this process, as a sentence; null when none is. */
function agentAmong(
  db: DatabaseSync,
  { lineage, environments }: { readonly lineage: Lineage; readonly environments: string },
  counts: (agent: Pick<AgentProcess, "projectDir">) => boolean = () => true,
): string | null {
  const above = new Map(lineage.processes.map((one) => [one.pid, one]));
  // In a container Claude Code may be the first process, of which everything descends: its environment tells then.
  const running = agentProcesses(db).find((one) =>
    one.pid > 1 && counts(one) && isSame(one, above.get(one.pid))
  );
  const ids = Array.from(environments.matchAll(IDENTITY), ([, id]) => normalizeSessionId(id)!);
  const found = running ?? agentsNamed(db, ids).find(counts);
  if (found === undefined) return null;
  const id = found.kind === "session" ? tellingId(db, found.id) : found.id;
  return running === undefined
    ? `${found.kind} ${id} started it`
    : `it runs below process ${running.pid}, which runs ${found.kind} ${id}`;
}

/** Variables with which Claude Code and our engine tell their commands who they are. */
const IDENTITY = /\b(?:CLAUDE_CODE_SESSION_ID|CONCLAUDE_AGENT_ID)=([\w.-]{8,64})/g;

/** The short id of a session that is under way: it is active, or a process of it still runs; null when there is none. */
function sessionAtWork(db: DatabaseSync): string | null {
  const known = agentProcesses(db).filter(({ kind }) => kind === "session");
  const pids = [...new Set(known.map(({ pid }) => pid))];
  const facts = new Map<number, ProcessFacts>();
  for (let i = 0; i < pids.length; i += BATCH) {
    for (const [pid, one] of readProcesses(pids.slice(i, i + BATCH))) facts.set(pid, one);
  }
  const isKnown = pids.length === 0 || facts.size > 0 || Deno.build.os !== "windows";
  const running = known.find((one) => {
    const now = facts.get(one.pid);
    return isKnown ? now?.hasEnded === false && isSame(one, now) : one.isActive;
  });
  const id = running?.id ?? activeWithoutProcess(db)[0];
  return id === undefined ? null : tellingId(db, id);
}

/** Whether a process that is there is the one that was recorded, and no later one of the same number. */
function isSame({ mark, seenAtMs }: AgentProcess, now: ProcessFacts | undefined): boolean {
  if (now === undefined) return false;
  if (mark !== null) return mark === now.mark;
  return (startedAtMs(now.mark) ?? 0) <= seenAtMs + CLOCK_SLACK_MS;
}

async function showsToken(db: DatabaseSync): Promise<boolean> {
  const token = readVariable(TOKEN_VARIABLE);
  return token !== undefined && await knowsToken(db, token);
}

/** The database of this command, and the one that hooks use without a flag or a variable. */
async function databasesHere(context: CliContext): Promise<string[]> {
  const usual = placesOf(context, context.locations.home);
  const kept = { ...context.globals, noDb: false };
  const places = [
    await placeOf({ ...context, globals: kept }),
    await placeOf({ ...context, globals: kept, locations: usual }),
  ];
  return [...new Set(places.map(({ database }) => database))];
}

/** Databases in the homes that ancestors name, where those are others. */
function databasesElsewhere(context: CliContext, environments: string): string[] {
  const homes = Array.from(environments.matchAll(/(?:^|\0)HOME=([^\0]+)/g), ([, home]) => home!);
  return [...new Set(homes)].filter((home) => home !== context.locations.home)
    .map((home) => placesOf(context, home).database);
}

function placesOf({ cwd }: CliContext, home: string | null) {
  return locate({ HOME: home ?? undefined }, { cwd, namesIn: () => [] });
}

/** Whether the command works in a folder, or names something in it. */
function touches({ cwd }: CliContext, folder: string | null): boolean {
  if (folder === null) return false;
  const { CLAUDE_PROJECT_DIR, CLAUDE_CONFIG_DIR } = readEnvironment();
  const named = [".", ...Deno.args, CLAUDE_PROJECT_DIR ?? ".", CLAUDE_CONFIG_DIR ?? "."];
  return named.some((word) =>
    `${resolvePath(word.replace(/^--[\w-]+=/, ""), { folder: cwd })}/`.startsWith(`${folder}/`)
  );
}

/**
 * A database of ours, of any schema so far; null for anything else: it knows no session.
 *
 * @throws {Error} It cannot be asked: another process holds it.
 */
function openToAsk(path: string): DatabaseSync | null {
  const { kind } = identifyDatabase(path);
  return kind === "ours" || kind === "older" ? openToLook(path) : null;
}
