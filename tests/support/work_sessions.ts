/** Sessions of ordinary work as hooks keep them: prompts, edits, tests that fail and pass, commits, repeats, talk. */
import { capturePriority } from "../../src/claude/payload.ts";
import type { DatabaseSync } from "node:sqlite";
import { type Capture, type HookRecord, saveRecords } from "../../src/db/captures.ts";
import { hookRecord } from "./records.ts";
import { seededRandom } from "./tool_uses.ts";

/** Where the sessions take place. */
export interface WorkOptions {
  /** The same number gives the same sessions, their ids and times included. */
  readonly seed: number;
  readonly project: string;
  readonly startMs: number;
}

const FILES = ["auth", "cart", "ledger", "mailer", "router", "search", "tenant", "upload"];
const COMMANDS = ["npm test", "npm run lint", "cargo build", "pytest -q tests/unit", "make docs"];
const ERRORS = [
  "TypeError: cannot read properties of undefined (reading 'id')",
  "error[E0308]: mismatched types",
  "AssertionError: expected 3 to equal 4",
  "ModuleNotFoundError: No module named 'yaml'",
  "FAILED tests/unit/test_cart.py::test_total - assert 3 == 4\n1 failed, 2 passed in 0.1s",
  "FAILED tests/unit/test_user.py::test_name - KeyError: name\n1 failed, 2 passed in 0.3s",
];

/** About so many captures, in sessions of some thirty, oldest first. */
export function workRecords(count: number, options: WorkOptions): HookRecord[] {
  const random = seededRandom(options.seed);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
  const records: HookRecord[] = [];
  let atMs = options.startMs;
  let sessionId = "";
  const keep = (toolName: string, payload: object, outcome: Capture["outcome"] = "success") => {
    atMs += 1_000 + Math.floor(random() * 30_000);
    records.push(recordOf({ toolName, payload, outcome }, {
      ...options,
      atMs,
      sessionId,
      n: records.length,
    }));
  };
  const bash = (command: string, stdout: string) =>
    keep("Bash", { tool_input: { command }, tool_response: { stdout, stderr: "" } });
  const fails = (command: string, error: string) =>
    keep("Bash", { tool_input: { command }, error: `Exit code 1\n${error}` }, "failure");
  const edit = (n: number) => {
    const file = `${options.project}/src/${pick(FILES)}.ts`;
    keep("Edit", {
      tool_input: {
        file_path: file,
        old_string: `before${n}`,
        new_string: `const after${n} = ${n};`,
      },
      tool_response: { originalFile: `first\nbefore${n}\nlast\n`, structuredPatch: [] },
    });
  };
  for (let session = 0; records.length < count; session++) {
    sessionId = `00000000-0000-4000-8000-${String(session).padStart(12, "0")}`;
    atMs += 600_000;
    keep("UserPromptSubmit", { prompt: `Please look after ${pick(FILES)}, step ${session}` });
    for (let step = 0; step < 4; step++) {
      const command = pick(COMMANDS);
      keep("Read", { tool_input: { file_path: `${options.project}/src/${pick(FILES)}.ts` } });
      keep("Grep", {
        tool_input: { pattern: `use${pick(FILES)}` },
        tool_response: { filenames: [] },
      });
      if (random() < 0.7) fails(command, `${pick(ERRORS)}\n    at step ${step}`);
      if (random() < 0.8) edit(records.length);
      if (random() < 0.3) fails(command, pick(ERRORS));
      edit(records.length);
      if (random() < 0.8) bash(command, `Tests: ${step + 3} passed, ${step + 3} total`);
      if (random() < 0.5) {
        bash(
          "git commit -am work",
          `[main ${hash(random)}] Step ${step} of ${session}\n 1 file changed`,
        );
      }
      keep("Stop", { last_assistant_message: `Step ${step} is done, ${pick(FILES)} comes next.` });
    }
  }
  return records;
}

/** Saves {@linkcode workRecords}, some hundred at a time. */
export function saveWork(
  db: DatabaseSync,
  count: number,
  { project = "/home/ana/app", startMs = Date.UTC(2026, 0, 1), seed }:
    & Partial<WorkOptions>
    & Pick<WorkOptions, "seed">,
): void {
  const records = workRecords(count, { seed, project, startMs });
  for (let from = 0; from < records.length; from += 500) {
    saveRecords(db, records.slice(from, from + 500));
  }
}

function hash(random: () => number): string {
  return Math.floor(random() * 0xfffffff).toString(16).padStart(7, "a");
}

function recordOf(
  use: {
    readonly toolName: string;
    readonly payload: object;
    readonly outcome: Capture["outcome"];
  },
  at: WorkOptions & { readonly atMs: number; readonly sessionId: string; readonly n: number },
): HookRecord {
  const isSaid = use.toolName === "UserPromptSubmit" || use.toolName === "Stop";
  const hookName = isSaid
    ? use.toolName
    : use.outcome === "failure"
    ? "PostToolUseFailure"
    : "PostToolUse";
  return hookRecord({
    id: `${at.atMs.toString(16).padStart(12, "0").replace(/^(.{8})/, "$1-")}-7000-8000-${
      String(at.n).padStart(12, "0")
    }`,
    atMs: at.atMs,
    sessionId: at.sessionId,
    session: { projectDir: at.project, branch: "main", cwd: at.project },
    execution: {
      hookName,
      toolName: isSaid ? null : use.toolName,
      toolUseId: null,
      durationMs: 1,
    },
    capture: {
      toolName: use.toolName,
      toolUseId: null,
      outcome: use.outcome,
      priority: capturePriority(use.toolName),
      filesTouched: [],
      payload: JSON.stringify({ tool_name: use.toolName, ...use.payload, project_dir: at.project }),
    },
  });
}
