import { rememberedText, rememberHere } from "../../memory/drain/remember.ts";
import { optional, proposing, several, SHARED, text } from "../flags.ts";
import { openStore } from "../open_store.ts";
import { observationNamed } from "../memory_filter.ts";
import { sessionFilterOf } from "../session_lookup.ts";
import { readStdin } from "../task_text.ts";
import { many, verb } from "../verb.ts";

export const remember = verb({
  args: many(text("What is to be remembered; - reads it from standard input", "text"), 1),
  flags: {
    session: { ...SHARED.session, brief: "Attach the note to this session" },
    file: several(text("A file that it is about; may be given several times", "path")),
    replaces: optional(
      proposing(
        "observation",
        text("The note or decision that this one corrects, by its number or uid", "id"),
      ),
    ),
  },
  async run(context, flags, ...words) {
    const { db, place } = await openStore(context, "write", "remember anything");
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
  },
});
