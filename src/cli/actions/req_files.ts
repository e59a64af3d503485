/** `conclaude req init|enable|disable`: requirements in configuration files. What else is in a file stays as it is. */
import { isMap, parseDocument } from "yaml";
import { plain } from "../../capture/plain.ts";
import { type ConfigFile, type ConfigLayer, readConfigFiles } from "../../config/discover.ts";
import { parseConfig } from "../../config/parse.ts";
import { messageOf, UserError } from "../../errors.ts";
import { findRepository } from "../../git/repository.ts";
import { writeWholeFile } from "../../maintenance/whole_file.ts";
import { writeAdvice } from "../../maintenance/write_advice.ts";
import { joinPath, parentOf } from "../../paths.ts";
import { lookUpwards } from "../../project/look.ts";
import { type Preset, presetText } from "../../requirement/presets.ts";
import type { CliContext } from "../context.ts";
import { nearestWords } from "../nearest.ts";
import type { View } from "../view.ts";

const NAMES: Readonly<Record<Exclude<ConfigLayer, "user">, string>> = {
  project: ".conclaude.yaml",
  local: ".conclaude.local.yaml",
};

/** A file that is to be changed. */
interface Target {
  readonly path: string;
  /** Empty where there is none yet. */
  readonly text: string;
  readonly isNew: boolean;
  /** What is committed is for everybody; the other file is nobody else's business. */
  readonly mode: number;
}

/** `conclaude req init` */
export function initRequirements(
  context: CliContext,
  flags: {
    readonly preset: Preset;
    readonly local: boolean;
    readonly force: boolean;
    readonly preview: boolean;
  },
): View {
  const target = targetOf(context, flags.local ? "local" : "project");
  const section = presetText(flags.preset);
  const text = withSection(target, section, flags.force);
  if (!flags.preview) write(target, text);
  return {
    json: { path: target.path, preset: flags.preset, written: !flags.preview, text },
    text: flags.preview
      ? `${plain(target.path)} would hold:\n\n${text.trimEnd()}`
      : `Wrote the ${flags.preset} set into ${plain(target.path)}\n` +
        "They count from the next tool use on: `conclaude req status`.",
  };
}

/** `conclaude req enable NAMES… | --all` */
export function enableRequirements(
  context: CliContext,
  flags: { readonly all: boolean },
  ...names: string[]
): View {
  return switchTo(true, context, { ...flags, names });
}

/** `conclaude req disable NAMES… | --all` */
export function disableRequirements(
  context: CliContext,
  flags: { readonly all: boolean },
  ...names: string[]
): View {
  return switchTo(false, context, { ...flags, names });
}

function switchTo(
  enabled: boolean,
  context: CliContext,
  { all, names }: { readonly all: boolean; readonly names: readonly string[] },
): View {
  const verb = enabled ? "enable" : "disable";
  const known = Object.keys(parseConfig(filesHere(context)).config.requirements);
  if (all === names.length > 0) {
    throw new UserError(`Cannot tell what to ${verb}`, {
      why: "name requirements, or give --all, and not both; nothing was changed",
      next: `conclaude req ${verb} ${known[0] ?? "NAME"}`,
    });
  }
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const near = nearestWords(unknown, known);
    throw new UserError(`Unknown requirement "${unknown}"`, {
      why: near.length > 0
        ? `did you mean ${near.map((name) => `"${name}"`).join(" or ")}? Nothing was changed`
        : `this project has ${known.join(", ") || "none"}; nothing was changed`,
      next: known.length === 0 ? "conclaude req init" : "conclaude req status",
    });
  }
  const chosen = all ? known : names;
  const target = targetOf(context, "local");
  const document = documentOf(target);
  for (const name of chosen) document.setIn(["requirements", name, "enabled"], enabled);
  write(target, document.toString({ lineWidth: 0 }));
  return {
    json: { path: target.path, enabled, requirements: chosen },
    text: `Switched ${enabled ? "on" : "off"} ${chosen.join(", ")} in ${plain(target.path)}` +
      (target.isNew ? "\nIt is yours alone: add .conclaude.local.yaml to .gitignore." : ""),
  };
}

/** The new text of a file with this section in it; the rest of the file stays, character by character where it can. */
function withSection(target: Target, section: string, force: boolean): string {
  const document = documentOf(target);
  const present: unknown = document.get("requirements");
  const isFilled = isMap(present) && present.items.length > 0;
  if (isFilled && !force) {
    throw new UserError(`Cannot write requirements into "${target.path}"`, {
      why: "it has some already, and only --force replaces them; nothing was changed",
      next: "conclaude req init --preview --force",
    });
  }
  const isAppendable = !document.has("requirements") &&
    (document.contents === null || (isMap(document.contents) && !document.contents.flow));
  if (isAppendable) {
    const before = target.text.trimEnd();
    return before === "" ? section : `${before}\n\n${section}`;
  }
  document.set("requirements", parseDocument(section).get("requirements"));
  if (isMap(document.contents)) document.contents.flow = false;
  return document.toString({ lineWidth: 0 });
}

function documentOf({ path, text }: Target) {
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

function filesHere({ cwd, locations }: CliContext): ConfigFile[] {
  return readConfigFiles(lookUpwards(cwd), locations);
}

/** The file of a layer that counts here, or the one to begin: beside the other one, else at the top of the repository. */
function targetOf(context: CliContext, layer: "project" | "local"): Target {
  const files = filesHere(context);
  const mode = layer === "local" ? 0o600 : 0o644;
  const found = files.find((file) => file.layer === layer);
  if (found !== undefined && found.text !== null) {
    return { path: found.path, text: found.text, isNew: false, mode };
  }
  if (found !== undefined) {
    throw new UserError(`Cannot change "${found.path}"`, {
      why: `it cannot be read: ${found.problem}; nothing was changed`,
      next: "conclaude config validate",
    });
  }
  const beside = files.find((file) => file.layer === "project" || file.layer === "local");
  const folder = beside === undefined
    ? findRepository(lookUpwards(context.cwd))?.root ?? context.cwd
    : parentOf(beside.path);
  return { path: joinPath(folder, NAMES[layer]), text: "", isNew: true, mode };
}

function write({ path, mode }: Target, text: string): void {
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
