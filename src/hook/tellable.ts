import type { Draft, HookWork } from "./handler.ts";

/**
 * Texts that quote what was asked for or what a command printed, as they may be stored: masked anew, for what is taken
 * apart or was run may show what the event itself does not. Nothing of what the configuration keeps out.
 */
export async function tellable(
  { keepsContent, mask }: HookWork,
  draft: Draft,
  texts: readonly string[],
): Promise<readonly string[]> {
  if (draft.status === "skipped" || !keepsContent) return [];
  return texts.every((text) => text === "") ? [] : await mask(texts);
}
