import type { CliContext } from "../operations/context.ts";
import { optional, parsed, toggle } from "../operations/flags.ts";
import { heldText } from "../operations/look_as_hook.ts";
import { eventOnStdin, explanationText, stopText, type Trial, tryEvent } from "./dry_run.ts";
import { verb, type View } from "../operations/verb.ts";

/** `conclaude hook [EVENT]`. `main.ts` handles hooks itself, so only `--help` and `--dry-run` come here. */
export const hook = verb({
  args: [optional(parsed(String, "Name of the event; by default the one in the payload", "event"))],
  flags: {
    dryRun: toggle("Show the answer and what every rule says, and change nothing"),
    conclaude: toggle("Changes nothing: it tells `install-hooks` whose command it is"),
  },
  async run(context, flags, event) {
    if (flags.dryRun) return await tryHook(context, event);
    const { globals } = context;
    const { runHook } = await import("./run.ts");
    return await runHook([
      ...(event === undefined ? [] : [event]),
      ...(globals.db === undefined ? [] : ["--db", globals.db]),
      ...(globals.noDb ? ["--no-db"] : []),
    ]);
  },
});

async function tryHook(context: CliContext, name: string | undefined): Promise<View> {
  const { locations: { home }, environment } = context;
  if (environment.isTerminal("stdin")) {
    context.process.stderr.write(
      "The payload is read from this terminal; Ctrl-D ends it, or begins without one.\n",
    );
  }
  const tried = await eventOnStdin(name, { home, environment });
  const trial = await tryEvent(context, tried.projectDir ?? context.cwd, () => tried);
  const { event, use } = tried;
  const { answer } = trial;
  context.process.stderr.write(heldText(trial.config));
  const lines = [`${event.name}${use === null ? "" : ` of ${use.tool}`}: ${resultOf(trial)}`];
  if (use !== null) lines.push(explanationText(trial, { all: true }));
  if (event.name === "Stop") lines.push(...stopText(trial.config));
  if (answer) lines.push("", JSON.stringify(answer, null, 2));
  return { json: answer ?? {}, text: lines.join("\n") };
}

function resultOf({ tried: { event, problem }, answer, decision, isLifted }: Trial): string {
  if (problem !== null) return `${problem}: it would be noted, and answered with nothing.`;
  if (answer === undefined) return "its answer is known only once it is done.";
  if (isLifted) return "allowed: a person has lifted the rules.";
  if (decision === "deny") return "denied.";
  if (decision === "allow") return "allowed.";
  if (event.name === "PermissionRequest") return "the person would be asked.";
  return event.name === "PreToolUse" ? "allowed." : "nothing is forbidden.";
}
