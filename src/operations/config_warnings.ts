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
  const warnings = files.flatMap((file) =>
    readLayer(file).unheeded.map((key) =>
      `${file.path}: \`${key}\` counts only in the user's own file (~/.conclaude/config.yaml)`
    )
  );
  if (hasRequirements && !hook.databaseEnabled) {
    const what = policy.isStrict
      ? "the requirements forbid all that they are about"
      : "the requirements are not in force";
    warnings.push(`${what}, since \`database.enabled\` is false: nothing can be kept of them`);
  }
  if (hook.stop === "") return warnings;
  const { maxBlocks, rounds, infiniteMessage }: StopPolicy = JSON.parse(hook.stop);
  const most = mostBlocks(maxBlocks, hasRequirements);
  const wanted = (rounds ?? 1) - 1;
  if (most < maxBlocks) {
    const why = "since requirements may hold a stop as well";
    warnings.push(`\`stop.maxBlocks: ${maxBlocks}\` counts as ${most}, ${why}`);
  }
  if (wanted > most && infiniteMessage === null) {
    warnings.push(
      `\`stop.rounds: ${rounds}\` would hold back ${wanted} stops in a row, and no more than ` +
        `${most} are (\`stop.maxBlocks\`): the next one is let through`,
    );
  }
  return warnings;
}

/** A block for each problem: where it is (`file:line:column`), what is wrong, what to do. */
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
