/** Runs the real program on a real terminal, which only Python's standard library gives without further packages. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { programStart, type StartOptions } from "./process.ts";
import { needsTools, needsUnix } from "./requirements.ts";

/** Something that happens on the terminal, and what its screen must show then. */
export interface TerminalStep {
  /** What is typed. */
  readonly type?: string;
  /** A signal for the program, by its number. */
  readonly signal?: number;
  readonly resize?: readonly [rows: number, columns: number];
  /** A database that loses its observations before anything is typed. */
  readonly spoil?: string;
  /** A regular expression of Python. */
  readonly until: string;
}

/** What was seen. */
export interface OnTerminal {
  /** The screen after each step, without blanks at the ends of lines. */
  readonly screens: readonly string[];
  /** The screen after the end; before the program it had the line `before`. */
  readonly last: string;
  readonly cursor: readonly [row: number, column: number];
  /** Below 0: the signal that ended it. */
  readonly status: number;
  /** Whether the settings of the terminal (raw, echo) are those of before. */
  readonly settingsKept: boolean;
  readonly isAlternate: boolean;
  readonly isCursorShown: boolean;
}

const DRIVER = fileURLToPath(new URL("terminal.py", import.meta.url));

/** Null where {@linkcode runOnTerminal} can run; else why not. */
export function needsTerminal(): string | null {
  return needsUnix() ?? needsTools("python3");
}

/** Runs the program on a terminal of 80 columns. It fails when a step waits 20 seconds in vain. */
export async function runOnTerminal(
  args: readonly string[],
  steps: readonly TerminalStep[],
  { rows = 24, ...options }: StartOptions & { readonly rows?: number },
): Promise<OnTerminal> {
  const { command, args: words, env: { COLUMNS: _wide, ...env }, cwd } = programStart(
    args,
    options,
  );
  const asked = { words: [command, ...words], env, cwd, rows, columns: 80, steps };
  const { stdout, stderr } = await new Deno.Command("python3", {
    args: [DRIVER, JSON.stringify(asked)],
  }).output();
  const decoder = new TextDecoder();
  const { failed, ...seen } = JSON.parse(decoder.decode(stdout) || "{}");
  assert.equal(decoder.decode(stderr), "");
  assert.equal(failed, null, `waited in vain: ${JSON.stringify(failed, null, 1)}`);
  return seen;
}

/** Runs a script of the shell on a terminal of 80 columns, `"$@"` being the program. @returns The bytes as they were written. */
export async function writtenOnTerminal(script: string, options: StartOptions): Promise<string> {
  const { command, args, env: { COLUMNS: _wide, ...env }, cwd } = programStart([], options);
  const spawn = "import pty, sys; pty.spawn(sys.argv[1:])";
  const words = ["sh", "-c", `stty cols 80 rows 24; ${script}`, "sh", command, ...args];
  const { stdout } = await new Deno.Command("python3", {
    args: ["-c", spawn, ...words],
    clearEnv: true,
    env: { TERM: "xterm", ...env },
    cwd,
    stdin: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}
