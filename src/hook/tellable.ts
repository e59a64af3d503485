import type { Draft, HookWork } from "./handler.ts";

/**
 * Texts that quote a command or its output, as they may be stored: masked again, since they may show what the event
 * does not. None where the configuration keeps the content out.
 */
export async function tellable(
  { keepsContent, mask }: HookWork,
  draft: Draft,
  texts: readonly string[],
): Promise<readonly string[]> {
  if (draft.status === "skipped" || !keepsContent) return [];
  return texts.every((text) => text === "") ? [] : await mask(texts);
}
