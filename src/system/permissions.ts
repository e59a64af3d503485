/** Lists the program's permissions: no dynamic libraries, and only the variables below. `main.ts` drops the network. */
import { OS } from "./environment.ts";

export type System = "linux" | "darwin" | "windows";

/** Every environment variable that the program reads, and what for. Any other one reads as unset. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  CLAUDE_CODE_SESSION_ID: "The session that a command runs in; Claude Code sets it.",
  CLAUDE_CONFIG_DIR: "Where Claude Code keeps its settings, instead of `~/.claude`.",
  CLAUDE_PID: "The process of Claude Code, which tells whether a session still lives.",
  CLAUDE_PLUGIN_ROOT: "The folder of the plugin whose hook runs; Claude Code sets it.",
  CLAUDE_PROJECT_DIR: "The project of a session; Claude Code sets it for hooks.",
  COLUMNS: "How wide lists are; without it the terminal says so, or it is 80.",
  CONCLAUDE_AGENT_ID: "The agent that a command runs in; the daemon sets it.",
  CONCLAUDE_DB_PATH: "The database; outranks `database.path`, and `--db` outranks it.",
  CONCLAUDE_MEMORY: "`off` keeps nothing of what a session says and does; set it for Claude Code.",
  CONCLAUDE_SUMMARIZER: "Set while the summarizer runs, so that its own session is not recorded.",
  CONCLAUDE_TASK_ID: "The task that a command works for; the daemon sets it.",
  CONCLAUDE_TOKEN: "The token with which a script runs the verbs of a person.",
  HOME: "The home: `.conclaude` and `.claude` lie in it.",
  NO_COLOR: "Any value switches colours off.",
  PATH: "Where `git`, `claude` and conclaude itself are found.",
  TEMP: "The folder of temporary files on Windows.",
  USERPROFILE: "The home where `HOME` is not set, as on Windows.",
  XDG_CONFIG_HOME:
    "Where git keeps the user's settings, instead of `~/.config`; its aliases are read there.",
};

export const ENVIRONMENT_NAMES: readonly string[] = Object.keys(ENVIRONMENT);

const SYSTEM_FACTS: readonly string[] = ["uid", "gid", "getPriority", "statfs"];

/** The programs that may be started: one that reads `/proc`, and a shell, which starts git and configured commands. */
const PROGRAMS: Readonly<Record<System, readonly string[]>> = {
  linux: ["/bin/cat", "/bin/sh"],
  darwin: ["/bin/ps", "/bin/sh"],
  windows: ["git", "bash", "powershell"],
};

/** Returns the permissions, as flags of `deno run` and `deno compile`. */
export function permissionFlags(system: System): string[] {
  return [
    "--no-prompt",
    // The database, the settings and the projects may lie anywhere.
    "--allow-read",
    "--allow-write",
    `--allow-env=${ENVIRONMENT_NAMES.join(",")}`,
    // A library that looks for `TERM` finds it unset, instead of failing.
    "--ignore-env",
    `--allow-sys=${SYSTEM_FACTS.join(",")}`,
    `--allow-run=${PROGRAMS[system].join(",")}`,
    // The path of the daemon's socket is not known before the start, and the runtime has no narrower permission.
    "--allow-net",
  ];
}

/**
 * Flags of the engine. A hook lives for 25 ms, so helper threads cost more than they gain, and so does machine code for
 * what runs a few times: functions get none before the optimiser, patterns only after 20 uses or on a long text. When a
 * user's pattern backtracks without end, an engine that does not backtrack takes over. The young heap is collected only
 * every eight megabytes, which few hooks reach.
 */
const ENGINE_FLAG = `--v8-flags=${
  [
    "--single-threaded",
    "--enable-experimental-regexp-engine-on-excessive-backtracks",
    "--min-semi-space-size=8",
    "--max-semi-space-size=8",
    "--no-sparkplug",
    "--regexp-tier-up-ticks=20",
    "--expose-gc",
  ].join()
}`;

/** Flags of the runtime: those of the engine, and the one that lets the bundle import a file as bytes. */
export const RUNTIME_FLAGS: readonly string[] = [ENGINE_FLAG, "--unstable-raw-imports"];

export function thisSystem(): System {
  return OS === "windows" || OS === "darwin" ? OS : "linux";
}
