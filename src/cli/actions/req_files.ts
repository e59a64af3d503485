/** `conclaude req init|enable|disable`: requirements in configuration files. What else is in a file stays as it is. */
import "../../config_sections.ts";
import type { Config } from "../../config_sections.ts";
import { isMap, parseDocument } from "yaml";
import { plain } from "../../capture/plain.ts";
import { parseConfig } from "../../config/parse.ts";
import { UserError } from "../../errors.ts";
import { type Preset, presetText } from "../../requirement/presets.ts";
import {
  type ConfigTarget,
  documentOf,
  filesHere,
  ignoreAdvice,
  targetOf,
  writeTarget,
} from "../config_target.ts";
import type { CliContext } from "../context.ts";
import { nearestWords } from "../nearest.ts";
import type { View } from "../view.ts";

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
  if (!flags.preview) writeTarget(target, text);
  return {
    json: { path: target.path, preset: flags.preset, written: !flags.preview, text },
    text: flags.preview
      ? `${plain(target.path)} would hold:\n\n${text.trimEnd()}`
      : `Wrote the ${flags.preset} set into ${plain(target.path)}\n` +
        "They count from the next tool use on: `conclaude req status`." + ignoreAdvice(target) +
        (target.isNew
          ? "\nWith this file the guards count as well, also against new files in its folder: `conclaude guard list`."
          : ""),
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
  const known = Object.keys(parseConfig<Config>(filesHere(context)).config.requirements);
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
  writeTarget(target, document.toString({ lineWidth: 0 }));
  return {
    json: { path: target.path, enabled, requirements: chosen },
    text: `Switched ${enabled ? "on" : "off"} ${chosen.join(", ")} in ${plain(target.path)}` +
      ignoreAdvice(target),
  };
}

/** The new text of a file with this section in it; the rest of the file stays, character by character where it can. */
function withSection(target: ConfigTarget, section: string, force: boolean): string {
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
