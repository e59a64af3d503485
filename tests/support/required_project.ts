/** A project with requirements in a home of its own, and the hooks of sessions that work in it. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { answerOf, type Finished } from "./process.ts";
import { hook, type RunOptions, runProgram, type TempHome, tempHome } from "./program.ts";
import { gitSync, makeRepository } from "./git.ts";
import { query, type Row } from "./look.ts";
import { acceptConfiguration } from "./person.ts";
import { connected, held } from "./on_home.ts";
import { deniedBy } from "./guarded.ts";

/** The session that hooks speak of where a test names none. */
export const SESSION = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";
/** Another one. */
export const OTHER_SESSION = "77aa11bb-0000-4000-8000-000000000002";

/** What a hook is told beside the usual fields. */
type More = Readonly<Record<string, unknown>>;

/** The line of a transcript that tells of the use of a skill. */
export function skillLine(skill: string, id: string): More {
  const use = { id, type: "tool_use", name: "Skill", input: { skill } };
  return { type: "assistant", isSidechain: false, message: { role: "assistant", content: [use] } };
}

/** The line of a transcript that tells of a slash command. */
export function commandLine(command: string, promptId: string): More {
  const content =
    `<command-message>${command}</command-message>\n<command-name>/${command}</command-name>`;
  return { type: "user", isSidechain: false, promptId, message: { role: "user", content } };
}

/** A repository on the branch `feature/x`, with a configuration file. */
export class RequiredProject implements Disposable {
  readonly home: TempHome = tempHome();
  readonly path: string = join(this.home.path, "project");
  /** Variables that the program, a process of its own then, sees beside `HOME`. */
  environment: Readonly<Record<string, string>> | null = null;

  /** @param grow What the repository has beside its first commit; see `makeRepository()`. */
  constructor(config: string, branch = "feature/x", grow?: (folder: string) => void) {
    const more = grow === undefined ? {} : { grow };
    makeRepository(this.path, { branch, files: { "src/a.ts": "x\n" }, ...more });
    this.configure(config);
  }

  /** Replaces the configuration file. */
  configure(config: string): void {
    this.write(".conclaude.yaml", config);
    acceptConfiguration(this.home.path);
  }

  write(name: string, text: string): void {
    const path = join(this.path, name);
    Deno.mkdirSync(dirname(path), { recursive: true });
    Deno.writeTextFileSync(path, text);
  }

  git(...args: string[]): void {
    gitSync(this.path, ...args);
  }

  /** The transcript that Claude Code keeps of a session. */
  transcript(session = SESSION): string {
    return join(this.home.path, ".claude", "projects", "project", `${session}.jsonl`);
  }

  /** Adds a line to a transcript, as Claude Code writes it. */
  transcribe(line: More, path: string = this.transcript()): void {
    Deno.mkdirSync(dirname(path), { recursive: true });
    Deno.writeTextFileSync(path, `${JSON.stringify(line)}\n`, { append: true });
  }

  /** Sends an event; what comes back on stdout, read as JSON, or null when nothing did. */
  async send(event: string, fields: More = {}): Promise<Row | null> {
    const usual = { session_id: SESSION, cwd: this.path, hook_event_name: event, ...fields };
    const payload = { transcript_path: this.transcript(usual.session_id), ...usual };
    return answerOf(await hook(event, payload, this.home, this.#options()));
  }

  /** The reason of a denial; null when the tool may be used. */
  async use(tool: string, input: More, more: More = {}): Promise<string | null> {
    const fields = { tool_name: tool, tool_use_id: "toolu_1", tool_input: input, ...more };
    return deniedBy(await this.send("PreToolUse", fields));
  }

  edit(more: More = {}, file = "src/a.ts"): Promise<string | null> {
    return this.use("Edit", { file_path: file }, more);
  }

  bash(command: string, more: More = {}): Promise<string | null> {
    return this.use("Bash", { command }, more);
  }

  /** Holds that each of these shell commands is denied, with such a reason. */
  async assertDenied(reason: RegExp, commands: readonly string[], more: More = {}): Promise<void> {
    for (const command of commands) {
      assert.match(await this.bash(command, more) ?? "allowed", reason, command);
    }
  }

  /** Holds that each of these shell commands may run. */
  async assertAllowed(commands: readonly string[]): Promise<void> {
    for (const command of commands) assert.equal(await this.bash(command), null, command);
  }

  /** Uses a skill: it stands in the transcript, and is reported. */
  async skill(skill: string, more: More = {}): Promise<Row | null> {
    const id = crypto.randomUUID();
    this.transcribe(skillLine(skill, id));
    return await this.used("Skill", { skill }, { tool_use_id: id, ...more });
  }

  /** Types a slash command: it is reported, and stands in the transcript. */
  async type(command: string): Promise<void> {
    const id = crypto.randomUUID();
    const fields = { expansion_type: "slash_command", command_name: command, prompt_id: id };
    await this.send("UserPromptExpansion", fields);
    this.transcribe(commandLine(command, id));
  }

  /** Reports that a tool was used. */
  async used(tool: string, input: More, more: More = {}): Promise<Row | null> {
    const fields = { tool_name: tool, tool_use_id: "toolu_1", tool_input: input, ...more };
    return await this.send("PostToolUse", { tool_response: {}, ...fields });
  }

  /** Runs a shell command in the project. @returns Whether it succeeded. */
  shell(command: string): boolean {
    const own = { NAME: "t", EMAIL: "t@example.invalid" };
    const who = ["AUTHOR", "COMMITTER"].flatMap((role) =>
      Object.entries(own).map(([key, value]) => [`GIT_${role}_${key}`, value])
    );
    return new Deno.Command("bash", {
      args: ["-c", command],
      cwd: this.path,
      env: {
        ...Object.fromEntries(who),
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_SYSTEM: "/dev/null",
        ...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "maintenance.auto", GIT_CONFIG_VALUE_0: "0" },
      },
    }).outputSync().success;
  }

  /** A shell command as Claude runs it: asked for, done, reported. @returns The reason of a denial; null when it ran. */
  async act(command: string, toolUseId: string = crypto.randomUUID()): Promise<string | null> {
    const id = { tool_use_id: toolUseId };
    const denied = await this.bash(command, id);
    if (denied !== null) return denied;
    await this.ended(command, this.shell(command), id);
    return null;
  }

  /** Reports how a shell command ended. */
  async ended(command: string, succeeded: boolean, more: More): Promise<void> {
    const input = { command };
    if (succeeded) await this.used("Bash", input, more);
    else {
      const fields = { tool_name: "Bash", tool_input: input, error: "Exit code 1", ...more };
      await this.send("PostToolUseFailure", fields);
    }
  }

  /** The reason for which a stop is held; null when Claude may stop. */
  async stop(more: More = {}): Promise<string | null> {
    const answer = await this.send("Stop", { stop_hook_active: false, ...more });
    return answer?.["decision"] === "block" ? String(answer["reason"]) : null;
  }

  /** What a session is told at its start. */
  async start(more: More = {}): Promise<string> {
    const answer = await this.send("SessionStart", { source: "startup", ...more });
    const output = answer?.["hookSpecificOutput"] as Row | undefined;
    return String(output?.["additionalContext"] ?? "");
  }

  /** `conclaude …` in the project's folder. */
  run(...args: string[]): Promise<Finished> {
    const { env, ...options } = this.#options();
    return runProgram(args, { ...options, env: { HOME: this.home.path, ...env }, cwd: this.path });
  }

  #options(): RunOptions {
    return this.environment === null ? {} : { env: this.environment, through: [] };
  }

  /** Gives the commands of a person that a reason prints. @returns Them. */
  async follow(reason: string): Promise<string[]> {
    const printed = [...reason.matchAll(/`conclaude ((?:guard|req) [^`]+)`/g)];
    const commands = printed.map(([, words]) => words!);
    for (const words of commands) {
      const { code, stderr } = await this.run(...words.split(" "));
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" }, words);
    }
    return commands;
  }

  /** `conclaude req …`, which has to do what it was asked. */
  async req(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run("req", ...args);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    return stdout;
  }

  /** What is stored of one requirement, of every owner. */
  state(requirement: string): Row[] {
    return query(
      this.home,
      "SELECT * FROM requirements WHERE requirement = ? ORDER BY branch, session_id",
      requirement,
    );
  }

  /** Moves what is stored back in time. */
  age(seconds: number): void {
    this.#change(
      "UPDATE requirements SET satisfied_at_ms = satisfied_at_ms - ?1, original_at_ms = original_at_ms - ?1, " +
        "expires_at_ms = expires_at_ms - ?1",
      seconds * 1_000,
    );
  }

  /** Makes what is stored as a program stored it that asked for no proofs. */
  forgetProofs(): void {
    using db = connected(this.home.database);
    db.exec("UPDATE requirements SET metadata = json_remove(metadata, '$.proof')");
  }

  /** Holds the database for writing, until it is released or the block ends. */
  lock(): ReturnType<typeof held> {
    return held(this.home.database, "BEGIN EXCLUSIVE");
  }

  #change(sql: string, value: number): void {
    using db = connected(this.home.database);
    db.prepare(sql).run(value);
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]();
  }
}
