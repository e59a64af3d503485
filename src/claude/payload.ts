/** Reads what a hook's payload says about a tool use. */
import { headOf } from "../base/ids.ts";

const CHANGING = ["Write", "Edit", "MultiEdit", "Bash", "PowerShell", "Monitor"];
const LOOKING = ["Read", "Glob", "Grep", "TodoRead", "TodoWrite"];

/** Returns how soon a tool's captures are drained: first what changes things, last what only looks. */
export function capturePriority(toolName: string): "high" | "normal" | "low" {
  if (CHANGING.includes(toolName)) return "high";
  return LOOKING.includes(toolName) ? "low" : "normal";
}

/** The field of a tool's input that names its file. */
const PATH_FIELDS: ReadonlyMap<string, string> = new Map([
  ["Write", "file_path"],
  ["Edit", "file_path"],
  ["MultiEdit", "file_path"],
  ["Read", "file_path"],
  ["NotebookEdit", "notebook_path"],
  ["NotebookRead", "notebook_path"],
]);

/** Tools that run a shell command. The configuration for Bash counts for all of them. */
export const SHELL_TOOLS: ReadonlySet<string> = new Set(["Bash", "PowerShell", "Monitor"]);

/** Tells whether only a look afterwards shows what a tool has changed, as with a shell or a tool of an MCP server. */
export function mayChangeUnseen(tool: string): boolean {
  return SHELL_TOOLS.has(tool) || tool.startsWith("mcp__");
}

/** Returns the names by which rules know a tool: a rule for Bash counts for every shell. */
export function namesInRules(tool: string): readonly string[] {
  return SHELL_TOOLS.has(tool) ? [...new Set([tool, "Bash"])] : [tool];
}

/** Tells whether a tool is of this program's MCP server. Such a tool is not captured: its answers come from memory. */
export function isOwnTool(tool: string): boolean {
  return /^mcp__(?:plugin_conclaude_)?conclaude__/.test(tool);
}

export const EDITING_TOOLS: ReadonlySet<string> = new Set(
  "Write Edit MultiEdit NotebookEdit".split(" "),
);

/** Tools that search the folder or the file in their field `path`. */
export const SEARCHING_TOOLS: ReadonlySet<string> = new Set(["Grep", "Glob", "LS"]);

const MAX_PATH_CHARS = 4_096;

/** Returns the files that a tool use names, each cut to a limit; none for other tools and inputs of another shape. */
export function filesTouched(toolName: string, toolInput: unknown): string[] {
  return pathsIn(PATH_FIELDS.get(toolName), toolInput).map((path) => headOf(path, MAX_PATH_CHARS));
}

/** Returns the path in a field, uncut: a tool resolves `..` before it uses the path, which may then be short. */
function pathsIn(field: string | undefined, toolInput: unknown): string[] {
  if (field === undefined || typeof toolInput !== "object" || toolInput === null) return [];
  const path = Object.hasOwn(toolInput, field) ? Reflect.get(toolInput, field) : undefined;
  return typeof path === "string" && path !== "" ? [path] : [];
}

/** The fields in which tools of MCP servers name the files that they work on. */
const PATH_NAMES = new Set(
  "path paths file_path filePath filepath file filename relative_path source destination".split(
    " ",
  ),
);

/** Returns the whole names of a tool use's files. A path for an MCP server may be one of another machine. */
export function filesNamed(toolName: string, toolInput: unknown): string[] {
  if (SEARCHING_TOOLS.has(toolName)) return pathsIn("path", toolInput);
  if (!toolName.startsWith("mcp__")) return pathsIn(PATH_FIELDS.get(toolName), toolInput);
  return Object.entries(Object(toolInput)).filter(([name]) => PATH_NAMES.has(name))
    .flatMap(([, value]) => value)
    .filter((value): value is string => typeof value === "string" && value !== "");
}

/** Returns the command that a tool's input gives to a shell; null for none. */
export function commandOf(input: unknown): string | null {
  const { command } = Object(input);
  return typeof command === "string" ? command : null;
}

const INPUT_KEY = '"tool_input":';
/** The keys that follow the input in a payload. Inside a string their quotes would be escaped. */
const KEYS_BEHIND_INPUT = [',"tool_response":', ',"project_dir":'];
/** How much of a tool's input, and of its error, the audit row of a capture repeats; the whole is in the queue. */
const MAX_EXCERPT_CHARS = 160;

const MAX_SESSION_TITLE_CHARS = 120;

/** Returns the title that a prompt gives to its session: its beginning on one line, with `…` where more follows. */
export function sessionTitleOf(prompt: string): string {
  const line = prompt.replaceAll("\u0000", "").replace(/\s+/g, " ").trim().toWellFormed();
  return line.length <= MAX_SESSION_TITLE_CHARS
    ? line
    : `${headOf(line, MAX_SESSION_TITLE_CHARS - 1)}…`;
}

/** Returns the beginning of a text, with `…` where more follows. */
export function excerpt(text: string): string {
  return text.length <= MAX_EXCERPT_CHARS ? text : `${headOf(text, MAX_EXCERPT_CHARS)}…`;
}

/** Returns the beginning of the tool's input, as it stands in the JSON of a capture's payload. */
export function inputExcerpt(payload: string): string {
  const start = payload.indexOf(INPUT_KEY) + INPUT_KEY.length;
  // A little more than an excerpt, so that a short input is seen to end.
  const head = payload.slice(start, start + 2 * MAX_EXCERPT_CHARS);
  const ends = KEYS_BEHIND_INPUT.map((key) => head.indexOf(key)).filter((end) => end >= 0);
  return excerpt(head.slice(0, Math.min(head.length, ...ends)));
}

/** How small {@link summarizeInput} makes its copy. */
const SUMMARY_LIMITS = { maxChars: 500, maxItems: 20, maxDepth: 4, maxBytes: 4_096 };
type SummaryLimits = Readonly<typeof SUMMARY_LIMITS>;

/**
 * Returns a small copy of a tool's input for its audit row: long strings end in `…`, containers keep their
 * first entries and say how many are missing, and the whole stays below `maxBytes` of JSON.
 */
export function summarizeInput(
  fields: Readonly<Record<string, unknown>>,
  limits: Partial<SummaryLimits> = {},
): Record<string, unknown> {
  const all = { ...SUMMARY_LIMITS, ...limits };
  const summary = summarize(fields, all, 0) as Record<string, unknown>;
  if (fits(JSON.stringify(summary), all.maxBytes)) return summary;
  if (all.maxChars < 8) return { "…": "too large" };
  return summarizeInput(fields, {
    ...all,
    maxChars: all.maxChars >> 1,
    maxItems: Math.max(2, all.maxItems >> 1),
  });
}

function fits(json: string, maxBytes: number): boolean {
  return json.length * 3 <= maxBytes || new TextEncoder().encode(json).length <= maxBytes;
}

function summarize(value: unknown, limits: SummaryLimits, depth: number): unknown {
  if (typeof value === "string") {
    return value.length <= limits.maxChars ? value : `${headOf(value, limits.maxChars)}…`;
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth >= limits.maxDepth) return "…";
  const deeper = (item: unknown) => summarize(item, limits, depth + 1);
  if (Array.isArray(value)) {
    const missing = value.length - limits.maxItems;
    const items = value.slice(0, limits.maxItems).map(deeper);
    return missing > 0 ? [...items, `… ${missing} more`] : items;
  }
  const entries = Object.entries(value);
  const missing = entries.length - limits.maxItems;
  const kept = entries.slice(0, limits.maxItems).map(([key, item]): [string, unknown] => [
    key,
    deeper(item),
  ]);
  return Object.fromEntries(missing > 0 ? [...kept, ["…", `${missing} more`]] : kept);
}

/** Returns the JSON of a payload in at most `maxBytes`. A payload nested too deeply stays as the text that was sent. */
export async function serializePayload(
  payload: Readonly<Record<string, unknown>>,
  { maxBytes, sent }: { readonly maxBytes: number; readonly sent: () => string },
): Promise<{ readonly text: string; readonly cutBytes: number }> {
  let text = "";
  let isTooDeep = false;
  try {
    text = JSON.stringify(payload);
    if (text.length * 3 <= maxBytes) return { text, cutBytes: 0 };
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    isTooDeep = true;
  }
  const { capValue, isNestedDeeply } = await import("./cap.ts");
  if (isTooDeep || (text.length > maxBytes && isNestedDeeply(text))) {
    const { tool_name, project_dir } = payload;
    payload = { tool_name, project_dir, unparsed: sent() };
    text = "";
  }
  const { value, cutBytes } = capValue(payload, maxBytes);
  return { text: cutBytes === 0 && text !== "" ? text : JSON.stringify(value), cutBytes };
}
