/** A project whose tasks are worked on by shell scripts, in a home of its own. */
import { join } from "node:path";
import { gitSync, makeRepository } from "./git.ts";
import { query, type Row } from "./look.ts";
import { type Finished, spawnProgram, type StartOptions } from "./process.ts";
import { runProgram, type TempHome } from "./program.ts";
import { untilOneOf } from "./wait.ts";

/** A project, and how its tasks are worked on. */
export interface WorkedProject {
  /** The top of its repository; `main` is checked out. */
  readonly path: string;
  readonly home: TempHome;
  /** Runs the program in it. */
  run(...args: readonly string[]): Promise<Finished>;
  /** The same, with `--json`; what it printed. */
  // deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
  json(...args: readonly string[]): Promise<any>;
  /** Makes a task for a workflow, and hands it over. @returns Its id. */
  start(workflow: string, title?: string): Promise<string>;
  /** Runs a daemon; whoever calls ends it. */
  daemon(): Deno.ChildProcess;
  /** Waits until a task has one of these statuses. @returns The task. */
  // deno-lint-ignore no-explicit-any -- as above
  until(taskId: string, ...statuses: readonly string[]): Promise<any>;
  /** Rows of the database. */
  rows(sql: string, ...values: readonly string[]): Row[];
  /** Where a task is worked on. */
  tree(taskId: string): string;
}

/**
 * Makes a repository with a commit whose tasks can be worked on.
 *
 * @param made.workflows YAML by name. @param made.settings Lines below `orchestration:`.
 */
export function makeWorkedFolder(
  path: string,
  { workflows, settings, files = {} }: {
    readonly workflows: Readonly<Record<string, string>>;
    readonly settings: readonly string[];
    /** More texts by path. */
    readonly files?: Readonly<Record<string, string>>;
  },
): void {
  const steps = Object.entries(workflows)
    .map(([name, text]) => [`.conclaude/workflows/${name}.yaml`, text]);
  const lines = ["notify: false", ...settings].map((line) => `  ${line}\n`);
  const config = `orchestration:\n${lines.join("")}`;
  makeRepository(path, {
    files: { ...files, ...Object.fromEntries(steps), ".conclaude.yaml": config },
  });
  gitSync(path, "config", "user.name", "Ana");
  gitSync(path, "config", "user.email", "ana@example.com");
}

/** Starts a daemon whose output nobody reads: a full pipe must not hold it up. Whoever calls ends it. */
export function spawnDaemon(options: Omit<StartOptions, "stdin">): Deno.ChildProcess {
  const child = spawnProgram(["daemon", "run"], options);
  void child.stdout.pipeTo(new WritableStream()).catch(() => {});
  void child.stderr.pipeTo(new WritableStream()).catch(() => {});
  void child.stdin.close();
  return child;
}

/**
 * Makes a project.
 *
 * @param made.workflows YAML by name. @param made.agent The agent: a shell script, which is also `agent.sh` beside the
 * project. @param made.settings More lines below `orchestration:`.
 */
export async function workedProject(
  home: TempHome,
  { workflows, agent = "#!/bin/sh\ncat >/dev/null\n", settings = [], args = [], files = {} }: {
    readonly workflows: Readonly<Record<string, string>>;
    readonly agent?: string;
    readonly settings?: readonly string[];
    readonly args?: readonly string[];
    /** More files of the project: texts by path. */
    readonly files?: Readonly<Record<string, string>>;
  },
): Promise<WorkedProject> {
  const path = join(home.path, "project");
  const script = join(home.path, "agent.sh");
  await Deno.writeTextFile(script, agent, { mode: 0o755 });
  makeWorkedFolder(path, {
    workflows,
    files,
    settings: [
      "killGraceSeconds: 1",
      `agentCommand: ${script}`,
      `agentArgs: ${JSON.stringify(args)}`,
      ...settings,
    ],
  });
  const options = { env: { HOME: home.path }, cwd: path };
  const run = (...args: readonly string[]) => runProgram(args, options);
  const json: WorkedProject["json"] = async (...args) => {
    const { stdout, stderr } = await run(...args, "--json");
    if (stdout.trim() === "") throw new Error(`${args.join(" ")}: ${stderr}`);
    return JSON.parse(stdout);
  };
  return {
    path,
    home,
    run,
    json,
    async start(workflow, title = "Do it") {
      const args = ["--title", title, "--workflow", workflow, "--start"];
      return (await json("task", "create", ...args)).task.id;
    },
    daemon: () => spawnDaemon(options),
    until: (taskId, ...statuses) =>
      untilOneOf(statuses, async () => (await json("task", "show", taskId)).task),
    rows: (sql, ...values) => query(home, sql, ...values).map((row) => ({ ...row })),
    tree: (taskId) => join(path, ".conclaude", "worktrees", taskId.replaceAll("-", "").slice(-12)),
  };
}
