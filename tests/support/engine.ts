/** A project in a git repository, agents that are shell scripts, the engine in this process and the verbs as the real program. */
import "../../src/operations/config_sections.ts";
import type { DatabaseSync } from "node:sqlite";
import { dirname, join } from "node:path";
import { Engine } from "../../src/work/engine/engine.ts";
import { Settings } from "../../src/work/engine/engine_settings.ts";
import { locate } from "../../src/system/environment.ts";
import { takeLock } from "../../src/db/process_lock.ts";
import { openDatabase } from "../../src/db/database.ts";
import { tempFolder } from "./folders.ts";
import type { Finished } from "./process.ts";
import { git } from "./git.ts";
import { isThere } from "./look.ts";
import { homeAlone, jsonOf, runProgram } from "./program.ts";
import { untilOneOf } from "./wait.ts";
import { workedProject } from "./worked_project.ts";

/** What a verb with `--json` has left behind. */
export interface Told {
  readonly code: number;
  // deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
  readonly body: any;
}

/** A project with all that is needed to work through its tasks. */
export interface EngineStage extends AsyncDisposable {
  readonly folder: string;
  readonly project: string;
  readonly database: string;
  readonly db: DatabaseSync;
  /** Runs a verb in the project. */
  readonly run: (args: readonly string[], stdin?: string) => Promise<Finished>;
  readonly json: (args: readonly string[], stdin?: string) => Promise<Told>;
  /** Runs git in the project. @returns What it printed. */
  readonly git: (...args: string[]) => Promise<string>;
  /** Writes a file of the project. */
  readonly write: (path: string, text: string) => void;
  /** Makes a task for the workflow `w` and hands it to the scheduler. @returns Its id. */
  readonly begin: (title?: string, ...flags: string[]) => Promise<string>;
  /** Begins to work as the daemon does, as far as verbs can see. */
  readonly startEngine: () => Promise<AsyncDisposable>;
  /** Waits until a workflow, named by its task, has a status. @returns It. */
  // deno-lint-ignore no-explicit-any -- as above
  readonly reaches: (id: string, ...statuses: string[]) => Promise<any>;
}

/**
 * Makes a project.
 *
 * @param agent What an agent does: a shell script; `$LOG` is a folder for what it leaves behind.
 * @param workflow The steps of the workflow `w`, as YAML.
 */
export async function engineStage(
  { agent = "cat >/dev/null", workflow }: {
    readonly agent?: string;
    readonly workflow: string;
  },
): Promise<EngineStage> {
  const temporary = tempFolder();
  const folder = temporary.path;
  const home = join(folder, "home");
  const database = join(home, ".conclaude", "conclaude.db");
  Deno.mkdirSync(join(home, ".conclaude"), { recursive: true });
  Deno.mkdirSync(join(folder, "log"));
  const { path: project } = await workedProject({ path: home, database, [Symbol.dispose]() {} }, {
    workflows: { w: `name: w\ndescription: A test\nsteps:\n${workflow}` },
    agent: `#!/bin/sh\nLOG=${folder}/log\n${agent}\n`,
    files: { "a.txt": "one\ntwo\nthree\n" },
  });
  const db = await openDatabase(database, { busyTimeoutMs: 5000 });
  const run: EngineStage["run"] = (args, stdin) =>
    runProgram(args, { cwd: project, env: { HOME: home }, stdin });
  const json: EngineStage["json"] = async (args, stdin) => {
    const finished = await run([...args, "--json"], stdin);
    return { code: finished.code, body: jsonOf(finished) };
  };
  return {
    folder,
    project,
    database,
    db,
    run,
    json,
    git: async (...args) => (await git(project, ...args)).trim(),
    write(path, text) {
      const whole = join(project, path);
      Deno.mkdirSync(dirname(whole), { recursive: true });
      Deno.writeTextFileSync(whole, text);
    },
    async begin(title = "Do it", ...flags) {
      const made = await json(["task", "create", "--title", title, "--workflow", "w", ...flags]);
      const { id } = made.body.task;
      await json(["workflow", "start", id]);
      return id;
    },
    async startEngine() {
      const lock = takeLock(database.replace(/\.db$/, ".lock"));
      if (lock === null) throw new Error("somebody holds the lock");
      const locations = locate(homeAlone(home));
      const engine = new Engine({
        db,
        database,
        settings: new Settings({ locations, folder: project, warn: () => {} }),
        changed: () => {},
        count: () => {},
        log: () => {},
        removeOld: () => Promise.resolve(),
        notify: () => {},
      });
      await engine.start();
      // In the daemon, what other processes write wakes it.
      const waking = setInterval(() => engine.wake(), 100);
      return {
        async [Symbol.asyncDispose]() {
          clearInterval(waking);
          await engine.stop();
          lock.release();
        },
      };
    },
    reaches: (id, ...statuses) =>
      untilOneOf(statuses, async () => (await json(["workflow", "show", id])).body.workflow),
    [Symbol.asyncDispose]() {
      db.close();
      temporary[Symbol.dispose]();
      return Promise.resolve();
    },
  };
}

/** {@linkcode engineStage} where the engine is at work until the end. */
export async function busyStage(options: Parameters<typeof engineStage>[0]): Promise<EngineStage> {
  const stage = await engineStage(options);
  const engine = await stage.startEngine();
  return {
    ...stage,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await stage[Symbol.asyncDispose]();
    },
  };
}

/** Lines of a file; none when it is not there. */
export function linesOf(path: string): string[] {
  return isThere(path) ? Deno.readTextFileSync(path).trimEnd().split("\n") : [];
}
