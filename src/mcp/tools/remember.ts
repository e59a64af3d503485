import { rememberedText, rememberHere } from "../../recall/remember.ts";
import type { Call } from "../call.ts";

/** `remember`: keeps a note, its secrets masked. */
export function remember({ db, folder, sessionId, redactPatterns, nowMs, args }: Call): string {
  const { file } = args;
  return rememberedText(rememberHere(db, String(args["text"]), {
    folder,
    redactPatterns,
    sessionId,
    files: file === undefined ? [] : [String(file)],
    atMs: nowMs,
  }));
}
