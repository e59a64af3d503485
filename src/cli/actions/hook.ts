import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../../config/hook_config.ts";
import type { TriedEvent } from "../../hook/dry_run.ts";
import { isThere } from "../../maintenance/whole_file.ts";
import { databaseAt } from "../../paths.ts";
import { openDatabase } from "../../store/database.ts";
import type { CliContext } from "../context.ts";
import { peek } from "../policy.ts";
import { explainRequirements } from "../requirement_table.ts";
import { NO_SESSION } from "../requirements_here.ts";
import { explainPermission, explainRules, explanationText } from "../rule_table.ts";
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
  const { answerTo, readEvent } = await import("../../hook/dry_run.ts");
  const { home } = context.locations;
  const tried = readEvent(name, home);
  const { event, use } = tried;
  const folder = tried.projectDir ?? context.cwd;
  const { policy, found: { answer, required } } = await peek(
    context,
    folder,
    async (db, config, policy) => ({
      answer: await answerTo(tried, { config, db: db ?? await freshStore(context, config), home }),
      required: use === null || event.name !== "PreToolUse" ? [] : (await explainRequirements(
        { config, policy },
        use,
        { db, folder, sessionId: event.sessionId ?? NO_SESSION },
      )).sayings,
    }),
  );
  const explanation = use === null || policy === null ? null : await explainRules(policy, use);
  const isLifted = answer === null && (explanation?.verdict.blocks.length ?? 0) > 0;
  const result = isLifted ? "allowed: a person has lifted the rules." : resultOf(tried, answer);
  const lines = [`${event.name}${use === null ? "" : ` of ${use.tool}`}: ${result}`];
  if (explanation !== null && policy !== null && use !== null) {
    const permissions = event.name === "PermissionRequest"
      ? explainPermission(policy.permission, use.tool)
      : [];
    const sayings = [...explanation.sayings, ...required, ...permissions];
    lines.push(explanationText({ ...explanation, sayings }, context.globals));
  } else if (use !== null) lines.push("There are no rules here.");
  if (answer) lines.push("", JSON.stringify(answer, null, 2));
  return { json: answer ?? {}, text: lines.join("\n") };
}

/** What a hook would begin with where there is no database yet; null where there is one, or shall be none. */
async function freshStore(
  { locations }: CliContext,
  { databaseEnabled, databasePath, busyTimeoutMs }: HookConfig,
): Promise<DatabaseSync | null> {
  if (!databaseEnabled || isThere(databaseAt(locations, databasePath))) return null;
  return await openDatabase(":memory:", { busyTimeoutMs });
}

function resultOf(
  { event, problem }: TriedEvent,
  answer: Readonly<Record<string, unknown>> | null | undefined,
): string {
  if (problem !== null) return `${problem}: it would be noted, and answered with nothing.`;
  if (answer === undefined) return "what it would be answered is not known without doing it.";
  const output = answer?.["hookSpecificOutput"] as
    | { readonly permissionDecision?: unknown; readonly decision?: { readonly behavior?: unknown } }
    | undefined;
  const decision = output?.permissionDecision ?? output?.decision?.behavior;
  if (decision === "deny") return "denied.";
  if (decision === "allow") return "allowed.";
  if (event.name === "PermissionRequest") return "the person would be asked.";
  return event.name === "PreToolUse" ? "allowed." : "nothing is forbidden.";
}
