/** Observes reads and searches of files. The content of the files is not kept. */
import type { Observed, ToolUse } from "./observation.ts";
import { pathInProject } from "../project_paths.ts";
import { shortened, textIn, titleLine } from "../text.ts";
import { observeOther } from "./observe_other.ts";

const MAX_FOUND_FILES = 12;

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

function looked(title: string, text: string, sameAs: string): Observed {
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

/** A response is a list of names, or a text with one in each line. */
function filesFound(response: unknown): string[] {
  const names: unknown = Object(response).filenames;
  if (Array.isArray(names)) return names.filter((name): name is string => typeof name === "string");
  const text = typeof response === "string" ? response : textIn(response, "content");
  return text.split("\n").map((line) => line.split(":", 1)[0]!.trim())
    .filter((name) => /^[\w@./\\-]+$/.test(name));
}
