/** Observes tools other than edits and commands: reads, searches, the web, sub-agents, and the tools of MCP servers. */
import { digestOf } from "../../base/fnv.ts";
import { makeObserved, type Observed, type ToolUse } from "./observation.ts";
import { pathInProject } from "../project_paths.ts";
import { headAndTail, KEPT_ANSWER, shortened, textIn, titleLine } from "../text.ts";
import { failureKey, keyOf } from "./command_key.ts";
import { KEPT_WORDS } from "./observe_words.ts";

/** Observes a tool that has no function of its own, by its input and answer, and the failure of any other tool. */
export function observeOther({ toolName, payload, outcome, root }: ToolUse): Observed {
  const { tool_input: input, tool_response: response } = payload;
  const given = typeof input === "object" && input !== null
    ? JSON.stringify(input)
    : String(input ?? "");
  const what = `${toolName} ${digestOf(given)}`;
  const textWith = (answer: string) => headAndTail(`${given}\n${answer}`, KEPT_ANSWER);
  if (outcome === "success") {
    const answer = typeof response === "string"
      ? response
      : textOfBlocks(Object(response).content ?? response) || JSON.stringify(response ?? "");
    return makeObserved("command", `${toolName} ${shortened(given, 100)}`, {
      outcome,
      text: textWith(answer),
      facts: { tool: toolName },
      sameAs: `tool ${what}`,
      passes: [keyOf(what)],
    });
  }
  const error = textIn(payload, "error");
  const wrong = titleLine(error);
  const path = namedFile(input, root);
  // The error of a failed Read does not name the file.
  const name = path !== "" && /^(?:Notebook)?Read$/.test(toolName) ? `Read ${path}` : toolName;
  return makeObserved("failure", `${name} failed: ${error}`, {
    outcome,
    text: textWith(error),
    files: path === "" ? [] : [{ path, digest: null }],
    facts: { tool: toolName, error: wrong },
    sameAs: failureKey(what),
    wrong,
  });
}

/** Returns the file that an input names, as memory stores paths; empty when it names none. */
export function namedFile(input: unknown, root: string | null): string {
  const named = textIn(input, "file_path") || textIn(input, "notebook_path");
  return named === "" ? "" : pathInProject(named, root);
}

/** Returns the texts of a response that consists of blocks. */
function textOfBlocks(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => textIn(block, "text")).filter(Boolean).join("\n");
}

export function observeAgent({ payload, outcome }: ToolUse): Observed | null {
  const input = payload["tool_input"];
  const answer = textOfBlocks(Object(payload["tool_response"]).content);
  const prompt = textIn(input, "prompt");
  if (prompt === "" && answer === "") return null;
  const name = textIn(input, "subagent_type") || "agent";
  return makeObserved("message", `${name}: ${textIn(input, "description") || prompt}`, {
    outcome,
    text: [headAndTail(prompt, KEPT_ANSWER), headAndTail(answer, KEPT_WORDS)].filter(Boolean)
      .join("\n\n"),
    facts: { tool: "Agent" },
  });
}

const KEPT_PAGE = { head: 2_400, tail: 600 };

/** Observes WebFetch and WebSearch. */
export function observeFetch({ payload, outcome }: ToolUse): Observed | null {
  const input = payload["tool_input"];
  const [url, query, prompt] = [
    textIn(input, "url"),
    textIn(input, "query"),
    textIn(input, "prompt"),
  ];
  if (url === "" && query === "") return null;
  const answer = headAndTail(answerOf(payload["tool_response"]), KEPT_PAGE);
  return makeObserved("fetch", url === "" ? `Search the web: ${query}` : `Fetch ${url}`, {
    outcome,
    text: [url || query, prompt, answer].filter(Boolean).join("\n"),
    sameAs: `fetch ${url}${query} ${prompt}`,
  });
}

function answerOf(response: unknown): string {
  if (typeof response === "string") return response;
  const text = textIn(response, "result") || textIn(response, "content");
  const results: unknown = Object(response).results;
  if (text !== "" || !Array.isArray(results)) return text;
  return results.map((result) =>
    typeof result === "string"
      ? result
      : [textIn(result, "title"), textIn(result, "url")].join(" ").trim()
  ).join("\n");
}

const MAX_FOUND_FILES = 12;

/** Observes Read and NotebookRead. */
export function observeRead({ payload, root, outcome }: ToolUse): Observed | null {
  const path = namedFile(payload["tool_input"], root);
  if (path === "") return null;
  const files = [{ path, digest: null }];
  return makeObserved("search", `Read ${path}`, {
    outcome,
    text: path,
    files,
    sameAs: `read ${path}`,
  });
}

/** Observes Grep, Glob and LS. */
export function observeSearch({ toolName, payload, root, outcome }: ToolUse): Observed {
  const input = payload["tool_input"];
  const pattern = textIn(input, "pattern");
  const place = textIn(input, "path");
  const where = place === "" ? "" : ` in ${pathInProject(place, root)}`;
  const verb = toolName === "LS" ? "List" : toolName === "Glob" ? "Find files" : "Search";
  const what = pattern === "" ? "" : ` \`${shortened(pattern, 80)}\``;
  const found = filesFound(payload["tool_response"]).map((path) => pathInProject(path, root));
  return makeObserved("search", `${verb}${what}${where}`, {
    outcome,
    text: `${pattern}\n${found.slice(0, MAX_FOUND_FILES).join("\n")}`,
    sameAs: `${toolName} ${pattern} ${place}`,
  });
}

/** Returns the files in a response, which is a list of names, or a text with a name on each line. */
function filesFound(response: unknown): string[] {
  const names: unknown = Object(response).filenames;
  if (Array.isArray(names)) return names.filter((name): name is string => typeof name === "string");
  const text = typeof response === "string" ? response : textIn(response, "content");
  return text.split("\n").map((line) => line.split(":", 1)[0]!.trim())
    .filter((name) => /^[\w@./\\-]+$/.test(name));
}
