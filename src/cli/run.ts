import { run } from "@stricli/core";
import { isUserError, UserError } from "../errors.ts";
import { application } from "./app.ts";
import { type CliContext, contextOf, readEnvironment, splitGlobals } from "./context.ts";
import { USAGE } from "./usage.ts";
import { showError } from "./view.ts";

/** The verb that completion scripts call; it must be quick, and leave no trace. */
const COMPLETE = "__complete";

/** Runs the command line and leaves with its exit status: 0 done, 1 could not, 2 usage. */
export async function runCli(args: readonly string[]): Promise<never> {
  if (args[0] === COMPLETE) {
    const { complete } = await import("./complete.ts");
    await complete(args.slice(1));
    Deno.exit(0);
  }
  const { globals, rest, missing } = splitGlobals(args);
  const color = !globals.noColor && readEnvironment().NO_COLOR === undefined &&
    Deno.stdout.isTerminal();
  const context = contextOf({ ...globals, color });
  if (missing !== null) {
    showError(
      context,
      new UserError(`Cannot read the flag ${missing}`, {
        why: "it needs a value",
        next: `give one, for example \`conclaude ${missing} /path/to/conclaude.db status\``,
        exitCode: USAGE,
      }),
    );
  } else {
    try {
      await run(application(context, rest), rest.length === 0 ? ["--help"] : rest, context);
    } catch (thrown) {
      if (isUserError(thrown)) showError(context, thrown);
      else reportQuietly(context, thrown);
    }
  }
  const status = Number(context.process.exitCode ?? 0);
  // The library reports an unknown command or a wrong argument with a negative number.
  Deno.exit(status < 0 ? USAGE : status);
}

/** What broke may be stdout itself (a full disk); then stderr alone can tell. */
function reportQuietly(context: CliContext, thrown: unknown): void {
  try {
    showError({ ...context, globals: { ...context.globals, json: false } }, thrown);
  } finally {
    context.process.exitCode = 1;
  }
}
