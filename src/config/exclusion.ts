/** Which tool uses the configuration keeps out of the captures. */
import { filesTouched, isOwnTool, SEARCHING_TOOLS, SHELL_TOOLS } from "../claude/payload.ts";
import { matchesAny, resolvePath } from "../base/paths.ts";
import type { HookConfig } from "./hook_config.ts";

export interface ToolFacts {
  readonly toolName: string;
  /** As Claude Code sent it; it may have any type. */
  readonly toolInput: unknown;
  /** Where a relative path starts, absolute; null when it was not told. */
  readonly folder: string | null;
  readonly projectDir: string | null;
  /** The user's home, for `~` in a command. */
  readonly home?: string | null;
}

/**
 * The reason why a tool use is not kept: a key of the configuration, or that the tool is our own; null when it is
 * kept. Each spelling of a path (`./`, `..`, relative) counts as the same file.
 */
export function exclusionOf(config: HookConfig, tool: ToolFacts): string | null {
  const { toolName, toolInput } = tool;
  if (isOwnTool(toolName)) return "conclaude's own tools";
  if (matchesAny(config.excludeTools, toolName)) return "capture.exclude.tools";
  const command = SHELL_TOOLS.has(toolName) ? fieldOf(toolInput, "command") : "";
  if (config.excludeCommands.length > 0 && command !== "") {
    const isExcluded = [command, ...command.split(STEP)].some((step) =>
      matchesAny(config.excludeCommands, step.trim())
    );
    if (isExcluded) return "capture.exclude.commands";
  }
  if (config.excludePaths.length === 0) return null;
  const isExcluded = placesIn(command).concat(placesNamed(tool)).some((place) =>
    isPathExcluded(config, place, tool)
  );
  return isExcluded ? "capture.exclude.paths" : null;
}

/** Separates the commands of one line. */
const STEP = /&&|\|\|?|[;&\n]/;
const BETWEEN_WORDS = /[\s;|&()<>`"'=,{}]+/;
/** Of a longer command only the beginning is read. */
const MAX_COMMAND_CHARS = 4_000;

/** The words of a command that may be paths, also seen from the folders that it changes to. */
function placesIn(command: string): string[] {
  const words = command.slice(0, MAX_COMMAND_CHARS).split(BETWEEN_WORDS)
    .map((word) => word.replace(/^@/, ""))
    .filter((word) => word !== "" && !/^-|:\/\//.test(word));
  const folders = words.filter((_, index) => words[index - 1] === "cd");
  return words.flatMap((word) => [word, ...folders.map((folder) => `${folder}/${word}`)]);
}

/** The files that a tool works on. Of a search: its folder and its glob. */
function placesNamed({ toolName, toolInput }: ToolFacts): string[] {
  const files = filesTouched(toolName, toolInput);
  if (files.length > 0) return files;
  const path = fieldOf(toolInput, "path");
  if (!SEARCHING_TOOLS.has(toolName)) return path === "" ? [] : [path];
  const globs = [
    fieldOf(toolInput, "glob"),
    toolName === "Glob" ? fieldOf(toolInput, "pattern") : "",
  ];
  return [path, ...globs.map((glob) => path === "" || glob === "" ? glob : `${path}/${glob}`)]
    .filter((place) => place !== "");
}

function isPathExcluded(
  { excludePaths }: HookConfig,
  place: string,
  { folder, projectDir, home }: ToolFacts,
): boolean {
  const path = resolvePath(place, { folder: folder ?? projectDir ?? "/", home: home ?? undefined });
  const inProject = projectDir === null ? "" : `${resolvePath(projectDir, { folder: "/" })}/`;
  const paths = inProject !== "" && path.startsWith(inProject)
    ? [path, path.slice(inProject.length)]
    : [path];
  // A folder is named by what covers all that is in it: `secret/**`.
  return paths.some((one) =>
    matchesAny(excludePaths, one) || matchesAny(excludePaths, `${one}/\u0000`)
  );
}

function fieldOf(input: unknown, name: string): string {
  const value: unknown = typeof input === "object" && input !== null
    ? Reflect.get(input, name)
    : "";
  return typeof value === "string" ? value : "";
}
