/** Finds tool uses about which no hook was told, so that only Claude Code's transcript holds them. */
import { quietly } from "../base/errors.ts";
import { EDITING_TOOLS, mayChangeUnseen } from "../claude/payload.ts";
import { hasWrittenRules } from "../config/discover.ts";
import { knownToolUses, PAST_GATE, sessionStart, startOfTurn } from "../db/past_gates.ts";
import { spooledFiles } from "../db/spool.ts";
import { asksAbout } from "../policy/armed_gates.ts";
import { statSync } from "../system/files.ts";
import { linesWith } from "../system/lines_backwards.ts";
import type { Draft, HookWork } from "./handler.ts";

/** How old a change of settings must be, in milliseconds. Claude Code reads changed settings within three seconds. */
const SETTLED_MS = 10_000;
const MAX_TRANSCRIPT_BYTES = 8_000_000;
/** The beginning of a result when a mod answered in place of the tool. Nothing can undo what the mod did. */
const MOD_RESULT = "<tool_use_error>tool.call step resolved";

/** Makes the audit note of this turn's uses that only the transcript holds; null when there are none. */
export function noteOfUnheard(
  work: HookWork,
): Required<Pick<Draft, "metadata" | "counters">> | null {
  const { db, sessionId, transcriptPath: path, config } = work;
  if (db === null || path === null || !hasWrittenRules(config)) return null;
  const uses = quietly(() => {
    const sinceMs = startOfTurn(db, sessionId);
    const known = knownToolUses(db, { sessionId, sinceMs });
    return usesIn(path, sinceMs).filter(({ id }) => !known.has(id));
  }) ?? [];
  const unheard = uses.filter(({ id, tool, atMs }) =>
    wasArmed(work, tool, atMs) && !hadNoAnswer(path, id)
  );
  return unheard.length === 0 ? null : {
    metadata: {
      gate: "not asked",
      unheard: unheard.map(({ id }) => id),
      tools: [...new Set(unheard.map(({ tool }) => tool))],
    },
    counters: unheard.map(() => PAST_GATE),
  };
}

interface ToolUse {
  readonly id: string;
  readonly tool: string;
  readonly atMs: number;
}

/** Returns uses of tools that change things since a moment, if they ended without an error or a mod answered. */
function usesIn(path: string, sinceMs: number): ToolUse[] {
  const ended = new Set<string>();
  const uses: ToolUse[] = [];
  for (const line of linesWith(path, '"tool_use', MAX_TRANSCRIPT_BYTES)) {
    const { timestamp, isSidechain, message } = Object(quietly(() => JSON.parse(line)));
    const atMs = Date.parse(timestamp);
    if (atMs < sinceMs) break;
    if (isSidechain === true || Number.isNaN(atMs) || !Array.isArray(message?.content)) continue;
    for (const { type, id, name, tool_use_id, is_error, content } of message.content.map(Object)) {
      const isDone = is_error !== true || String(content).startsWith(MOD_RESULT);
      if (type === "tool_result" && isDone) ended.add(tool_use_id);
      if (type === "tool_use" && ended.has(id) && isChanging(name)) {
        uses.push({ id, tool: name, atMs });
      }
    }
  }
  return uses;
}

function isChanging(tool: unknown): tool is string {
  return typeof tool === "string" && (EDITING_TOOLS.has(tool) || mayChangeUnseen(tool));
}

/** Tells whether Claude Code had to ask a hook about a tool at that moment, and no record of it waits elsewhere. */
export function wasArmed(work: HookWork, tool: string, atMs: number): boolean {
  const { db, sessionId, projectDir, home, environment, database, locations } = work;
  const folders = locations.spoolFolders;
  const waiting = quietly(() => spooledFiles({ database, folders })) ?? [];
  if (projectDir === null || waiting.length > 0) return false;
  const startedMs = db === null ? 0 : quietly(() => sessionStart(db, sessionId)) ?? 0;
  // Perhaps no hook was told about the session's start.
  const path = work.transcriptPath;
  const born = path === null ? null : quietly(() => statSync(path).birthtime);
  const beganMs = startedMs || (born?.getTime() ?? 0);
  const isSettled = (path: string) => {
    const changedMs = quietly(() => statSync(path).mtime?.getTime());
    return changedMs !== undefined && changedMs < Math.max(atMs - SETTLED_MS, beganMs);
  };
  return asksAbout(tool, { projectDir, home, environment }, isSettled);
}

/** Tells whether Claude Code noted that a gate gave no answer, because it hung or could not be started. */
export function hadNoAnswer(path: string | null, toolUseId: string): boolean {
  if (path === null) return false;
  const lines = quietly(() => [...linesWith(path, toolUseId, MAX_TRANSCRIPT_BYTES)]) ?? [];
  return lines.some((line) =>
    line.includes('"hookEvent":"PreToolUse"') &&
    /"type":"hook_(?:cancelled|non_blocking_error|error)/.test(line)
  );
}
