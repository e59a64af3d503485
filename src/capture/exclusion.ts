/** What the configuration wants nothing of kept. */
import { filesTouched, OWN_TOOLS } from "./payload.ts";
import { matchesAny, resolvePath } from "../paths.ts";
import type { HookConfig } from "../config/hook_config.ts";

/** A tool use, as far as an exclusion asks about it. */
export interface ToolFacts {
  readonly toolName: string;
  /** Of any type, as it was sent. */
  readonly toolInput: unknown;
  /** Where a relative path starts, absolute; null when it was not told. */
  readonly folder: string | null;
  readonly projectDir: string | null;
}

/**
 * What keeps a tool use out: a key of the configuration, or that the tool is our own; null when it may be kept. A file is
 * the same however its path is spelled: `./`, `..`, relative.
 */
export function exclusionOf(config: HookConfig, tool: ToolFacts): string | null {
  if (tool.toolName.startsWith(OWN_TOOLS)) return "conclaude's own tools";
  if (matchesAny(config.excludeTools, tool.toolName)) return "capture.exclude.tools";
  if (config.excludePaths.length === 0) return null;
  const { folder, projectDir } = tool;
  const inProject = projectDir === null ? "" : `${resolvePath(projectDir, { folder: "/" })}/`;
  const isExcluded = placesNamed(tool).some((file) => {
    const path = resolvePath(file, { folder: folder ?? projectDir ?? "/" });
    return matchesAny(config.excludePaths, path) ||
      (inProject !== "" && path.startsWith(inProject) &&
        matchesAny(config.excludePaths, path.slice(inProject.length)));
  });
  return isExcluded ? "capture.exclude.paths" : null;
}

/** The files that a tool works on, and the folder that a search looks through. */
function placesNamed({ toolName, toolInput }: ToolFacts): readonly string[] {
  const files = filesTouched(toolName, toolInput);
  if (files.length > 0 || typeof toolInput !== "object" || toolInput === null) return files;
  const path: unknown = Reflect.get(toolInput, "path");
  return typeof path === "string" && path !== "" ? [path] : [];
}
