/** Records of hooks for tests, made straight in a database, and the drain that works them in. */
import type { DatabaseSync } from "node:sqlite";
import { newId } from "../../src/base/ids.ts";
import {
  type Capture,
  type Execution,
  type HookRecord,
  saveRecord,
} from "../../src/db/captures.ts";
import { openDatabase } from "../../src/db/database.ts";
import { drainCaptures } from "../../src/memory/drain/capture_drain.ts";
import { removeForgottenAgain } from "../../src/upkeep/forget/forget_places_table.ts";
import { migratedDatabase } from "./migrated.ts";

/** A database in a folder of its own that goes with it: `using temp = await tempDatabase()`. */
export interface TempDatabase extends Disposable {
  readonly folder: string;
  readonly path: string;
  /** The two as `runVerb()` wants them. */
  readonly home: string;
  readonly database: string;
  readonly db: DatabaseSync;
}

/** A new database that can give free pages back. */
export async function tempDatabase(): Promise<TempDatabase> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "conclaude-db-" }));
  const path = `${folder}/conclaude.db`;
  Deno.writeFileSync(path, migratedDatabase(), { mode: 0o600 });
  const db = await openDatabase(path, { busyTimeoutMs: 5000 });
  return {
    folder,
    path,
    home: folder,
    database: path,
    db,
    [Symbol.dispose]() {
      if (db.isOpen) db.close();
      Deno.removeSync(folder, { recursive: true });
    },
  };
}

/** What is to be told of a record; the rest is made up. */
export interface RecordFacts {
  readonly id?: string;
  readonly atMs?: number;
  readonly sessionId?: string;
  readonly session?: Partial<HookRecord["session"]>;
  readonly execution?: Partial<Execution>;
  /** A part of a capture; without it the event captured nothing. */
  readonly capture?: Partial<Capture>;
  readonly counters?: readonly string[];
}

/** Saves one event as a hook does. @returns Its id. */
export function saveEvent(db: DatabaseSync, facts: RecordFacts = {}): string {
  const record = hookRecord(facts);
  saveRecord(db, record);
  return record.id;
}

/** Saves the use of a tool as its hook does; one whose payload has an `error` failed. @returns Its id. */
export function saveUse(
  db: DatabaseSync,
  toolName: string,
  payload: object,
  facts: Omit<RecordFacts, "capture"> = {},
): string {
  const outcome = "error" in payload ? "failure" : "success";
  return saveEvent(db, {
    ...facts,
    capture: { toolName, outcome, payload: JSON.stringify(payload) },
  });
}

/** Works all captures into memory, as a drain at this time does. @returns What it reports. */
export function drainAt(
  db: DatabaseSync,
  nowMs = Date.now(),
  more: Partial<Parameters<typeof drainCaptures>[1]> = {},
): ReturnType<typeof drainCaptures> {
  return drainCaptures(db, { withoutForgotten: removeForgottenAgain, now: () => nowMs, ...more });
}

/** What a hook keeps of one event. */
export function hookRecord(facts: RecordFacts): HookRecord {
  const atMs = facts.atMs ?? Date.now();
  return {
    id: facts.id ?? newId(atMs),
    atMs,
    sessionId: facts.sessionId ?? "cad0ac4d-3933-45ad-9a1c-14aec05bb940",
    session: {
      effect: "touch",
      source: null,
      title: null,
      projectDir: "/p",
      repository: null,
      branch: null,
      cwd: "/p",
      permissionMode: null,
      transcriptPath: null,
      claudePid: null,
      claudeProcess: null,
      endReason: null,
      ...facts.session,
    },
    execution: {
      hookName: "PostToolUse",
      toolName: "Write",
      toolUseId: "toolu_1",
      status: "success",
      durationMs: 1.5,
      errorMessage: null,
      errorStack: null,
      metadata: {},
      ...facts.execution,
    },
    capture: facts.capture === undefined ? null : {
      toolName: "Write",
      toolUseId: "toolu_1",
      outcome: "success",
      priority: "high",
      filesTouched: ["/p/a.ts"],
      payload: '{"tool_name":"Write"}',
      cutBytes: 0,
      ...facts.capture,
    },
    counters: facts.counters ?? [],
  };
}
