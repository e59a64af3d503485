/** Problems of the configuration as text for people, for `conclaude config validate`. */
import type { ConfigProblem } from "./layer.ts";

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
