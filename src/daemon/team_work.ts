/**
 * Syncs the shared projects of a database with their servers. The daemon has no network, so it starts
 * `conclaude team sync`, one at a time: when something waits to be sent, and regularly to fetch what others wrote.
 */
import type { DatabaseSync } from "node:sqlite";
import { isUserError, messageOf, quietly, UserError } from "../base/errors.ts";
import { parentOf } from "../base/paths.ts";
import { Rounds } from "../base/rounds.ts";
import { hasTeams, hasToTell } from "../db/team_outbox.ts";
import { ownProgram } from "../operations/own_program.ts";
import { THIS_PROCESS } from "../system/environment.ts";
import { run } from "../system/process/run_program.ts";

interface TeamContext {
  readonly db: DatabaseSync;
  /** Absolute path. */
  readonly database: string;
  readonly log: (level: "info" | "warn", message: string) => void;
}

/** The time between two checks for unsent changes, and between two regular syncs, in milliseconds. */
const LOOK_MS = 1_000;
const CLOCK_MS = 60_000;
/** The pause after a failure, in milliseconds; doubles with each further failure. */
const AGAIN_MS = { least: 5_000, most: 300_000 };
/** The time after which a sync with nothing to do ends, in seconds. */
const IDLE_SECONDS = 10;
/** The longest time of one sync, after which a new one begins. */
const DAY_MS = 86_400_000;
const MAX_OUTPUT_BYTES = 4_096;

export class TeamWork {
  readonly #context: TeamContext;
  readonly #stopping = new AbortController();
  readonly #looks = new Rounds(() => this.#look());
  #dueAtMs = 0;
  #failures = 0;
  #lastFault = "";

  constructor(context: TeamContext) {
    this.#context = context;
  }

  start(): void {
    this.#looks.start();
  }

  /** Makes it look soon, since somebody may have joined a project. */
  wake(): void {
    this.#looks.wake();
  }

  /** Ends the current sync; changes that were sent or fetched already stay. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looks.stop();
  }

  /** @returns The time until the next look, in milliseconds. */
  async #look(): Promise<number> {
    try {
      const { db } = this.#context;
      if (!hasTeams(db)) return Infinity;
      const leftMs = this.#dueAtMs - Date.now();
      // After a failure the full pause must pass.
      if (leftMs > 0 && (this.#failures > 0 || !hasToTell(db))) return Math.min(leftMs, LOOK_MS);
      await this.#sync();
      this.#failures = 0;
      this.#lastFault = "";
      this.#dueAtMs = Date.now() + CLOCK_MS;
    } catch (thrown) {
      const fault = isUserError(thrown) ? thrown.why : messageOf(thrown);
      if (fault !== this.#lastFault) this.#context.log("warn", `cannot sync the team: ${fault}`);
      this.#lastFault = fault;
      const pauseMs = Math.min(AGAIN_MS.least * 2 ** this.#failures++, AGAIN_MS.most);
      this.#dueAtMs = Date.now() + pauseMs;
    }
    return LOOK_MS;
  }

  /** Runs a sync until it has nothing to do. @throws {UserError} The error of the sync. */
  async #sync(): Promise<void> {
    const { database } = this.#context;
    const { signal } = this.#stopping;
    const words = [
      ...ownProgram(THIS_PROCESS).words,
      ...["--db", database, "--json", "team", "sync", "--follow", `--idle=${IDLE_SECONDS}`],
    ];
    const ran = await run(words, {
      folder: parentOf(database),
      environment: THIS_PROCESS,
      timeoutMs: DAY_MS,
      keep: { stdout: MAX_OUTPUT_BYTES, stderr: 0 },
      signal,
    });
    await ran.gone;
    if (signal.aborted || ran.end.kind !== "ended" || ran.end.code === 0) return;
    const text = ran.stdout!.text();
    const told = quietly(() => JSON.parse(text).error);
    if (told) throw new UserError(told.what, { why: told.why, next: told.next });
    throw new Error(text === "" ? `exit status ${ran.end.code}` : text);
  }
}
