/** The files that a tool of an MCP server may write: any text of its input can be one. */

/** Tools that only look, by the first word of their name. */
const LOOKING =
  /^(?:read|get|list|search|find|fetch|query|view|show|describe|stat|info|count|check|diff|explain|resolve|recall|status|timeline|open)(?:$|[_A-Z-])/;
const MAX_TEXTS = 500;
const MAX_PATH_CHARS = 4_096;

/** Whether a tool may write a file, as far as its name tells. */
export function mayWriteFiles(tool: string): boolean {
  return tool.startsWith("mcp__") && !LOOKING.test(tool.slice(tool.lastIndexOf("__") + 2));
}

/** The texts of an input, at any depth, that can be the path of a file. */
export function pathsInInput(input: unknown): string[] {
  const found = new Set<string>();
  const queue: unknown[] = [input];
  // The list grows during the loop.
  for (const value of queue) {
    if (queue.length > MAX_TEXTS) break;
    if (typeof value === "object" && value !== null) queue.push(...Object.values(value));
    if (typeof value !== "string" || value.length > MAX_PATH_CHARS || /\s/.test(value)) continue;
    found.add(value.replace(/^file:\/\/(?=\/)/, ""));
  }
  return [...found].filter((path) => path !== "" && !/^[\w+.-]+:\/\//.test(path));
}
