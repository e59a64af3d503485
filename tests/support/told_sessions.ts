/** Sessions as Claude Code tells of them, event by event through the real hooks, and what the next one is told. */
import { join } from "node:path";
import { git, makeRepository } from "./git.ts";
import { hook, runProgram, type TempHome, tempHome } from "./program.ts";
import { answerOf, type Finished } from "./process.ts";

/** The session that works, when none is named. */
export const FIRST = "c0de0000-0000-4000-8000-000000000001";
/** The one that is told. */
export const SECOND = "c0de0000-0000-4000-8000-000000000002";

/** A home with a repository in it. */
export interface Workplace extends TempHome {
  readonly project: string;
}

/** Who sends an event, and from where. */
export interface Sender {
  readonly session?: string;
  readonly project?: string;
  /** The process of Claude Code, where it is told. */
  readonly pid?: number;
}

/** A new home with a repository, whose branch is `main`. */
export async function workplace(): Promise<Workplace> {
  const home = tempHome();
  const project = join(home.path, "app");
  await Deno.mkdir(join(project, "src"), { recursive: true });
  makeRepository(project);
  return Object.assign(home, { project });
}

/** Writes the configuration of the project. */
export const configure = (at: Workplace, text: string) =>
  Deno.writeTextFile(join(at.project, ".conclaude.yaml"), text);

/** Runs the program in the project. */
export const verb = (at: Workplace, ...args: readonly string[]): Promise<Finished> =>
  runProgram(args, { env: { HOME: at.path }, cwd: at.project });

/** Runs git in the project, once for each line of words. */
export async function inGit(at: Workplace, ...lines: readonly string[]): Promise<void> {
  for (const words of lines) await git(at.project, ...words.split(" "));
}

/** Sends an event as Claude Code does. @returns What Claude is told beside it; empty when nothing is. */
export async function send(
  at: Workplace,
  event: string,
  fields: Record<string, unknown>,
  { session = FIRST, project = at.project, pid }: Sender = {},
): Promise<string> {
  const answer = answerOf(
    await hook(
      event,
      { session_id: session, cwd: project, hook_event_name: event, ...fields },
      at,
      {
        env: {
          HOME: at.path,
          CLAUDE_PROJECT_DIR: project,
          ...pid === undefined ? {} : { CLAUDE_PID: String(pid) },
        },
      },
    ),
  );
  return answer?.hookSpecificOutput?.additionalContext ?? "";
}

/** A session begins, or goes on. @returns What it is told. */
export const start = (at: Workplace, source = "startup", sender: Sender = { session: SECOND }) =>
  send(at, "SessionStart", { source }, sender);

/** A file is written. */
export const edit = (at: Workplace, file: string, text: string, sender?: Sender) =>
  send(at, "PostToolUse", {
    tool_name: "Write",
    tool_input: { file_path: join(sender?.project ?? at.project, file), content: text },
    tool_response: { type: "create", structuredPatch: [] },
  }, sender);

/** A file is about to be edited. @returns What Claude is told beside it. */
export const editing = (at: Workplace, file: string, sender: Sender = { session: SECOND }) =>
  send(at, "PreToolUse", {
    tool_name: "Edit",
    tool_input: { file_path: join(at.project, file), old_string: "1", new_string: "2" },
  }, sender);

/** A command has passed. */
export const ran = (at: Workplace, command: string, stdout: string, sender?: Sender) =>
  send(at, "PostToolUse", {
    tool_name: "Bash",
    tool_input: { command },
    tool_response: { stdout, stderr: "" },
  }, sender);

/** A command has failed. */
export const failed = (at: Workplace, command: string, error: string, sender?: Sender) =>
  send(
    at,
    "PostToolUseFailure",
    { tool_name: "Bash", tool_input: { command }, error },
    sender,
  );

/** A list of things to do, each with its state. */
export const todos = (at: Workplace, list: Readonly<Record<string, string>>, sender?: Sender) =>
  send(at, "PostToolUse", {
    tool_name: "TodoWrite",
    tool_input: {
      todos: Object.entries(list).map(([content, status]) => ({ content, status })),
    },
    tool_response: {},
  }, sender);

/** A person asks. */
export const asked = (at: Workplace, prompt: string, sender?: Sender) =>
  send(at, "UserPromptSubmit", { prompt }, sender);

/** A turn ends, and what was captured is worked into memory. */
export async function said(at: Workplace, message: string, sender?: Sender): Promise<void> {
  await send(at, "Stop", { last_assistant_message: message }, sender);
  await send(at, "Drain", {}, sender);
}

/** A session that only asks and answers. */
export async function talked(
  at: Workplace,
  number: number,
  { prompt = "hi", answer = "Hello." } = {},
) {
  const sender = {
    session: `c0de0000-0000-4000-8000-0000000001${String(number).padStart(2, "0")}`,
  };
  await asked(at, prompt, sender);
  await said(at, answer, sender);
}

/** Mends a test that failed twice by an edit, commits, and leaves something open. */
export async function work(at: Workplace): Promise<void> {
  await start(at, "startup", { session: FIRST });
  await asked(at, "The login forgets its token, please mend it");
  for (let n = 0; n < 2; n++) {
    await failed(at, "npm test", "Exit code 1\nTypeError: token is undefined");
  }
  await edit(at, "src/auth.ts", "export const token = 1;\n");
  await Deno.writeTextFile(join(at.project, "src/auth.ts"), "export const token = 1;\n");
  await ran(at, "npm test", "Tests: 4 passed, 4 total");
  await ran(at, "git commit -am x", "[main 1a2b3c4] Login keeps its token\n 1 file changed");
  await failed(at, "npm run lint", "Exit code 2\nerror: unused variable");
  await said(at, "The login works; lint still complains.");
}
