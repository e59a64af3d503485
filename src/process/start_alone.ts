/** Starts a program that goes on when this one has left: with a session, a group and a log of its own. */
import type { Environment } from "../environment.ts";
import { startWords } from "./start.ts";

/**
 * The shell's whole part: what the program says goes to the end of the log, which is this user's alone, and it becomes the
 * program. What that one makes, and what it starts, has the permissions that the user wants for new files.
 */
const INTO_LOG = 'log=$1; shift; (umask 077; : >>"$log"); exec "$@" >>"$log" 2>&1';

/**
 * Starts a program and does not wait for it.
 *
 * @param words The program and its arguments. @param place `log`: takes its output; `folder`: where it starts.
 * @throws {Error} When it cannot be started.
 */
export function startAlone(
  words: readonly string[],
  { log, folder, environment }: {
    readonly log: string;
    readonly folder: string;
    readonly environment: Pick<Environment, "passedOn">;
  },
): Deno.ChildProcess {
  const all = Deno.build.os === "windows"
    ? words
    : ["/bin/sh", "-c", INTO_LOG, "sh", log, ...words];
  const child = startWords(all, {
    folder,
    variables: {},
    environment,
    stdout: "null",
    stderr: "null",
  });
  child.unref();
  return child;
}
