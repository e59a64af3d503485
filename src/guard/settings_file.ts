/** Claude Code's settings files, as far as they decide whether hooks run. */
import { isSameValue } from "../config/same_value.ts";

/** The keys that do. */
const HOOK_KEYS = ["hooks", "disableAllHooks"];

/**
 * Whether the hooks are others after a change, or nobody can tell because one of the texts is no JSON.
 *
 * @param before Null when there is no file; that, and an empty one, counts as `{}`.
 */
export function changesHooks(before: string | null, after: string): boolean {
  const was = settingsOf(before?.trim() || "{}");
  const becomes = settingsOf(after);
  if (was === null || becomes === null) return true;
  return HOOK_KEYS.some((key) => !isSameValue(was[key], becomes[key]));
}

function settingsOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { ...value }
      : null;
  } catch {
    return null;
  }
}
