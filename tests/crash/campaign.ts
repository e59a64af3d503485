/**
 * Kills the daemon again and again while tasks run through a workflow with real processes in a real repository, and then
 * asks whether anything was lost, done twice or forgotten.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startProgram } from "../support/process.ts";
import { git } from "../support/git.ts";
import { makeWorkedFolder, spawnDaemon } from "../support/worked_project.ts";
import { seededRandom } from "../support/tool_uses.ts";
import { pause } from "../support/wait.ts";

/** How hard it is. */
export interface Campaign {
  readonly tasks: number;
  readonly kills: number;
  /** Longest time between the start of a daemon and its end, in milliseconds. */
  readonly maxLifeMs: number;
  /** Lines that each step writes. */
  readonly lines: number;
  /** Of the moments. */
  readonly seed: number;
  readonly onProgress?: (text: string) => void;
}

/** What was found; every list is empty when all is well. */
export interface Findings {
  readonly kills: number;
  /** Kills after which there was still work to do. */
  readonly killsAtWork: number;
  readonly seconds: number;
  /** Tasks that are not closed, or were closed more than once. */
  readonly tasks: readonly string[];
  /** Steps that were begun again after they had finished. */
  readonly repeated: readonly string[];
  /** Steps that never finished. */
  readonly unfinished: readonly string[];
  /** Lines of output that are missing, doubled or out of order. */
  readonly output: readonly string[];
  /** Processes that are still there. */
  readonly orphans: readonly string[];
  /** What the database complains of. */
  readonly integrity: readonly string[];
  /** What git complains of. */
  readonly repository: readonly string[];
}

/** The agent and the script of the workflow: says what it does in a ledger that nobody else writes. */
const WORK = `#!/bin/sh
# work.sh LEDGER STEP LINES
printf 'start %s %s\\n' "$CONCLAUDE_TASK_ID" "$2" >>"$1"
n=0
while [ "$n" -lt "$3" ]; do
  n=$((n + 1))
  echo "$2 out $n"
  echo "$2 err $n" >&2
  sleep 0.0$((n % 7))
done
echo "$CONCLAUDE_TASK_ID $2" >>"$2-$CONCLAUDE_TASK_ID.txt"
printf 'end %s %s\\n' "$CONCLAUDE_TASK_ID" "$2" >>"$1"
`;

function workflowText(folder: string, lines: number): string {
  return `name: campaign
description: An agent, a script, and the merge of their work.
steps:
  - name: build
    type: agent
    prompt: |
      Build {{ .task.title }}.
      Then stop.
  - name: check
    type: script
    command: sh '${join(folder, "work.sh")}' '${join(folder, "ledger")}' check ${lines}
  - name: bring
    type: merge
    require_review: false
`;
}

/** Runs a campaign in a new folder. */
export async function runCampaign(
  { tasks, kills, maxLifeMs, lines, seed, onProgress = () => {} }: Campaign,
): Promise<Findings> {
  const began = performance.now();
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "conclaude-crash-" }));
  const project = join(folder, "project");
  const env = { HOME: folder };
  const options = { env, cwd: project };
  await Deno.writeTextFile(join(folder, "work.sh"), WORK, { mode: 0o755 });
  makeWorkedFolder(project, {
    workflows: { campaign: workflowText(folder, lines) },
    settings: [
      "maxConcurrentAgents: 5",
      `agentCommand: ${join(folder, "work.sh")}`,
      `agentArgs: ["${join(folder, "ledger")}", build, "${lines}"]`,
    ],
  });
  const ids: string[] = [];
  for (let n = 1; n <= tasks; n++) {
    const made = await startProgram(
      ["task", "create", "--title", `Task ${n}`, "--workflow", "campaign", "--start", "--json"],
      options,
    );
    ids.push(JSON.parse(made.stdout).task.id);
  }
  const random = seededRandom(seed);
  const database = join(folder, ".conclaude", "conclaude.db");
  let killsAtWork = 0;
  for (let kill = 1; kill <= kills; kill++) {
    const daemon = spawnDaemon(options);
    await pause(random() * maxLifeMs);
    daemon.kill("SIGKILL");
    await daemon.status;
    if (countOpen(database).open > 0) killsAtWork++;
    if (kill % 20 === 0) onProgress(`${kill} of ${kills} kills`);
  }
  const daemon = spawnDaemon(options);
  const left = await untilClosed(database, ids, { onProgress });
  onProgress(left === 0 ? "all tasks are closed" : `${left} tasks are not closed`);
  daemon.kill("SIGTERM");
  await daemon.status;
  const findings = {
    kills,
    killsAtWork,
    seconds: Math.round((performance.now() - began) / 1000),
    ...await look({ folder, project, database, ids, lines }),
  };
  const isWell = Object.values(findings).every((list) => !Array.isArray(list) || list.length === 0);
  if (isWell) await Deno.remove(folder, { recursive: true });
  else onProgress(`left for a look: ${folder}`);
  return findings;
}

/** Waits until every task is closed, or nothing has happened for a minute. @returns How many are not. */
async function untilClosed(
  database: string,
  ids: readonly string[],
  { onProgress }: { readonly onProgress: (text: string) => void },
): Promise<number> {
  let lastEvent = -1;
  let lastChange = performance.now();
  for (;;) {
    await pause(250);
    const { open, event } = countOpen(database);
    if (open === 0) return 0;
    if (event !== lastEvent) lastChange = performance.now();
    lastEvent = event;
    if (performance.now() - lastChange > 60_000) {
      onProgress("nothing has happened for a minute");
      return Math.min(open, ids.length);
    }
  }
}

/** How many tasks are not closed, and the newest event. */
function countOpen(database: string): { readonly open: number; readonly event: number } {
  using db = new DatabaseSync(database, { readOnly: true, timeout: 5000 });
  const open = db.prepare("SELECT count(*) AS n FROM tasks WHERE status <> 'closed'").get();
  const event = db.prepare("SELECT max(id) AS id FROM events").get();
  return { open: Number(open!["n"]), event: Number(event!["id"]) };
}

interface Place {
  readonly folder: string;
  readonly project: string;
  readonly database: string;
  readonly ids: readonly string[];
  readonly lines: number;
}

async function look(place: Place): Promise<Omit<Findings, "kills" | "killsAtWork" | "seconds">> {
  using db = new DatabaseSync(place.database, { readOnly: true });
  return {
    tasks: lookAtTasks(db, place),
    ...await lookAtLedger(place),
    output: await lookAtOutput(db, place),
    orphans: await lookForOrphans(place),
    integrity: db.prepare("PRAGMA integrity_check").all()
      .map((row) => String(row["integrity_check"])).filter((text) => text !== "ok")
      .concat(db.prepare("PRAGMA foreign_key_check").all().map((row) => JSON.stringify(row))),
    repository: await lookAtRepository(place),
  };
}

function lookAtTasks(db: DatabaseSync, { ids }: Place): string[] {
  return ids.flatMap((id) => {
    const status = db.prepare("SELECT status, reason FROM tasks WHERE id = ?").get(id);
    const closings = db.prepare(
      `SELECT count(*) AS n
         FROM task_history, json_each(changes)
        WHERE task_id = ?
          AND value ->> 'field' = 'status'
          AND value ->> 'new' = 'closed'`,
    ).get(id);
    const n = Number(closings!["n"]);
    if (status?.["status"] === "closed" && n === 1) return [];
    return [`${id}: ${status?.["status"]} (${status?.["reason"]}), closed ${n} times`];
  });
}

async function lookAtLedger({ folder, ids }: Place) {
  const lines = (await Deno.readTextFile(join(folder, "ledger"))).trim().split("\n");
  const finished = new Set<string>();
  const repeated: string[] = [];
  for (const line of lines) {
    const [what, task, step] = line.split(" ");
    const key = `${task} ${step}`;
    if (what === "start" && finished.has(key)) repeated.push(key);
    if (what === "end") finished.add(key);
  }
  const unfinished = ids.flatMap((id) => [`${id} build`, `${id} check`])
    .filter((key) => !finished.has(key));
  return { repeated, unfinished };
}

/** Every line of every step that has completed, in the order of its stream; the numbers of all lines without a gap. */
async function lookAtOutput(db: DatabaseSync, { lines }: Place): Promise<string[]> {
  const wrong: string[] = [];
  const agents = db.prepare(
    "SELECT id, name, status, output_file AS file FROM agents WHERE output_file IS NOT NULL",
  ).all();
  for (const { id, name, status, file } of agents) {
    const kept = (await Deno.readTextFile(String(file))).split("\n").filter((line) => line !== "")
      .map((line) => JSON.parse(line));
    kept.forEach(({ seq }, index) => {
      if (seq !== index + 1) wrong.push(`${id}: line ${index + 1} has number ${seq}`);
    });
    if (status !== "completed") continue;
    for (const [stream, word] of [["stdout", "out"], ["stderr", "err"]]) {
      const said = kept.filter((line) => line.stream === stream).map(({ data }) => data);
      const wanted = Array.from({ length: lines }, (_, n) => `${name} ${word} ${n + 1}`);
      if (said.join("\n") !== wanted.join("\n")) {
        wrong.push(`${id} ${stream}: ${said.length} lines of ${lines}, or out of order`);
      }
    }
  }
  return wrong;
}

async function lookForOrphans({ folder }: Place): Promise<string[]> {
  await pause(500);
  if (Deno.build.os !== "linux") return [];
  const found: string[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === Deno.pid) continue;
    try {
      const words = Deno.readTextFileSync(`/proc/${name}/cmdline`).replaceAll("\0", " ");
      const where = Deno.readLinkSync(`/proc/${name}/cwd`);
      if (words.includes(folder) || where.startsWith(folder)) found.push(`${name}: ${words}`);
    } catch {
      // Gone meanwhile.
    }
  }
  return found;
}

/** Every task's work is in the target, once, and nothing lies about. */
async function lookAtRepository({ project, ids }: Place): Promise<string[]> {
  const wrong: string[] = [];
  const status = await git(project, "status", "--porcelain");
  if (status.trim() !== "") wrong.push(`not clean: ${status.trim()}`);
  const trees = (await git(project, "worktree", "list")).trim().split("\n");
  if (trees.length !== 1) wrong.push(`${trees.length - 1} working trees are left`);
  for (const id of ids) {
    for (const step of ["build", "check"]) {
      try {
        const text = await Deno.readTextFile(join(project, `${step}-${id}.txt`));
        if (text !== `${id} ${step}\n`) wrong.push(`${step}-${id}.txt: ${JSON.stringify(text)}`);
      } catch {
        wrong.push(`${step}-${id}.txt is missing`);
      }
    }
  }
  const merges = (await git(project, "log", "--merges", "--format=%b", "main")).match(/Task: /g) ??
    [];
  if (merges.length !== ids.length) wrong.push(`${merges.length} merges of ${ids.length}`);
  return wrong;
}
