/** Observes tools other than edits and commands: reads, searches, the web, sub-agents, and the tools of MCP servers. */
import { digestOf } from "../../base/fnv.ts";
import type { Observed, ToolUse } from "./observation.ts";
import { pathInProject } from "../project_paths.ts";
import { headAndTail, KEPT_ANSWER, shortened, textIn, titleLine } from "../text.ts";
import { failureKey, keyOf } from "./command_key.ts";
import { KEPT_WORDS } from "./observe_words.ts";

/** Observes a tool that has no function of its own, by its input and answer. */
export function observeOther({ toolName, payload, outcome, root }: ToolUse): Observed | null {
  const input = payload["tool_input"];
  const given = typeof input === "object" && input !== null
    ? JSON.stringify(input)
    : String(input ?? "");
  const error = typeof payload["error"] === "string" ? payload["error"] : "";
  const response = payload["tool_response"];
  const answer = typeof response === "string"
    ? response
    : textOfBlocks(Object(response).content ?? response) || JSON.stringify(response ?? "");
  const failed = outcome === "failure";
  const what = `${toolName} ${digestOf(given)}`;
  const named = failed ? textIn(input, "file_path") || textIn(input, "notebook_path") : "";
  const text = headAndTail([given, failed ? error : answer].join("\n"), KEPT_ANSWER);
  return {
    kind: failed ? "failure" : "command",
    outcome,
    title: titleLine(
      failed ? `${toolName} failed: ${error}` : `${toolName} ${shortened(given, 100)}`,
    ),
    text,
    files: named === "" ? [] : [{ path: pathInProject(named, root), digest: null }],
    facts: { tool: toolName, ...(failed ? { error: titleLine(error) } : {}) },
    sameAs: failed ? failureKey(what) : `tool ${what}`,
    ...failed ? { wrong: titleLine(error) } : { passes: [keyOf(what)] },
  };
}

/** Returns the texts of a response that consists of blocks. */
export function textOfBlocks(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => textIn(block, "text")).filter((text) => text !== "").join("\n");
}

export function observeAgent({ payload, outcome }: ToolUse): Observed | null {
  const input = payload["tool_input"];
  const answer = textOfBlocks(Object(payload["tool_response"]).content);
  const prompt = textIn(input, "prompt");
  if (prompt === "" && answer === "") return null;
  const name = textIn(input, "subagent_type") || "agent";
  return {
    kind: "message",
    outcome,
    title: titleLine(`${name}: ${textIn(input, "description") || prompt}`),
    text: [headAndTail(prompt, KEPT_ANSWER), headAndTail(answer, KEPT_WORDS)].filter((part) =>
      part !== ""
    )
      .join("\n\n"),
    files: [],
    facts: { tool: "Agent" },
    sameAs: null,
  };
}

const KEPT_PAGE = { head: 2_400, tail: 600 };

/** Observes WebFetch and WebSearch. */
export function observeFetch({ payload, outcome }: ToolUse): Observed | null {
  if (outcome === "failure") return null;
  const input = payload["tool_input"];
  const url = textIn(input, "url");
  const query = textIn(input, "query");
  if (url === "" && query === "") return null;
  const prompt = textIn(input, "prompt");
  const answer = answerOf(payload["tool_response"]);
  return {
    kind: "fetch",
    outcome: "success",
    title: titleLine(url === "" ? `Search the web: ${query}` : `Fetch ${url}`),
    text: [url || query, prompt, headAndTail(answer, KEPT_PAGE)].filter((part) => part !== "")
      .join("\n"),
    files: [],
    facts: {},
    sameAs: `fetch ${url}${query} ${prompt}`,
  };
}

function answerOf(response: unknown): string {
  if (typeof response === "string") return response;
  const text = textIn(response, "result") || textIn(response, "content");
  if (text !== "") return text;
  const results: unknown = Object(response).results;
  if (!Array.isArray(results)) return "";
  return results.map((result) =>
    typeof result === "string"
      ? result
      : [textIn(result, "title"), textIn(result, "url")].join(" ").trim()
  ).join("\n");
}

const MAX_FOUND_FILES = 12;

/** Observes Read and NotebookRead. A failure names the file, which the error does not do. */
export function observeRead(use: ToolUse): Observed | null {
  const { payload, root, outcome } = use;
  const input = payload["tool_input"];
  const named = textIn(input, "file_path") || textIn(input, "notebook_path");
  if (outcome === "failure") return observeFailedRead(observeOther(use));
  if (named === "") return null;
  const path = pathInProject(named, root);
  return {
    ...observedSearch(`Read ${path}`, path, `read ${path}`),
    files: [{ path, digest: null }],
  };
}

function observeFailedRead(observed: Observed | null): Observed | null {
  const [file] = observed?.files ?? [];
  if (observed === null || file === undefined) return observed;
  return {
    ...observed,
    title: titleLine(`Read ${file.path} failed: ${observed.facts.error ?? ""}`),
  };
}

/** Observes Grep, Glob and LS. */
export function observeSearch({ toolName, payload, root, outcome }: ToolUse): Observed | null {
  if (outcome === "failure") return null;
  const input = payload["tool_input"];
  const pattern = textIn(input, "pattern");
  const place = textIn(input, "path");
  const where = place === "" ? "" : ` in ${pathInProject(place, root)}`;
  const verb = toolName === "LS" ? "List" : toolName === "Glob" ? "Find files" : "Search";
  const what = pattern === "" ? "" : ` \`${shortened(pattern, 80)}\``;
  const found = filesFound(payload["tool_response"]).map((path) => pathInProject(path, root));
  const list = found.slice(0, MAX_FOUND_FILES).join("\n");
  return observedSearch(
    `${verb}${what}${where}`,
    `${pattern}\n${list}`,
    `${toolName} ${pattern} ${place}`,
  );
}

function observedSearch(title: string, text: string, sameAs: string): Observed {
  return {
    kind: "search",
    outcome: "success",
    title: titleLine(title),
    text,
    files: [],
    facts: {},
    sameAs,
  };
}

/** Returns the files in a response, which is a list of names, or a text with a name on each line. */
function filesFound(response: unknown): string[] {
  const names: unknown = Object(response).filenames;
  if (Array.isArray(names)) return names.filter((name): name is string => typeof name === "string");
  const text = typeof response === "string" ? response : textIn(response, "content");
  return text.split("\n").map((line) => line.split(":", 1)[0]!.trim())
    .filter((name) => /^[\w@./\\-]+$/.test(name));
}
