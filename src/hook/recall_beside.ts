/** What memory adds to a prompt or tells before an edit, where the configuration asks for it. */
import { EDITING_TOOLS, filesTouched } from "../claude/payload.ts";
import { quietly } from "../base/errors.ts";
import { recallForFile, recallForPrompt, type RecallPlace } from "../memory/search/recall.ts";
import type { HookWork } from "./handler.ts";

/** What memory knows about a prompt; empty when it knows nothing or the database fails. */
export function recallOfPrompt(work: HookWork): string {
  const prompt = work.event.own["prompt"];
  const place = placeOf(work);
  const db = work.spareDb();
  if (typeof prompt !== "string" || place === null || db === null) return "";
  // Where the database cannot recall, work goes on without it.
  return quietly(() => recallForPrompt(db, prompt, place)) ?? "";
}

/** What memory knows about a file before a tool edits it; empty for any other tool. */
export function recallOfEdit(work: HookWork): string {
  const { toolName, toolInput, name } = work.event;
  if (name !== "PreToolUse" || toolName === null || !EDITING_TOOLS.has(toolName)) return "";
  const [file] = filesTouched(toolName, toolInput);
  const place = placeOf(work);
  const db = work.spareDb();
  if (file === undefined || place === null || db === null) return "";
  return quietly(() => recallForFile(db, file, place)) ?? "";
}

function placeOf(
  { config, repository, projectDir, sessionId, atMs, hide }: HookWork,
): RecallPlace | null {
  const project = hide(repository?.commonDir ?? projectDir);
  if (project === null || !config.memoryEnabled) return null;
  return {
    sessionId,
    project,
    branch: hide(repository?.branch ?? null),
    root: repository?.root ?? projectDir,
    nowMs: atMs,
  };
}
