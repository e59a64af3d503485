/** A project in a git repository, agents that are shell scripts, the engine in this process and the verbs as the real program. */
import "../../src/operations/config_sections.ts";
import type { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { Engine } from "../../src/work/engine/engine.ts";
import { Settings } from "../../src/work/engine/engine_settings.ts";
import { locate } from "../../src/system/environment.ts";
import { takeLock } from "../../src/db/process_lock.ts";
import { openDatabase } from "../../src/db/database.ts";
import { removeFolder } from "./folders.ts";
import type { Finished } from "./process.ts";
import { git, makeRepository } from "./git.ts";
import { isThere } from "./look.ts";
import { homeAlone, runProgram } from "./program.ts";
import { pause } from "./wait.ts";

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

const WAIT_MS = 30_000;

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
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "conclaude-engine-" }));
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  const database = join(home, ".conclaude", "conclaude.db");
  const script = join(folder, "agent.sh");
  Deno.mkdirSync(join(home, ".conclaude"), { recursive: true });
  Deno.mkdirSync(join(folder, "log"));
  Deno.mkdirSync(project);
  Deno.writeTextFileSync(script, `#!/bin/sh\nLOG=${folder}/log\n${agent}\n`, { mode: 0o755 });
  const write = (path: string, text: string) => {
    const whole = join(project, path);
    Deno.mkdirSync(join(whole, ".."), { recursive: true });
    Deno.writeTextFileSync(whole, text);
  };
  write(
    ".conclaude.yaml",
    `orchestration:\n  agentCommand: ${script}\n  agentArgs: []\n  killGraceSeconds: 1\n  notify: false\n`,
  );
  write(".conclaude/workflows/w.yaml", `name: w\ndescription: A test\nsteps:\n${workflow}`);
  write("a.txt", "one\ntwo\nthree\n");
  makeRepository(project);
  await git(project, "add", "--all");
  await git(project, "commit", "--quiet", "-m", "first");
  const db = await openDatabase(database, { busyTimeoutMs: 5000 });
  const run: EngineStage["run"] = (args, stdin) =>
    runProgram(args, { cwd: project, env: { HOME: home }, stdin });
  const json: EngineStage["json"] = async (args, stdin) => {
    const { code, stdout, stderr } = await run([...args, "--json"], stdin);
    try {
      return { code, body: JSON.parse(stdout) };
    } catch {
      throw new Error(`no JSON from ${args.join(" ")}: ${stdout}${stderr}`);
    }
  };
  return {
    folder,
    project,
    database,
    db,
    run,
    json,
    git: async (...args) => (await git(project, ...args)).trim(),
    write,
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
    async reaches(id, ...statuses) {
      const endMs = Date.now() + WAIT_MS;
      for (;;) {
        const { body } = await json(["workflow", "show", id]);
        if (statuses.includes(body.workflow?.status)) return body.workflow;
        if (Date.now() > endMs) throw new Error(JSON.stringify(body, null, 1));
        await pause(50);
      }
    },
    [Symbol.asyncDispose]() {
      db.close();
      removeFolder(folder);
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
