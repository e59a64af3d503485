/** `conclaude req init|enable|disable`: write requirements into configuration files, whose other parts stay. */
import { filesHere } from "../context.ts";
import { ignoreAdvice, targetOf, writeAccepted } from "../config_target.ts";
import "../config_sections.ts";
import type { Config } from "../config_sections.ts";
import { parseConfig } from "../../config/parse.ts";
import { UserError } from "../../base/errors.ts";
import { presetText } from "../../policy/requirements/presets.ts";
import { type ConfigTarget, documentOf, textWith } from "../../config/config_edit.ts";
import { oneOf, REQUIREMENT, toggle, usually } from "../flags.ts";
import { requirementsHere, unknownRequirement } from "../requirements_here.ts";
import { requireOneOfTwo } from "../usage.ts";
import { many, verb } from "../verb.ts";
import { isMap, parseDocument } from "yaml";

export const enable = switchVerb(true);
export const disable = switchVerb(false);

export const init = verb({
  person: "req init",
  flags: {
    preset: usually(
      "relaxed",
      oneOf(
        ["solo", "team", "strict", "relaxed", "minimal", "advanced"],
        "team: protected branches and small ones; strict: a plan and protected branches; relaxed: a plan; solo and " +
          "minimal: none; advanced: all",
      ),
    ),
    local: toggle("Into `.conclaude.local.yaml`, which is not committed"),
    force: toggle("Replace the requirements that the file has"),
    preview: toggle("Only show what would be written"),
  },
  async run(context, flags) {
    const target = targetOf(context, flags.local ? "local" : "project");
    const section = presetText(flags.preset);
    const again = `req init --force${flags.local ? " --local" : ""} --preset ${flags.preset}`;
    const text = withSection(target, section, { force: flags.force, again });
    if (!flags.preview) await writeAccepted(context, target, text);
    return {
      json: { path: target.path, preset: flags.preset, written: !flags.preview, text },
      text: flags.preview ? [`${target.path} would hold:`, "", ...text.trimEnd().split("\n")] : [
        `Wrote the ${flags.preset} set into ${target.path}`,
        "They count from the next tool use on: `conclaude req status`.",
        ...ignoreAdvice(target),
      ],
    };
  },
});

function switchVerb(enabled: boolean) {
  const [name, way] = enabled ? ["enable", "on"] : ["disable", "off"];
  return verb({
    person: `req ${name}`,
    args: many(REQUIREMENT),
    flags: { all: toggle("Every requirement") },
    async run(context, { all }, ...names: string[]) {
      const parsed = parseConfig<Config>(filesHere(context));
      const known = Object.keys(parsed.config.requirements);
      requireOneOfTwo(`what to ${name}`, {
        given: { "a requirement": names.length > 0, "--all": all },
        next: `conclaude req ${name} ${known[0] ?? "NAME"}`,
        exitCode: 1,
      });
      const unknown = names.find((one) => !known.includes(one));
      if (unknown !== undefined) {
        throw unknownRequirement(unknown, await requirementsHere(context), parsed);
      }
      const chosen = all ? known : names;
      const target = targetOf(context, "local");
      const { text } = chosen.reduce((file, name) => {
        const entry = { path: ["requirements", name, "enabled"], value: enabled };
        return { ...file, text: textWith(file, entry) };
      }, target);
      await writeAccepted(context, target, text);
      return {
        json: { path: target.path, enabled, requirements: chosen },
        text: [`Switched ${way} ${chosen.join(", ")} in ${target.path}`, ...ignoreAdvice(target)],
      };
    },
  });
}

/**
 * Puts the section into the text of a file. If it can be appended, the former text stays character by character.
 * @param how `again`: the call that replaces the requirements that the file has.
 */
function withSection(
  target: ConfigTarget,
  section: string,
  { force, again }: { readonly force: boolean; readonly again: string },
): string {
  const document = documentOf(target);
  const present: unknown = document.get("requirements");
  if (isMap(present) && present.items.length > 0 && !force) {
    throw new UserError(`Cannot write requirements into "${target.path}"`, {
      why: "it has some already, and only --force replaces them; nothing was changed",
      next: `conclaude ${again}`,
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
