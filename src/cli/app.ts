import { type Application, buildApplication, buildRouteMap } from "@stricli/core";
import { audit } from "./commands/audit.ts";
import { completions } from "./commands/completions.ts";
import { config } from "./commands/config.ts";
import { counter } from "./commands/counter.ts";
import { daemon } from "./commands/daemon.ts";
import { db } from "./commands/db.ts";
import { doctor } from "./commands/doctor.ts";
import { event } from "./commands/event.ts";
import { explain } from "./commands/explain.ts";
import { exportVerb } from "./commands/export.ts";
import { guard } from "./commands/guard.ts";
import { hook } from "./commands/hook.ts";
import { installHooks, uninstallHooks } from "./commands/install_hooks.ts";
import { queue } from "./commands/queue.ts";
import { req } from "./commands/req.ts";
import { retention } from "./commands/retention.ts";
import { session } from "./commands/session.ts";
import { status } from "./commands/status.ts";
import { task } from "./commands/task.ts";
import type { CliContext, Globals } from "./context.ts";
import { HELP_FLAG, VERSION_FLAG } from "./help.ts";
import { usageText } from "./usage.ts";

/**
 * The command line: a table of verbs. Their actions are loaded when they are run.
 *
 * @param args What is to be run; an error then names the verb that it is about.
 */
export function application(
  { globals }: { readonly globals: Pick<Globals, "color"> },
  args: readonly string[] = [],
): Application<CliContext> {
  const root = buildRouteMap<string, CliContext>({
    routes: {
      installHooks,
      uninstallHooks,
      status,
      doctor,
      session,
      audit,
      queue,
      counter,
      task,
      event,
      guard,
      req,
      explain,
      config,
      db,
      daemon,
      retention,
      export: exportVerb,
      completions,
      hook,
    },
    docs: {
      brief: "The state engine for Claude Code: one executable, one SQLite database",
      fullDescription: [
        "The state engine for Claude Code: one executable, one SQLite database.",
        "",
        "Examples:",
        "  conclaude install-hooks",
        "  conclaude status --json",
        "  conclaude help session",
      ].join("\n"),
    },
  });
  return buildApplication<CliContext>(root, {
    name: "conclaude",
    scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
    documentation: { disableAnsiColor: !globals.color },
    localization: { text: usageText(root, args) },
  }, { help: HELP_FLAG, version: VERSION_FLAG });
}
