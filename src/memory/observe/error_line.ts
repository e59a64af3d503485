import { shortened } from "../text.ts";

/** Lines that say what is wrong, the surest kind first. */
const TELLING: readonly RegExp[] = [
  /^\s*(?:\w+\.)*\w*(?:Error|Exception|Panic)\b.*:.+/,
  /^\s*(?:error|fatal|panic|E)\b\s*(?:\[[^\]]+\])?\s*:.+/i,
  /\b(?:error|fatal|panicked|exception|cannot|undefined reference|not found|no such file|denied|refused|failed)\b/i,
];
const MAX_LINES = 400;
const MAX_ERROR_CHARS = 160;

/** The line of an output that says what went wrong; else the last one that is not blank; null when there is none. */
export function errorLine(output: string): string | null {
  const lines = output.split("\n").slice(-MAX_LINES).filter((line) => line.trim() !== "");
  for (const pattern of TELLING) {
    const found = lines.find((line) => pattern.test(line.slice(0, 400)));
    if (found !== undefined) return shortOf(found);
  }
  return lines.length === 0 ? null : shortOf(lines.at(-1)!);
}

function shortOf(line: string): string {
  return shortened(line.replace(/\s+/g, " ").trim(), MAX_ERROR_CHARS);
}
