/** A home with a project that has guards, and what the real program says of a tool use there. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { hook, type RunOptions, runProgram, type TempHome, tempHome } from "./program.ts";
import { answerOf, type Finished } from "./process.ts";

/** The session that asks. */
export const SESSION = "5e551011-0000-4000-8000-000000000001";

/** How a hook is run, what it is sent beside. */
type Start = Omit<RunOptions, "stdin"> & { readonly holds?: boolean };

/** A home of its own, with a project in it once that is configured. */
export class GuardedHome implements TempHome {
  readonly #home = tempHome();
  readonly path: string = this.#home.path;
  readonly database: string = this.#home.database;
  readonly project: string = join(this.path, "project");

  /** Writes the configuration of the project, and some files where they are named. @returns The project. */
  configure(config: string, files: readonly string[] = []): string {
    Deno.mkdirSync(join(this.project, "src"), { recursive: true });
    Deno.writeTextFileSync(join(this.project, ".conclaude.yaml"), config);
    for (const file of files) {
      Deno.mkdirSync(join(this.project, file, ".."), { recursive: true });
      Deno.writeTextFileSync(join(this.project, file), "x");
    }
    return this.project;
  }

  /** Runs the program in the project. */
  run(...args: readonly string[]): Promise<Finished> {
    return runProgram(args, { env: { HOME: this.path }, cwd: this.project });
  }

  /** Sends an event of the session. @returns The answer, read as JSON; null when there is none. */
  // deno-lint-ignore no-explicit-any -- what a hook answered
  async send(event: string, fields: object = {}, start: Start = {}): Promise<any> {
    const payload = { session_id: SESSION, cwd: this.project, ...fields };
    return answerOf(await hook(event, payload, this, start));
  }

  /** The reason of a denial, or of a question to the person; null when the tool may be used. */
  async ask(
    tool: string,
    input: Record<string, unknown>,
    more: Record<string, unknown> = {},
    start: Start = {},
    decision: "deny" | "ask" = "deny",
  ): Promise<string | null> {
    const use = { tool_name: tool, tool_use_id: "toolu_1", tool_input: input };
    return deniedBy(await this.send("PreToolUse", { ...use, ...more }, start), decision);
  }

  /** A shell command. */
  bash(command: string): Promise<string | null> {
    return this.ask("Bash", { command });
  }

  /** A file written whole. */
  write(path: string): Promise<string | null> {
    return this.ask("Write", { file_path: path, content: "y" });
  }

  /** An edit that names no text. */
  edit(path: string): Promise<string | null> {
    return this.ask("Edit", { file_path: path });
  }

  /** Holds that each of these commands is denied, with such a reason. */
  async assertDenied(reason: RegExp, commands: readonly string[], tool = "Bash"): Promise<void> {
    for (const command of commands) {
      assert.match(await this.ask(tool, { command }) ?? "allowed", reason, command);
    }
  }

  /** Holds that each of these commands may run. */
  async assertAllowed(commands: readonly string[], tool = "Bash"): Promise<void> {
    for (const command of commands) assert.equal(await this.ask(tool, { command }), null, command);
  }

  [Symbol.dispose](): void {
    this.#home[Symbol.dispose]();
  }
}

/** `const test = testWith(guardedHome);` */
export const guardedHome = (): GuardedHome => new GuardedHome();

/** The reason in an answer to PreToolUse; null where it decides nothing. What was changed meanwhile may be told beside it. */
// deno-lint-ignore no-explicit-any -- what a hook answered
export function deniedBy(answer: any, decision: "deny" | "ask" = "deny"): string | null {
  if ((answer?.hookSpecificOutput?.permissionDecision ?? null) === null) return null;
  const { hookSpecificOutput: output, systemMessage = "", ...rest } = answer;
  assert.deepEqual(rest, {});
  assert.match(systemMessage, /^$|changed while this session is active/);
  assert.equal(output.hookEventName, "PreToolUse");
  assert.equal(output.permissionDecision, decision);
  return output.permissionDecisionReason;
}
