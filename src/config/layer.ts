/** Reads one configuration file. Values that the schema refuses are removed and reported; the rest counts. */
import type * as z from "zod/mini";
import { nearestWords } from "../base/likeness.ts";
import { parentOf, resolvePath } from "../base/paths.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import { configSchema } from "./config_schema.ts";
import type { ConfigFile } from "./discover.ts";
import type { ConfigKey } from "./schema_kit.ts";
import {
  fromTheEnd,
  isMapping,
  type LayerValues,
  pathInFile,
  type Plain,
  readYaml,
  takeOut,
  valueAt,
  type ValuePath,
  type YamlTree,
} from "./yaml_tree.ts";
import { ownValue } from "../base/mapping.ts";

/** A mistake in a configuration file: the key does not count as it is written. */
export interface ConfigProblem {
  readonly path: string;
  /** Line and column count from 1; both are 0 when the file could not be read. */
  readonly line: number;
  readonly column: number;
  /** The dotted name (`capture.exclude.tools[2]`); empty when the whole file is meant. */
  readonly key: string;
  /** What was expected and what was found. */
  readonly message: string;
  /** What to write instead, as a sentence without a period. */
  readonly suggestion?: string;
}

export interface LayerResult {
  /** The keys that the file names, all of them valid; `database.path` is absolute. */
  readonly values: LayerValues;
  readonly problems: readonly ConfigProblem[];
  /** Names of requirements that a mistake switches off. */
  readonly broken: readonly string[];
  /** Why nothing of the file counts; null when it can be used. */
  readonly unreadable: ConfigProblem | null;
  /** Keys in a project's file that count only in the user's own file. */
  readonly unheeded: readonly string[];
  /** The mistake that switches the user's `memory.summarizer` off; null without one. */
  readonly summarizerFault: ConfigProblem | null;
}

/** How often a file is checked: removing one mistake can uncover another, but not often. */
const MAX_ROUNDS = 4;

/** A value for a configuration file, and its name in messages. */
export interface ConfigEntry {
  readonly name: string;
  readonly path: readonly string[];
  readonly value: Plain;
}

/** Checks a value as if a project's file held it. @returns The schema's objections in one text; empty for none. */
export function faultsOf({ path, value }: Omit<ConfigEntry, "name">): string {
  const nested = path.reduceRight<Plain>((inner, key) => ({ [key]: inner }), value);
  const { problems } = readLayer({ layer: "project", path: "", text: JSON.stringify(nested) });
  return problems.map(({ key, message }) => {
    const below = key.replace(`${path.join(".")}`, "").replace(/^\./, "");
    return below === "" ? message : `${below}: ${message}`;
  }).join("; ");
}

/** Reads one file. Never throws. */
export function readLayer(file: ConfigFile): LayerResult {
  if (file.text === null) {
    const message = file.distrust === undefined
      ? `the file cannot be read: ${file.problem}`
      : `the file is left out: ${file.problem}. So that it counts: ` +
        `\`${file.distrust.next.map(quoteWord).join(" ")}\``;
    const problem = { path: file.path, line: 0, column: 0, key: "", message };
    return { ...NOTHING, problems: [problem], unreadable: problem };
  }
  const tree = readYaml(file.text);
  const problems = tree.faults.map(({ path, ...fault }): ConfigProblem => ({
    path: file.path,
    key: dotted(path),
    ...fault,
  }));
  if (tree.root === undefined) {
    return { ...NOTHING, problems, unreadable: problems.at(-1) ?? null };
  }
  const report = (path: ValuePath, at: "key" | "value", message: string, suggestion?: string) => {
    const position = at === "key" ? tree.keyAt(path) : tree.valueAt(path);
    const problem = { path: file.path, ...position, key: dotted(path), message };
    problems.push(suggestion === undefined ? problem : { ...problem, suggestion });
  };
  const written = requirementsIn(tree.root);
  const values = keepValid(tree.root, report);
  const kept = new Set(requirementsIn(values));
  const broken = written.filter((name) => !kept.has(name));
  resolveDatabasePath(values, file, report);
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  const isUsers = file.layer === "user";
  const memory = isMapping(values.memory) ? values.memory : {};
  const unheeded = isUsers ? [] : takeOutOfProject(values);
  const fault = isUsers ? switchOffSummarizer(memory, problems) : null;
  return { values, problems, broken, unreadable: null, unheeded, summarizerFault: fault };
}

/** The result of a file that cannot be used. */
const NOTHING = { values: {}, broken: [], unheeded: [], summarizerFault: null };

function requirementsIn({ requirements }: LayerValues): string[] {
  return isMapping(requirements) ? Object.keys(requirements) : [];
}

type Report = (path: ValuePath, at: "key" | "value", message: string, suggestion?: string) => void;

function keepValid(root: NonNullable<YamlTree["root"]>, report: Report): LayerValues {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { error } = configSchema().schema.safeParse(root);
    if (error === undefined) return root;
    const reportInFile: Report = (path, ...what) => report(pathInFile(root, path), ...what);
    const paths = error.issues.flatMap((issue) => refuse(issue, root, reportInFile));
    const refused = [...new Map(paths.map((path) => [dotted(path), path])).values()];
    refused.sort(fromTheEnd);
    for (const path of refused) takeOut(root, path, insteadAt(path));
  }
  return {};
}

/** Returns what replaces a wrong entry of a list: the list's default, since a shorter list would require less. */
function insteadAt(path: ValuePath): readonly string[] {
  const usual = typeof path.at(-1) === "number" ? rowOf(path.slice(0, -1))?.default : null;
  return Array.isArray(usual) ? usual : [];
}

function allKeys(): readonly ConfigKey[] {
  const { keys, itemKeys } = configSchema();
  return [...keys, ...itemKeys];
}

function knownNames(): string[] {
  return [...configSchema().sections, ...allKeys()].map(({ key }) => key);
}

function rowOf(path: ValuePath): ConfigKey | undefined {
  const name = configSchema().rowName(path);
  return allKeys().find(({ key }) => key === name);
}

/** Reports one issue. @returns The paths of the values that have to go. */
function refuse(issue: z.core.$ZodIssue, root: LayerValues, report: Report): ValuePath[] {
  const path = issue.path.filter((part) => typeof part !== "symbol");
  const found = valueAt(root, path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((name) => {
      const unknown = [...path, name];
      report(unknown, "key", "there is no such key", insteadOf(configSchema().rowName(unknown)));
      // Without this key a trigger could match more than was meant, so the whole requirement is removed.
      return isInTrigger(path) ? path.slice(0, 2) : unknown;
    });
  }
  if (issue.code === "invalid_union") {
    // The union is a map or its shorthand, in this order. Only the errors of the form that was used are reported.
    const inner = isMapping(found) ? issue.errors[0] : typeof found === "string" && issue.errors[1];
    if (inner) {
      return inner.flatMap((one) =>
        refuse({ ...one, path: [...issue.path, ...one.path] }, root, report)
      );
    }
  }
  if (issue.code === "invalid_key") {
    report(
      path,
      "key",
      path[0] === "requirements"
        ? "expected a name of at most 64 letters (a to z), digits, `_`, `-` and `.` that begins with a letter, a digit or `_`"
        : `expected a glob as the name: ${issue.issues[0]?.message ?? ""}`,
    );
    return [path];
  }
  const isItem = typeof path.at(-1) === "number";
  const row = rowOf(isItem ? path.slice(0, -1) : path);
  const message = `expected ${expectation(row, isItem)}, found ${describe(found)}` +
    faultOf(issue, path);
  report(path, "value", message, row && !isItem ? correction(row, found) : undefined);
  // Half a requirement would require something else than was meant.
  if (path[0] === "requirements") return [path.slice(0, 2)];
  // An entry without its needed key means nothing.
  return [row?.type.endsWith(", needed") ? path.slice(0, -1) : path];
}

/** Returns the text that follows "expected …, found …" in a message. */
function faultOf(issue: z.core.$ZodIssue, path: ValuePath): string {
  const instead = insteadAt(path);
  const words = issue.code === "invalid_value" ? issue.values : [];
  return [
    issue.code === "custom" ? `: ${issue.message}` : "",
    typeof path.at(-1) === "number" && words.length > 0 ? `: there are ${words.join(", ")}` : "",
    instead.length === 0 ? "" : `; ${instead.join(", ")} counts in its place`,
  ].join("");
}

function isInTrigger(path: ValuePath): boolean {
  return path[0] === "requirements" && path[2] === "triggerTools" && path.length > 3;
}

/** Keys of this program's predecessor, and what to write now. */
const FORMER: Readonly<Record<string, string>> = {
  rules: 'write what stands in it below "preToolUse"',
  "stop.run": 'write "stop.commands", a list with a map {run: …} for each command',
  gitWorktree: "remove it: worktrees are left to Claude Code",
};

/** Returns what to write instead of an unknown key. @param unknown Its name in the tables. */
function insteadOf(unknown: string): string | undefined {
  const former = ownValue(FORMER, unknown);
  if (former !== undefined) return former;
  const section = unknown.slice(0, unknown.lastIndexOf(".") + 1);
  // Inside of an entry, the suggestion names the key alone.
  const isInside = /(?:\[\]|<name>)\.$/.test(section);
  const names = suggestKeys(unknown)
    .map((key) => isInside && key.startsWith(section) ? key.slice(section.length) : key);
  if (names.length === 0) return undefined;
  return `write ${[...new Set(names)].map((name) => `"${name}"`).join(" or ")} instead`;
}

function expectation(row: ConfigKey | undefined, isItem: boolean): string {
  if (row === undefined) return "a map of keys";
  if (isItem) return `a ${row.item}`;
  const range = row.range ? ` from ${row.range[0]} to ${row.range[1]}` : "";
  const type = row.type.replace(/, needed$/, "");
  return / or /.test(type) ? type : `a ${type}${range}`;
}

const TRUE = /^(?:yes|on|true)$/i;
const FALSE = /^(?:no|off|false)$/i;

function correction(row: ConfigKey, found: unknown): string | undefined {
  if (typeof found !== "string") return undefined;
  if (row.item !== undefined) return listOf(row, found);
  if (typeof row.default === "boolean") {
    if (TRUE.test(found)) return "write true";
    return FALSE.test(found) ? "write false" : undefined;
  }
  if (typeof row.default === "number" && /^\d+$/.test(found)) {
    return `write ${found} without quotes`;
  }
  return undefined;
}

/** Suggests a list of the text's parts between `, `; for a list of maps, a map whose one needed key has the text. */
function listOf({ key, type, item }: ConfigKey, text: string): string | undefined {
  if (!type.startsWith("list of")) return undefined;
  if (item !== "map of keys") {
    return `write [${text.split(", ").map((part) => JSON.stringify(part)).join(", ")}]`;
  }
  const needed = allKeys()
    .filter((row) => row.key.startsWith(`${key}[].`) && row.type.endsWith(", needed"))
    .map((row) => row.key.slice(`${key}[].`.length));
  return needed.length === 1 ? `write [{${needed[0]}: ${JSON.stringify(text)}}]` : undefined;
}

/** The user and the password in an address; the rest of the address is shown. */
const CREDENTIALS = /(?<=:\/\/)[^/\s"?#]*@/;

function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isMapping(value)) return "a map of keys";
  if (value === null || value === undefined) return "nothing";
  const text = typeof value === "string"
    ? JSON.stringify(value).replace(CREDENTIALS, "…@")
    : String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** Resolves a relative path from the folder of the file that names it: the merged configuration has no folder. */
function resolveDatabasePath(values: LayerValues, file: ConfigFile, report: Report): void {
  const { database } = values;
  if (!isMapping(database) || typeof database.path !== "string") return;
  if (/^~(?:\/|$)/.test(database.path) && !file.home) {
    report(["database", "path"], "value", '"~" has no meaning here: the environment names no home');
    delete database.path;
    return;
  }
  database.path = resolvePath(database.path, { folder: parentOf(file.path), home: file.home });
}

/** Writes a path with dots: `["capture", "exclude", "tools", 2]` becomes `capture.exclude.tools[2]`. */
export function dotted(path: ValuePath): string {
  return path.map((part) => typeof part === "number" ? `[${part}]` : `.${part}`).join("").slice(1);
}

/** A shorter name is too ambiguous to be looked for in other sections. */
const MIN_TELLING_LETTERS = 5;
const MAX_SUGGESTIONS = 3;

/**
 * Returns the keys that an unknown one may stand for, at most three: almost the same name in the same section first,
 * then the same name in other sections. @param unknown Its name in the tables. @param known Names, also of sections.
 */
export function suggestKeys(unknown: string, known = knownNames()): string[] {
  const section = sectionOf(unknown);
  const name = nameOf(unknown).toLowerCase();
  const beside = known.filter((key) => sectionOf(key) === section);
  const similar = new Set(nearestWords(name, beside.map(nameOf)));
  const near = beside.filter((key) => similar.has(nameOf(key)));
  const elsewhere = known.filter((key) =>
    name.length >= MIN_TELLING_LETTERS && sectionOf(key) !== section &&
    nameOf(key).toLowerCase() === name
  );
  return [...near, ...elsewhere].slice(0, MAX_SUGGESTIONS);
}

function sectionOf(key: string): string {
  return key.slice(0, Math.max(key.lastIndexOf("."), 0));
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf(".") + 1);
}

const USERS_ONLY = [
  ["memory", "summarizer"],
  ["memory", "retentionDays"],
  ["team", "share"],
] as const;

/**
 * Removes keys that count only in the user's own file: a foreign repository must not run commands over the memory of
 * other projects, shorten how long it is kept, or decide what of it is sent. @returns The removed keys.
 */
function takeOutOfProject(values: LayerValues): string[] {
  return USERS_ONLY.flatMap(([section, key]) => {
    const written = values[section];
    if (!isMapping(written) || written[key] === undefined) return [];
    delete written[key];
    return [`${section}.${key}`];
  });
}

const SECTION = "memory.summarizer";

/**
 * Switches the summarizer off when a mistake in its section may have lost one of its limits: the default limit could be
 * higher than the one that was meant. @returns The first such mistake.
 */
function switchOffSummarizer(
  memory: LayerValues,
  problems: readonly ConfigProblem[],
): ConfigProblem | null {
  const fault = problems.find(({ key }) => key === SECTION || key.startsWith(`${SECTION}.`));
  if (fault === undefined) return null;
  delete memory.summarizer;
  return fault;
}
