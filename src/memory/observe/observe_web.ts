/** What was fetched from the web, or looked for there. */
import type { Observed, ToolUse } from "../observation.ts";
import { headAndTail, textIn, titleLine } from "../text.ts";

const KEPT_PAGE = { head: 2_400, tail: 600 };

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
