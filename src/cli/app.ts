import {
  type Application,
  buildApplication,
  buildRouteMap,
  type Command,
  type RouteMap,
} from "@stricli/core";
import type { CliContext, Globals } from "./context.ts";
import { HELP_FLAG, VERSION_FLAG } from "./help.ts";
import { camel, usageText } from "./usage.ts";

type Target = Command<CliContext> | RouteMap<CliContext>;

/** Every verb, in the order in which people should meet them: each is loaded when it is asked for. */
const VERBS: Readonly<Record<string, () => Promise<Target>>> = {
  installHooks: async () => (await import("./commands/install_hooks.ts")).installHooks,
  uninstallHooks: async () => (await import("./commands/install_hooks.ts")).uninstallHooks,
  status: async () => (await import("./commands/status.ts")).status,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  session: async () => (await import("./commands/session.ts")).session,
  audit: async () => (await import("./commands/audit.ts")).audit,
  queue: async () => (await import("./commands/queue.ts")).queue,
  counter: async () => (await import("./commands/counter.ts")).counter,
  task: async () => (await import("./commands/task.ts")).task,
  event: async () => (await import("./commands/event.ts")).event,
  guard: async () => (await import("./commands/guard.ts")).guard,
  req: async () => (await import("./commands/req.ts")).req,
  explain: async () => (await import("./commands/explain.ts")).explain,
  config: async () => (await import("./commands/config.ts")).config,
  db: async () => (await import("./commands/db.ts")).db,
  retention: async () => (await import("./commands/retention.ts")).retention,
  export: async () => (await import("./commands/export.ts")).exportVerb,
  completions: async () => (await import("./commands/completions.ts")).completions,
  hook: async () => (await import("./commands/hook.ts")).hook,
};

/**
 * The command line: a table of verbs. Their actions are loaded when they are run.
 *
 * @param args What is to be run: where it begins with a verb, there is only this one, since no verb is to pay for
 * another; an error also names the verb that it is about.
 */
export async function application(
  { globals }: { readonly globals: Pick<Globals, "color"> },
  args: readonly string[] = [],
): Promise<Application<CliContext>> {
  const verb = camel(args[0] ?? "");
  const names = Object.hasOwn(VERBS, verb) ? [verb] : Object.keys(VERBS);
  const targets = await Promise.all(names.map((name) => VERBS[name]!()));
  const root = buildRouteMap<string, CliContext>({
    routes: Object.fromEntries(names.map((name, i) => [name, targets[i]!])),
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
