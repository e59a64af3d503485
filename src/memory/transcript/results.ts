/** What a line of a transcript tells of how a tool use ended. */

type Fields = Readonly<Record<string, unknown>>;

/** How results of tools begin that were never used, where a line does not say so in a field of its own. */
const NEVER_USED =
  /^(?:<tool_use_error>|The user doesn't want to proceed|The user doesn't want to take this action|Permission to use |\[Request interrupted)/;

/** The result of a tool use: what it gave, or why it failed. */
export interface ToolResult {
  readonly toolUseId: string;
  readonly response: unknown;
  /** Null when it did not fail. */
  readonly error: string | null;
}

/** The results in a message, without those of tools that were never used: refused, unknown, called with a wrong input. */
export function toolResults(line: Fields, content: unknown): ToolResult[] {
  if (!Array.isArray(content)) return [];
  const blocks: Fields[] = content.filter((block) =>
    Object(block).type === "tool_result" && typeof block.tool_use_id === "string"
  );
  // The structured result of a line is that of its one block.
  const structured = blocks.length === 1 ? line["toolUseResult"] : undefined;
  return blocks.filter((block) => wasUsed(line, block)).map((block) => {
    const toolUseId = String(block["tool_use_id"]);
    const failed = block["is_error"] === true;
    return failed
      ? { toolUseId, response: undefined, error: errorOf(structured, block["content"]) }
      : { toolUseId, response: structured ?? block["content"] ?? "", error: null };
  });
}

function wasUsed(line: Fields, block: Fields): boolean {
  if (typeof line["toolDenialKind"] === "string") return false;
  const decision = Object(line["permissionDecision"]).decision;
  if (typeof decision === "string") return decision === "accept";
  return block["is_error"] !== true || !NEVER_USED.test(plainText(block["content"]));
}

/** A hook is told the error itself; the block may have advice for Claude behind it. */
function errorOf(structured: unknown, content: unknown): string {
  return typeof structured === "string"
    ? structured.replace(/^Error: /, "")
    : plainText(content).replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, "$1");
}

function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => String(Object(block).text ?? "")).join("\n");
}
