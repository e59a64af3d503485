/** `conclaude req init|enable|disable`: requirements in configuration files. What else is in a file stays as it is. */
import "../../config_sections.ts";
import { plain } from "../../capture/plain.ts";
import type { Config } from "../../config_sections.ts";
import { parseConfig } from "../../config/parse.ts";
import { UserError } from "../../errors.ts";
import { presetText } from "../../requirement/presets.ts";
import {
  type ConfigTarget,
  documentOf,
  filesHere,
  ignoreAdvice,
  targetOf,
  writeTarget,
} from "../config_target.ts";
import type { CliContext } from "../context.ts";
import { oneOf, REQUIREMENT, toggle, usually } from "../flags.ts";
import { nearestWords } from "../../likeness.ts";
import { many, verb } from "../verb.ts";
import type { View } from "../view.ts";
import { isMap, parseDocument } from "yaml";

export const enable = verb({
  person: "req enable",
  args: many(REQUIREMENT),
  flags: { all: toggle("Every requirement") },
  about:
    "Switches requirements on in `.conclaude.local.yaml`, which is not committed; comments in it stay.",
  examples: ["conclaude req enable adr_reviewed"],
  run(context, flags, ...names) {
    return switchTo(true, context, { ...flags, names });
  },
});

export const disable = verb({
  person: "req disable",
  args: many(REQUIREMENT),
  flags: { all: toggle("Every requirement") },
  about:
    "Switches requirements off in `.conclaude.local.yaml`, which is not committed; comments in it stay. An\n" +
    "agent is kept from running this.",
  examples: ["conclaude req disable adr_reviewed", "conclaude req disable --all"],
  run(context, flags, ...names) {
    return switchTo(false, context, { ...flags, names });
  },
});

export const init = verb({
  person: "req init",
  flags: {
    preset: usually(
      "relaxed",
      oneOf(
        ["strict", "relaxed", "minimal", "advanced"],
        "strict: a plan and protected branches; relaxed: a plan; minimal: none; advanced: all",
      ),
    ),
    local: toggle("Into `.conclaude.local.yaml`, which is not committed"),
    force: toggle("Replace the requirements that the file has"),
    preview: toggle("Only show what would be written"),
  },
  about:
    "Writes requirements into the project's configuration file, with every one explained. What else is in the\n" +
    "file stays as it is.",
  examples: ["conclaude req init --preview", "conclaude req init --preset strict"],
  run(context, flags) {
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
  },
});

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
