/**
 * Proves that an installed hook judges: its command is run as Claude Code runs it, once with an event that must be
 * answered by the rules and once with one that must pass, in a home and a project that are made for it and removed
 * afterwards.
 */
import type { Environment } from "../../environment.ts";
import { messageOf } from "../../errors.ts";
import { joinPath } from "../../paths.ts";
import { type LineEnd, runShellLine } from "../../process/run.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { readHookCommand } from "../../settings/hook_program.ts";
import { memberOf } from "../../settings/own_handler.ts";

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

/** Rules that need no program to be started for them. */
const POLICY = `preToolUse: {preventRootAdditions: false, uneditableFiles: ['*.denied']}
stop: {rounds: 2}
userPromptSubmit: {contextRules: [{pattern: ^denied, prompt: proof}]}
`;
const SESSION_ID = "00000000-0000-4000-8000-000000000000";
const VERSION_MS = 5_000;
/** The commands of a configuration may take much longer; here there are none. */
const MAX_PROOF_MS = 30_000;

/** Two payloads of one event, and what tells that the rules have spoken. */
interface Trial {
  /** What is sent beside the usual fields. */
  readonly fields: (project: string, isForbidden: boolean) => Readonly<Record<string, unknown>>;
  readonly speaks: (answer: unknown) => boolean;
}

function editOf(project: string, isForbidden: boolean): Readonly<Record<string, unknown>> {
  const file_path = joinPath(project, isForbidden ? "proof.denied" : "proof.txt");
  return {
    tool_name: "Edit",
    tool_input: { file_path, old_string: "1", new_string: "2" },
    tool_use_id: "toolu_proof",
  };
}

/** The events whose answer tells whether rules were asked. */
const TRIALS: Readonly<Record<string, Trial>> = {
  PreToolUse: {
    fields: editOf,
    speaks: (answer) =>
      memberOf(memberOf(answer, "hookSpecificOutput"), "permissionDecision") === "deny",
  },
  PermissionRequest: {
    fields: editOf,
    speaks: (answer) =>
      memberOf(memberOf(memberOf(answer, "hookSpecificOutput"), "decision"), "behavior") === "deny",
  },
  Stop: {
    // Of two rounds the first is held, the second is the end.
    fields: (_project, isForbidden) => ({ stop_hook_active: !isForbidden }),
    speaks: (answer) => memberOf(answer, "decision") === "block",
  },
  UserPromptSubmit: {
    fields: (_project, isForbidden) => ({ prompt: isForbidden ? "denied" : "proof" }),
    speaks: (answer) =>
      memberOf(memberOf(answer, "hookSpecificOutput"), "additionalContext") !== undefined,
  },
};

/** What Claude Code reads in an answer. */
const ANSWER_KEYS = ["hookSpecificOutput", "systemMessage", "decision", "continue"];

/** Whether the answer to an event can tell that rules were asked. */
export function canBeProved(event: string): boolean {
  return Object.hasOwn(TRIALS, event);
}

/**
 * Runs the command of a hook on a policy of its own.
 *
 * @param event One that {@linkcode canBeProved}. @param timeoutMs As long as Claude Code would wait.
 */
export async function proveHook(
  command: string,
  { event, timeoutMs, environment }: {
    readonly event: string;
    readonly timeoutMs: number;
    readonly environment: Environment;
  },
): Promise<Proof> {
  const trial = TRIALS[event];
  if (trial === undefined) return { kind: "untried", why: `nothing is answered at ${event}` };
  const limit = Math.min(timeoutMs, MAX_PROOF_MS);
  return await inStage(async (stage) => {
    const about = { stage, trial, event, timeoutMs: limit, environment };
    const denied = await ask(command, { ...about, isForbidden: true });
    if (denied.kind !== "answered") return denied;
    if (!denied.denies) return { kind: "blind" };
    const passed = await ask(command, { ...about, isForbidden: false });
    if (passed.kind !== "answered") return passed;
    return passed.denies ? { kind: "fails", why: "denies what must pass" } : { kind: "judges" };
  }, (why) => ({ kind: "untried", why }));
}

/** Asks the program that a hook starts for its version. */
export async function versionOfHook(
  command: string,
  environment: Environment,
): Promise<SaidVersion> {
  return await inStage(async (stage) => {
    const { line } = readHookCommand(command);
    const end = await run(`${line} --version --json`, {
      command,
      stage,
      stdin: "",
      timeoutMs: VERSION_MS,
      environment,
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
  about: {
    readonly stage: Stage;
    readonly trial: Trial;
    readonly event: string;
    readonly timeoutMs: number;
    readonly isForbidden: boolean;
    readonly environment: Environment;
  },
): Promise<Asked> {
  const { stage, trial, event, timeoutMs, isForbidden, environment } = about;
  const payload = {
    session_id: SESSION_ID,
    transcript_path: joinPath(stage.home, "transcript.jsonl"),
    cwd: stage.project,
    hook_event_name: event,
    permission_mode: "default",
    ...trial.fields(stage.project, isForbidden),
  };
  const stdin = `${JSON.stringify(payload)}\n`;
  const end = await run(command, { command, stage, stdin, timeoutMs, environment });
  return judgeEnd(end, { timeoutMs, trial });
}

function judgeEnd(
  end: LineEnd,
  { timeoutMs, trial }: { readonly timeoutMs: number; readonly trial: Trial },
): Asked {
  const fails = (why: string): Asked => ({ kind: "fails", why });
  if (end.kind === "unstarted") return { kind: "untried", why: end.why };
  if (end.kind === "late") return fails(`does not answer within ${timeoutMs / 1000} seconds`);
  const { code, stdout, stderr } = end;
  if (code !== 0) {
    const said = stderr.trim().split("\n", 1)[0]!;
    return fails(`leaves with status ${code}${said === "" ? "" : ` (${said})`}`);
  }
  if (stdout.trim() === "") return { kind: "answered", denies: false };
  const answer = parsed(stdout);
  if (ANSWER_KEYS.every((key) => memberOf(answer, key) === undefined)) {
    return fails("answers with something that Claude Code does not understand");
  }
  return { kind: "answered", denies: trial.speaks(answer) };
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
    readonly environment: Environment;
  },
): Promise<LineEnd> {
  const { command, stage, stdin, timeoutMs, environment } = options;
  // What Deno has fetched for a script of ours lies in the home, unless a variable names another place.
  const cache = Deno.build.os === "darwin"
    ? "$HOME/Library/Caches"
    : "${XDG_CACHE_HOME:-$HOME/.cache}";
  const script = readHookCommand(command).script === null
    ? ""
    : `DENO_DIR="\${DENO_DIR:-${cache}/deno}" `;
  return runShellLine(`${script}HOME=${quoteWord(stage.home)} ${line}`, {
    input: stdin,
    timeoutMs,
    environment,
    folder: stage.project,
    variables: {
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
