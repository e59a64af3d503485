import { plain } from "../../capture/plain.ts";
import { rememberedText, rememberHere } from "../../recall/remember.ts";
import type { Call } from "../call.ts";

/** `remember`: keeps a note, its secrets masked. */
export function remember(
  { db, folder, project, sessionId, redactPatterns, nowMs, args }: Call,
): string {
  const { file, replaces } = args;
  const note = rememberHere(db, String(args["text"]), {
    folder,
    redactPatterns,
    sessionId,
    files: file === undefined ? [] : [String(file)],
    atMs: nowMs,
    replaces: replaces === undefined ? null : Number(replaces),
  });
  return plain(`${rememberedText(note)} Project: ${project.folder}`);
}
