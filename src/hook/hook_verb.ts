import type { CliContext } from "../operations/context.ts";
import { optional, parsed, toggle } from "../operations/flags.ts";
import { explanationText, type Trial, tryEvent } from "./tried_event.ts";
import { verb } from "../operations/verb.ts";
import type { View } from "../operations/view.ts";

/** `conclaude hook [EVENT]`. `main.ts` handles hooks itself; only `--help` and `--dry-run` come through here. */
export const hook = verb({
  args: [
    optional(
      parsed(String, "Name of the event; without it the one in the payload counts", "event"),
    ),
  ],
  flags: {
    dryRun: toggle("Show the answer and what every rule says, and change nothing"),
    conclaude: toggle("Changes nothing: it tells `install-hooks` whose command it is"),
  },
  about:
    "What `install-hooks` makes Claude Code call. It always leaves with status 0; what goes wrong is in the log, " +
    "and `conclaude doctor` tells of it. With --dry-run it says for a person what would be answered and why: nothing " +
    "is written, and with --json it prints the answer alone.",
  examples: [
    "conclaude hook PostToolUse < payload.json",
    "conclaude hook PreToolUse --dry-run < payload.json",
    "conclaude hook --db /tmp/try.db < payload.json",
  ],
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
  const { readEvent } = await import("./dry_run.ts");
  const tried = await readEvent(name, {
    home: context.locations.home,
    environment: context.environment,
  });
  const trial = await tryEvent(context, tried.projectDir ?? context.cwd, () => tried);
  const { event, use } = tried;
  const { answer, sayings } = trial;
  const lines = [`${event.name}${use === null ? "" : ` of ${use.tool}`}: ${resultOf(trial)}`];
  if (use !== null) {
    lines.push(
      sayings.length === 0 ? "There are no rules here." : explanationText(trial, context.globals),
    );
  }
  if (answer) lines.push("", JSON.stringify(answer, null, 2));
  return { json: answer ?? {}, text: lines.join("\n") };
}

function resultOf({ tried: { event, problem }, answer, decision, isLifted }: Trial): string {
  if (problem !== null) return `${problem}: it would be noted, and answered with nothing.`;
  if (answer === undefined) return "what it would be answered is not known without doing it.";
  if (isLifted) return "allowed: a person has lifted the rules.";
  if (decision === "deny") return "denied.";
  if (decision === "allow") return "allowed.";
  if (event.name === "PermissionRequest") return "the person would be asked.";
  return event.name === "PreToolUse" ? "allowed." : "nothing is forbidden.";
}
