/** What was looked at: files, searches, pages. Their content is not kept in words, only that and what was looked for. */
import type { Observed, ToolUse } from "../observation.ts";
import { pathInProject } from "../paths.ts";
import { headAndTail, shortened, textIn, titleLine } from "../text.ts";
import { observeOther } from "./words.ts";

const MAX_FOUND_FILES = 12;
const KEPT_PAGE = { head: 2_400, tail: 600 };

/** Read and NotebookRead; what could not be read is named, for the error does not say it. */
export function observeRead(use: ToolUse): Observed | null {
  const { payload, root, outcome } = use;
  const input = payload["tool_input"];
  const named = textIn(input, "file_path") || textIn(input, "notebook_path");
  if (outcome === "failure") return notRead(observeOther(use));
  if (named === "") return null;
  const path = pathInProject(named, root);
  return {
    ...looked(`Read ${path}`, path, `read ${path}`),
    files: [{ path, digest: null }],
  };
}

function notRead(told: Observed | null): Observed | null {
  const [file] = told?.files ?? [];
  if (told === null || file === undefined) return told;
  return { ...told, title: titleLine(`Read ${file.path} failed: ${told.facts.error ?? ""}`) };
}

/** Grep, Glob and LS. */
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
  return looked(`${verb}${what}${where}`, `${pattern}\n${list}`, `${toolName} ${pattern} ${place}`);
}

/** WebFetch and WebSearch. */
export function observeFetch({ payload, outcome }: ToolUse): Observed | null {
  if (outcome === "failure") return null;
  const input = payload["tool_input"];
  const url = textIn(input, "url");
  const query = textIn(input, "query");
  if (url === "" && query === "") return null;
  const asked = textIn(input, "prompt");
  const answer = answerOf(payload["tool_response"]);
  return {
    kind: "fetch",
    outcome: "success",
    title: titleLine(url === "" ? `Search the web: ${query}` : `Fetch ${url}`),
    text: [url || query, asked, headAndTail(answer, KEPT_PAGE)].filter((part) => part !== "")
      .join("\n"),
    files: [],
    facts: {},
    sameAs: `fetch ${url}${query} ${asked}`,
    mends: null,
  };
}

function looked(title: string, text: string, sameAs: string): Observed {
  return {
    kind: "search",
    outcome: "success",
    title: titleLine(title),
    text,
    files: [],
    facts: {},
    sameAs,
    mends: null,
  };
}

/** A response is a list of names, or a text with one in each line. */
function filesFound(response: unknown): string[] {
  const names: unknown = Object(response).filenames;
  if (Array.isArray(names)) return names.filter((name): name is string => typeof name === "string");
  const text = typeof response === "string" ? response : textIn(response, "content");
  return text.split("\n").map((line) => line.split(":", 1)[0]!.trim())
    .filter((name) => /^[\w@./\\-]+$/.test(name));
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
