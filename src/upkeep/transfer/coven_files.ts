/** What people have written for coven, the older daemon: workflows, prompts, matchers and configuration, as files of ours. */
import { stringify } from "yaml";
import type { Plain } from "../../config/yaml_tree.ts";
import { isMapping } from "../../work/field_reader.ts";
import { baseName, joinPath } from "../../base/paths.ts";
import { type FoundFile, readFolder, readFound } from "../../system/found_file.ts";
import { type CovenPlace, jsonObjectIn, type NotTaken } from "./coven.ts";
import TABLES from "./coven.json" with { type: "json" };
import { parseFile } from "../../work/engine/workflow_files.ts";

/** What is made of what people have written. */
export interface FilesPlan {
  readonly writes: { readonly from: string; readonly to: string; readonly text: string }[];
  /** How many files of ours say the same already. */
  present: number;
  /** What our configuration is to have: the key there, the path and the value here. */
  readonly entries: {
    readonly name: string;
    readonly path: readonly string[];
    readonly value: Plain;
  }[];
  readonly notTaken: NotTaken[];
  filesRead: number;
}

/** Folders and files of coven, and where they go below `.conclaude`. */
const FILES: readonly (readonly [folder: string, names: RegExp, to: (name: string) => string])[] = [
  ["grimoires", /\.ya?ml$/, (name) => `workflows/${name}.yaml`],
  ["spells", /\.md$/, (name) => `prompts/${name}.md`],
  ["", /^grimoire-matchers\.ya?ml$/, () => "workflow-matchers.yaml"],
];

/** Keys whose values have another form here. */
const CONVERT: Readonly<Record<string, (value: unknown) => unknown>> = {
  agentTimeoutMs: (value) => Math.ceil(Number(value) / 60_000),
  agentPermissions: (value) => Object(value).allowedTools,
  notifications: (value) => Object.values(Object(value)).some((way) => way !== "none"),
  // Commands that were run before a merge, as one line of the shell that stops at the first that fails.
  preMergeChecks: (value) => {
    const { enabled, commands } = Object(value);
    const list: unknown[] = enabled === true && Array.isArray(commands) ? commands : [];
    return list.length < 2 ? list[0] : list.map((one) => `(${one})`).join(" && ");
  },
};

/** Plans the files; nothing is written, and a file of ours is never replaced. */
export function planCovenFiles({ folder, root }: CovenPlace): FilesPlan {
  const plan: FilesPlan = { writes: [], present: 0, entries: [], notTaken: [], filesRead: 0 };
  const leave = (name: string, why: string) => void plan.notTaken.push({ name, why });
  const copy = (from: string, name: string, text: string) => {
    const to = joinPath(joinPath(root, ".conclaude"), name);
    const there = readFound(to);
    if (there === undefined) plan.writes.push({ from, to, text });
    else if (there.text === text) plan.present++;
    else leave(from, `${to} is there already and says something else; it stays`);
  };
  for (const [part, names, placeOf] of FILES) {
    for (const file of readFolder(joinPath(folder, part), names)) {
      const name = baseName(file.path).replace(/\.[^.]+$/, "");
      const problem = file.text === null ? file.problem : problemIn(part, name, file);
      if (problem !== null) leave(file.path, problem);
      else copy(file.path, placeOf(name), file.text!);
      if (problem === null) plan.filesRead++;
    }
  }
  const read = (name: string) => {
    const file = readFound(joinPath(folder, name));
    const found = file === undefined ? {} : jsonObjectIn(file);
    if (typeof found === "string") leave(file!.path, found);
    else if (file !== undefined) plan.filesRead++;
    return typeof found === "string" ? {} : found;
  };
  const mapping = read("grimoire-mapping.json");
  const byType = Object.entries(Object(mapping["by_type"] ?? mapping["byType"]));
  if (byType.length > 0 && plan.writes.every(({ to }) => !to.endsWith("workflow-matchers.yaml"))) {
    const matchers = byType.map(([type, workflow]) => ({
      name: `type-${type}`,
      match: { type: [type === "epic" ? "feature" : type] },
      workflow,
    }));
    copy(
      joinPath(folder, "grimoire-mapping.json"),
      "workflow-matchers.yaml",
      stringify({ matchers }),
    );
  } else if (byType.length > 0) {
    leave("grimoire-mapping.json: by_type", "there are matchers already");
  }
  convertConfig({ ...read("config.json"), defaultWorkflow: mapping["default"] }, plan);
  for (const name of ["secrets.yaml", "system-prompt.md"]) {
    if (readFound(joinPath(folder, name)) !== undefined) leave(name, "it has no counterpart here");
  }
  return plan;
}

/** What keeps a workflow from being one here; null when nothing does. */
function problemIn(part: string, name: string, { path, text }: FoundFile): string | null {
  if (part !== "grimoires") return null;
  const parsed = parseFile({ name, path, text: text! });
  return "errors" in parsed ? parsed.errors.join("; ") : null;
}

function convertConfig(config: Readonly<Record<string, unknown>>, plan: FilesPlan): void {
  const keys: Readonly<Record<string, string>> = TABLES.config;
  const usual: Readonly<Record<string, unknown>> = TABLES.usual;
  const left: Readonly<Record<string, string>> = TABLES.left;
  const { store, ...others } = config;
  const inStore = Object.entries(isMapping(store) ? store : {})
    .map(([name, value]) => [`store.${name}`, value] as const);
  for (const [name, value] of [...Object.entries(others), ...inStore]) {
    if ((value ?? "") === "") continue;
    const path = keys[name];
    const made = CONVERT[name]?.(value) ?? (name in CONVERT ? undefined : value);
    const why = path === undefined
      ? left[name] ?? "the key is not known"
      : JSON.stringify(value) === JSON.stringify(usual[name])
      ? "it is what the older daemon had anyway; ours has its own default"
      : made === undefined
      ? "it is switched off"
      : null;
    if (why !== null) plan.notTaken.push({ name, why });
    else {plan.entries.push({
        name: path!,
        path: path!.split("."),
        value: made as Plain,
      });}
  }
}
