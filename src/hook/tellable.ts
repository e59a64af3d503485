import type { Draft, HookWork } from "./handler.ts";

/**
 * Texts that quote what was asked for or what a command printed, as they may be stored: masked anew, for what is taken
 * apart or was run may show what the event itself does not. Nothing of what the configuration keeps out.
 */
export async function tellable(
  { config, keepsContent }: HookWork,
  draft: Draft,
  texts: readonly string[],
): Promise<string[]> {
  if (draft.status === "skipped" || !keepsContent) return [];
  if (texts.every((text) => text === "")) return [];
  const { redactText } = await import("../capture/redact.ts");
  const patterns = config.redactPatterns.map((source) => new RegExp(source, "g"));
  return texts.map((text) => redactText(text, { patterns }));
}
