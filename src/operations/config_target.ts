/** How verbs change a project's configuration files: which file, its new text, and writing it whole. */
import {
  type ConfigFile,
  type ConfigLayer,
  isLeftOut,
  readConfigFiles,
} from "../config/discover.ts";
import type { ConfigEntry } from "../config/layer.ts";
import { type Plain, readYaml, valueAt } from "../config/yaml_tree.ts";
import { messageOf, quietly, UserError } from "../base/errors.ts";
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import { writeAdvice } from "../upkeep/care/database_files.ts";
import { joinPath, parentOf } from "../base/paths.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import type { CliContext } from "./context.ts";
import { usageError } from "./usage.ts";
import { type Document, isMap, isNode, parseDocument } from "yaml";
import { chmodSync, mkdirSync, realOr, removeSync, statSync } from "../system/files.ts";
import { writeWhole } from "../system/write_file.ts";

/**
 * The files of each layer: the one that verbs write, then those that would count in its place. A project's file is shared
 * with the repository; only their user may read the other two.
 */
export const LAYER_FILES = {
  user: { flag: " --user", names: ["config.yaml", "config.yml"], mode: 0o600 },
  local: { flag: " --local", names: [".conclaude.local.yaml"], mode: 0o600 },
  project: { flag: "", names: [".conclaude.yaml", ".conclaude.yml"], mode: 0o644 },
} as const;

/** The layer that flags name. @param verb Of `conclaude config`. @throws {UserError} When they name two. */
export function layerOf(
  verb: string,
  { user, local }: { readonly user: boolean; readonly local: boolean },
): ConfigLayer {
  if (user && local) {
    throw usageError("Cannot write two files at once", {
      why: "--user and --local name different ones; nothing was changed",
      next: `conclaude config ${verb} --help`,
    });
  }
  return user ? "user" : local ? "local" : "project";
}

/** The folder of the user's own file. @throws {UserError} When the home cannot be used. */
export function userFolder({ locations: { home, dataFolder } }: CliContext): string {
  const usual = home === null ? null : joinPath(home, ".conclaude");
  if (dataFolder === usual) return dataFolder;
  throw new UserError("Cannot write the user's configuration", {
    why: usual === null ? "HOME is not set" : `"${usual}" cannot be used; nothing was changed`,
    next: "conclaude doctor",
  });
}

export interface ConfigTarget {
  readonly path: string;
  /** Empty where there is none yet. */
  readonly text: string;
  readonly isNew: boolean;
  /** The mode that a new one gets. */
  readonly mode: number;
}

/** Advice for a file that must not be committed. */
export const IGNORE_ADVICE = "\nIt is yours alone: add .conclaude.local.yaml to .gitignore.";

/** Advice for a new file that must not be committed; empty otherwise. */
export function ignoreAdvice({ isNew, mode }: ConfigTarget): string {
  return isNew && mode === 0o600 ? IGNORE_ADVICE : "";
}

/** The file as a document that keeps comments. @throws {UserError} When it is not YAML, or not a map of keys. */
export function documentOf({ path, text }: ConfigTarget) {
  const document = parseDocument(text);
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents))) {
    const [mistake = "it is no map of keys"] = document.errors[0]?.message.split("\n") ?? [];
    throw cannotChange(path, mistake);
  }
  return document;
}

function cannotChange(path: string, why: string, next = "conclaude config validate"): UserError {
  return new UserError(`Cannot change "${path}"`, { why: `${why}; nothing was changed`, next });
}

export function filesHere({ cwd, locations }: CliContext): ConfigFile[] {
  return readConfigFiles(lookUpwards(cwd), locations);
}

/** The file of a layer that counts here, or a new one. @throws {UserError} When it cannot be read. */
export function targetOf(context: CliContext, layer: ConfigLayer): ConfigTarget {
  const files = filesHere(context);
  const { mode, names: [name] } = LAYER_FILES[layer];
  const inLayer = files.filter((file) => file.layer === layer);
  const found = inLayer.find((file) => !isLeftOut(file)) ?? inLayer[0];
  if (found !== undefined && found.text !== null) {
    return { path: found.path, text: found.text, isNew: false, mode };
  }
  if (found !== undefined) {
    const why = `it ${isLeftOut(found) ? "is left out" : "cannot be read"}: ${found.problem}`;
    throw cannotChange(found.path, why, found.distrust?.next.map(quoteWord).join(" "));
  }
  const beside = files.find((file) => file.layer !== "user");
  const folder = layer === "user"
    ? userFolder(context)
    : beside === undefined
    ? findRepository(lookUpwards(context.cwd))?.root ?? context.cwd
    : parentOf(beside.path);
  return { path: joinPath(folder, name), text: "", isNew: true, mode };
}

/**
 * Replaces the file, whole or not at all; it keeps the mode that it has.
 *
 * @throws {UserError} When it cannot be written.
 */
export function writeTarget(
  { path, mode }: Pick<ConfigTarget, "path" | "mode">,
  text: string,
): void {
  try {
    mkdirSync(parentOf(path), { recursive: true, mode: 0o700 });
    const target = realOr(path);
    const before = quietly(() => statSync(target).mode! & 0o777);
    writeWhole(target, text, {
      mode,
      prepare(draft) {
        if (before !== undefined) chmodSync(draft, before);
        return true;
      },
    });
  } catch (thrown) {
    throw new UserError(`Cannot write "${path}"`, {
      why: `${messageOf(thrown)}; nothing was changed`,
      next: writeAdvice(path, thrown),
      cause: thrown,
    });
  }
}

/** The new text of a file: new sections below, the rest as it is. @throws {UserError} Where no map of keys is. */
export function withEntries(
  target: ConfigTarget,
  document: Document.Parsed,
  { added, head }: {
    readonly added: readonly Omit<ConfigEntry, "name">[];
    readonly head: string;
  },
): string {
  const before = target.text.trimEnd();
  const isBlock = isMap(document.contents) && !document.contents.flow;
  const isAppended = before !== "" && (document.contents === null || isBlock) &&
    added.every(({ path }) => !document.has(path[0]!));
  const changed = isAppended ? parseDocument("") : document;
  for (const { path, value } of added) {
    mapAt(changed, path.slice(0, -1), target.path);
    const before: unknown = changed.getIn(path, true);
    const node = changed.createNode(value);
    if (isNode(before)) {
      Object.assign(node, { comment: before.comment, commentBefore: before.commentBefore });
    }
    changed.setIn(path, node);
  }
  if (before === "") changed.commentBefore = head;
  // Braces keep their inner spaces.
  const written = changed.toString({ lineWidth: 0, flowCollectionPadding: !/\{\S/.test(before) });
  return isAppended ? `${before}\n\n${written}` : written;
}

/** Makes sure that there is a map of keys at a path, one key a line. */
function mapAt(document: Document.Parsed, path: readonly string[], file: string): void {
  if (isMap(document.contents)) document.contents.flow = false;
  for (let length = 1; length <= path.length; length++) {
    const part = path.slice(0, length);
    const found: unknown = document.getIn(part, true);
    if (isMap(found)) {
      found.flow = false;
    } else if (document.getIn(part) === undefined || document.getIn(part) === null) {
      document.setIn(part, document.createNode({}));
    } else {
      throw cannotChange(file, `"${part.join(".")}" is no map of keys there`);
    }
  }
}

/** A file as it is to be, with the names of what is added. */
export interface PlannedFile {
  readonly target: ConfigTarget;
  readonly text: string;
  readonly added: readonly string[];
}

/** Plans what a file gets, without writing it. @param options `stays`: whether what the file says stays. */
export function planEntries(
  target: ConfigTarget,
  entries: readonly ConfigEntry[],
  { head, stays = (said) => said !== undefined }: {
    readonly head: string;
    readonly stays?: (said: Plain | undefined, entry: ConfigEntry) => boolean;
  },
): { readonly file: PlannedFile | null; readonly kept: readonly string[] } {
  const document = documentOf(target);
  const root = readYaml(target.text).root ?? {};
  const { kept = [], added = [] } = Object.groupBy(
    entries,
    (entry) => stays(valueAt(root, entry.path) as Plain | undefined, entry) ? "kept" : "added",
  );
  const namesOf = (some: readonly ConfigEntry[]) => some.map(({ name }) => name);
  const file = added.length === 0 ? null : {
    target,
    text: withEntries(target, document, { added, head }),
    added: namesOf(added),
  };
  return { file, kept: namesOf(kept) };
}

/** Writes the planned files, all or none. @throws {UserError} When one cannot be written; then the others are put back. */
export function writePlanned(files: readonly PlannedFile[]): void {
  const written: ConfigTarget[] = [];
  try {
    for (const { target, text } of files) {
      writeTarget(target, text);
      written.push(target);
    }
  } catch (thrown) {
    for (const target of written) {
      if (target.isNew) removeSync(target.path);
      else writeTarget(target, target.text);
    }
    throw thrown;
  }
}
