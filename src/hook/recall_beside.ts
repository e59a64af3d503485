/** Adds what memory knows to a prompt, or before an edit, if the configuration asks for it. */
import type { DatabaseSync } from "node:sqlite";
import { EDITING_TOOLS, filesTouched } from "../claude/payload.ts";
import { quietly } from "../base/errors.ts";
import { recallForFile, recallForPrompt, type RecallPlace } from "../memory/search/recall.ts";
import type { HookWork } from "./handler.ts";

/** Returns what memory knows about a prompt; empty when it knows nothing, and when the database fails. */
export function recallOfPrompt(work: HookWork): string {
  const prompt = work.event.own["prompt"];
  if (typeof prompt !== "string") return "";
  return recalled(work, (db, place) => recallForPrompt(db, prompt, place));
}

/** Returns what memory knows about a file before a tool edits it; empty for any other tool. */
export function recallOfEdit(work: HookWork): string {
  const { toolName, toolInput, name } = work.event;
  if (name !== "PreToolUse" || toolName === null || !EDITING_TOOLS.has(toolName)) return "";
  const [file] = filesTouched(toolName, toolInput);
  return file === undefined ? "" : recalled(work, (db, place) => recallForFile(db, file, place));
}

function recalled(
  work: HookWork,
  recall: (db: DatabaseSync, place: RecallPlace) => string,
): string {
  const { config, repository, projectDir, sessionId, atMs, hide } = work;
  const project = hide(repository?.commonDir ?? projectDir);
  const db = work.spareDb();
  if (project === null || !config.memoryEnabled || db === null) return "";
  const branch = hide(repository?.branch ?? null);
  const root = repository?.root ?? projectDir;
  return quietly(() => recall(db, { sessionId, project, branch, root, nowMs: atMs })) ?? "";
}
