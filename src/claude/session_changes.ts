/** Reads hook events: which sub-agents of a session begin or end, and which questions it asks a person. */
import { quietly } from "../base/errors.ts";
import { ownValue } from "../base/mapping.ts";

export interface ToldQuestion {
  readonly source: "notification" | "elicitation";
  readonly type: "permission" | "choice" | "input";
  readonly text: string;
  readonly options: readonly string[];
}

/** Tells whether Claude Code asks this question in its own session. A person then answers it there. */
export function isOfSession({ source }: { readonly source: string }): boolean {
  return source === "notification" || source === "elicitation";
}

/** Which open questions of a session are settled. */
export type Settled = "all" | "permissions" | "elicitations";

/** One change that an event tells: of a sub-agent, a question or a task. Plain data, so it can wait in the spool. */
export type SessionChange =
  /** An agent of the daemon started the session for a task. */
  | { readonly kind: "task"; readonly taskId: string; readonly agentId: string | null }
  /** `seen`: it runs unless it has already ended. */
  | {
    readonly kind: "agent";
    readonly agentId: string;
    readonly name: string;
    readonly now: "running" | "seen" | "completed";
    readonly worktree: string | null;
  }
  | ({ readonly kind: "question" } & ToldQuestion)
  /** The person has answered a server's question whose text begins like this. */
  | { readonly kind: "answer"; readonly beginning: string; readonly answer: string }
  | { readonly kind: "settled"; readonly which: Settled }
  /** The session is over, and so are its sub-agents and questions. */
  | { readonly kind: "over" };

/** An event with secrets masked, and its working tree when that is not the main one. */
export interface ToldEvent {
  readonly name: string;
  readonly own: Readonly<Record<string, unknown>>;
  readonly worktree: string | null;
}

/** The longest text of a question or an answer, in characters. */
export const MAX_TEXT_CHARS = 2_000;
/** The longest name, in characters; longer ones are cut. */
export const MAX_NAME_CHARS = 256;
const MAX_OPTIONS = 50;

const UNNAMED = "subagent";

const SETTLES: Readonly<Record<string, SessionChange>> = {
  Stop: { kind: "settled", which: "all" },
  StopFailure: { kind: "settled", which: "all" },
  UserPromptSubmit: { kind: "settled", which: "all" },
  PostToolUse: { kind: "settled", which: "permissions" },
  PostToolUseFailure: { kind: "settled", which: "permissions" },
  PostToolBatch: { kind: "settled", which: "permissions" },
  SessionEnd: { kind: "over" },
};

const CHANGES: Readonly<Record<string, (event: ToldEvent) => readonly SessionChange[]>> = {
  SubagentStart: (event) => agentOf(event, "running"),
  // Compacting also ends with this event: its agent has no type and no start.
  SubagentStop: (event) => event.own["agent_type"] === "" ? [] : agentOf(event, "completed"),
  PostToolUse: agentAnswerOf,
  Notification: notificationOf,
  Elicitation: elicitationOf,
  ElicitationResult: resultOf,
};

/** Returns the change of an event that settles questions; null for other events. */
export function settledBy(eventName: string): SessionChange | null {
  return ownValue(SETTLES, eventName) ?? null;
}

/** Reads the changes of sub-agents and questions from an event. Odd fields give no change; it never throws. */
export function toldBy(event: ToldEvent): readonly SessionChange[] {
  return ownValue(CHANGES, event.name)?.(event) ?? [];
}

function agentOf(
  { own, worktree }: ToldEvent,
  now: "running" | "completed",
): readonly SessionChange[] {
  const agentId = nameIn(own, "agent_id");
  const name = nameIn(own, "agent_type") ?? UNNAMED;
  return agentId === null ? [] : [{ kind: "agent", agentId, name, now, worktree }];
}

/** Reads the answer of the tool that starts a sub-agent; it comes at once for a background agent, else at its end. */
function agentAnswerOf({ own }: ToldEvent): readonly SessionChange[] {
  const response = own["tool_response"];
  const agentId = nameIn(response, "agentId");
  if (agentId === null) return [];
  const name = nameIn(response, "agentType") ?? nameIn(own["tool_input"], "subagent_type") ??
    UNNAMED;
  const now = nameIn(response, "status") === "completed" ? "completed" : "seen";
  const worktree = textIn(response, "worktreePath");
  return [{ kind: "agent", agentId, name, now, worktree }];
}

/** The notifications that matter. That Claude waits for a prompt, or has finished, is not a question. */
const NOTIFICATIONS: Readonly<Record<string, "permission" | "input" | "over">> = {
  permission_prompt: "permission",
  agent_needs_input: "input",
  elicitation_dialog: "input",
  elicitation_url_dialog: "input",
  elicitation_complete: "over",
  elicitation_response: "over",
};

function notificationOf({ own }: ToldEvent): readonly SessionChange[] {
  const typeName = nameIn(own, "notification_type") ?? "";
  const type = ownValue(NOTIFICATIONS, typeName) ?? null;
  if (type === null) return [];
  if (type === "over") return [{ kind: "settled", which: "elicitations" }];
  const text = textIn(own, "message");
  if (text === null) return [];
  return [{ kind: "question", source: "notification", type, text, options: [] }];
}

function elicitationOf({ own }: ToldEvent): readonly SessionChange[] {
  const message = [textIn(own, "message"), textIn(own, "url")].filter((part) => part !== null);
  const options = optionsOf(own["requested_schema"]);
  const text = clip(beginningOf(own) + message.join("\n"));
  const type = options.length > 0 ? "choice" : "input";
  return [{ kind: "question", source: "elicitation", type, text, options }];
}

function resultOf({ own }: ToldEvent): readonly SessionChange[] {
  const settled: SessionChange = { kind: "settled", which: "elicitations" };
  if (own["action"] !== "accept") return [settled];
  const answer = answerText(own["content"]);
  return [{ kind: "answer", beginning: beginningOf(own), answer }, settled];
}

function beginningOf(own: ToldEvent["own"]): string {
  return `${nameIn(own, "mcp_server_name") ?? "a server"}: `;
}

/** Returns the options of a form with a single field that is a list. */
function optionsOf(schema: unknown): readonly string[] {
  const properties = Object.values(Object(Object(schema).properties));
  const [first] = properties;
  const listed: unknown = properties.length === 1 ? Object(first).enum : undefined;
  if (!Array.isArray(listed)) return [];
  return listed.filter((option): option is string => typeof option === "string")
    .slice(0, MAX_OPTIONS).map((option) => clip(option, MAX_NAME_CHARS));
}

/** Returns the single value of an answer; of several values, their JSON. */
function answerText(content: unknown): string {
  const values = Object.values(Object(content));
  const [value] = values;
  if (values.length === 1 && typeof value !== "object") return clip(String(value));
  // `JSON.stringify()` fails on values that are nested too deeply.
  return clip(quietly(() => JSON.stringify(content ?? {})) ?? "");
}

function nameIn(fields: unknown, name: string): string | null {
  const text = textIn(fields, name);
  return text === null ? null : clip(text, MAX_NAME_CHARS);
}

/** Returns a text that is safe to store; null for anything else. */
function textIn(fields: unknown, name: string): string | null {
  const value: unknown = Object(fields)[name];
  if (typeof value !== "string") return null;
  const text = clip(value);
  return text === "" ? null : text;
}

function clip(text: string, maxChars = MAX_TEXT_CHARS): string {
  return text.replaceAll("\0", "").slice(0, maxChars).toWellFormed().trim();
}
