/** Tells which skills satisfy which requirements. */
import SKILLS from "./skills.json" with { type: "json" };

/** The prefix of the plugin whose skills stand in the table. */
const PREFIX = "requirements-framework:";

/** Returns the skills that satisfy a requirement: those of the table and those that the configuration adds. */
export function skillsFor(requirement: string, added: readonly string[]): string[] {
  const known = Object.entries<readonly string[]>(SKILLS)
    .filter(([, names]) => names.includes(requirement))
    .map(([skill]) => PREFIX + skill);
  return [...new Set([...known, ...added.map(plainSkill)])];
}

/** Tells whether a used skill is one of the given ones. A given name without a prefix matches any prefix. */
export function isOneOf(skills: readonly string[], used: string): boolean {
  const name = plainSkill(used);
  return skills.some((skill) =>
    skill === name || skill === PREFIX + name ||
    (!skill.includes(":") && name.slice(name.indexOf(":") + 1) === skill)
  );
}

/** Returns the skill that a use of the tool `Skill` names; null for none. */
export function usedSkill(input: unknown): string | null {
  const { skill, command } = Object(input);
  const name: unknown = skill ?? command;
  return typeof name === "string" && name.trim() !== "" ? plainSkill(name) : null;
}

/** Returns the plain name: `arch-review` for `/arch-review x`. */
function plainSkill(name: string): string {
  return name.trim().replace(/^\//, "").split(/\s/, 1)[0]!;
}
