/**
 * Proves that an installed hook denies what it must: runs its command as Claude Code does, once with an event that rules
 * forbid and once with one that must pass, in a home and a project that are made for the proof and removed afterwards.
 */
import { type Environment, OS } from "../../system/environment.ts";
import { messageOf } from "../../base/errors.ts";
import { joinPath } from "../../base/paths.ts";
import { type LineEnd, runShellLine } from "../../system/process/run_program.ts";
import { readHookCommand } from "../../claude/settings/hook_program.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { memberOf } from "../../claude/settings/own_handler.ts";
import {
  makeTempDirSync,
  mkdirSync,
  realPathSync,
  removeSync,
  writeTextFileSync,
} from "../../system/files.ts";

/** The result of a proof; `why` follows the command in a sentence. */
export type Proof =
  | { readonly kind: "judges" }
  | { readonly kind: "fails"; readonly why: string }
  /** The hook let pass what it must deny, as a program without guards does. */
  | { readonly kind: "blind" }
  | { readonly kind: "untried"; readonly why: string };

/** What a program says of itself. */
export interface SaidVersion {
  readonly version: string;
  readonly schema: number;
}

/** Rules that start no program. */
const POLICY = `preToolUse: {preventRootAdditions: false, uneditableFiles: ['*.denied']}
stop: {rounds: 2}
userPromptSubmit: {contextRules: [{pattern: ^denied, prompt: proof}]}
`;
const SESSION_ID = "00000000-0000-4000-8000-000000000000";
const VERSION_MS = 5_000;
/** The commands of a configuration may take much longer; the proof has none. */
const MAX_PROOF_MS = 30_000;

/** How the answer to an event shows whether rules were asked. */
interface Trial {
  /** The event's own fields, forbidden or allowed. */
  readonly fields: (project: string, isForbidden: boolean) => Readonly<Record<string, unknown>>;
  /** The member of the answer that tells, and its value there; without a value any will do. */
  readonly at: readonly string[];
  readonly value?: string;
}

const editFields: Trial["fields"] = (project, isForbidden) => ({
  tool_name: "Edit",
  tool_input: {
    file_path: joinPath(project, isForbidden ? "proof.denied" : "proof.txt"),
    old_string: "1",
    new_string: "2",
  },
  tool_use_id: "toolu_proof",
});

const TRIALS: Readonly<Record<string, Trial>> = {
  PreToolUse: {
    fields: editFields,
    at: ["hookSpecificOutput", "permissionDecision"],
    value: "deny",
  },
  PermissionRequest: {
    fields: editFields,
    at: ["hookSpecificOutput", "decision", "behavior"],
    value: "deny",
  },
  Stop: {
    // Of two rounds the first is held, and the second ends the session.
    fields: (_project, isForbidden) => ({ stop_hook_active: !isForbidden }),
    at: ["decision"],
    value: "block",
  },
  UserPromptSubmit: {
    fields: (_project, isForbidden) => ({ prompt: isForbidden ? "denied" : "proof" }),
    at: ["hookSpecificOutput", "additionalContext"],
  },
};

/** What Claude Code reads in an answer. */
const ANSWER_KEYS = ["hookSpecificOutput", "systemMessage", "decision", "continue"];

/** Whether the answer to an event shows that rules were asked. */
export function canBeProved(event: string): boolean {
  return Object.hasOwn(TRIALS, event);
}

/**
 * Runs the command of a hook under rules of the proof's own.
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
  const trial = TRIALS[event]!;
  const limitMs = Math.min(timeoutMs, MAX_PROOF_MS);
  try {
    return await inStage(async (stage) => {
      for (const isForbidden of [true, false]) {
        const payload = {
          session_id: SESSION_ID,
          transcript_path: joinPath(stage.home, "transcript.jsonl"),
          cwd: stage.project,
          hook_event_name: event,
          permission_mode: "default",
          ...trial.fields(stage.project, isForbidden),
        };
        const stdin = `${JSON.stringify(payload)}\n`;
        const end = await run(command, { stage, stdin, timeoutMs: limitMs, environment });
        if (end.kind === "unstarted") return { kind: "untried", why: end.why };
        const why = whyNoAnswer(end, limitMs);
        if (why !== null) return { kind: "fails", why };
        const denies = speaks(trial, end.kind === "ended" ? end.stdout : "");
        if (isForbidden && !denies) return { kind: "blind" };
        if (!isForbidden && denies) return { kind: "fails", why: "denies what must pass" };
      }
      return { kind: "judges" };
    });
  } catch (thrown) {
    return { kind: "untried", why: messageOf(thrown) };
  }
}

/** Asks the program that a hook starts for its version; null where it says nothing that this program understands. */
export async function versionOfHook(
  command: string,
  environment: Environment,
): Promise<SaidVersion | null> {
  const line = `${readHookCommand(command).line} --version --json`;
  try {
    const end = await inStage((stage) =>
      run(line, { stage, stdin: "", timeoutMs: VERSION_MS, environment })
    );
    const facts: unknown = end.kind === "ended" ? JSON.parse(end.stdout) : undefined;
    const [version, schema] = [memberOf(facts, "version"), memberOf(facts, "schema")];
    return typeof version === "string" && typeof schema === "number" ? { version, schema } : null;
  } catch {
    return null;
  }
}

/** Folders that stand for a person's home and a project. */
interface Stage {
  readonly home: string;
  readonly project: string;
}

async function inStage<Result>(act: (stage: Stage) => Promise<Result>): Promise<Result> {
  const folder = realPathSync(makeTempDirSync({ prefix: "conclaude-doctor-" }));
  try {
    const stage = { home: joinPath(folder, "home"), project: joinPath(folder, "project") };
    mkdirSync(stage.home);
    mkdirSync(stage.project);
    writeTextFileSync(joinPath(stage.project, ".conclaude.yaml"), POLICY);
    return await act(stage);
  } finally {
    try {
      removeSync(folder, { recursive: true });
    } catch {
      // A program that was started still works there; the system cleans the folder.
    }
  }
}

/** Why Claude Code could not use the end of a hook; null when it could. */
function whyNoAnswer(end: Exclude<LineEnd, { kind: "unstarted" }>, limitMs: number): string | null {
  if (end.kind === "late") return `does not answer within ${limitMs / 1000} seconds`;
  const { code, stdout, stderr } = end;
  if (code !== 0) {
    const said = stderr.trim().split("\n", 1)[0]!;
    return `leaves with status ${code}${said === "" ? "" : ` (${said})`}`;
  }
  const isRead = stdout.trim() === "" ||
    ANSWER_KEYS.some((key) => memberOf(parsed(stdout), key) !== undefined);
  return isRead ? null : "answers with something that Claude Code does not understand";
}

function speaks({ at, value }: Trial, stdout: string): boolean {
  const found = at.reduce(memberOf, parsed(stdout));
  return value === undefined ? found !== undefined : found === value;
}

/**
 * Runs a line with the stage as its home. The shell expands the words of the command before the assignment in front
 * counts: it still finds `"$HOME/bin/conclaude"` in the person's home, and that program works in the stage.
 */
function run(
  line: string,
  { stage, stdin, timeoutMs, environment }: {
    readonly stage: Stage;
    readonly stdin: string;
    readonly timeoutMs: number;
    readonly environment: Environment;
  },
): Promise<LineEnd> {
  // Deno keeps what it has fetched for a script in the home, unless a variable names another place.
  const cache = OS === "darwin" ? "$HOME/Library/Caches" : "${XDG_CACHE_HOME:-$HOME/.cache}";
  const script = readHookCommand(line).script === null
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
