/** The project of a transcript's session: its configuration and database, as hooks there would use them. */
import { redactText } from "../../secrets/redact.ts";
import { loadHookConfig } from "../../config/cached.ts";
import { DEFAULT_HOOK_CONFIG, readConfigFiles } from "../../config/discover.ts";
import { databaseAt, type Locations, matchesAny } from "../../paths.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import { findRepository, lookUpwards } from "../../git/repository.ts";
import { isFolder } from "../../project/on_disk.ts";

/** A project that sessions ran in. */
export interface TranscriptProject {
  /** The folder that the session began in; null when its transcript names none. */
  readonly dir: string | null;
  /** The common git directory; null outside of a repository, and where the folder is gone. */
  readonly repository: string | null;
  readonly config: HookConfig;
  /** The database of hooks there; null where it is switched off. */
  readonly database: string | null;
  /** The key of the configuration that keeps everything out; null when nothing does. */
  readonly excludedBy: string | null;
  readonly patterns: readonly RegExp[];
  /** A path as it may be stored. */
  readonly hide: (path: string | null) => string | null;
}

/** Finds projects by the folders that sessions began in, each once. */
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
