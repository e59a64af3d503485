/** The table of verbs: what the command line and the daemon are made of. */
import { camel, kebab } from "./usage.ts";
import { lazy, type LazyVerb, type Verbs } from "./verb.ts";

/** Loads the verbs of other faces. Faces do not import each other, so `main.ts` passes these in. */
export type FaceVerbs = Readonly<
  Record<"mcp" | "daemon" | "ui" | "explain" | "hook", LazyVerb["load"]>
>;

let ofFaces: FaceVerbs | null = null;

export function verbsOfFaces(verbs: FaceVerbs): void {
  ofFaces = verbs;
}

const LOADERS = {
  installHooks: async () => (await import("./verbs/install_hooks_verbs.ts")).installHooks,
  uninstallHooks: async () => (await import("./verbs/install_hooks_verbs.ts")).uninstallHooks,
  plugin: async () => (await import("./verbs/plugin_verbs.ts")).plugin,
  status: async () => (await import("./verbs/status_verbs.ts")).status,
  doctor: async () => (await import("./verbs/doctor_verbs.ts")).doctor,
  session: async () => (await import("./verbs/session_verbs.ts")).session,
  ui: () => ofFaces!.ui(),
  usage: async () => (await import("./verbs/usage_verbs.ts")).usage,
  audit: async () => (await import("./verbs/audit_verbs.ts")).audit,
  memory: async () => (await import("./verbs/memory_verbs.ts")).memory,
  mcp: () => ofFaces!.mcp(),
  queue: async () => (await import("./verbs/queue_verbs.ts")).queue,
  counter: async () => (await import("./verbs/counter_verbs.ts")).counter,
  task: async () => (await import("./verbs/task_verbs.ts")).task,
  workflow: async () => (await import("./verbs/workflow_verbs.ts")).workflow,
  agent: async () => (await import("./verbs/agent_verbs.ts")).agent,
  question: async () => (await import("./verbs/question_verbs.ts")).question,
  event: async () => (await import("./verbs/event_verbs.ts")).event,
  team: async () => (await import("./verbs/team_verbs.ts")).team,
  daemon: () => ofFaces!.daemon(),
  migrate: async () => (await import("./verbs/migrate_verbs.ts")).migrate,
  guard: async () => (await import("./verbs/guard_verbs.ts")).guard,
  req: async () => (await import("./verbs/req_verbs.ts")).req,
  token: async () => (await import("./verbs/token_verbs.ts")).token,
  explain: () => ofFaces!.explain(),
  config: async () => (await import("./verbs/config_verbs.ts")).config,
  db: async () => (await import("./verbs/db_verbs.ts")).db,
  retention: async () => (await import("./verbs/retention_verbs.ts")).retention,
  reconcile: async () => (await import("./verbs/reconcile_verbs.ts")).reconcile,
  export: async () => (await import("./verbs/export_verbs.ts")).exportVerb,
  import: async () => (await import("./verbs/import_verbs.ts")).importVerb,
  completions: async () => (await import("./verbs/completions_verbs.ts")).completions,
  hook: () => ofFaces!.hook(),
} satisfies Record<string, LazyVerb["load"]>;

/** Every verb of the first level by what people do with it, in the order in which they should meet them. */
const TOPICS = {
  Start: {
    installHooks: "Let Claude Code report to conclaude",
    uninstallHooks: "Take conclaude's hooks out again, and its MCP server",
    plugin: "The same as a plugin of Claude Code",
    config: "Configuration files: write, find, show, check",
    completions: "Completion of commands and flags in a shell",
  },
  Look: {
    status: "Show what is known, on one screen",
    session: "Sessions of Claude Code",
    ui: "Open the page: what runs now, and what waits for you",
    memory: "What was done, said and decided, over all sessions",
    usage: "Tokens by day, session, project, model or agent",
  },
  Rules: {
    guard: "Rules that are asked before a tool runs",
    req: "What has to be true before Claude edits, commits or stops",
    explain: "Show what the rules say of a tool use, without doing anything",
  },
  Work: {
    task: "What is to be done, and who does it",
    workflow: "How tasks are worked on: steps, reviews, merges",
    agent: "Processes that work for tasks, and sub-agents of sessions",
    question: "What agents and sessions want to know",
    team: "Share memory and tasks with other machines, over PostgreSQL",
  },
  Care: {
    doctor: "Find out what is wrong, and what to do",
    db: "The database: check, back up, restore, compact",
    retention: "How long state is kept",
    reconcile: "Compare what was captured with Claude Code's own transcripts",
    export: "Write everything as JSON Lines",
    import: "Take over an export, transcripts or another program's memory",
    migrate: "Bring over tasks, workflows and settings from coven",
  },
  "For programs": {
    hook: "Handle one hook event: JSON on stdin, the answer on stdout",
    mcp: "Serve memory to Claude: an MCP server on stdin and stdout",
    daemon: "Answers programs and runs workflows; nothing else needs it",
    token: "Print a token for a script of your own",
    queue: "Captured tool uses that wait to be worked in",
    audit: "The audit trail: every hook event that was handled",
    event: "What changed of tasks, agents and workflows",
    counter: "Numbers that sessions count",
  },
} satisfies Readonly<Record<string, { readonly [Name in keyof typeof LOADERS]?: string }>>;

/** The headings of the first page of help, with the names of their verbs. */
export const HEADINGS = Object.entries(TOPICS)
  .map(([heading, verbs]) => ({ heading, names: Object.keys(verbs) }));

export const VERBS: Readonly<Record<string, LazyVerb>> = Object.fromEntries(
  Object.values(TOPICS).flatMap((verbs) => Object.entries(verbs))
    .map(([name, brief]) => [name, lazy(brief, LOADERS[name as keyof typeof LOADERS])]),
);

/** The verb that words begin with, as they are typed, and what comes behind; null for none. */
export async function findVerb(words: readonly string[]) {
  let verb: Verbs[string] | undefined = typedIn(VERBS, words[0]);
  let at = 1;
  while (verb !== undefined && verb.kind !== "verb") {
    verb = verb.kind === "lazy" ? await verb.load() : typedIn(verb.verbs, words[at++]);
  }
  return verb === undefined ? null : { verb, rest: words.slice(at) };
}

/** What a table holds under the name as it is typed: `set-priority`. */
export function typedIn<Value>(
  table: Readonly<Record<string, Value>>,
  typed = "",
): Value | undefined {
  const name = camel(typed);
  return kebab(name) === typed && Object.hasOwn(table, name) ? table[name] : undefined;
}
