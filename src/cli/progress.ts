import type { CliContext } from "./context.ts";

/**
 * Says on a terminal what takes its time, and takes it away again when it is done. Written to stderr, so that stdout
 * holds the result alone; nothing is said where stderr is no terminal.
 *
 * It is one line that stands still: SQLite does its work in one call, in which nothing can be drawn.
 *
 * @param doing For example `Checking the database`.
 */
export async function withProgress<Result>(
  { process, environment }: Pick<CliContext, "process" | "environment">,
  doing: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  if (!environment.isTerminal("stderr")) return await work();
  process.stderr.write(`${doing} …`);
  try {
    return await work();
  } finally {
    process.stderr.write("\r\x1b[2K");
  }
}
