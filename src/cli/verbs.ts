import { lazy, type LazyVerb } from "../operations/verb.ts";

/** Loads the verbs of the other faces. Faces do not import each other, so `main.ts` gives these. */
export type FaceVerbs = Readonly<Record<"mcp" | "daemon" | "explain" | "hook", LazyVerb["load"]>>;

let ofFaces: FaceVerbs | null = null;

export function verbsOfFaces(verbs: FaceVerbs): void {
  ofFaces = verbs;
}

/** Every verb of the first level, in the order in which people should meet them. */
export const VERBS: Readonly<Record<string, LazyVerb>> = {
  installHooks: lazy(
    "Let Claude Code report to conclaude",
    async () => (await import("../operations/verbs/install_hooks_verbs.ts")).installHooks,
  ),
  uninstallHooks: lazy(
    "Take conclaude's hooks out again, and its MCP server",
    async () => (await import("../operations/verbs/install_hooks_verbs.ts")).uninstallHooks,
  ),
  status: lazy(
    "Show what is known, on one screen",
    async () => (await import("../operations/verbs/status_verbs.ts")).status,
  ),
  doctor: lazy(
    "Find out what is wrong, and what to do",
    async () => (await import("../operations/verbs/doctor_verbs.ts")).doctor,
  ),
  session: lazy(
    "Sessions of Claude Code",
    async () => (await import("../operations/verbs/session_verbs.ts")).session,
    "list show",
  ),
  audit: lazy(
    "The audit trail: every hook event that was handled",
    async () => (await import("../operations/verbs/audit_verbs.ts")).audit,
    "list stats",
  ),
  memory: lazy(
    "What was done, said and decided, over all sessions",
    async () => (await import("../operations/verbs/memory_verbs.ts")).memory,
    "search show timeline remember eval forget verify stats",
  ),
  mcp: lazy(
    "Serve memory to Claude as tools: an MCP server on stdin and stdout",
    () => ofFaces!.mcp(),
  ),
  queue: lazy(
    "Captured tool uses that wait to be worked in",
    async () => (await import("../operations/verbs/queue_verbs.ts")).queue,
    "list show stats retry drain prune",
  ),
  counter: lazy(
    "Numbers that sessions count",
    async () => (await import("../operations/verbs/counter_verbs.ts")).counter,
    "list get increment reset",
  ),
  task: lazy(
    "What is to be done, and who does it",
    async () => (await import("../operations/verbs/task_verbs.ts")).task,
    "create list ready show update claim renew release complete block unblock start delete restore subtree ancestors children reparent tag history bulk",
  ),
  workflow: lazy(
    "How tasks are worked on: steps, reviews, merges",
    async () => (await import("../operations/verbs/workflow_verbs.ts")).workflow,
    "list show log diff start approve reject retry cancel files preview match",
  ),
  agent: lazy(
    "Processes that work for tasks, and sub-agents of sessions",
    async () => (await import("../operations/verbs/agent_verbs.ts")).agent,
    "list show output kill",
  ),
  question: lazy(
    "What agents and sessions want to know",
    async () => (await import("../operations/verbs/question_verbs.ts")).question,
    "list show answer",
  ),
  event: lazy(
    "What changed of tasks, agents and workflows",
    async () => (await import("../operations/verbs/event_verbs.ts")).event,
    "list",
  ),
  daemon: lazy(
    "The daemon: answers programs, runs workflows; nothing else needs it",
    () => ofFaces!.daemon(),
    "run start stop status logs",
  ),
  migrate: lazy(
    "Bring over tasks, workflows and settings from coven",
    async () => (await import("../operations/verbs/migrate_verbs.ts")).migrate,
  ),
  guard: lazy(
    "Rules that are asked before a tool runs",
    async () => (await import("../operations/verbs/guard_verbs.ts")).guard,
    "list pause resume",
  ),
  req: lazy(
    "Requirements: what has to be true before Claude edits, commits or stops",
    async () => (await import("../operations/verbs/req_verbs.ts")).req,
    "status satisfy approve clear pause resume list prune sessions show explain enable disable init import",
  ),
  token: lazy(
    "Print a token for a script of your own",
    async () => (await import("../operations/verbs/token_verbs.ts")).token,
  ),
  explain: lazy(
    "Show what the rules say of a tool use, without doing anything",
    () => ofFaces!.explain(),
  ),
  config: lazy(
    "Configuration files: write, find, show, check",
    async () => (await import("../operations/verbs/config_verbs.ts")).config,
    "init path trust show validate schema",
  ),
  db: lazy(
    "The database: check, back up, restore, compact",
    async () => (await import("../operations/verbs/db_verbs.ts")).db,
    "path check migrate backup restore vacuum checkpoint stats reset",
  ),
  retention: lazy(
    "How long state is kept",
    async () => (await import("../operations/verbs/retention_verbs.ts")).retention,
    "run",
  ),
  reconcile: lazy(
    "Compare what was captured with Claude Code's own transcripts",
    async () => (await import("../operations/verbs/reconcile_verbs.ts")).reconcile,
  ),
  export: lazy(
    "Write everything as JSON Lines",
    async () => (await import("../operations/verbs/export_verbs.ts")).exportVerb,
  ),
  import: lazy(
    "Take over an export, transcripts, or the memory of another program",
    async () => (await import("../operations/verbs/import_verbs.ts")).importVerb,
    "file claudeMem transcripts",
  ),
  completions: lazy(
    "Completion of commands and flags in a shell",
    async () => (await import("../operations/verbs/completions_verbs.ts")).completions,
    "bash zsh fish powershell",
  ),
  hook: lazy(
    "Handle one hook event of Claude Code: JSON on stdin, the answer on stdout",
    () => ofFaces!.hook(),
  ),
};
