/** The table of all verbs, which the command line and the daemon use. */
import { camel, kebab } from "./usage.ts";
import { lazy, type LazyVerb, type Verbs } from "./verb.ts";

/** Loaders of the verbs in other faces' folders. Faces do not import each other, so `main.ts` passes the loaders in. */
export type FaceVerbs = Readonly<
  Record<"mcp" | "daemon" | "ui" | "explain" | "hook", LazyVerb["load"]>
>;

let faceVerbs: FaceVerbs | null = null;

export function setFaceVerbs(verbs: FaceVerbs): void {
  faceVerbs = verbs;
}

/** Every verb of the first level by topic, in the order in which people should meet them. */
const TOPICS: Readonly<Record<string, Readonly<Record<string, LazyVerb["load"]>>>> = {
  Start: {
    installHooks: async () => (await import("./verbs/install_hooks_verbs.ts")).installHooks,
    uninstallHooks: async () => (await import("./verbs/install_hooks_verbs.ts")).uninstallHooks,
    plugin: async () => (await import("./verbs/plugin_verbs.ts")).plugin,
    config: async () => (await import("./verbs/config_verbs.ts")).config,
    completions: async () => (await import("./verbs/completions_verbs.ts")).completions,
  },
  Look: {
    status: async () => (await import("./verbs/status_verbs.ts")).status,
    session: async () => (await import("./verbs/session_verbs.ts")).session,
    ui: () => faceVerbs!.ui(),
    memory: async () => (await import("./verbs/memory_verbs.ts")).memory,
    usage: async () => (await import("./verbs/usage_verbs.ts")).usage,
  },
  Rules: {
    guard: async () => (await import("./verbs/guard_verbs.ts")).guard,
    req: async () => (await import("./verbs/req_verbs.ts")).req,
    explain: () => faceVerbs!.explain(),
  },
  Work: {
    task: async () => (await import("./verbs/task_verbs.ts")).task,
    workflow: async () => (await import("./verbs/workflow_verbs.ts")).workflow,
    agent: async () => (await import("./verbs/agent_verbs.ts")).agent,
    question: async () => (await import("./verbs/question_verbs.ts")).question,
    team: async () => (await import("./verbs/team_verbs.ts")).team,
  },
  Care: {
    doctor: async () => (await import("./verbs/doctor_verbs.ts")).doctor,
    db: async () => (await import("./verbs/db_verbs.ts")).db,
    retention: async () => (await import("./verbs/retention_verbs.ts")).retention,
    reconcile: async () => (await import("./verbs/reconcile_verbs.ts")).reconcile,
    export: async () => (await import("./verbs/export_verbs.ts")).exportVerb,
    import: async () => (await import("./verbs/import_verbs.ts")).importVerb,
    migrate: async () => (await import("./verbs/migrate_verbs.ts")).migrate,
  },
  "For programs": {
    hook: () => faceVerbs!.hook(),
    mcp: () => faceVerbs!.mcp(),
    daemon: () => faceVerbs!.daemon(),
    token: async () => (await import("./verbs/token_verbs.ts")).token,
    queue: async () => (await import("./verbs/queue_verbs.ts")).queue,
    audit: async () => (await import("./verbs/audit_verbs.ts")).audit,
    event: async () => (await import("./verbs/event_verbs.ts")).event,
    counter: async () => (await import("./verbs/counter_verbs.ts")).counter,
  },
};

export const HEADINGS = Object.entries(TOPICS)
  .map(([heading, verbs]) => ({ heading, names: Object.keys(verbs) }));

export const VERBS: Readonly<Record<string, LazyVerb>> = Object.fromEntries(
  Object.values(TOPICS).flatMap(Object.entries).map(([name, load]) => [name, lazy(load)]),
);

/** Returns the verb that the typed words begin with, and the words after it; null if they begin with none. */
export async function findVerb(words: readonly string[]) {
  let verb: Verbs[string] | undefined = typedIn(VERBS, words[0]);
  let at = 1;
  while (verb !== undefined && verb.kind !== "verb") {
    verb = verb.kind === "lazy" ? await verb.load() : typedIn(verb.verbs, words[at++]);
  }
  return verb === undefined ? null : { verb, rest: words.slice(at) };
}

/** Returns the value that a table holds under a name typed as `set-priority`. */
export function typedIn<Value>(
  table: Readonly<Record<string, Value>>,
  typed = "",
): Value | undefined {
  const name = camel(typed);
  return kebab(name) === typed && Object.hasOwn(table, name) ? table[name] : undefined;
}
