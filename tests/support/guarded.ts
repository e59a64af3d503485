/** A project with guards in a home, and what the real program says of a tool use there. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { hook, type RunOptions, runProgram, type TempHome } from "./program.ts";
import { answerOf } from "./process.ts";

/** The session that asks. */
export const SESSION = "5e551011-0000-4000-8000-000000000001";

/** A project in the home, with a configuration and some files. */
export function projectIn(home: TempHome, config: string, files: readonly string[] = []): string {
  const project = join(home.path, "project");
  Deno.mkdirSync(join(project, "src"), { recursive: true });
  Deno.writeTextFileSync(join(project, ".conclaude.yaml"), config);
  for (const file of files) {
    Deno.mkdirSync(join(project, file, ".."), { recursive: true });
    Deno.writeTextFileSync(join(project, file), "x");
  }
  return project;
}

/** Runs the program in the project of a home. */
export const conclaude = (home: TempHome, ...args: readonly string[]) =>
  runProgram(args, { env: { HOME: home.path }, cwd: join(home.path, "project") });

/** Writes the configuration of the project in a home. @returns Its path. */
export function configIn(home: TempHome, config: string): string {
  return join(projectIn(home, config), ".conclaude.yaml");
}

/** The reason of a denial, or of a question to the person; null when the tool may be used. */
export async function ask(
  home: TempHome,
  tool: string,
  input: Record<string, unknown>,
  more: Record<string, unknown> = {},
  start: Omit<RunOptions, "stdin"> = {},
  decision: "deny" | "ask" = "deny",
): Promise<string | null> {
  return deniedBy(
    answerOf(
      await hook(
        "PreToolUse",
        {
          session_id: SESSION,
          cwd: join(home.path, "project"),
          tool_name: tool,
          tool_use_id: "toolu_1",
          tool_input: input,
          ...more,
        },
        home,
        start,
      ),
    ),
    decision,
  );
}

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

/** A shell command. */
export const bash = (home: TempHome, command: string) => ask(home, "Bash", { command });
/** A file written whole. */
export const write = (home: TempHome, path: string) =>
  ask(home, "Write", { file_path: path, content: "y" });
/** An edit that names no text. */
export const edit = (home: TempHome, path: string) => ask(home, "Edit", { file_path: path });

/** Holds that each of these commands is denied, with such a reason. */
export async function assertDenied(
  home: TempHome,
  reason: RegExp,
  commands: readonly string[],
  tool = "Bash",
): Promise<void> {
  for (const command of commands) {
    assert.match(await ask(home, tool, { command }) ?? "allowed", reason, command);
  }
}

/** Holds that each of these commands may run. */
export async function assertAllowed(
  home: TempHome,
  commands: readonly string[],
  tool = "Bash",
): Promise<void> {
  for (const command of commands) assert.equal(await ask(home, tool, { command }), null, command);
}
