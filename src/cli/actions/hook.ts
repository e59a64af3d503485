import type { CliContext } from "../context.ts";
import { explanationText } from "../rule_table.ts";
import { type Trial, tryEvent } from "../tried_event.ts";
import type { View } from "../view.ts";

/** `conclaude hook [EVENT]`, when it comes through the command line after all, and `conclaude hook --dry-run`. */
export async function runHookHere(
  context: CliContext,
  flags: { readonly dryRun: boolean; readonly conclaude: boolean },
  event?: string,
): Promise<View> {
  if (flags.dryRun) return await tryHook(context, event);
  const { globals } = context;
  const { runHook } = await import("../../hook/run.ts");
  return await runHook([
    ...(event === undefined ? [] : [event]),
    ...(globals.db === undefined ? [] : ["--db", globals.db]),
    ...(globals.noDb ? ["--no-db"] : []),
  ]);
}

/** What a hook would answer, and why; nothing is changed. */
async function tryHook(context: CliContext, name: string | undefined): Promise<View> {
  const { readEvent } = await import("../../hook/dry_run.ts");
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
