/** Recognises changes of files that the guards depend on: their policy, their database, and what starts them. */
import { quietly } from "../../base/errors.ts";
import { isSameValue } from "../../base/likeness.ts";
import { parentOf } from "../../base/paths.ts";
import { withPatterns } from "../shell/rows.ts";
import type { Effect, FileFacts, OwnFile, OwnKind } from "./types.ts";
import ROWS from "./named_files.json" with { type: "json" };
import { PROTECT_RULE, TREES_RULE } from "./guard_policy.ts";

/** A kind of file: why it is protected, and which of its changes count. */
interface Kind {
  readonly reason: string;
  /** The only effects that count; absent where every effect counts. */
  readonly effects?: readonly Effect[];
  /** Set where the path is a folder: all its files are of this kind, except those that `spares` matches. */
  readonly below?: { readonly spares: RegExp | null };
  /** Whether a change counts, by the text before (null: no file) and after (null: unforeseen); absent if each does. */
  readonly counts?: (before: string | null, after: string | null) => boolean;
}

const MOD: Kind = {
  reason: "runs inside Claude Code, where no hook is asked",
  effects: ["change", "remove", "fill"],
};

const KINDS: Readonly<Record<OwnKind, Kind>> = {
  guards: { reason: "belongs to the guards" },
  agents: { reason: "says what agents and scripts are started with" },
  settings: {
    reason: "starts the hooks, and says which plugins run beside them",
    counts: (before, after) => after === null || changesPolicy(before, after),
  },
  managed: { reason: "is the policy of this machine" },
  mods: { ...MOD, below: { spares: null } },
  skills: { ...MOD, below: { spares: /\.md$/ } },
  modules: {
    ...MOD,
    effects: ["change"],
    counts: (_, after) => after !== null && holdsModules(after),
  },
  program: { reason: "is the program that the hooks start" },
  git: { reason: "tells which branch is checked out, for which the requirements are kept" },
  gitSettings: {
    reason: "runs with git, or says where a push goes",
    effects: ["change", "remove"],
  },
  trees: {
    reason: "lies in another working tree of this repository, where another session may be at work",
    below: { spares: null },
  },
  search: {
    reason: "would end the search for the configuration there, short of the file that counts now",
  },
};

/** Files that are protected by their names, wherever they lie. */
export interface NamedFiles {
  readonly kind: OwnKind;
  /** A text in every such path, in small letters; searching it is much cheaper than matching the pattern. */
  readonly needle: string;
  /** Matches such a path in small letters, as do the patterns below. */
  readonly pattern: RegExp;
  /** Matches a folder that holds such a file, or may hold one once a command has made or filled it. */
  readonly folder?: RegExp;
  /** Matches a folder that may hold such a file once a command has filled it. */
  readonly filled?: RegExp;
  /** Matches names whose new files count only in the project and in the folders above it. */
  readonly onlyHere?: RegExp;
  /** Whether a new file counts that a copied folder brings. */
  readonly inCopies?: true;
  /** Whether the files count only where the new content is known. */
  readonly onlyKnown?: true;
  readonly example: string;
  readonly counterexample: string;
}

/** Names of policy files, the database with the lifted rules, files that git and Claude Code run, machine policies. */
export const NAMED_FILES = withPatterns(ROWS) as readonly NamedFiles[];

/** Tells whether a command may name a file of the guards, which is cheaper to find out than to parse the command. */
export function mayNameOwn(text: string): boolean {
  const lowered = text.toLowerCase();
  return lowered.includes(".git/") || NAMED_FILES.some(({ needle }) => lowered.includes(needle));
}

/** Finds the protected file that an effect on the paths touches, or may make in a filled folder; null for none. */
export function findOwn(
  own: readonly OwnFile[],
  { paths, effect }: { readonly paths: readonly string[]; readonly effect: Effect },
): OwnFile | null {
  const isTouched = ({ kind, path: own }: OwnFile, path: string) => {
    const { below } = KINDS[kind];
    // An existing folder changes only by new files in it.
    return (own === path && (below === undefined || effect !== "change")) ||
      ((effect === "remove" || effect === "tamper") && own.startsWith(`${path}/`)) ||
      (effect === "fill" && kind === "settings" && parentOf(own) === path) ||
      (below !== undefined && path.startsWith(`${own}/`) && !below.spares?.test(path));
  };
  return own.find((file) => paths.some((path) => isTouched(file, path))) ?? null;
}

/** How a tool changes a file's text; `unknown` for a shell command. */
export type Written = TextChange | "unknown";

/**
 * Returns the rules by which only a person may change a file in this way, and why. In Claude Code's settings only the
 * keys of {@linkcode changesPolicy} count, and a tool may make new settings.
 */
export function whyProtected(
  file: FileFacts,
  written: Written,
): readonly { readonly rule: string; readonly why: string }[] {
  const { own, name, spellings } = file;
  const isOf = (kind: OwnKind) => {
    const { effects, counts } = KINDS[kind];
    if (effects?.includes(file.effect) === false) return false;
    if (counts === undefined || written === "unknown") return true;
    const before = file.text();
    return counts(before, written(before));
  };
  const named = NAMED_FILES.filter((row) => isNamed(row, file, written))
    .map(({ kind }) => [kind, name] as const);
  const isInIt = own !== null &&
    (KINDS[own.kind].below !== undefined || spellings.includes(own.path));
  const known = own === null ? [] : [[own.kind, isInIt ? name : own.path] as const];
  return [...named, ...known].filter(([kind]) => isOf(kind)).map(([kind, name]) => ({
    rule: kind === "trees" ? TREES_RULE : PROTECT_RULE,
    why: `${name} ${KINDS[kind].reason}`,
  }));
}

function isNamed(
  { needle, pattern, folder, filled, onlyHere, inCopies, onlyKnown }: NamedFiles,
  { spellings, exists, isPart, isElsewhere, comesFromGit, effect }: FileFacts,
  written: Written,
): boolean {
  // On macOS and Windows, names in upper and lower case mean the same file.
  const names = spellings.map((spelling) => spelling.toLowerCase());
  if (!names.some((name) => name.includes(needle))) return false;
  const is = (pattern: RegExp | undefined) =>
    pattern !== undefined && names.some((name) => pattern.test(name));
  if (isPart && !exists && !inCopies) return false;
  if (onlyKnown && written === "unknown") return false;
  if (is(pattern)) {
    const isNew = isElsewhere && !exists && effect === "change";
    return !(isNew && onlyHere && names.every((name) => onlyHere.test(name)));
  }
  return (effect === "fill" && !comesFromGit && is(filled)) ||
    ((effect !== "change" || (written === "unknown" && !exists)) && is(folder));
}

/** Keys of Claude Code's settings that decide which hooks and which other code run. */
const POLICY_KEYS = ["hooks", "disableAllHooks", "env", "enabledPlugins", "extraKnownMarketplaces"];

/** Tells whether a change of settings touches one of these keys, or a text is no JSON. No file counts as `{}`. */
export function changesPolicy(before: string | null, after: string): boolean {
  const was = settingsOf(before?.trim() || "{}");
  const becomes = settingsOf(after);
  if (was === null || becomes === null) return true;
  return POLICY_KEYS.some((key) => !isSameValue(was[key], becomes[key]));
}

/** Tells whether a plugin's `hooks.json` names modules: code that runs inside Claude Code. */
export function holdsModules(text: string): boolean {
  const held = settingsOf(text);
  return held === null ? text.includes("modules") : Object.hasOwn(held, "modules");
}

function settingsOf(text: string): Readonly<Record<string, unknown>> | null {
  const value: unknown = quietly(() => JSON.parse(text.replace(/^\uFEFF/, "")));
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

/** Computes the new text from the old one: null for a missing file, and for a new text that cannot be foreseen. */
type TextChange = (before: string | null) => string | null;

/** Returns how a tool changes a file's text; null for a tool that does not work on text. */
export function textAfter(tool: string, input: unknown): TextChange | null {
  const { content, edits } = Object(input);
  if (tool === "Write") return () => textOf(content);
  const all: unknown = tool === "Edit" ? [input] : tool === "MultiEdit" ? edits : null;
  if (!Array.isArray(all)) return null;
  return (before) =>
    all.reduce((text, edit, i) => i > 0 && text === null ? null : edited(text, edit), before);
}

/** Applies one replacement; null where the text is not found, or found several times without `replace_all`. */
function edited(before: string | null, edit: unknown): string | null {
  const { old_string, new_string, replace_all } = Object(edit);
  const from = textOf(old_string);
  const to = textOf(new_string);
  if (from === null || to === null) return null;
  if (from === "") return before === null || before === "" ? to : null;
  const text = (before ?? "").replaceAll("\r\n", "\n");
  const pieces = text.split(from);
  return pieces.length === 2 || (pieces.length > 2 && replace_all === true)
    ? pieces.join(to)
    : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
