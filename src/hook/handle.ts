import { type Environment, userId } from "../system/environment.ts";
import type { Answer, HookFlags, HookWork } from "./handler.ts";
import { type Input, readInput } from "./protocol.ts";
import { lstatSync, readDirSync, readTextFileSync } from "../system/files.ts";

interface HandlerModule {
  handle(work: HookWork): Promise<Answer> | Answer;
}

export const HANDLERS: ReadonlyMap<string, () => Promise<HandlerModule>> = new Map([
  ["PostToolUse", () => import("./post_tool_use.ts")],
  ["PostToolUseFailure", () => import("./post_tool_use.ts")],
  ["PreToolUse", () => import("./pre_tool_use.ts")],
  ["PermissionRequest", () => import("./pre_tool_use.ts")],
  ["SessionStart", () => import("./session_start.ts")],
  ["SessionEnd", () => import("./session_end.ts")],
  ["Stop", () => import("./stop.ts")],
  ["UserPromptSubmit", () => import("./user_prompt_submit.ts")],
  ["SubagentStop", () => import("./subagent_stop.ts")],
  // Drain is no event of Claude Code, but a second hook of Stop for which nobody waits.
  ["Drain", () => import("./stop_drain.ts")],
]);
const OTHER_EVENTS = () => import("./other_event.ts");

/** Handles one event. @returns The answer for stdout. @throws {Error} When handling breaks; then nothing is stored. */
export async function handleHook(
  stdin: string | Uint8Array,
  flags: HookFlags,
  environment: Environment,
): Promise<Answer> {
  const input = await readInput(stdin);
  // This stop follows one that was held back. Without a file that may have rules about stops, Claude may stop.
  if (isContinuedStop(input, flags.event) && !mayHoldStop(input.fields, environment)) return null;
  const { beginWork } = await import("./work.ts");
  const work = await beginWork(input, flags, environment);
  const load = (work.problem === null && HANDLERS.get(work.event.name)) || OTHER_EVENTS;
  let answer: Answer = null;
  try {
    answer = await (await load()).handle(work);
  } catch (thrown) {
    if (work.saved === null) throw thrown;
    // The event is stored. A second record of it would say that it was not handled.
    (await import("./failure.ts")).tellBroken(thrown, `the answer to ${work.event.name}`, work);
  }
  if (work.config.notifications !== "") {
    (await import("./notification.ts")).notifyOfEvent(work);
  }
  if (work.isTwin) return decisionOf(answer);
  const { notices } = work;
  return notices.length === 0 ? answer : { ...answer, systemMessage: notices.join("\n") };
}

/** Returns an answer without its text for Claude, which another hook of the event tells. Decisions stay. */
function decisionOf(answer: Answer): Answer {
  if (answer === null) return null;
  const { hookSpecificOutput, ...rest } = answer;
  const { additionalContext: _, ...decided } = Object(hookSpecificOutput);
  const left = Object.keys(decided).length > 1 ? { ...rest, hookSpecificOutput: decided } : rest;
  return Object.keys(left).length === 0 ? null : left;
}

function isContinuedStop(
  input: Input,
  eventName: string | undefined,
): input is Input & { readonly kind: "event" } {
  return input.kind === "event" && input.fields["stop_hook_active"] === true &&
    (eventName ?? input.fields["hook_event_name"]) === "Stop";
}

/** How many folders are searched, upwards from the project's folder: as many as for a configuration file. */
const MAX_FOLDERS = 12;

/** Tells whether a configuration file may hold rules about stops or requirements, so that the stop is judged again. */
function mayHoldStop(
  fields: Readonly<Record<string, unknown>>,
  { variable }: Environment,
): boolean {
  const home = variable("HOME") ?? variable("USERPROFILE");
  if (home !== undefined && speaksOfStops(`${home}/.conclaude`, "config.y")) return true;
  let folder = variable("CLAUDE_PROJECT_DIR") ?? String(fields["cwd"] ?? "");
  for (let visited = 0; folder !== "" && visited < MAX_FOLDERS; visited++) {
    if (speaksOfStops(folder, ".conclaude.")) return true;
    folder = folder.slice(0, Math.max(folder.lastIndexOf("/"), folder.lastIndexOf("\\"), 0));
  }
  return folder === "" && speaksOfStops("/", ".conclaude.");
}

/** Tells whether a file with this beginning of its name mentions `stop` or `requirements`, or is another user's. */
function speaksOfStops(folder: string, beginning: string): boolean {
  try {
    for (const { name } of readDirSync(folder)) {
      if (!name.startsWith(beginning)) continue;
      const path = `${folder}/${name}`;
      const { isFile, uid } = lstatSync(path);
      // The code that reads the configuration decides whether to trust another user's file, or a pipe.
      if (!isFile || uid !== userId()) return true;
      if (/\b(?:stop|requirements)\b/.test(readTextFileSync(path))) return true;
    }
  } catch {
    // The folder is missing, or cannot be read.
  }
  return false;
}
