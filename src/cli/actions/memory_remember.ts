import { rememberedText, rememberHere } from "../../recall/remember.ts";
import { observationNamed } from "../record_lookup.ts";
import type { CliContext } from "../context.ts";
import { sessionFilterOf } from "../session_lookup.ts";
import { openKeptStore } from "../store.ts";
import { readStdin } from "../task_text.ts";
import type { View } from "../view.ts";

/** The flags of `memory remember`. */
export type RememberFlags = {
  readonly session?: string;
  readonly file?: readonly string[];
  readonly replaces?: string;
};

/** `conclaude memory remember TEXT…|-` */
export async function remember(
  context: CliContext,
  flags: RememberFlags,
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
    replaces: flags.replaces === undefined ? null : observationNamed(db, flags.replaces).id,
  });
  return { json: note, text: rememberedText(note) };
}
