/** Formats times, numbers and paths for people. */

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ["y", 31_557_600_000],
  ["mo", 2_629_800_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
];

/** Formats a past time: `3m ago`, or `now` if less than a second ago. */
export function ago(atMs: number, nowMs: number): string {
  const [name, ms] = UNITS.find(([, ms]) => nowMs - atMs >= ms) ?? ["", 1];
  return name === "" ? "now" : `${Math.floor((nowMs - atMs) / ms)}${name} ago`;
}

/** Formats a duration: `1.2 s`, `340 ms`, `4m 10s`. */
export function msText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)}m ${Math.floor(ms % 60_000 / 1_000)}s`;
  return `${Math.floor(ms / 3_600_000)}h ${Math.floor(ms % 3_600_000 / 60_000)}m`;
}

/** Formats a size: `12.3 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Returns the last part of a path, which is a project's name. */
export function folderName(path: string | null): string {
  if (path === null) return "no project";
  const parts = folderOf(path).split(/[\\/]/).filter((part) => part !== "");
  return parts.at(-1) ?? path;
}

/** Returns the folder of a project, which may be given as its git directory. */
export function folderOf(project: string): string {
  return project.replace(/[\\/]\.git[\\/]?$/, "");
}

const ESCAPES =
  // deno-lint-ignore no-control-regex -- terminals obey these characters
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])|[\0-\x08\x0b-\x1f\x7f]/g;

/** Removes terminal sequences, such as colours and cursor moves, and other control characters. */
export function withoutEscapes(text: string): string {
  return text.replace(ESCAPES, "");
}

/** Cuts a text to `most` characters, and adds how many follow. */
export function short(text: string, most = 100_000): string {
  return text.length > most
    ? `${text.slice(0, most)} … ${text.length - most} more characters`
    : text;
}
