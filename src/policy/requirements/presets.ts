/** Sets of requirements to begin with, as the text of a configuration file. */
import { stringify } from "yaml";
import POLICIES from "../policy_presets.json" with { type: "json" };
import PRESETS from "./presets.json" with { type: "json" };

export type Preset = "solo" | "team" | "strict" | "relaxed" | "minimal" | "advanced";

/** Whole configuration files to begin with. */
export const POLICY_PRESETS = ["solo", "team", "strict"] as const;

/** A configuration file with guards and requirements, explained. */
export function policyPreset(name: typeof POLICY_PRESETS[number]): string {
  return `${POLICIES[name].join("\n")}\n`;
}

/** The section `requirements` of a set, with a comment on each requirement; `advanced` has every requirement. */
export function presetText(preset: Preset): string {
  const chosen = PRESETS.filter(({ sets = "" }) =>
    preset === "advanced" || sets.split(" ").includes(preset)
  );
  const samples = chosen.map(({ name, comment, requirement }) =>
    `  # ${comment}\n${stringify({ [name]: requirement }).replace(/^(?=.)/gm, "  ")}`
  );
  return "# What has to be true before Claude edits, commits or stops: `conclaude req --help`.\n" +
    (samples.length === 0 ? "requirements: {}\n" : `requirements:\n${samples.join("")}`);
}
