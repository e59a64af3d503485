/**
 * Claims on tasks of shared projects: the team's server gives them. This process has no network, so it asks through one of
 * `conclaude team …`, and then makes the claim here what the server said.
 */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../base/counts.ts";
import { isUserError, UserError } from "../base/errors.ts";
import { parentOf } from "../base/paths.ts";
import { hasTeams, isJoined, noteUntold, sharedProjectOf } from "../db/team_outbox.ts";
import { transaction } from "../db/transaction.ts";
import type { Environment } from "../system/environment.ts";
import { run } from "../system/process/run_program.ts";
import { type Grant, listReady, readTask, takeBackToLook } from "../work/store.ts";
import { refusal } from "../work/refusal.ts";
import type { Task } from "../work/task.ts";
import { ownProgram } from "./own_program.ts";

/** A server that has not answered by then, in milliseconds, counts as unreachable. */
const ANSWER_MS = 5_000;
/** The most ready tasks that are read to find the project of the next one. */
const MAX_READY = 1_000;

/** Where a claim is asked for. */
export interface AskPlace {
  readonly db: DatabaseSync;
  /** Absolute path. */
  readonly database: string;
  readonly environment: Environment;
}

/** Who asks for a claim, and for how long, in milliseconds. */
export interface Asker {
  readonly by: string;
  readonly leaseMs: number;
}

/** A claim that was asked for. */
export interface Asked {
  /** The task that is to be claimed here; null when there is none. */
  readonly id: string | null;
  /** Null for a task that is not shared. */
  readonly grant: Grant | null;
  /** Gives the claim back, where the task could not be claimed here after all. */
  readonly giveBack: () => Promise<void>;
}

const UNSHARED = { grant: null, giveBack: () => Promise.resolve() };

/** What a process of `conclaude team …` prints. */
interface Said {
  readonly outcome: "claimed" | "held" | "done" | "none" | "renewed" | "lost" | "told";
  readonly task: string | null;
  readonly fence: number;
  readonly leftMs: number | null;
  readonly holder: string | null;
  readonly author: string;
}

/** Asks for a claim on a task. @throws {UserError} ALREADY_CLAIMED, INVALID_STATUS, TEAM_UNREACHED */
export async function askForTask(place: AskPlace, id: string, asker: Asker): Promise<Asked> {
  const shared = sharedTask(place.db, id);
  const task = shared === null ? undefined : readTask(place.db, id);
  const mayBe = task?.status === "open" || task?.status === "in_progress";
  if (shared === null || !mayBe) return { id, ...UNSHARED };
  const { project } = shared;
  const atMs = Date.now();
  const said = await ask(place, ["claim", id, ...askerFlags(asker)], {
    project,
    what: "claim",
    id,
  });
  if (said.outcome === "claimed") return granted(place, said, { project, asker, atMs });
  throw said.outcome === "done" ? alreadyDone(task, said) : heldElsewhere(task, said);
}

/**
 * Asks for the next task. @param project Null for that of whichever task comes first.
 * @returns Null when no shared project is concerned: the next task is looked for here alone.
 */
export async function askForNext(
  place: AskPlace,
  project: string | null,
  asker: Asker,
): Promise<Asked | null> {
  const { db } = place;
  if (project === null ? !hasTeams(db) : !isJoined(db, project)) return null;
  takeBackToLook(db, Date.now());
  const passed = new Set<string | null>();
  for (;;) {
    const first = listReady(db, { project, limit: MAX_READY })
      .find((task) => !passed.has(projectOf(task)));
    const of = project ?? (first === undefined ? null : projectOf(first));
    if (first !== undefined && !isJoined(db, of)) return { id: first.id, ...UNSHARED };
    if (of === null || passed.has(of)) return { id: null, ...UNSHARED };
    const atMs = Date.now();
    const about = { project: of, what: "claim", id: first?.id ?? "--next" } as const;
    const said = await ask(place, ["claim", ...askerFlags(asker)], about);
    if (said.outcome === "claimed") return granted(place, said, { project: of, asker, atMs });
    passed.add(of);
  }
}

/** Claims here what was asked for, and gives it back where that is refused. @param claim Claims, all or nothing. */
export async function claimAsked<Result>(
  asked: Asked | null,
  claim: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await claim();
  } catch (thrown) {
    await asked?.giveBack();
    throw thrown;
  }
}

/** A task of a shared project. */
export interface SharedTask {
  readonly id: string;
  readonly project: string;
}

/** The task with its project, where that is shared. */
export function sharedTask(db: DatabaseSync, id: string): SharedTask | null {
  const project = sharedProjectOf(db, id);
  return project === null ? null : { id, project };
}

/**
 * Asks whether a claim still counts, and lets it count longer.
 *
 * @param options.token Its number; null for that which is known here.
 * @returns Null where the task is not in work: what is known here counts.
 * @throws {UserError} NOT_CLAIM_OWNER, TEAM_UNREACHED
 */
export async function askToKeep(
  place: AskPlace,
  { id, project }: SharedTask,
  { token, what, ...asker }: Asker & {
    readonly token: number | null;
    readonly what: "renew" | "complete";
  },
): Promise<Grant | null> {
  const task = readTask(place.db, id);
  if (task?.status !== "in_progress" || task.claimedBy !== asker.by) return null;
  const fence = token ?? task.claimToken;
  const atMs = Date.now();
  const words = ["renew", id, ...askerFlags(asker), ...fence === null ? [] : [`--fence=${fence}`]];
  const said = await ask(place, words, { project, what, id });
  if (said.outcome === "renewed") return grantOf(said, atMs);
  const who = said.holder === null ? "nobody has it now" : `${holderText(said)} has it now`;
  throw refusal("NOT_CLAIM_OWNER", {
    what: `The claim of "${asker.by}" on task ${id} counts no more`,
    why: `the team's server says so, and ${who}; nothing was changed`,
    next: `conclaude task claim ${id}`,
    details: { claimedBy: said.holder, claimToken: said.fence },
  });
}

/** Tells the server what became of a claim, if it is there; otherwise the next sync does. */
export async function tellServer(place: AskPlace, { id, project }: SharedTask): Promise<void> {
  await ask(place, ["tell", id], { project, what: "complete", id }).catch((thrown) => {
    if (!isUserError(thrown)) throw thrown;
  });
}

function projectOf({ repository, projectDir }: Task): string | null {
  return repository ?? projectDir;
}

function askerFlags({ by, leaseMs }: Asker): string[] {
  return [`--holder=${by}`, `--lease-ms=${leaseMs}`];
}

/** The lease counts from when it was asked for: it never ends later here than on the server. */
function grantOf({ fence, leftMs }: Said, atMs: number): Grant {
  return { fence, leaseUntilMs: atMs + (leftMs ?? 0) };
}

function granted(
  place: AskPlace,
  said: Said,
  { project, asker: { by }, atMs }: {
    readonly project: string;
    readonly asker: Asker;
    readonly atMs: number;
  },
): Asked {
  const [uid, token] = [said.task!, said.fence];
  return {
    id: uid,
    grant: grantOf(said, atMs),
    async giveBack() {
      const claim = { uid, project, step: "release", holder: by, token } as const;
      transaction(place.db, () => noteUntold(place.db, claim, atMs));
      await tellServer(place, { id: uid, project });
    },
  };
}

/** Starts a process of `conclaude team …`, and reads what it says. @throws {UserError} TEAM_UNREACHED */
async function ask(
  { database, environment }: AskPlace,
  words: readonly string[],
  { project, what, id }: {
    readonly project: string;
    readonly what: "claim" | "renew" | "complete";
    readonly id: string;
  },
): Promise<Said> {
  const [step, ...rest] = words;
  const command = [
    ...ownProgram(environment).words,
    ...["--db", database, "--json", "team", step!, `--in=${project}`],
    ...rest,
  ];
  const unreached = (why: string, next = `conclaude task ${what} ${id} --offline`) =>
    refusal("TEAM_UNREACHED", {
      what: `Cannot ${what} a task of the team`,
      why: `${why}; nothing was changed`,
      next,
    });
  const ran = await run(command, {
    folder: parentOf(database),
    environment,
    timeoutMs: ANSWER_MS,
  });
  if (ran.end.kind !== "ended") {
    throw unreached(`its server did not answer in ${count(ANSWER_MS / 1_000, "second")}`);
  }
  await ran.gone;
  const said = readAnswer(ran.stdout!.text());
  if (said === null) throw unreached("no answer of its server can be read", "conclaude doctor");
  if (!("error" in said)) return said;
  const { why, next, reason } = said.error;
  throw unreached(why, reason === "OFFLINE" ? undefined : next);
}

function readAnswer(text: string): Said | { readonly error: UserError } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function holderText({ holder, author }: Said): string {
  return author === "" ? `"${holder}"` : `"${holder}" of ${author}`;
}

function heldElsewhere({ id }: Pick<Task, "id">, said: Said) {
  const left = count(Math.max(1, Math.round((said.leftMs ?? 0) / 60_000)), "more minute");
  return refusal("ALREADY_CLAIMED", {
    what: `Cannot claim task ${id}`,
    why: `${
      holderText(said)
    } has claimed it, for ${left} unless the claim is renewed; nothing was changed`,
    next: "conclaude task ready",
    details: { claimedBy: said.holder },
  });
}

function alreadyDone({ id }: Pick<Task, "id">, { author }: Said) {
  return refusal("INVALID_STATUS", {
    what: `Cannot claim task ${id}`,
    why: `${author} has had it completed; nothing was changed`,
    next: "conclaude team sync",
    details: { currentStatus: "closed" },
  });
}
