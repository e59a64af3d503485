/** Passes a text to a shell command that a person has configured, and reads its answer. */
import { messageOf, quietly } from "../../base/errors.ts";
import { run, type RunOptions } from "./run_program.ts";
import { shellWords } from "./start.ts";

/** How a command ended. One that did not end by itself was ended together with its child processes. */
export type FilterEnd =
  | {
    readonly kind: "ended";
    readonly code: number;
    readonly stdout: string;
    /** Whether the answer was UTF-8. */
    readonly isUtf8: boolean;
    /** The beginning of its error output. */
    readonly stderr: string;
  }
  | { readonly kind: "late" | "tooLong" | "stopped" }
  | { readonly kind: "unstarted"; readonly why: string };

type FilterOptions =
  & Pick<RunOptions, "folder" | "timeoutMs">
  & Required<Pick<RunOptions, "input" | "variables" | "signal">>
  & {
    /** The command is ended when its answer is longer, in UTF-16 units. */
    readonly maxChars: number;
    /** A variable as `NAME=value`: finds the processes that have left the command's group when the command is ended. */
    readonly mark: string;
  };

const MAX_STDERR_BYTES = 4_096;

/** The most bytes that UTF-8 takes for a UTF-16 unit. */
const MAX_BYTES_A_CHAR = 3;

/**
 * A script that starts a loop in the background and becomes the command. Every second, the loop checks whether the
 * process that waits for the command still lives. When it does not, or the time is long over, the loop kills the
 * process group. The loop ends with the command, is not a child of it, and holds no output open.
 */
const WATCHED = `parent=$1 seconds=$2; shift 2
( (
  n=0
  while kill -s 0 "$parent" && [ "$n" -lt "$seconds" ]; do
    sleep 1 && kill -s 0 "$$" || exit 0
    n=$((n + 1))
  done
  kill -s KILL -- "-$$"
) </dev/null >/dev/null 2>&1 & )
exec "$@"`;

/** How long after its timeout the loop kills a command that still runs, in milliseconds. */
const WATCH_GRACE_MS = 10_000;

/** Returns the words of a command line that ends at most a second after this process. */
function watched(words: readonly string[], timeoutMs: number): readonly string[] {
  if (Deno.build.os === "windows") return words;
  const seconds = Math.ceil((timeoutMs + WATCH_GRACE_MS) / 1_000);
  return ["/bin/sh", "-c", WATCHED, "sh", String(Deno.pid), String(seconds), ...words];
}

/** Runs a command over a text, and no longer than this process lives. Never throws. */
export async function runFilter(command: string, options: FilterOptions): Promise<FilterEnd> {
  const { maxChars, ...rest } = options;
  if (rest.signal.aborted) return { kind: "stopped" };
  try {
    const ran = await run(watched(shellWords(command), rest.timeoutMs), {
      ...rest,
      keep: { stdout: maxChars * MAX_BYTES_A_CHAR, stderr: MAX_STDERR_BYTES },
      endsWhenFull: true,
    });
    await ran.gone;
    if (ran.end.kind === "full") return { kind: "tooLong" };
    if (ran.end.kind !== "ended") return { kind: ran.end.kind };
    const stdout = ran.stdout!.text();
    if (stdout.length > maxChars) return { kind: "tooLong" };
    const { code } = ran.end;
    const isUtf8 = quietly(() => ran.stdout!.text({ fatal: true })) !== undefined;
    return { kind: "ended", code, stdout, isUtf8, stderr: ran.stderr!.text() };
  } catch (thrown) {
    return { kind: "unstarted", why: messageOf(thrown) };
  }
}
