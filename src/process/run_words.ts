/** Runs a program to its end, in the environment that this process was given, and keeps what it says. */
import { endGroup, startWords } from "./start.ts";

/** How a program has ended. */
export interface WordsEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program; it has a process group of its own, which is ended when it takes too long.
 *
 * @param words The program and its arguments.
 * @returns Null when it did not end in time.
 * @throws {Error} When it cannot be started.
 */
export async function runWords(
  words: readonly string[],
  { folder, variables = {}, timeoutMs }: {
    readonly folder: string;
    readonly variables?: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
  },
): Promise<WordsEnd | null> {
  const child = startWords(words, { folder, variables, stdout: "piped", stderr: "piped" });
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), timeoutMs);
  const output = await Promise.race([child.output(), late.promise]);
  clearTimeout(timer);
  if (output === null) {
    await endGroup(child);
    return null;
  }
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code: output.code, stdout: text(output.stdout), stderr: text(output.stderr) };
}
