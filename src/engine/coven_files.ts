/** What people have written for coven, the older daemon: workflows, prompts, matchers, configuration, as files of ours. */
import { isSeq, parse as parseYaml, parseDocument, stringify } from "yaml";
import type { Plain } from "../config/yaml_tree.ts";
import { messageOf } from "../errors.ts";
import { writeWholeFile } from "../maintenance/whole_file.ts";
import type { NotTaken } from "./coven_fields.ts";
import { jsonObjectIn } from "./coven_tasks.ts";
import { isMapping } from "../orchestration/field_reader.ts";
import { parseMatchers } from "../orchestration/matchers.ts";
import { textFaults } from "../orchestration/template.ts";
import { baseName, joinPath } from "../paths.ts";
import { type FoundFile, readFolder, readFound } from "../project/found_file.ts";
import type { CovenPlace } from "./coven_place.ts";
import { lookForWorkflow, parseFile } from "./workflow_files.ts";

/** A file that is to be made. */
export interface CopiedFile {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** One key that our configuration is to have. */
export interface ConfigEntry {
  readonly path: readonly string[];
  readonly value: Plain;
}

/** What is made of what people have written. */
export interface FilesPlan {
  readonly writes: CopiedFile[];
  /** Files of ours that say the same already. */
  readonly present: string[];
  readonly entries: ConfigEntry[];
  readonly notTaken: NotTaken[];
  readonly notes: string[];
  /** The texts of workflows, by name. */
  readonly workflows: Map<string, string>;
  filesRead: number;
}

/** A value of ours, or a sentence why there is none. */
type Conversion = { readonly value: Plain } | { readonly why: string };
type Convert = (value: unknown) => Conversion;

const USUAL = "it is what the older daemon had anyway; ours has its own default";

/** Keys of `config.json`, under the names of its two schemas, ours, and what the value becomes; or why it becomes nothing. */
const KEYS: readonly (readonly [old: string, path: string | null, convert: Convert | string])[] = [
  ["agent_command agentCommand", "orchestration.agentCommand", unless("claude", text)],
  [
    "agent_args agentArgs",
    "orchestration.agentArgs",
    unless(["-p", "--output-format", "stream-json", "--verbose"], texts),
  ],
  ["max_concurrent_agents maxConcurrentAgents", "orchestration.maxConcurrentAgents", whole(1, 64)],
  ["worktreeBasePath", "orchestration.worktreePath", unless(".coven/worktrees", text)],
  [
    "agentTimeoutMs",
    "orchestration.agentTimeoutMinutes",
    (value) => whole(1, 1440)(typeof value === "number" ? Math.ceil(value / 60_000) : value),
  ],
  ["preMergeChecks", "orchestration.check", checkOf],
  [
    "agentPermissions",
    "orchestration.allowedTools",
    (value) => unless([], texts)(isMapping(value) ? value.allowedTools : null),
  ],
  [
    "notifications",
    "orchestration.notify",
    (value) => ({ value: Object.values(Object(value)).some((way) => way !== "none") }),
  ],
  ["store.eventRetentionHours", "store.eventRetentionHours", whole(0, 876_000)],
  ["store.taskRetentionDays", "store.taskRetentionDays", whole(0, 36_500)],
  ["store.taskSoftDeleteDays", "store.taskSoftDeleteDays", whole(0, 36_500)],
  ["store.workflowRetentionDays", "store.workflowRetentionDays", whole(0, 36_500)],
  ["store.claimTimeoutMinutes", "store.claimTimeoutMinutes", whole(1, 10_080)],
  ["poll_interval", null, "the daemon here does not poll"],
  ["log_level logging", null, "the daemon's log here has one level and a size that it keeps to"],
  ["beadsSyncIntervalMs", null, "no other tracker is synchronised"],
  ["mergeConflictMaxRetries", null, "a merge that conflicts waits for a person"],
  ["outputRetentionDays", null, "output goes with its task"],
];

/** Plans the files; nothing is written, and a file of ours is never replaced. */
export function planCovenFiles({ folder, root }: CovenPlace): FilesPlan {
  const plan: FilesPlan = {
    writes: [],
    present: [],
    entries: [],
    notTaken: [],
    notes: [],
    workflows: new Map(),
    filesRead: 0,
  };
  const at = (name: string) => joinPath(folder, name);
  const ours = (name: string) => joinPath(joinPath(root, ".conclaude"), name);
  const leave = (name: string, why: string) => void plan.notTaken.push({ name, why });
  const read = <Value>(file: FoundFile | undefined, parse: (file: FoundFile) => Value | string) => {
    if (file === undefined) return null;
    const found = file.text === null ? file.problem : parse(file);
    if (typeof found !== "string") plan.filesRead++;
    else leave(file.path, found);
    return typeof found === "string" ? null : found;
  };
  const copy = (from: string, to: string, text: string) => {
    const there = readFound(to);
    if (there !== undefined && there.text !== text) {
      leave(from, `${to} is there already and says something else; it stays`);
    } else if (there !== undefined) plan.present.push(to);
    else if (plan.writes.every((file) => file.to !== to)) plan.writes.push({ from, to, text });
  };
  const nameOf = ({ path }: FoundFile) => baseName(path).replace(/\.[^.]+$/, "");
  for (const file of readFolder(at("grimoires"), /\.ya?ml$/)) {
    const name = nameOf(file);
    read(file, ({ path, text }) => {
      const parsed = parseFile({ name, path, text: text! });
      if ("errors" in parsed) return parsed.errors.join("; ");
      plan.workflows.set(name, text!);
      copy(path, ours(`workflows/${name}.yaml`), text!);
      return parsed;
    });
  }
  for (const file of readFolder(at("spells"), /\.md$/)) {
    read(file, ({ path, text }) => {
      plan.notes.push(...textFaults(text).slice(0, 1).map((fault) => `${path}: ${fault}`));
      copy(path, ours(`prompts/${nameOf(file)}.md`), text!);
      return {};
    });
  }
  const mappingFile = readFound(at("grimoire-mapping.json"));
  const mapping = read(mappingFile, jsonObjectIn);
  const { defaultWorkflow, matchers } = convertMapping(mapping ?? {});
  if (defaultWorkflow !== null) {
    plan.entries.push({ path: ["orchestration", "defaultWorkflow"], value: defaultWorkflow });
    if (
      !plan.workflows.has(defaultWorkflow) && lookForWorkflow(defaultWorkflow, root) === undefined
    ) {
      plan.notes.push(
        `orchestration.defaultWorkflow: there is no workflow "${defaultWorkflow}"; ` +
          `tasks that get it are blocked until there is .conclaude/workflows/${defaultWorkflow}.yaml`,
      );
    }
  }
  const given = readFound(at("grimoire-matchers.yaml")) ?? readFound(at("grimoire-matchers.yml"));
  const own = read(given, ({ path, text }) => {
    try {
      const { warnings } = parseMatchers(parseYaml(text!));
      plan.notes.push(...warnings.map((warning) => `${path}: ${warning}`));
      return { text: text! };
    } catch (thrown) {
      return `it is no YAML: ${messageOf(thrown)}`;
    }
  });
  if (own !== null || matchers.length > 0) {
    const from = (own === null ? mappingFile : given)!.path;
    copy(from, ours("workflow-matchers.yaml"), withMatchers(own?.text ?? null, matchers));
  }
  convertConfig(read(readFound(at("config.json")), jsonObjectIn) ?? {}, plan);
  for (const name of ["secrets.yaml", "system-prompt.md"]) {
    if (readFound(at(name)) !== undefined) leave(at(name), "it has no counterpart here");
  }
  return plan;
}

/** Makes a planned file, whole. @throws {Error} What the file system says. */
export function writeCopy({ to, text }: CopiedFile): void {
  writeWholeFile(to, text, { mode: 0o644 });
}

/** The matchers of the file, then those of the mapping. */
function withMatchers(given: string | null, more: readonly Plain[]): string {
  if (given === null) return stringify({ matchers: more });
  if (more.length === 0) return given;
  const document = parseDocument(given);
  const list = isSeq(document.contents) ? document.contents : document.get("matchers", true);
  if (isSeq(list)) { for (const one of more) list.add(document.createNode(one)); }
  else document.set("matchers", document.createNode(more));
  return document.toString({ lineWidth: 0 });
}

/** Adds what the older configuration comes to. */
function convertConfig(config: Readonly<Record<string, unknown>>, plan: FilesPlan): void {
  const { store, ...others } = config;
  const all = [
    ...Object.entries(others),
    ...Object.entries(Object(store)).map(([name, value]) => [`store.${name}`, value] as const),
  ];
  for (const [name, value] of all) {
    if (value === null || value === "") continue;
    const [, path, convert] = KEYS.find(([old]) => old.split(" ").includes(name)) ??
      [name, null, "the key is not known"];
    const made = typeof convert === "string" ? { why: convert } : convert(value);
    if ("why" in made) plan.notTaken.push({ name, why: made.why });
    else plan.entries.push({ path: path!.split("."), value: made.value });
  }
}

/** The matchers that choose by type as the older mapping did, and the default workflow. */
function convertMapping(mapping: Readonly<Record<string, unknown>>) {
  const byType = Object.entries(Object(mapping.by_type ?? mapping.byType))
    .filter((entry): entry is [string, string] => typeof entry[1] === "string");
  // An epic is a feature here, unless features have a workflow of their own.
  const types = new Map([
    ...byType.filter(([type]) => type === "epic").map(([, name]) => ["feature", name] as const),
    ...byType.filter(([type]) => type !== "epic"),
  ]);
  return {
    defaultWorkflow: typeof mapping.default === "string" && mapping.default !== ""
      ? mapping.default
      : null,
    matchers: [...types]
      .map(([type, workflow]) => ({ name: `type-${type}`, match: { type: [type] }, workflow })),
  };
}

function text(value: unknown): Conversion {
  return typeof value === "string" && value !== "" ? { value } : { why: "it is no text" };
}

function texts(value: unknown): Conversion {
  return Array.isArray(value) && value.every((one) => typeof one === "string")
    ? { value }
    : { why: "it is no list of texts" };
}

function whole(min: number, max: number): Convert {
  return (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? { value: Number(value) }
      : { why: `it is no whole number from ${min} to ${max}` };
}

function unless(usual: Plain, convert: Convert): Convert {
  return (value) =>
    JSON.stringify(value) === JSON.stringify(usual) ? { why: USUAL } : convert(value);
}

/** Commands that were run before a merge, as one line of the shell that stops at the first that fails. */
function checkOf(value: unknown): Conversion {
  if (!isMapping(value)) return { why: "it is no mapping" };
  const commands = texts(value.commands ?? []);
  if ("why" in commands) return commands;
  const list = commands.value as string[];
  if (value.enabled !== true || list.length === 0) return { why: "it is switched off" };
  return { value: list.length === 1 ? list[0]! : list.map((one) => `(${one})`).join(" && ") };
}
