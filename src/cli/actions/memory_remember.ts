import { rememberedText, rememberHere } from "../../recall/remember.ts";
import type { CliContext } from "../context.ts";
import { sessionFilterOf } from "../session_lookup.ts";
import { openKeptStore } from "../store.ts";
import { readStdin } from "../task_text.ts";
import type { View } from "../view.ts";

/** `conclaude memory remember TEXT…|-` */
export async function remember(
  context: CliContext,
  flags: { readonly session?: string; readonly file?: readonly string[] },
  ...words: readonly string[]
): Promise<View> {
  const { db, place } = await openKeptStore(context, "remember anything");
  const text = words.length === 1 && words[0] === "-" ? readStdin(context) : words.join(" ");
  const note = rememberHere(db, text, {
    folder: context.cwd,
    redactPatterns: place.config.redactPatterns,
    sessionId: sessionFilterOf(db, flags.session),
    files: flags.file ?? [],
    atMs: Date.now(),
  });
  return { json: note, text: rememberedText(note) };
}
