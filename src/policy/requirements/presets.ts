/** Sets of requirements to begin with, as the text of a configuration file. */

export type Preset = "strict" | "relaxed" | "minimal" | "advanced";

/** The requirements of the sets, each with a comment; `advanced` has all. */
const SAMPLES = `\
  # A plan exists before files are changed.
  commit_plan:
    message: Plan the change first. Run {auto_resolve_skill}.
    autoResolveSkill: arch-review
  # Nothing is changed on these branches.
  protected_branch:
    type: guard
    guardType: protected_branch
    protectedBranches: [main, master]
  # The decisions of the architecture were looked at.
  adr_reviewed:
    message: Check the plan against the architecture's decision records.
    autoResolveSkill: arch-review
  # The plan says how it is tested.
  tdd_planned:
    message: Say in the plan which tests come first.
    autoResolveSkill: arch-review
  # The design was looked at.
  solid_reviewed:
    message: Review the design of the plan.
    autoResolveSkill: arch-review
  # The design was talked over.
  design_approved:
    enabled: false
    autoResolveSkill: brainstorming
  # The plan is in a file.
  plan_written:
    enabled: false
    autoResolveSkill: writing-plans
  # The branch belongs to a ticket; said once for the whole branch.
  github_ticket:
    enabled: false
    scope: branch
    message: Name the ticket that this branch is for.
  # Only one session works in this working tree.
  single_session_per_project:
    enabled: false
    type: guard
    guardType: single_session
  # The branch stays small enough to be reviewed. A person's approval lasts an hour.
  branch_size_limit:
    type: dynamic
    thresholds: {warn: 250, block: 400}
    approvalTtl: 3600
    message: '{branch} has changed {total} lines, the limit is {limit}. Split it, or have it approved.'
  # Each commit is reviewed: the review is used up by the commit.
  pre_commit_review:
    scope: single_use
    triggerTools: [{tool: Bash, commandPattern: 'git\\s+(commit|cherry-pick|revert|merge)(\\s|$)'}]
    autoResolveSkill: pre-commit
  # Each pull request is reviewed before it is opened.
  pre_pr_review:
    scope: single_use
    triggerTools: [{tool: Bash, commandPattern: 'gh\\s+pr\\s+create'}]
    autoResolveSkill: deep-review
  # A second reviewer has looked at the pull request.
  codex_reviewer:
    scope: single_use
    triggerTools: [{tool: Bash, commandPattern: 'gh\\s+pr\\s+create'}]
    autoResolveSkill: codex-review
  # What is pushed was verified.
  pre_push_verification:
    enabled: false
    scope: single_use
    triggerTools: [{tool: Bash, commandPattern: 'git\\s+push'}]
  # Claude does not stop before it has shown that the change works.
  verification_evidence:
    stopOnly: true
    autoResolveSkill: verification-before-completion
`;

/** The requirements of the other sets. */
const NAMES: Readonly<Record<Exclude<Preset, "advanced">, readonly string[]>> = {
  strict: ["commit_plan", "protected_branch"],
  relaxed: ["commit_plan"],
  minimal: [],
};

/** The section `requirements` of a set, with a comment on each requirement. */
export function presetText(preset: Preset): string {
  const head =
    "# What has to be true before Claude edits, commits or stops: `conclaude req --help`.\n";
  const chosen = SAMPLES.split(/^(?= {2}# )/m).filter((sample) =>
    preset === "advanced" || NAMES[preset].some((name) => sample.includes(`\n  ${name}:\n`))
  );
  return chosen.length === 0
    ? `${head}requirements: {}\n`
    : `${head}requirements:\n${chosen.join("")}`;
}
