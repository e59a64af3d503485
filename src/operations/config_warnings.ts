/** Warnings about valid configuration that does not do what it says. */
import "./config_sections.ts";
import { mostBlocks, type StopPolicy } from "../policy/stops/stop_policy.ts";
import type { ConfigFile } from "../config/discover.ts";
import { type ConfigProblem, readLayer } from "../config/layer.ts";
import { parseConfig } from "../config/parse.ts";
import { SILENT_ABOUT_ROOT } from "../config/hook_config.ts";

/** Notes about a configuration that name no fault, one sentence each. */
export function configNotes(files: readonly ConfigFile[]): string[] {
  return parseConfig(files).hook.isSilentAboutRoot ? [SILENT_ABOUT_ROOT] : [];
}

/** One sentence for each. @param files As `readConfigFiles()` found them. */
export function configWarnings(files: readonly ConfigFile[]): string[] {
  const { hook, policy } = parseConfig(files);
  const hasRequirements = hook.requirements !== "";
  const stop: StopPolicy | null = hook.stop === "" ? null : JSON.parse(hook.stop);
  return [
    ...files.flatMap((file) =>
      readLayer(file).unheeded.map((key) =>
        `${file.path}: \`${key}\` counts for nothing there, only in the user's own file (~/.conclaude/config.yaml)`
      )
    ),
    ...(hasRequirements && !hook.databaseEnabled ? [withoutForce(policy.isStrict)] : []),
    ...(stop === null ? [] : blockWarnings(stop, hasRequirements)),
  ];
}

function withoutForce(isStrict: boolean): string {
  const what = isStrict
    ? "the requirements forbid all that they are about"
    : "the requirements are not in force";
  return `${what}, since \`database.enabled\` is false: nothing can be kept of them`;
}

function blockWarnings(
  { maxBlocks, rounds, infiniteMessage }: StopPolicy,
  hasRequirements: boolean,
): string[] {
  const most = mostBlocks(maxBlocks, hasRequirements);
  const wanted = (rounds ?? 1) - 1;
  return [
    ...(most < maxBlocks
      ? [
        `\`stop.maxBlocks: ${maxBlocks}\` counts as ${most}, since requirements may hold a stop as well`,
      ]
      : []),
    ...(wanted > most && infiniteMessage === null
      ? [
        `\`stop.rounds: ${rounds}\` would hold back ${wanted} stops in a row, and no more than ${most} are ` +
        "(`stop.maxBlocks`): the next one is let through",
      ]
      : []),
  ];
}

/**
 * One block a problem, an empty line between: where (`file:line:column`, which terminals and editors open), what is
 * wrong, and what to do.
 *
 * @returns The text without a last line break; empty when there are no problems.
 */
export function explainProblems(problems: readonly ConfigProblem[]): string {
  return problems.map(explainProblem).join("\n\n");
}

function explainProblem(problem: ConfigProblem): string {
  const { path, line, column, key, message, suggestion } = problem;
  const place = line > 0 ? `${path}:${line}:${column}` : path;
  const lines = [key === "" ? place : `${place}  ${key}`, `  why:  ${oneLine(message)}`];
  if (suggestion !== undefined) lines.push(`  next: ${oneLine(suggestion)}`);
  return lines.join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
