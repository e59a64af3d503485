/** Sessions as Claude Code tells of them, event by event through the real hooks, and what the next one is told. */
import { join } from "node:path";
import { git, makeRepository } from "./git.ts";
import { hook, runProgram, type TempHome, tempHome } from "./program.ts";
import { answerOf, type Finished } from "./process.ts";

/** The session that works, when none is named. */
export const FIRST = "c0de0000-0000-4000-8000-000000000001";
/** The one that is told. */
export const SECOND = "c0de0000-0000-4000-8000-000000000002";

/** Who sends an event, and from where. */
export interface Sender {
  readonly session?: string;
  readonly project?: string;
  /** The process of Claude Code, where it is told. */
  readonly pid?: number;
}

/** A home with a repository in it, whose branch is `main`, and sessions that work there. */
export class Workplace implements TempHome {
  readonly #home = tempHome();
  readonly path: string = this.#home.path;
  readonly database: string = this.#home.database;
  readonly project: string = join(this.path, "app");

  constructor() {
    Deno.mkdirSync(join(this.project, "src"), { recursive: true });
    makeRepository(this.project);
  }

  /** Writes the configuration of the project. */
  configure(text: string): Promise<void> {
    return Deno.writeTextFile(join(this.project, ".conclaude.yaml"), text);
  }

  /** Runs the program in the project. */
  verb(...args: readonly string[]): Promise<Finished> {
    return runProgram(args, { env: { HOME: this.path }, cwd: this.project });
  }

  /** Runs git in the project, once for each line of words. */
  async inGit(...lines: readonly string[]): Promise<void> {
    for (const words of lines) await git(this.project, ...words.split(" "));
  }

  /** Sends an event as Claude Code does. @returns What Claude is told beside it; empty when nothing is. */
  async send(
    event: string,
    fields: Record<string, unknown>,
    { session = FIRST, project = this.project, pid }: Sender = {},
  ): Promise<string> {
    const payload = { session_id: session, cwd: project, hook_event_name: event, ...fields };
    const env = {
      HOME: this.path,
      CLAUDE_PROJECT_DIR: project,
      ...pid === undefined ? {} : { CLAUDE_PID: String(pid) },
    };
    const answer = answerOf(await hook(event, payload, this, { env }));
    return answer?.hookSpecificOutput?.additionalContext ?? "";
  }

  /** A session begins, or goes on. @returns What it is told. */
  start(source = "startup", sender: Sender = { session: SECOND }): Promise<string> {
    return this.send("SessionStart", { source }, sender);
  }

  /** A file is written. */
  edit(file: string, text: string, sender?: Sender): Promise<string> {
    return this.send("PostToolUse", {
      tool_name: "Write",
      tool_input: { file_path: join(sender?.project ?? this.project, file), content: text },
      tool_response: { type: "create", structuredPatch: [] },
    }, sender);
  }

  /** A file is about to be edited. @returns What Claude is told beside it. */
  editing(file: string, sender: Sender = { session: SECOND }): Promise<string> {
    return this.send("PreToolUse", {
      tool_name: "Edit",
      tool_input: { file_path: join(this.project, file), old_string: "1", new_string: "2" },
    }, sender);
  }

  /** A command has passed. */
  ran(command: string, stdout: string, sender?: Sender): Promise<string> {
    const tool_response = { stdout, stderr: "" };
    const use = { tool_name: "Bash", tool_input: { command }, tool_response };
    return this.send("PostToolUse", use, sender);
  }

  /** A command has failed. */
  failed(command: string, error: string, sender?: Sender): Promise<string> {
    const use = { tool_name: "Bash", tool_input: { command }, error };
    return this.send("PostToolUseFailure", use, sender);
  }

  /** A list of things to do, each with its state. */
  todos(list: Readonly<Record<string, string>>, sender?: Sender): Promise<string> {
    const todos = Object.entries(list).map(([content, status]) => ({ content, status }));
    const use = { tool_name: "TodoWrite", tool_input: { todos }, tool_response: {} };
    return this.send("PostToolUse", use, sender);
  }

  /** A person asks. */
  asked(prompt: string, sender?: Sender): Promise<string> {
    return this.send("UserPromptSubmit", { prompt }, sender);
  }

  /** A turn ends, and what was captured is worked into memory. */
  async said(message: string, sender?: Sender): Promise<void> {
    await this.send("Stop", { last_assistant_message: message }, sender);
    await this.send("Drain", {}, sender);
  }

  /** A session that only asks and answers. */
  async talked(number: number, { prompt = "hi", answer = "Hello." } = {}): Promise<void> {
    const session = `c0de0000-0000-4000-8000-0000000001${String(number).padStart(2, "0")}`;
    await this.asked(prompt, { session });
    await this.said(answer, { session });
  }

  /** Mends a test that failed twice by an edit, commits, and leaves something open. */
  async work(): Promise<void> {
    await this.start("startup", { session: FIRST });
    await this.asked("The login forgets its token, please mend it");
    for (let n = 0; n < 2; n++) {
      await this.failed("npm test", "Exit code 1\nTypeError: token is undefined");
    }
    await this.edit("src/auth.ts", "export const token = 1;\n");
    await Deno.writeTextFile(join(this.project, "src/auth.ts"), "export const token = 1;\n");
    await this.ran("npm test", "Tests: 4 passed, 4 total");
    await this.ran("git commit -am x", "[main 1a2b3c4] Login keeps its token\n 1 file changed");
    await this.failed("npm run lint", "Exit code 2\nerror: unused variable");
    await this.said("The login works; lint still complains.");
  }

  [Symbol.dispose](): void {
    this.#home[Symbol.dispose]();
  }
}

/** `const test = testWith(workplace);` */
export const workplace = (): Workplace => new Workplace();
