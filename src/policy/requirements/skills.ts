/** Which skills satisfy which requirements. */

/** The plugin of the skills in the table. */
const PREFIX = "requirements-framework:";

/** Requirements that a skill satisfies wherever they are configured. */
const SKILLS: Readonly<Record<string, readonly string[]>> = {
  "pre-commit": ["pre_commit_review"],
  "requesting-code-review": ["pre_commit_review"],
  "quality-check": ["pre_pr_review"],
  "deep-review": ["pre_pr_review"],
  "codex-review": ["codex_reviewer"],
  "plan-review": ["commit_plan", "adr_reviewed", "tdd_planned", "solid_reviewed"],
  "arch-review": ["commit_plan", "adr_reviewed", "tdd_planned", "solid_reviewed"],
  "brainstorming": ["design_approved"],
  "writing-plans": ["plan_written", "commit_plan"],
  "test-driven-development": ["tdd_planned"],
  "verification-before-completion": ["verification_evidence"],
};

/** The skills that satisfy a requirement: those of the table, and those that the configuration adds. */
export function skillsFor(requirement: string, added: readonly string[]): string[] {
  const known = Object.entries(SKILLS)
    .filter(([, names]) => names.includes(requirement))
    .map(([skill]) => PREFIX + skill);
  return [...new Set([...known, ...added.map(plainSkill)])];
}

/** Whether a used skill is one of these. A name without a prefix matches any prefix. */
export function isOneOf(skills: readonly string[], used: string): boolean {
  const name = plainSkill(used);
  return skills.some((skill) =>
    skill === name || skill === PREFIX + name ||
    (!skill.includes(":") && name.slice(name.indexOf(":") + 1) === skill)
  );
}

/** The skill that a use of the tool `Skill` names; null for none. */
export function usedSkill(input: unknown): string | null {
  if (typeof input !== "object" || input === null) return null;
  const name: unknown = Reflect.get(input, "skill") ?? Reflect.get(input, "command");
  return typeof name === "string" && name.trim() !== "" ? plainSkill(name) : null;
}

/** `/arch-review x` becomes `arch-review`. */
function plainSkill(name: string): string {
  return name.trim().replace(/^\//, "").split(/\s/, 1)[0]!;
}
