/**
 * Proves that an installed hook judges: its command is run as Claude Code runs it, once with a tool use that must be
 * denied and once with one that must pass, in a home and a project that are made for it and removed afterwards.
 */
import { messageOf } from "../../errors.ts";
import { joinPath } from "../../paths.ts";
import { type LineEnd, runShellLine } from "../../process/shell_line.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { readHookCommand } from "../../settings/hook_program.ts";
import { memberOf } from "../../settings/member.ts";

/** What became of a proof. */
export type Proof =
  /** It denied what it must, and let pass what it must. */
  | { readonly kind: "judges" }
  /** It did not; `why` follows the command in a sentence. */
  | { readonly kind: "fails"; readonly why: string }
  /** It let pass what it must deny: a program without guards does. */
  | { readonly kind: "blind" }
  /** Nothing could be tried here. */
  | { readonly kind: "untried"; readonly why: string };

/** What a program says of itself; null where it says nothing that we understand. */
export type SaidVersion = { readonly version: string; readonly schema: number } | null;

const POLICY = "preToolUse: {preventRootAdditions: false, uneditableFiles: ['*.denied']}\n";
const SESSION_ID = "00000000-0000-4000-8000-000000000000";
const VERSION_MS = 5_000;

/**
 * Runs the command of a PreToolUse hook on a policy of its own.
 *
 * @param timeoutMs As long as Claude Code would wait.
 */
export async function proveHook(command: string, timeoutMs: number): Promise<Proof> {
  return await inStage(async (stage) => {
    const denied = await ask(command, { stage, timeoutMs, file: "proof.denied" });
    if (denied.kind !== "answered") return denied;
    if (!denied.denies) return { kind: "blind" };
    const passed = await ask(command, { stage, timeoutMs, file: "proof.txt" });
    if (passed.kind !== "answered") return passed;
    return passed.denies ? { kind: "fails", why: "denies what must pass" } : { kind: "judges" };
  }, (why) => ({ kind: "untried", why }));
}

/** Asks the program that a hook starts for its version. */
export async function versionOfHook(command: string): Promise<SaidVersion> {
  return await inStage(async (stage) => {
    const { line } = readHookCommand(command);
    const end = await run(`${line} --version --json`, {
      command,
      stage,
      stdin: "",
      timeoutMs: VERSION_MS,
    });
    const facts = end.kind === "ended" ? parsed(end.stdout) : undefined;
    const version = memberOf(facts, "version");
    const schema = memberOf(facts, "schema");
    return typeof version === "string" && typeof schema === "number" ? { version, schema } : null;
  }, () => null);
}

/** Folders that stand for a person's home and a project. */
interface Stage {
  readonly home: string;
  readonly project: string;
}

async function inStage<Result>(
  act: (stage: Stage) => Promise<Result>,
  otherwise: (why: string) => Result,
): Promise<Result> {
  let folder: string;
  try {
    folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "conclaude-doctor-" }));
  } catch (thrown) {
    return otherwise(`no folder could be made for it: ${messageOf(thrown)}`);
  }
  try {
    const stage = { home: joinPath(folder, "home"), project: joinPath(folder, "project") };
    Deno.mkdirSync(stage.home);
    Deno.mkdirSync(stage.project);
    Deno.writeTextFileSync(joinPath(stage.project, ".conclaude.yaml"), POLICY);
    return await act(stage);
  } catch (thrown) {
    return otherwise(messageOf(thrown));
  } finally {
    removeQuietly(folder);
  }
}

type Asked = { readonly kind: "answered"; readonly denies: boolean } | Exclude<Proof, "judges">;

async function ask(
  command: string,
  about: { readonly stage: Stage; readonly timeoutMs: number; readonly file: string },
): Promise<Asked> {
  const { stage, timeoutMs, file } = about;
  const payload = {
    session_id: SESSION_ID,
    transcript_path: joinPath(stage.home, "transcript.jsonl"),
    cwd: stage.project,
    hook_event_name: "PreToolUse",
    permission_mode: "default",
    tool_name: "Edit",
    tool_input: {
      file_path: joinPath(stage.project, file),
      old_string: "1",
      new_string: "2",
    },
    tool_use_id: "toolu_proof",
  };
  const stdin = `${JSON.stringify(payload)}\n`;
  return judgeEnd(await run(command, { command, stage, stdin, timeoutMs }), timeoutMs);
}

function judgeEnd(end: LineEnd, timeoutMs: number): Asked {
  const fails = (why: string): Asked => ({ kind: "fails", why });
  if (end.kind === "unstarted") return { kind: "untried", why: end.why };
  if (end.kind === "late") return fails(`does not answer within ${timeoutMs / 1000} seconds`);
  const { code, stdout, stderr } = end;
  if (code !== 0) {
    const said = stderr.trim().split("\n", 1)[0]!;
    return fails(`leaves with status ${code}${said === "" ? "" : ` (${said})`}`);
  }
  if (stdout.trim() === "") return { kind: "answered", denies: false };
  const output = memberOf(parsed(stdout), "hookSpecificOutput");
  if (output === undefined && memberOf(parsed(stdout), "systemMessage") === undefined) {
    return fails("answers with something that Claude Code does not understand");
  }
  return { kind: "answered", denies: memberOf(output, "permissionDecision") === "deny" };
}

/**
 * The words of a command are taken apart before what stands in front of it counts: `"$HOME/bin/conclaude"` is still found
 * in the person's home, and the program it names works in the other one.
 */
function run(
  line: string,
  options: {
    readonly command: string;
    readonly stage: Stage;
    readonly stdin: string;
    readonly timeoutMs: number;
  },
): Promise<LineEnd> {
  const { command, stage, stdin, timeoutMs } = options;
  // What Deno has fetched for a script of ours lies in the home, unless a variable names another place.
  const cache = Deno.build.os === "darwin"
    ? "$HOME/Library/Caches"
    : "${XDG_CACHE_HOME:-$HOME/.cache}";
  const script = readHookCommand(command).script === null
    ? ""
    : `DENO_DIR="\${DENO_DIR:-${cache}/deno}" `;
  return runShellLine(`${script}HOME=${quoteWord(stage.home)} ${line}`, {
    stdin,
    timeoutMs,
    folder: stage.project,
    env: {
      CLAUDE_PROJECT_DIR: stage.project,
      CLAUDE_CODE_SESSION_ID: SESSION_ID,
      CLAUDE_PID: "",
      CONCLAUDE_DB_PATH: joinPath(stage.home, "proof.db"),
    },
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function removeQuietly(folder: string): void {
  try {
    Deno.removeSync(folder, { recursive: true });
  } catch {
    // What was started is still at work there; the folder is the system's to clean.
  }
}
