/** The project's configuration files as verbs change them: which file, its text, and writing it whole. */
import { isMap, parseDocument } from "yaml";
import {
  type ConfigFile,
  type ConfigLayer,
  isLeftOut,
  readConfigFiles,
} from "../config/discover.ts";
import { messageOf, UserError } from "../errors.ts";
import { findRepository, lookUpwards } from "../git/repository.ts";
import { writeWholeFile } from "../maintenance/whole_file.ts";
import { writeAdvice } from "../maintenance/write_advice.ts";
import { joinPath, parentOf } from "../paths.ts";
import { quoteWord } from "../settings/hooks.ts";
import type { CliContext } from "./context.ts";

const NAMES: Readonly<Record<Exclude<ConfigLayer, "user">, string>> = {
  project: ".conclaude.yaml",
  local: ".conclaude.local.yaml",
};

/** A file that is to be changed. */
export interface ConfigTarget {
  readonly path: string;
  /** Empty where there is none yet. */
  readonly text: string;
  readonly isNew: boolean;
  /** What is committed is for everybody; the other file is nobody else's business. */
  readonly mode: number;
}

/** What to do about a file that shall not be committed; the empty text when there is nothing. */
export function ignoreAdvice({ isNew, mode }: ConfigTarget): string {
  return isNew && mode === 0o600
    ? "\nIt is yours alone: add .conclaude.local.yaml to .gitignore."
    : "";
}

/**
 * The file as a document, with its comments.
 *
 * @throws {UserError} When it is no YAML, or no map of keys.
 */
export function documentOf({ path, text }: ConfigTarget) {
  const document = parseDocument(text);
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents))) {
    throw new UserError(`Cannot change "${path}"`, {
      why: `${
        document.errors[0]?.message.split("\n")[0] ?? "it is no map of keys"
      }; nothing was changed`,
      next: "conclaude config validate",
    });
  }
  return document;
}

/** The configuration files that count in this folder. */
export function filesHere({ cwd, locations }: CliContext): ConfigFile[] {
  return readConfigFiles(lookUpwards(cwd), locations);
}

/**
 * The file of a layer that counts here, or the one to begin: beside the other one, else at the top of the repository.
 *
 * @throws {UserError} When it is there and cannot be read.
 */
export function targetOf(context: CliContext, layer: "project" | "local"): ConfigTarget {
  const files = filesHere(context);
  const mode = layer === "local" ? 0o600 : 0o644;
  const inLayer = files.filter((file) => file.layer === layer);
  const found = inLayer.find((file) => !isLeftOut(file)) ?? inLayer[0];
  if (found !== undefined && found.text !== null) {
    return { path: found.path, text: found.text, isNew: false, mode };
  }
  if (found !== undefined) {
    throw new UserError(`Cannot change "${found.path}"`, {
      why: `it ${isLeftOut(found) ? "is left out" : "cannot be read"}: ${found.problem}; ` +
        "nothing was changed",
      next: found.distrust?.next.map(quoteWord).join(" ") ?? "conclaude config validate",
    });
  }
  const beside = files.find((file) => file.layer === "project" || file.layer === "local");
  const folder = beside === undefined
    ? findRepository(lookUpwards(context.cwd))?.root ?? context.cwd
    : parentOf(beside.path);
  return { path: joinPath(folder, NAMES[layer]), text: "", isNew: true, mode };
}

/**
 * Replaces the file, whole or not at all.
 *
 * @throws {UserError} When it cannot be written.
 */
export function writeTarget({ path, mode }: ConfigTarget, text: string): void {
  try {
    writeWholeFile(path, text, { mode });
  } catch (thrown) {
    throw new UserError(`Cannot write "${path}"`, {
      why: `${messageOf(thrown)}; nothing was changed`,
      next: writeAdvice(path, thrown),
      cause: thrown,
    });
  }
}
