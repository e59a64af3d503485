import { lazy, type LazyVerb } from "../operations/verb.ts";

/** Loads the verbs of other faces. Faces do not import each other, so `main.ts` passes these in. */
export type FaceVerbs = Readonly<Record<"mcp" | "daemon" | "explain" | "hook", LazyVerb["load"]>>;

let ofFaces: FaceVerbs | null = null;

export function verbsOfFaces(verbs: FaceVerbs): void {
  ofFaces = verbs;
}

const LOADERS = {
  installHooks: async () =>
    (await import("../operations/verbs/install_hooks_verbs.ts")).installHooks,
  uninstallHooks: async () =>
    (await import("../operations/verbs/install_hooks_verbs.ts")).uninstallHooks,
  status: async () => (await import("../operations/verbs/status_verbs.ts")).status,
  doctor: async () => (await import("../operations/verbs/doctor_verbs.ts")).doctor,
  session: async () => (await import("../operations/verbs/session_verbs.ts")).session,
  audit: async () => (await import("../operations/verbs/audit_verbs.ts")).audit,
  memory: async () => (await import("../operations/verbs/memory_verbs.ts")).memory,
  mcp: () => ofFaces!.mcp(),
  queue: async () => (await import("../operations/verbs/queue_verbs.ts")).queue,
  counter: async () => (await import("../operations/verbs/counter_verbs.ts")).counter,
  task: async () => (await import("../operations/verbs/task_verbs.ts")).task,
  workflow: async () => (await import("../operations/verbs/workflow_verbs.ts")).workflow,
  agent: async () => (await import("../operations/verbs/agent_verbs.ts")).agent,
  question: async () => (await import("../operations/verbs/question_verbs.ts")).question,
  event: async () => (await import("../operations/verbs/event_verbs.ts")).event,
  daemon: () => ofFaces!.daemon(),
  migrate: async () => (await import("../operations/verbs/migrate_verbs.ts")).migrate,
  guard: async () => (await import("../operations/verbs/guard_verbs.ts")).guard,
  req: async () => (await import("../operations/verbs/req_verbs.ts")).req,
  token: async () => (await import("../operations/verbs/token_verbs.ts")).token,
  explain: () => ofFaces!.explain(),
  config: async () => (await import("../operations/verbs/config_verbs.ts")).config,
  db: async () => (await import("../operations/verbs/db_verbs.ts")).db,
  retention: async () => (await import("../operations/verbs/retention_verbs.ts")).retention,
  reconcile: async () => (await import("../operations/verbs/reconcile_verbs.ts")).reconcile,
  export: async () => (await import("../operations/verbs/export_import_verbs.ts")).exportVerb,
  import: async () => (await import("../operations/verbs/export_import_verbs.ts")).importVerb,
  completions: async () => (await import("../operations/verbs/completions_verbs.ts")).completions,
  hook: () => ofFaces!.hook(),
} satisfies Record<string, LazyVerb["load"]>;

/** Every verb of the first level, in the order in which people should meet them. */
const TEXTS: Readonly<Record<keyof typeof LOADERS, readonly [brief: string, verbs?: string]>> = {
  installHooks: ["Let Claude Code report to conclaude"],
  uninstallHooks: ["Take conclaude's hooks out again, and its MCP server"],
  status: ["Show what is known, on one screen"],
  doctor: ["Find out what is wrong, and what to do"],
  session: ["Sessions of Claude Code", "list show log"],
  audit: ["The audit trail: every hook event that was handled", "list stats"],
  memory: [
    "What was done, said and decided, over all sessions",
    "search list show timeline open context remember eval forget verify stats",
  ],
  mcp: ["Serve memory to Claude as tools: an MCP server on stdin and stdout"],
  queue: ["Captured tool uses that wait to be worked in", "list show stats retry drain prune"],
  counter: ["Numbers that sessions count", "list get increment reset"],
  task: [
    "What is to be done, and who does it",
    "create list ready show update claim renew release complete block unblock start delete restore subtree ancestors children reparent tag history bulk",
  ],
  workflow: [
    "How tasks are worked on: steps, reviews, merges",
    "list show log diff start approve reject retry cancel files preview match",
  ],
  agent: ["Processes that work for tasks, and sub-agents of sessions", "list show output kill"],
  question: ["What agents and sessions want to know", "list show answer"],
  event: ["What changed of tasks, agents and workflows", "list"],
  daemon: [
    "The daemon: answers programs, runs workflows; nothing else needs it",
    "run start stop status logs",
  ],
  migrate: ["Bring over tasks, workflows and settings from coven"],
  guard: ["Rules that are asked before a tool runs", "list pause resume"],
  req: [
    "Requirements: what has to be true before Claude edits, commits or stops",
    "status satisfy approve clear pause resume list prune sessions show explain enable disable init import",
  ],
  token: ["Print a token for a script of your own"],
  explain: ["Show what the rules say of a tool use, without doing anything"],
  config: [
    "Configuration files: write, find, show, check",
    "init path trust show validate accept undo schema",
  ],
  db: [
    "The database: check, back up, restore, compact",
    "path check migrate backup restore vacuum checkpoint stats reset",
  ],
  retention: ["How long state is kept", "run"],
  reconcile: ["Compare what was captured with Claude Code's own transcripts"],
  export: ["Write everything as JSON Lines"],
  import: [
    "Take over an export, transcripts, or the memory of another program",
    "file claudeMem transcripts",
  ],
  completions: ["Completion of commands and flags in a shell", "bash zsh fish powershell"],
  hook: ["Handle one hook event of Claude Code: JSON on stdin, the answer on stdout"],
};

export const VERBS: Readonly<Record<string, LazyVerb>> = Object.fromEntries(
  Object.entries(TEXTS).map((
    [name, [brief, verbs]],
  ) => [name, lazy(brief, LOADERS[name as keyof typeof LOADERS], verbs)]),
);
