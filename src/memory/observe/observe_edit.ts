/** Observes an edit of a file. */
import { digestOf } from "../../base/fnv.ts";
import { makeObserved, type Observed, type ToolUse } from "./observation.ts";
import { namedFile } from "./observe_other.ts";
import { headAndTail, shortened, textIn } from "../text.ts";

/** How many characters of a change are stored. The capture holds the whole change. */
const KEPT = { head: 2_400, tail: 800 };
const MAX_NAMED_SYMBOLS = 3;

/** The lines of a change, each with `+`, `-` or a blank before it. */
interface Change {
  readonly lines: readonly string[];
  /** The file's content after the change; null when the capture does not hold it. */
  readonly content: string | null;
  /** The file's content before the change; null when the capture does not hold it. */
  readonly before: string | null;
}

/** Observes Write, Edit, MultiEdit and NotebookEdit; null when the input names no file. */
export function observeEdit({ toolName, payload, root, outcome }: ToolUse): Observed | null {
  const input = payload["tool_input"];
  const path = namedFile(input, root);
  if (path === "") return null;
  const { lines, content, before } = changeOf(toolName, input, payload["tool_response"]);
  const added = lines.filter((line) => line.startsWith("+"));
  const removed = lines.filter((line) => line.startsWith("-"));
  const symbols = definedSymbols([...added, ...removed].map((line) => line.slice(1)).join("\n"));
  const change = lines.filter((line) => !line.startsWith(" ")).join("\n");
  const verb = toolName === "Write" && removed.length === 0 ? "Write" : "Edit";
  const names = symbols.length === 0 ? "" : `: ${symbols.slice(0, MAX_NAMED_SYMBOLS).join(", ")}`;
  const head = shortened(`${verb} ${path}${names}`, 130);
  return makeObserved("edit", `${head} (+${added.length} −${removed.length})`, {
    outcome,
    text: headAndTail(change, KEPT),
    files: [{ path, digest: content === null ? null : digestOf(content) }],
    facts: {
      added: added.length,
      removed: removed.length,
      symbols,
      ...(before === null || content === null ? {} : { before: digestOf(before) }),
    },
    sameAs: `edit ${path} ${digestOf(change)}`,
  });
}

function changeOf(toolName: string, input: unknown, response: unknown): Change {
  const { originalFile, structuredPatch: hunks } = Object(response);
  const before = typeof originalFile === "string" ? originalFile : null;
  const { edits = [input] } = Object(input);
  const steps: readonly unknown[] = Array.isArray(edits) ? edits : [];
  const patched = linesOfPatch(hunks);
  const lines = patched.length > 0 ? patched : steps.flatMap((step) => [
    ...marked("-", textIn(step, "old_string")),
    ...["new_string", "content", "new_source"].flatMap((name) => marked("+", textIn(step, name))),
  ]);
  const written = toolName === "Write" ? textIn(input, "content") : null;
  return { lines, before, content: written ?? (before === null ? null : replaced(before, steps)) };
}

/** Applies replacements to a file's content; null when one does not fit, because the capture was cut. */
function replaced(original: string, steps: readonly unknown[]): string | null {
  let content = original;
  for (const step of steps) {
    const old = textIn(step, "old_string");
    const fresh = textIn(step, "new_string");
    if (old === "" || !content.includes(old)) return null;
    content = Object(step).replace_all === true
      ? content.replaceAll(old, () => fresh)
      : content.replace(old, () => fresh);
  }
  return content;
}

/** Returns the lines of Claude Code's own patch; empty when it sent no patch. */
function linesOfPatch(hunks: unknown): string[] {
  const lines = Array.isArray(hunks) ? hunks.flatMap((hunk) => Object(hunk).lines ?? []) : [];
  return lines.filter((line): line is string => typeof line === "string" && !line.startsWith("\\"));
}

function marked(mark: "+" | "-", text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n").map((line) => mark + line);
}

/** Match definitions as most languages write them. The first group is the name. */
const DEFINITIONS: readonly RegExp[] = [
  /\b(?:function\*?|def|fn|func|sub|proc|macro_rules!)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)/g,
  /\b(?:class|interface|struct|enum|trait|impl|protocol|namespace|module|type|record|object)\s+([A-Z_$][\w$]*)/g,
  /\b(?:const|let|var|val)\s+([A-Za-z_$][\w$]*)\s*(?::[^=\n]{0,80})?=\s*(?:async\s*)?(?:function\b|\([^)\n]{0,200}\)\s*(?::[^=\n]{0,80})?=>|[A-Za-z_$][\w$]*\s*=>)/g,
  /^[ \t]*(?:(?:public|private|protected|static|async|override|final)[ \t]+)+(?:[\w<>[\],.?]+[ \t]+)?([A-Za-z_$][\w$]*)\s*\(/gm,
  /\bCREATE\s+(?:UNIQUE\s+)?(?:TABLE|INDEX|VIEW|TRIGGER)\s+(?:IF\s+NOT\s+EXISTS\s+)?([A-Za-z_]\w*)/gi,
];
const MAX_SYMBOLS = 24;
const MAX_CHARS = 40_000;

/** Returns the names that code defines, each once, in the order of the patterns; at most 24. */
function definedSymbols(code: string): string[] {
  const text = code.slice(0, MAX_CHARS);
  const found = new Set<string>();
  for (const pattern of DEFINITIONS) {
    for (const [, name] of text.matchAll(pattern)) {
      if (name !== undefined && name.length > 1) found.add(name);
    }
  }
  return [...found].slice(0, MAX_SYMBOLS);
}
