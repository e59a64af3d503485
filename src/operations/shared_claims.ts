/**
 * Asks the team's server for claims on tasks of shared projects. This process has no network, so it starts a process of
 * `conclaude team …` for it. The caller then makes the local claim agree with the server's answer.
 */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../base/counts.ts";
import { isUserError, quietly, type UserError } from "../base/errors.ts";
import { parentOf } from "../base/paths.ts";
import { hasTeams, isJoined, noteUntold, sharedProjectOf } from "../db/team_outbox.ts";
import { transaction } from "../db/transaction.ts";
import type { Environment } from "../system/environment.ts";
import { run } from "../system/process/run_program.ts";
import { type Grant, listReady, readTask, takeBackToLook } from "../work/store.ts";
import { refusal } from "../work/refusal.ts";
import type { Task } from "../work/task.ts";
import { ownProgram } from "./own_program.ts";

/** How long the server may take to answer, in milliseconds, before it counts as unreachable. */
const ANSWER_MS = 5_000;
/** How many ready tasks are read at most to find the project of the next one. */
const MAX_READY = 1_000;

/** What a request for a claim needs of this process. */
export interface AskPlace {
  readonly db: DatabaseSync;
  /** The absolute path of the database. */
  readonly database: string;
  readonly environment: Environment;
}

/** The step for which a shared task needs the server's consent. */
type Wish = "claim" | "renew" | "complete";

/** The task that a request is about, its project, and what the caller wants to do. */
interface About {
  readonly project: string;
  readonly what: Wish;
  readonly id: string;
}

/** The holder of a requested claim, and its duration in milliseconds. */
export interface Asker {
  readonly by: string;
  readonly leaseMs: number;
}

/** The server's consent to a claim, or its absence where no server has a say. */
export interface Asked {
  /** The task to claim locally; null if there is none. */
  readonly id: string | null;
  /** Null for a task that is not shared. */
  readonly grant: Grant | null;
  /** Returns the claim to the server; called if the local claim fails. */
  readonly giveBack: () => Promise<void>;
}

const UNSHARED = { grant: null, giveBack: () => Promise.resolve() };

/** The output of a process of `conclaude team …`. */
interface ServerAnswer {
  readonly outcome: "claimed" | "held" | "done" | "none" | "renewed" | "lost" | "told";
  readonly task: string | null;
  readonly fence: number;
  readonly leftMs: number | null;
  readonly holder: string | null;
  readonly author: string;
}

/** Asks the team's server for the consent that a step needs. @returns Null if it needs none. @throws {UserError} */
export async function askForStep(
  place: AskPlace,
  asks: Wish | undefined,
  { id, ...asker }: Asker & { readonly id: string; readonly token: number | null },
): Promise<Asked | null> {
  if (asks === undefined) return null;
  if (asks === "claim") return await askForTask(place, id, asker);
  const project = sharedProjectOf(place.db, id);
  if (project === null) return null;
  const grant = await askToKeep(place, { project, what: asks, id }, asker);
  return { ...UNSHARED, id, grant };
}

/** Requests a claim on a task. @throws {UserError} ALREADY_CLAIMED, INVALID_STATUS, TEAM_UNREACHED */
async function askForTask(place: AskPlace, id: string, asker: Asker): Promise<Asked> {
  const project = sharedProjectOf(place.db, id);
  const task = project === null ? undefined : readTask(place.db, id);
  const isClaimable = task?.status === "open" || task?.status === "in_progress";
  if (project === null || !isClaimable) return { id, ...UNSHARED };
  const atMs = Date.now();
  const about = { project, what: "claim", id } as const;
  const answer = await askServer(place, ["claim", id, ...askerFlags(asker)], about);
  if (answer.outcome === "claimed") return granted(place, answer, { project, asker, atMs });
  throw answer.outcome === "done" ? alreadyDone(task, answer) : heldElsewhere(task, answer);
}

/**
 * Requests a claim on the next task. @param project Null for the project of the task that comes first.
 * @returns Null if no shared project is concerned and the caller picks the next task locally.
 */
export async function askForNext(
  place: AskPlace,
  project: string | null,
  asker: Asker,
): Promise<Asked | null> {
  const { db } = place;
  if (project === null ? !hasTeams(db) : !isJoined(db, project)) return null;
  takeBackToLook(db, Date.now());
  const askedProjects = new Set<string | null>();
  for (;;) {
    const first = listReady(db, { project, limit: MAX_READY })
      .find((task) => !askedProjects.has(projectOf(task)));
    const next = project ?? (first === undefined ? null : projectOf(first));
    if (first !== undefined && !isJoined(db, next)) return { id: first.id, ...UNSHARED };
    if (next === null || askedProjects.has(next)) return { id: null, ...UNSHARED };
    const atMs = Date.now();
    const about = { project: next, what: "claim", id: first?.id ?? "--next" } as const;
    const answer = await askServer(place, ["claim", ...askerFlags(asker)], about);
    if (answer.outcome === "claimed") return granted(place, answer, { project: next, asker, atMs });
    askedProjects.add(next);
  }
}

/** Makes the local claim, and returns the server's claim if that fails. @param claim Claims all or nothing. */
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

/**
 * Asks the server whether a claim still counts, and extends it.
 *
 * @param asker.token The claim's number; null for the number in the local database.
 * @returns Null if this holder is not at work on the task; then the local database decides.
 * @throws {UserError} NOT_CLAIM_OWNER, TEAM_UNREACHED
 */
async function askToKeep(
  place: AskPlace,
  about: About,
  { token, ...asker }: Asker & { readonly token: number | null },
): Promise<Grant | null> {
  const { id } = about;
  const task = readTask(place.db, id);
  if (task?.status !== "in_progress" || task.claimedBy !== asker.by) return null;
  const fence = token ?? task.claimToken;
  const atMs = Date.now();
  const words = ["renew", id, ...askerFlags(asker), ...fence === null ? [] : [`--fence=${fence}`]];
  const answer = await askServer(place, words, about);
  if (answer.outcome === "renewed") return grantOf(answer, atMs);
  const who = answer.holder === null ? "nobody has it now" : `${holderText(answer)} has it now`;
  throw refusal("NOT_CLAIM_OWNER", {
    what: `The claim of "${asker.by}" on task ${id} counts no more`,
    why: `the team's server says so, and ${who}; nothing was changed`,
    next: `conclaude task claim ${id}`,
    details: { claimedBy: answer.holder, claimToken: answer.fence },
  });
}

/** Tells the server how a claim on a shared task ended, if it is reachable; otherwise the next sync does. */
export async function tellServer(
  place: AskPlace,
  id: string,
  project = sharedProjectOf(place.db, id),
): Promise<void> {
  if (project === null) return;
  await askServer(place, ["tell", id], { project, what: "complete", id }).catch((thrown) => {
    if (!isUserError(thrown)) throw thrown;
  });
}

function projectOf({ repository, projectDir }: Task): string | null {
  return repository ?? projectDir;
}

function askerFlags({ by, leaseMs }: Asker): string[] {
  return [`--holder=${by}`, `--lease-ms=${leaseMs}`];
}

/** Counts the lease from the request on, so that it never ends later here than on the server. */
function grantOf({ fence, leftMs }: ServerAnswer, atMs: number): Grant {
  return { fence, leaseUntilMs: atMs + (leftMs ?? 0) };
}

function granted(
  place: AskPlace,
  answer: ServerAnswer,
  { project, asker: { by }, atMs }: {
    readonly project: string;
    readonly asker: Asker;
    readonly atMs: number;
  },
): Asked {
  const [uid, token] = [answer.task!, answer.fence];
  return {
    id: uid,
    grant: grantOf(answer, atMs),
    async giveBack() {
      const claim = { uid, project, step: "release", holder: by, token } as const;
      transaction(place.db, () => noteUntold(place.db, claim, atMs));
      await tellServer(place, uid, project);
    },
  };
}

/** Runs `conclaude team …` in a process and reads its answer. @throws {UserError} TEAM_UNREACHED */
async function askServer(
  { database, environment }: AskPlace,
  words: readonly string[],
  { project, what, id }: About,
): Promise<ServerAnswer> {
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
  const ran = await run(command, { folder: parentOf(database), environment, timeoutMs: ANSWER_MS });
  if (ran.end.kind !== "ended") {
    throw unreached(`its server did not answer in ${count(ANSWER_MS / 1_000, "second")}`);
  }
  await ran.gone;
  const answer = quietly((): ServerAnswer | { readonly error: UserError } =>
    JSON.parse(ran.stdout!.text())
  );
  if (!answer) throw unreached("no answer of its server can be read", "conclaude doctor");
  if (!("error" in answer)) return answer;
  const { why, next, reason } = answer.error;
  throw unreached(why, reason === "OFFLINE" ? undefined : next);
}

function holderText({ holder, author }: ServerAnswer): string {
  return author === "" ? `"${holder}"` : `"${holder}" of ${author}`;
}

function heldElsewhere({ id }: Pick<Task, "id">, answer: ServerAnswer) {
  const left = count(Math.max(1, Math.round((answer.leftMs ?? 0) / 60_000)), "more minute");
  return refusal("ALREADY_CLAIMED", {
    what: `Cannot claim task ${id}`,
    why: `${
      holderText(answer)
    } has claimed it, for ${left} unless the claim is renewed; nothing was changed`,
    next: "conclaude task ready",
    details: { claimedBy: answer.holder },
  });
}

function alreadyDone({ id }: Pick<Task, "id">, { author }: ServerAnswer) {
  return refusal("INVALID_STATUS", {
    what: `Cannot claim task ${id}`,
    why: `${author} has had it completed; nothing was changed`,
    next: "conclaude team sync",
    details: { currentStatus: "closed" },
  });
}
