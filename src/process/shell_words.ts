/** Which shell runs what a person has written for one. */

/** The script comes as the first argument, never as text of this one. */
const PICK_SHELL = `if command -v bash >/dev/null 2>&1; then exec bash -c "$@"; fi
exec /bin/sh -c "$@"`;

/**
 * The words that run a script: by `bash`, which is what people write for; where there is none, by the shell that is.
 *
 * @param args What the script has as `$1` and up.
 */
export function shellWords(script: string, args: readonly string[] = []): string[] {
  const words = [script, "conclaude", ...args];
  return Deno.build.os === "windows"
    ? ["bash", "-c", ...words]
    : ["/bin/sh", "-c", PICK_SHELL, "sh", ...words];
}
