/** What is said of violations, to Claude and to the person. */
import { count } from "../../base/counts.ts";
import { ofCommit, REQUIREMENT, type Violation } from "./types.ts";

const MAX_NAMED = 10;
const ACCEPT = "A person accepts it with `conclaude config accept`";

/** What Claude reads after a command, or before the next one. */
export function foundText(found: readonly Violation[]): string {
  const [own, others] = [true, false].map((isOwn) =>
    found.filter(({ who }) => (who === "command") === isOwn)
  );
  return [
    ...own!.length === 0
      ? []
      : ["This command changed what may not be changed:", ...linesOf(own!), wayOn(own!)],
    ...others!.length === 0 ? [] : [
      "Changed meanwhile, by whom is unknown (another session, a person, or what you have started):",
      ...linesOf(others!),
      `If you did it, undo it. ${ACCEPT}.`,
      ...others!.some(ofCommit) ? [wayOn(others!.filter(ofCommit))] : [],
    ],
  ].join("\n");
}

/** Why a stop is held. */
export function heldText(open: readonly Violation[]): string {
  return ["Changed without being allowed, and not undone:", ...linesOf(open), wayOn(open)].join(
    "\n",
  );
}

/** What the person is told of violations that hold nothing. */
export function openText(open: readonly Violation[]): string {
  const names = open.slice(0, MAX_NAMED).map(({ name }) => name).join(", ");
  return `conclaude: ${
    count(open.length, "protected file")
  } changed by commands and not undone: ${names}. ` +
    `${ACCEPT}, \`conclaude config accept --dry-run\` shows how each is undone.`;
}

/** Why a push is denied. */
export function pushText(commits: readonly Violation[]): string {
  return [
    "Blocked: commits came to be without what a requirement asks for before them:",
    ...linesOf(commits),
    `Nothing was pushed. ${wayOn(commits)}`,
  ].join("\n");
}

function wayOn(open: readonly Violation[]): string {
  const commits = open.filter(ofCommit);
  const others = open.filter((one) => !ofCommit(one));
  const names = [...new Set(commits.map(({ rule }) => rule.slice(REQUIREMENT.length)))];
  const asked = names.map((name) => `\`conclaude req explain ${name}\``).join(", ");
  return [
    ...(commits.length === 0 ? [] : [
      `Until ${names.join(", ")} ${
        names.length === 1 ? "is" : "are"
      } satisfied (${asked} says how), or the ` +
      `commits are undone, Claude may not stop or push. ${ACCEPT}.`,
    ]),
    ...(others.length === 0 ? [] : [
      others.some(({ undo }) => undo !== null)
        ? `Run the commands that undo it. ${ACCEPT}.`
        : `No copy is kept: tell the person. ${ACCEPT}.`,
    ]),
  ].join("\n");
}

/** One line for each: what it is, its rule, and how it is undone. */
export function linesOf(violations: readonly Violation[]): string[] {
  const lines = violations.slice(0, MAX_NAMED).map((one) => {
    const { name, rule, undo } = one;
    const none = ofCommit(one) ? "" : "; no copy is kept";
    return `- ${name} (${rule})${undo === null ? none : `; undo: \`${undo}\``}`;
  });
  const left = violations.length - MAX_NAMED;
  return left > 0 ? [...lines, `- and ${left} more`] : lines;
}
