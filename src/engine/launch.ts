/** Starts the process of an agent so that it can be found again, whatever becomes of this process. */
import { readProcesses } from "../process/identity.ts";
import { startWords } from "../process/start.ts";
import { type AgentFiles, NOT_FOUND } from "./agent_files.ts";

/** The program to start. */
export interface Launch {
  /** The program and its arguments. */
  readonly words: readonly string[];
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  /** What it reads on standard input. */
  readonly input: string;
}

/** A process that waits to be let go. */
export interface Held {
  readonly pid: number;
  /** As in {@linkcode import("../process/identity.ts").ProcessState}; null where the system does not tell. */
  readonly mark: string | null;
  /** Lets it begin. If this process dies before, it leaves without having done anything. */
  release(): Promise<void>;
  /** Settled when it has left, as far as this process is told. */
  readonly left: Promise<void>;
}

/**
 * The shell around an agent. It waits for one line on its standard input; at the end of it, that is when whoever started
 * it has died, it leaves. Then it runs the agent, whose input and output are files, and writes down how it left. Signals
 * are for the agent: the shell outlives it to tell, also when it has to wait for room on the disk, but not when its folder
 * is gone. A program that is not there is told as such, and not by the name of this shell. What tells a program that it
 * runs inside of a session of Claude Code is taken away: whoever started the daemon from one did not mean the agents to be
 * a part of it.
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
 * Starts a process that does nothing yet.
 *
 * @throws {Error} When it cannot be started, or its files cannot be made.
 */
export function hold(launch: Launch & { readonly id: string }, files: AgentFiles): Held {
  Deno.mkdirSync(files.folder, { recursive: true, mode: 0o700 });
  for (
    const [path, text] of [[files.input, launch.input], [files.stdout, ""], [files.stderr, ""]]
  ) {
    Deno.writeTextFileSync(path!, text!, { mode: 0o600 });
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
        // It has left already; that is seen elsewhere.
      }
    },
  };
}
