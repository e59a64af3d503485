/** Reads the texts of policy files, and stores them, so that later changes can be undone. */
import type { DatabaseSync } from "node:sqlite";
import { keepFile, keptText } from "../../config/store.ts";
import { readText } from "../../system/on_disk.ts";

/** The size up to which policy files are stored, in bytes. */
const MAX_TEXT_BYTES = 262_144;

/** Reads a policy file; null where it is missing, unreadable or too large to be stored. */
export function policyText(path: string): string | null {
  return readText(path, MAX_TEXT_BYTES);
}

/** Stores the present texts of policy files. A missing file is stored only if its earlier text is. */
export function keepPolicy(db: DatabaseSync, paths: readonly string[], atMs: number): void {
  for (const path of paths) {
    const text = policyText(path);
    if (text !== null || keptText(db, path) !== undefined) keepFile(db, path, { text, atMs });
  }
}
