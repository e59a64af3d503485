import type { Verb, VerbGroup } from "./command.ts";

/** Every verb, in the order in which people should meet them: each is loaded when it is asked for. */
export const VERBS: Readonly<Record<string, () => Promise<Verb | VerbGroup>>> = {
  installHooks: async () => (await import("./commands/install_hooks.ts")).installHooks,
  uninstallHooks: async () => (await import("./commands/install_hooks.ts")).uninstallHooks,
  status: async () => (await import("./commands/status.ts")).status,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  session: async () => (await import("./commands/session.ts")).session,
  audit: async () => (await import("./commands/audit.ts")).audit,
  queue: async () => (await import("./commands/queue.ts")).queue,
  counter: async () => (await import("./commands/counter.ts")).counter,
  task: async () => (await import("./commands/task.ts")).task,
  workflow: async () => (await import("./commands/workflow.ts")).workflow,
  agent: async () => (await import("./commands/agent.ts")).agent,
  question: async () => (await import("./commands/question.ts")).question,
  event: async () => (await import("./commands/event.ts")).event,
  daemon: async () => (await import("./commands/daemon.ts")).daemon,
  migrate: async () => (await import("./commands/migrate.ts")).migrate,
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
