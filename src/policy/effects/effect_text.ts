/** Writes what Claude and the person read about violations. */
import { count } from "../../base/counts.ts";
import { ofCommit, REQUIREMENT, type Violation, type ViolationKind } from "./types.ts";

const MAX_NAMED = 10;
const ACCEPT = "A person accepts it with `conclaude config accept`";
const UNKNOWN =
  "Changed meanwhile, by whom is unknown (another session, a person, or what you have started):";

const IF_YOURS = `If you did it, look at it with \`git diff\` and undo it. ${ACCEPT}.`;

/** Why there is no command that undoes a change: a copy of a file that git does not know would outlive its secrets. */
const NO_COPY: Readonly<Record<ViolationKind, string>> = {
  file: "git has no version of it, and no copy is kept of what may hold secrets",
  policy: "no copy is kept",
  ref: "it was pushed, which only a person takes back",
};

/** Tells Claude about new violations, after a command or before the next one. */
export function foundText(found: readonly Violation[]): string {
  const own = found.filter(({ who }) => who === "command");
  const others = found.filter(({ who }) => who !== "command");
  return [
    ...told("This command changed what may not be changed:", own, wayOn(own)),
    ...told(UNKNOWN, others, IF_YOURS, wayOn(others.filter(ofCommit))),
  ].join("\n");
}

export function heldText(open: readonly Violation[]): string {
  const isUnknown = open.every((one) => one.who !== "command" && !ofCommit(one));
  const lines = isUnknown
    ? told(UNKNOWN, open, IF_YOURS)
    : told("Changed without being allowed, and not undone:", open, wayOn(open));
  return lines.join("\n");
}

/** Writes what happened, each violation, and the ways on that are not empty; nothing without violations. */
function told(what: string, open: readonly Violation[], ...ways: readonly string[]): string[] {
  return open.length === 0 ? [] : [what, ...linesOf(open), ...ways.filter((way) => way !== "")];
}

/** Tells the person about violations that do not hold back the stop. */
export function openText(open: readonly Violation[]): string {
  return `${namedText("changed by commands and not undone", open)} ${ACCEPT}, ` +
    "`conclaude config accept --dry-run` shows how each is undone.";
}

/** Tells the person about changes that the session may not have made. */
export function unknownText(open: readonly Violation[]): string {
  return `${namedText("changed meanwhile, by whom is unknown", open)} ${ACCEPT}.`;
}

function namedText(what: string, open: readonly Violation[]): string {
  const names = open.slice(0, MAX_NAMED).map(({ name }) => name).join(", ");
  return `conclaude: ${count(open.length, "protected file")} ${what}: ${names}.`;
}

export function pushText(commits: readonly Violation[]): string {
  const what = "Blocked: commits came to be without what a requirement asks for before them:";
  return told(what, commits, `Nothing was pushed. ${wayOn(commits)}`).join("\n");
}

/** Says how Claude can go on; empty without violations. */
function wayOn(open: readonly Violation[]): string {
  const [commits, others] = [open.filter(ofCommit), open.filter((one) => !ofCommit(one))];
  const names = [...new Set(commits.map(({ rule }) => rule.slice(REQUIREMENT.length)))];
  const explaining = names.map((name) => `\`conclaude req explain ${name}\``).join(", ");
  const are = names.length === 1 ? "is" : "are";
  const way = others.some(({ undo }) => undo !== null)
    ? "Run the commands that undo it."
    : "No copy is kept: tell the person.";
  const untilMet =
    `Until ${
      names.join(", ")
    } ${are} satisfied (${explaining} says how), or the commits are undone, ` +
    `Claude may not stop or push. ${ACCEPT}.`;
  return [
    ...commits.length === 0 ? [] : [untilMet],
    ...others.length === 0 ? [] : [`${way} ${ACCEPT}.`],
  ].join("\n");
}

/** Writes one line for each violation: the name, the rule, and the command that undoes it. */
export function linesOf(violations: readonly Violation[]): string[] {
  const lines = violations.slice(0, MAX_NAMED).map((one) => {
    const { name, kind, rule, undo } = one;
    const cannot = ofCommit(one) ? "" : `; cannot be undone: ${NO_COPY[kind]}`;
    return `- ${name} (${rule})${undo === null ? cannot : `; undo: \`${undo}\``}`;
  });
  const left = violations.length - MAX_NAMED;
  return left > 0 ? [...lines, `- and ${left} more`] : lines;
}
