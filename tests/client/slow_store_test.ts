/** The real Claude Code where the database is locked, and where the disk is slow: nobody waits for asynchronous hooks. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { filesBelow, isThere, textOf } from "../support/look.ts";
import { pause, until } from "../support/wait.ts";
import { say, test, use } from "./harness.ts";
import { capturedUses, endedUses, runAt } from "./kept_uses.ts";

const READS = 12;
const LOCKED_MS = 15_000;
/** Before the first tool use, so that the trouble is there by then, and after the last one, so that we see what is kept. */
const PAUSE_MS = 2_000;
const STRACE = "/usr/bin/strace";
/** Each write takes so long, in microseconds. */
const SLOW_WRITE_US = 100_000;

const read = use("Read", { file_path: "{{PROJECT}}/notes.txt" });
const STEPS = [
  { ...read, delay_ms: PAUSE_MS },
  ...Array.from({ length: READS - 1 }, () => read),
  { ...say("All done."), delay_ms: PAUSE_MS },
];

interface Trouble {
  readonly what: string;
  /** Begins it once Claude Code works; what it returns waits for its end. */
  begin(database: string): () => Promise<void>;
  /** The program that the hooks start; that of the test where none is named. */
  program?(folder: string, executable: string): string;
  readonly missing?: string | null;
}

const TROUBLES: readonly Trouble[] = [
  {
    what: `a database that is locked for ${LOCKED_MS / 1_000} seconds`,
    begin(database) {
      const db = new DatabaseSync(database);
      db.exec("BEGIN IMMEDIATE");
      const ended = pause(LOCKED_MS).then(() => db.close());
      return () => ended;
    },
  },
  {
    what: "a slow disk",
    begin: () => () => Promise.resolve(),
    program(folder, executable) {
      const path = join(folder, "conclaude-slow");
      const slow = `--inject=pwrite64,fsync,fdatasync:delay_enter=${SLOW_WRITE_US}`;
      const command =
        `exec ${STRACE} -f -qq -o /dev/null --seccomp-bpf ${slow} "${executable}" "$@"`;
      Deno.writeTextFileSync(path, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
      return path;
    },
    missing: isThere(STRACE) ? null : "there is no strace",
  },
];

for (const { what, begin, program, missing } of TROUBLES) {
  test(`with ${what} nobody waits for asynchronous hooks, and nothing is lost`, async ({ executable, folder, runScenario }) => {
    if (missing) return console.log(`skipped: ${missing}`);
    const home = join(folder, "home");
    const project = join(folder, "project");
    const database = join(home, ".conclaude", "conclaude.db");
    for (const made of [home, project]) await Deno.mkdir(made);
    // A session that is not the first one finds the database made.
    await runAt({ executable, home, project }, ["queue", "drain"]);
    const started = program?.(folder, executable);
    const run = runScenario("run", {
      ...{ home, project, steps: STEPS, files: { "notes.txt": "low water\n" }, isUnwatched: true },
      flags: started === undefined ? [] : ["--command", started],
    });
    const isAsked = (count: number) =>
      until(`the model is asked ${count} times`, () => asked(join(folder, "run")) >= count);
    await isAsked(1);
    const end = begin(database);
    await isAsked(READS + 1);
    const kept = capturedUses(database).length + spooled(home);
    assert.ok(kept < READS, `${kept} of ${READS} were waited for`);
    const { summary } = await run;
    await end();
    await runAt({ executable, home, project }, ["queue", "drain"]);
    assert.equal(endedUses(home).length, READS, summary);
    assert.deepEqual(capturedUses(database).sort(), endedUses(home).sort());
  });
}

/** How often the model was asked. */
function asked(out: string): number {
  return textOf(join(out, "api.jsonl")).split("\n").slice(0, -1).map((line) => JSON.parse(line))
    .filter(({ who, step }) => who !== "side" && step !== undefined).length;
}

/** How many tool uses wait in the spool. */
function spooled(home: string): number {
  return filesBelow(join(home, ".conclaude", "spool"))
    .filter((path) => textOf(path).includes("PostToolUse")).length;
}
