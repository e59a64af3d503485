import { compileRedactPatterns, redactText } from "../../capture/redact.ts";
import { repositoryAt } from "../../git/repository.ts";
import { lookUpwards } from "../../project/look.ts";
import { rememberNote } from "../../recall/remember.ts";
import type { CliContext } from "../context.ts";
import { sessionFilterOf } from "../session_lookup.ts";
import { openKeptStore } from "../store.ts";
import type { View } from "../view.ts";

/** `conclaude memory remember TEXT…` */
export async function remember(
  context: CliContext,
  flags: { readonly session?: string; readonly file?: readonly string[] },
  ...words: readonly string[]
): Promise<View> {
  const { db, place } = await openKeptStore(context, "remember anything");
  const looks = lookUpwards(context.cwd);
  const repository = repositoryAt(context.cwd, { projectDir: context.cwd, looks });
  const rules = compileRedactPatterns(place.config.redactPatterns);
  const mask = (text: string) => redactText(text, rules);
  const branch = repository?.branch ?? null;
  const { id, isNew } = rememberNote(db, mask(words.join(" ")), {
    sessionId: sessionFilterOf(db, flags.session),
    // As hooks keep them.
    project: mask(repository?.commonDir ?? context.cwd),
    branch: branch === null ? null : mask(branch),
    root: mask(repository?.root ?? context.cwd),
    files: (flags.file ?? []).map(mask),
    atMs: Date.now(),
  });
  return {
    json: { id, isNew },
    text: isNew ? `Remembered as #${id}.` : `Already remembered as #${id}; counted once more.`,
  };
}
