/** Sets of requirements to begin with, as the text of a configuration file. */

export type Preset = "strict" | "relaxed" | "minimal" | "advanced";

interface Sample {
  readonly name: string;
  /** The sets that have it; `advanced` has all. */
  readonly sets: readonly Preset[];
  /** Its purpose, as a comment. */
  readonly about: string;
  readonly lines: readonly string[];
}

const PLANNED = ["autoResolveSkill: arch-review"];
const commits = "'git\\s+(commit|cherry-pick|revert|merge)(\\s|$)'";

const SAMPLES: readonly Sample[] = [
  {
    name: "commit_plan",
    sets: ["strict", "relaxed"],
    about: "A plan exists before files are changed.",
    lines: ["message: Plan the change first. Run {auto_resolve_skill}.", ...PLANNED],
  },
  {
    name: "protected_branch",
    sets: ["strict"],
    about: "Nothing is changed on these branches.",
    lines: ["type: guard", "guardType: protected_branch", "protectedBranches: [main, master]"],
  },
  {
    name: "adr_reviewed",
    sets: [],
    about: "The decisions of the architecture were looked at.",
    lines: ["message: Check the plan against the architecture's decision records.", ...PLANNED],
  },
  {
    name: "tdd_planned",
    sets: [],
    about: "The plan says how it is tested.",
    lines: ["message: Say in the plan which tests come first.", ...PLANNED],
  },
  {
    name: "solid_reviewed",
    sets: [],
    about: "The design was looked at.",
    lines: ["message: Review the design of the plan.", ...PLANNED],
  },
  {
    name: "design_approved",
    sets: [],
    about: "The design was talked over.",
    lines: ["enabled: false", "autoResolveSkill: brainstorming"],
  },
  {
    name: "plan_written",
    sets: [],
    about: "The plan is in a file.",
    lines: ["enabled: false", "autoResolveSkill: writing-plans"],
  },
  {
    name: "github_ticket",
    sets: [],
    about: "The branch belongs to a ticket; said once for the whole branch.",
    lines: ["enabled: false", "scope: branch", "message: Name the ticket that this branch is for."],
  },
  {
    name: "single_session_per_project",
    sets: [],
    about: "Only one session works in this working tree.",
    lines: ["enabled: false", "type: guard", "guardType: single_session"],
  },
  {
    name: "branch_size_limit",
    sets: [],
    about: "The branch stays small enough to be reviewed. A person's approval lasts an hour.",
    lines: [
      "type: dynamic",
      "thresholds: {warn: 250, block: 400}",
      "approvalTtl: 3600",
      "message: '{branch} has changed {total} lines, the limit is {limit}. Split it, or have it approved.'",
    ],
  },
  {
    name: "pre_commit_review",
    sets: [],
    about: "Each commit is reviewed: the review is used up by the commit.",
    lines: [
      "scope: single_use",
      `triggerTools: [{tool: Bash, commandPattern: ${commits}}]`,
      "autoResolveSkill: pre-commit",
    ],
  },
  {
    name: "pre_pr_review",
    sets: [],
    about: "Each pull request is reviewed before it is opened.",
    lines: [
      "scope: single_use",
      "triggerTools: [{tool: Bash, commandPattern: 'gh\\s+pr\\s+create'}]",
      "autoResolveSkill: deep-review",
    ],
  },
  {
    name: "codex_reviewer",
    sets: [],
    about: "A second reviewer has looked at the pull request.",
    lines: [
      "scope: single_use",
      "triggerTools: [{tool: Bash, commandPattern: 'gh\\s+pr\\s+create'}]",
      "autoResolveSkill: codex-review",
    ],
  },
  {
    name: "pre_push_verification",
    sets: [],
    about: "What is pushed was verified.",
    lines: [
      "enabled: false",
      "scope: single_use",
      "triggerTools: [{tool: Bash, commandPattern: 'git\\s+push'}]",
    ],
  },
  {
    name: "verification_evidence",
    sets: [],
    about: "Claude does not stop before it has shown that the change works.",
    lines: ["stopOnly: true", "autoResolveSkill: verification-before-completion"],
  },
];

/** The section `requirements` of a set, with a comment on each requirement. */
export function presetText(preset: Preset): string {
  const chosen = SAMPLES.filter(({ sets }) => preset === "advanced" || sets.includes(preset));
  const head =
    "# What has to be true before Claude edits, commits or stops: `conclaude req --help`.\n";
  if (chosen.length === 0) return `${head}requirements: {}\n`;
  const entries = chosen.map(({ name, about, lines }) =>
    [`  # ${about}`, `  ${name}:`, ...lines.map((line) => `    ${line}`)].join("\n")
  );
  return `${head}requirements:\n${entries.join("\n")}\n`;
}
