/** The notice for a project whose files do not name the rule about new files. */
import type { DatabaseSync } from "node:sqlite";
import { fingerprint } from "../config/discover.ts";
import { SILENT_ABOUT_ROOT } from "../config/hook_config.ts";
import { isFirstTelling } from "../store/told_once.ts";

/** One line for the person; null when it was told before. @param path The project's configuration file. */
export function rootNotice(db: DatabaseSync, path: string): string | null {
  // The path itself would stay when the project is forgotten.
  return isFirstTelling(db, `root:${fingerprint(path)}`)
    ? `conclaude: ${SILENT_ABOUT_ROOT} (${path}). This is said once.`
    : null;
}
