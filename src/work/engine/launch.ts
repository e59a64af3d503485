/** Starts the process of an agent so that a later daemon can find it again. */
import { readProcesses } from "../../system/process/process_identity.ts";
import { startWords } from "../../system/process/start.ts";
import { type AgentFiles, NOT_FOUND } from "./agent_files.ts";
import { mkdirSync, writeTextFileSync } from "../../system/files.ts";

export interface Launch {
  /** The program and its arguments. */
  readonly words: readonly string[];
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly input: string;
}

/** A process that waits for permission to begin. */
export interface Held {
  readonly pid: number;
  /** When it was started, in the system's own format; null where the system does not tell. */
  readonly mark: string | null;
  /** Lets it begin. When this process dies before, the other one leaves without having done anything. */
  release(): Promise<void>;
  /** Settles when it has left, as far as this process is told. */
  readonly left: Promise<void>;
}

/**
 * The shell around an agent. It waits for a line on standard input, and leaves when that ends: whoever started it has
 * died. Then it runs the agent with files as input and output, and writes the exit code. It ignores signals and
 * outlives the agent, also when it has to wait for room on the disk, but leaves when its folder is gone. It removes the
 * variables of a Claude Code session: the daemon may have been started from one, and agents are no part of that
 * session.
 */
const SHELL = `IFS= read -r go || exit 125
input=$1 out=$2 err=$3 begun=$4 exit=$5
shift 5
unset AI_AGENT CLAUDECODE CLAUDE_CODE_CHILD_NOTES_DIR CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT \\
  CLAUDE_CODE_MESSAGING_SOCKET CLAUDE_CODE_MESSAGING_TOKEN CLAUDE_CODE_SESSION_ATTENDED CLAUDE_CODE_SESSION_ID \\
  CLAUDE_CODE_SSE_PORT CLAUDE_ENV_FILE CLAUDE_PID
trap ':' TERM INT HUP
(umask 077; : >"$begun") || exit 125
if command -v -- "$1" >/dev/null 2>&1; then
  "$@" <"$input" >>"$out" 2>>"$err"
  code=$?
else
  printf '%s: not found\\n' "$1" >>"$err"
  code="${NOT_FOUND}"
fi
until (umask 077; printf '%s\\n' "$code" >"$exit.new") && mv -f "$exit.new" "$exit"; do
  [ -d "\${exit%/*}" ] || exit 125
  sleep 1
done 2>/dev/null`;

/**
 * Starts a process that does nothing until it is released.
 *
 * @throws {Error} When it cannot be started, or its files cannot be made.
 */
export function hold(launch: Launch & { readonly id: string }, files: AgentFiles): Held {
  mkdirSync(files.folder, { recursive: true, mode: 0o700 });
  for (
    const [path, text] of [[files.input, launch.input], [files.stdout, ""], [files.stderr, ""]]
  ) {
    writeTextFileSync(path!, text!, { mode: 0o600 });
  }
  const child = startWords([
    "/bin/sh",
    "-c",
    SHELL,
    `conclaude-agent-${launch.id}`,
    files.input,
    files.stdout,
    files.stderr,
    files.begun,
    files.exit,
    ...launch.words,
  ], {
    folder: launch.folder,
    variables: launch.variables,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  });
  return {
    pid: child.pid,
    mark: readProcesses([child.pid]).get(child.pid)?.mark ?? null,
    left: child.status.then(() => {}, () => {}),
    async release() {
      const writer = child.stdin.getWriter();
      try {
        await writer.write(new TextEncoder().encode("go\n"));
        await writer.close();
      } catch {
        // It has left already; whoever follows it notices.
      }
    },
  };
}
