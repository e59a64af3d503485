/** The parts of Claude Code's files that decide which hooks and which other code run there. */
import { isSameValue } from "../likeness.ts";

/** The keys of settings that do. */
const POLICY_KEYS = [
  "hooks",
  "disableAllHooks",
  "env",
  "enabledPlugins",
  "extraKnownMarketplaces",
];

/**
 * Whether a change of settings changes one of these keys; also true when nobody can tell because one of the texts is no
 * JSON.
 *
 * @param before Null when there is no file; that, and an empty one, counts as `{}`.
 */
export function changesPolicy(before: string | null, after: string): boolean {
  const was = settingsOf(before?.trim() || "{}");
  const becomes = settingsOf(after);
  if (was === null || becomes === null) return true;
  return POLICY_KEYS.some((key) => !isSameValue(was[key], becomes[key]));
}

/** Whether a `hooks.json` of a plugin names modules: code that runs inside Claude Code. */
export function holdsModules(text: string): boolean {
  const held = settingsOf(text);
  return held === null ? text.includes("modules") : Object.hasOwn(held, "modules");
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
