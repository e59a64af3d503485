/**
 * Decides which hook runs in which lane: Claude Code waits for the answer of a `sync` hook, and goes on beside an
 * `async` one. It waits for hooks that decide, that answer, or whose state the next gate reads. The others only record.
 */
import { EDITING_TOOLS, SHELL_TOOLS } from "../payload.ts";

/** Every hook event of Claude Code 2.1.329; it ignores any other name in a settings file. */
export const KNOWN_EVENTS = [
  "SessionStart",
  "Setup",
  "InstructionsLoaded",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "MessageDisplay",
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Notification",
  "SubagentStart",
  "SubagentStop",
  "Stop",
  "StopFailure",
  "PreCompact",
  "PostCompact",
  "PreModelSwitch",
  "PostModelSwitch",
  "TaskCreated",
  "TaskCompleted",
  "TeammateIdle",
  "ConfigChange",
  "CwdChanged",
  "FileChanged",
  "DirectoryAdded",
  "WorktreeCreate",
  "WorktreeRemove",
  "Elicitation",
  "ElicitationResult",
  "SessionEnd",
] as const;

export type HookEvent = typeof KNOWN_EVENTS[number];

export type Lane = "sync" | "async";

/**
 * Our handlers under one event: the event's own hook, and the drain, which works captures into memory and takes from
 * the transcript what no hook has kept.
 */
export type HookRole = "event" | "drain";

/** The word in the drain's command in place of an event. */
export const DRAIN_WORD = "Drain";

/** The tools that a hook is about, by name; `*` is every tool. */
export interface NamedTools {
  /** Tools that rules decide about before they are used. */
  readonly asked: readonly string[];
  /** Tools whose end may satisfy a requirement, or use a satisfaction up. */
  readonly followed: readonly string[];
}

/** Which tools a handler gets: those of a matcher, those of a list, or all others. */
type Match = string | readonly ["these" | "others", keyof NamedTools];

export interface LaneRow {
  readonly event: HookEvent;
  readonly lane: Lane;
  readonly role: HookRole;
  /** Absent where everything is let through. */
  readonly match?: Match;
  /** How long Claude Code lets it run. */
  readonly seconds: number;
}

/** Claude Code's own default of 600 seconds would hold up a turn for ten minutes. */
const USUAL_SECONDS = 10;
const SOURCES = "startup|resume|clear|compact|fork";
const row = (
  event: HookEvent,
  lane: Lane,
  rest: Partial<Omit<LaneRow, "event" | "lane">> = {},
): LaneRow => ({ event, lane, role: "event", seconds: USUAL_SECONDS, ...rest });
const drain = { role: "drain", seconds: 60 } as const;

/** The hooks that are installed by default, in the order of a settings file; an event's `sync` row comes first. */
export const LANES: readonly LaneRow[] = [
  row("SessionStart", "sync", { match: SOURCES }),
  row("SessionStart", "async", { ...drain, match: "startup|resume" }),
  // A person waits for a prompt, so its commands get less time than those of a stop.
  row("UserPromptSubmit", "sync", { seconds: 30 }),
  // A slash command satisfies what its skill does.
  row("UserPromptExpansion", "sync"),
  row("PreToolUse", "sync", { match: ["these", "asked"] }),
  row("PermissionRequest", "sync", { match: "*" }),
  row("PostToolUse", "sync", { match: ["these", "followed"] }),
  row("PostToolUse", "async", { match: ["others", "followed"] }),
  row("PostToolUseFailure", "sync", { match: ["these", "followed"] }),
  row("PostToolUseFailure", "async", { match: ["others", "followed"] }),
  row("SubagentStart", "async"),
  row("SubagentStop", "sync", { seconds: 600 }),
  row("Notification", "async"),
  row("PreCompact", "async"),
  row("PostCompact", "async"),
  row("TaskCreated", "async"),
  row("TaskCompleted", "async"),
  row("Stop", "sync", { seconds: 600 }),
  row("Stop", "async", drain),
  // Nothing follows this event, and `claude -p` kills async hooks when it ends.
  row("StopFailure", "sync"),
  row("SessionEnd", "sync"),
];

/** The events that are installed by default. */
export const DEFAULT_EVENTS: readonly HookEvent[] = [...new Set(LANES.map(({ event }) => event))];

/** Returns the rows of an event, never none. An event that is not installed by default is only recorded. */
export function rowsOf(event: string): readonly Omit<LaneRow, "event">[] {
  const rows = LANES.filter((one) => one.event === event);
  return rows.length > 0 ? rows : [{ lane: "async", role: "event", seconds: USUAL_SECONDS }];
}

/** The tools that hooks get without any rule: those that change things, and those that have an answer afterwards. */
const USUAL: NamedTools = {
  asked: [...SHELL_TOOLS, ...EDITING_TOOLS, "Skill", "Agent", "Task"],
  followed: [...SHELL_TOOLS, "Skill", "ExitPlanMode", "Agent", "Task"],
};

/** Tells whether a gate is asked about a tool whatever the rules say. */
export function isAlwaysAsked(tool: string): boolean {
  return USUAL.asked.includes(tool) || isOfServer(tool);
}

/** Returns the matcher that tells Claude Code the tools of a handler; null where no tool is left for it. */
export function matcherOf(match: Match | undefined, named?: NamedTools): string | undefined | null {
  if (typeof match !== "object") return match;
  const [which, list] = match;
  const tools = new Set([...USUAL[list], ...named?.[list] ?? []]);
  if (tools.has("*")) return which === "these" ? "*" : null;
  // The pattern is anchored, since Claude Code looks for it anywhere in a name: `Write` is in `TodoWrite`.
  const these = `(?:${[...tools].filter((tool) => !isOfServer(tool)).join("|")})$|${SERVERS}`;
  return which === "these" ? `^(?:${these})` : `^(?!${these})`;
}

/** How the names of all MCP servers' tools begin. */
const SERVERS = "mcp__";

function isOfServer(tool: string): boolean {
  return tool.startsWith(SERVERS);
}
