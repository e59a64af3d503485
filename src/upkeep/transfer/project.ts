/** The configuration that hooks use in a project. */
import { redactText } from "../../secrets/redact.ts";
import { loadHookConfig } from "../../config/cached.ts";
import { DEFAULT_HOOK_CONFIG, readConfigFiles } from "../../config/discover.ts";
import { matchesAny } from "../../base/paths.ts";
import { databaseAt, type Locations } from "../../system/environment.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { isFolder } from "../../system/on_disk.ts";

/** A project that sessions ran in. */
export interface TranscriptProject {
  /** The folder in which the session began; null when its transcript names none. */
  readonly dir: string | null;
  /** The common git directory; null outside of a repository, or when the folder is gone. */
  readonly repository: string | null;
  readonly config: HookConfig;
  /** The database that hooks write to there; null where it is switched off. */
  readonly database: string | null;
  /** The configuration key that excludes the whole project; null when none does. */
  readonly excludedBy: string | null;
  readonly patterns: readonly RegExp[];
  /** Masks secrets in a path. */
  readonly hide: (path: string | null) => string | null;
}

/** Makes a function that finds the project of a folder. It reads each project once. */
export function projectFinder(
  locations: Locations,
): (dir: string | null) => Promise<TranscriptProject> {
  const known = new Map<string | null, Promise<TranscriptProject>>();
  return (dir) => {
    const found = known.get(dir) ?? readProject(dir, locations);
    known.set(dir, found);
    return found;
  };
}

async function readProject(dir: string | null, locations: Locations): Promise<TranscriptProject> {
  const looks = dir === null ? [] : lookUpwards(dir);
  const files = readConfigFiles(looks, locations);
  const config = files.length === 0
    ? DEFAULT_HOOK_CONFIG
    : (await loadHookConfig(files, { locations, noDb: true })).config;
  const patterns = config.redactPatterns.map((source) => new RegExp(source, "g"));
  return {
    dir,
    // Where the folder is gone, a repository further up is not the project's.
    repository: dir !== null && isFolder(dir) ? findRepository(looks)?.commonDir ?? null : null,
    config,
    database: config.databaseEnabled ? databaseAt(locations, config.databasePath) : null,
    excludedBy: exclusionOfAll(config, dir),
    patterns,
    hide: (path) => path === null ? null : redactText(path, { patterns }),
  };
}

function exclusionOfAll(config: HookConfig, dir: string | null): string | null {
  if (!config.captureEnabled) return "capture.enabled";
  return matchesAny(config.excludeProjects, dir ?? "") ? "capture.exclude.projects" : null;
}
