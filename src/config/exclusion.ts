/** Decides which tool uses the configuration keeps out of the captures. */
import { filesNamed, isOwnTool, SEARCHING_TOOLS, SHELL_TOOLS } from "../claude/payload.ts";
import { matchesAny, resolvePath } from "../base/paths.ts";
import { expandPattern } from "../system/expand_pattern.ts";
import { RealPaths } from "../system/real_paths.ts";
import type { HookConfig } from "./hook_config.ts";

export interface ToolFacts {
  readonly toolName: string;
  /** As Claude Code sent it; it may have any type. */
  readonly toolInput: unknown;
  /** The answer of a search or a command as Claude Code sends it, its error, or its text in a transcript. */
  readonly toolResponse?: unknown;
  /** The absolute folder where relative paths start; null when it is unknown. */
  readonly folder: string | null;
  readonly projectDir: string | null;
  /** The user's home, for `~` in a command. */
  readonly home?: string | null;
}

/**
 * Returns why a tool use is not kept: a key of the configuration, or that the tool is our own; null when the use is
 * kept. Each spelling of a path (`./`, `..`, relative, by a link) counts as the same file.
 */
export function exclusionOf(config: HookConfig, tool: ToolFacts): string | null {
  const { toolName, toolInput } = tool;
  if (isOwnTool(toolName)) return "conclaude's own tools";
  if (matchesAny(config.excludeTools, toolName)) return "capture.exclude.tools";
  const command = SHELL_TOOLS.has(toolName) ? fieldOf(toolInput, "command") : "";
  if (config.excludeCommands.length > 0 && command !== "") {
    const steps = [command, ...command.split(STEP)].map((step) => step.trim());
    const isExcluded = steps.concat(steps.map(withoutStarters))
      .some((step) => matchesAny(config.excludeCommands, step));
    if (isExcluded) return "capture.exclude.commands";
  }
  if (config.excludePaths.length === 0) return null;
  const places = [...placesIn(command, tool), ...placesNamed(tool), ...placesFound(tool)];
  const links = new RealPaths();
  return places.some((place, at) =>
      isPathExcluded(config, place, { ...tool, links: at < MAX_FOLLOWED ? links : null })
    )
    ? "capture.exclude.paths"
    : null;
}

/** Returns a command without what starts it, the quotes around it, and the folder of its program. */
function withoutStarters(step: string): string {
  return step.replace(STARTERS, "").replace(/^["']|["']$/g, "").replace(/^[^\s"']*\//, "");
}

/** Matches what separates the commands of one line, brackets and `$( )` included. */
const STEP = /&&|\|\|?|[;&\n`{}]|\$?\(|\)/;
/** Matches words that only start a command: `sudo -n`, `NAME=value`, `env`, `timeout 5`, `bash -c`, `then`. */
const STARTERS =
  /^(?:(?:sudo|doas|env|command|exec|nohup|time|timeout|nice|setsid|xargs|eval|(?:ba|da|z)?sh|if|then|elif|else|while|until|do|!|\w+=\S*|-\S+|\d+[smhd]?)\s+)+/;
const BETWEEN_WORDS = /[\s;|&()<>`"'=]+/;
/** The message that a command is given: `-m 'text'`, `--body "$(cat <<'EOF' …)"`. One with variables may print a file. */
const MESSAGE =
  /(?<=\s(?:-[a-z]*m|--(?:message|title|body|notes))(?:\s+|=)?)(?:'[^']*'|"[^"$`]*"|"\$\(cat <<-?\s*(['"])(\w+)\1\n[^]*?\n\s*\2\s*\)")/g;
const MAX_COMMAND_CHARS = 4_000;
const VARIABLE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g;
const PATTERN = /[*?[]/;
/** How many of the words that a command spells out are looked at. */
const MAX_WORDS = 2_000;
/** How many entries of folders are read for the patterns of one command. */
const MAX_ENTRIES = 10_000;

/** Returns words of a command that may be paths, also seen from folders that it enters, and what its patterns match. */
function placesIn(command: string, { folder, projectDir, home }: ToolFacts): string[] {
  const text = command.slice(0, MAX_COMMAND_CHARS);
  const known: Readonly<Record<string, string | null>> = {
    PWD: folder,
    HOME: home ?? "~",
    CLAUDE_PROJECT_DIR: projectDir,
  };
  // In a message, only words with a slash count as paths.
  const plain = text.replace(MESSAGE, (said) => said.match(/[^\s"']*\/[^\s"']*/g)?.join(" ") ?? "");
  const filled = plain.replace(VARIABLE, (all, plain, braced) => known[plain ?? braced] ?? all);
  // Quotes and backslashes may stand within a name: `sec"ret"/x`.
  const words = [filled, filled.replace(/["'\\]/g, "")].flatMap((one) => one.split(BETWEEN_WORDS))
    .filter((word) => !word.includes("://"))
    // Git names a file of a commit as `HEAD:src/a.ts`.
    .flatMap((word) => [word, ...word.split(/[,{}:]+/)])
    .map((word) => word.replace(/^@/, ""))
    .filter((word) => word !== "" && !word.startsWith("-"))
    .slice(0, MAX_WORDS);
  const entered = words.filter((_, index) => /^(?:cd|pushd)$/.test(words[index - 1] ?? ""));
  const places = words.flatMap((word) => [word, ...entered.map((folder) => `${folder}/${word}`)]);
  const visits = { left: MAX_ENTRIES };
  const from = { folder: folder ?? projectDir ?? "/", home: home ?? undefined };
  const matched = new Set(places.filter((place) => PATTERN.test(place)))
    .values().flatMap((place) => expandPattern(resolvePath(place, from), visits).paths);
  return [...new Set(places), ...matched];
}

/** Returns the files that a tool works on; a search works on its folder and its glob. */
function placesNamed({ toolName, toolInput }: ToolFacts): string[] {
  if (!SEARCHING_TOOLS.has(toolName)) return filesNamed(toolName, toolInput);
  const path = fieldOf(toolInput, "path") || ".";
  const globs = [
    fieldOf(toolInput, "glob"),
    toolName === "Glob" ? fieldOf(toolInput, "pattern") : "",
  ];
  return [path, ...globs.filter((glob) => glob !== "").map((glob) => `${path}/${glob}`)];
}

const MAX_LINES = 4_000;

/** How many places are followed through links: an answer may name thousands of files. */
const MAX_FOLLOWED = 1_000;

/** Matches a line that names the file whose text follows: a hit of a search, a patch, `head` and `tail` of files. */
const HEADING = /^(?:(?:\+\+\+|---) (?:[ab]\/)?([^\t]+)|==> (.+) <==$|(.[^:]*):)/;

/**
 * Returns the files that a search has found: `filenames`, and what stands before the colon of lines such as
 * `src/a.ts:12:text`; of a command, the files whose text it prints.
 */
function placesFound({ toolName, toolResponse, projectDir }: ToolFacts): string[] {
  const isSearch = SEARCHING_TOOLS.has(toolName);
  if (!isSearch && !SHELL_TOOLS.has(toolName)) return [];
  const { filenames = [], content = "", stdout = content } = Object(toolResponse);
  const text = typeof toolResponse === "string" ? toolResponse : String(stdout);
  const lines = text.split("\n", MAX_LINES).flatMap((line) => {
    const [, patched, ...others] = HEADING.exec(line) ?? [];
    // Git names files from the top of the repository.
    const fromTop = patched !== undefined && projectDir !== null ? `${projectDir}/${patched}` : "";
    return [...isSearch ? [line] : [], patched, fromTop, ...others];
  });
  return [...new Set([filenames, lines].flat(2).slice(0, 2 * MAX_LINES))]
    .filter((place) => typeof place === "string" && place !== "");
}

function isPathExcluded(
  { excludePaths }: HookConfig,
  place: string,
  { folder, projectDir, home, links }: ToolFacts & { readonly links: RealPaths | null },
): boolean {
  const path = resolvePath(place, { folder: folder ?? projectDir ?? "/", home: home ?? undefined });
  const project = resolvePath(projectDir ?? "", { folder: "/" });
  const spelled = [
    [path, project],
    ...links === null ? [] : [[links.real(path), links.real(project)]],
  ];
  const paths = spelled.flatMap(([one, top]) =>
    projectDir !== null && one!.startsWith(`${top}/`) ? [one!, one!.slice(top!.length + 1)] : [one!]
  );
  // A pattern that covers all that is in a folder also excludes the folder: `secret/**`.
  return paths.some((one) =>
    matchesAny(excludePaths, one) || matchesAny(excludePaths, `${one}/\u0000`)
  );
}

function fieldOf(input: unknown, name: string): string {
  const value: unknown = Object(input)[name];
  return typeof value === "string" ? value : "";
}
