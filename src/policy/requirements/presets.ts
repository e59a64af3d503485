/** Builds the text of configuration files to begin with: sets of requirements, and whole policies. */
import { stringify } from "yaml";
import POLICIES from "../policy_presets.json" with { type: "json" };
import PRESETS from "./presets.json" with { type: "json" };

export type Preset = "solo" | "team" | "strict" | "relaxed" | "minimal" | "advanced";

/** Whole configuration files to begin with: whom each one suits, and what it adds to the built-in protections. */
export const POLICY_PRESETS = {
  solo:
    "for one developer. Lock files, `.env` and files that say that they are generated are not edited.",
  team:
    "as solo, and edits, commits and merges happen on a branch, not on main or master; `npm publish`, " +
    "`terraform destroy` and `kubectl delete` are a person's.",
  strict:
    "as team, and a command in doubt is refused, a session stays in its own working tree, new files lie in folders, " +
    "and a plan comes before the first edit.",
} as const;

export type PolicyPreset = keyof typeof POLICY_PRESETS;

/** Returns a configuration file with guards, requirements and explaining comments. */
export function policyPreset(name: PolicyPreset): string {
  return `${POLICIES[name].join("\n")}\n`;
}

/** Returns the section `requirements` of a set, with a comment on each requirement; `advanced` has all of them. */
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
