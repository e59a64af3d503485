/** Tells whether a changed policy file changes the policy: all of most files, and some keys of settings. */
import { keepFile, keptText } from "../../config/store.ts";
import { settingsIn } from "../../system/git/configured_aliases.ts";
import { changesPolicy } from "../guards/protected.ts";
import { withPatterns } from "../shell/rows.ts";
import RISKY_SETTINGS from "./risky_settings.json" with { type: "json" };
import type { Ground, Snapshot } from "./types.ts";
import { policyText } from "./watched.ts";

/** Whether a changed policy file changes the policy. If not, its new text is kept for undoing later changes. */
export function isPolicyChange(
  path: string,
  { now, edited, db, kinds }: Pick<Ground, "db" | "kinds"> & {
    readonly now: Pick<Snapshot, "atMs" | "held">;
    /** The files that edits named. */
    readonly edited: ReadonlySet<string>;
  },
): boolean {
  if (now.held.includes(path)) return true;
  const kind = kinds.get(path) ?? "other";
  if (kind === "program") return true;
  const kept = keptText(db, path) ?? null;
  const text = policyText(path);
  if (kept === text) return false;
  const matters = !edited.has(path) && (
    kind === "settings"
      ? changesPolicy(kept, text ?? "{}")
      : kind !== "git config" || riskyLines(kept ?? "").join() !== riskyLines(text ?? "").join()
  );
  if (!matters) keepFile(db, path, { text, atMs: now.atMs });
  return matters;
}

/** Match lines `section.name.key=value` of git's configuration that make git run programs or send commits elsewhere. */
export const RISKY_KEYS = withPatterns(RISKY_SETTINGS) as readonly {
  readonly pattern: RegExp;
  readonly example: string;
  readonly counterexample: string;
}[];

/** Returns the risky lines of a git configuration, in small letters, each once. */
export function riskyLines(text: string): string[] {
  const found = settingsIn(text).map((line) => line.toLowerCase())
    .filter((line) => RISKY_KEYS.some(({ pattern }) => pattern.test(line)));
  return [...new Set(found)].sort();
}
