/** Writes what Claude and the person read about open requirements: what is open, why, and how to go on. */
import { filled } from "../guards/guard_policy.ts";
import type { Keeping } from "../guards/lift.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import type { Requirement, RequirementPolicy, Trigger } from "./requirement_policy.ts";
import type { Facts, Open } from "./standing.ts";
import type { Doubt } from "./trigger_match.ts";

/** Claude Code shows 10,000 characters of an answer, and the end of ours tells how a person lifts the denial. */
const MAX_REASON_CHARS = 2_000;
const MAX_ROWS = 20;
const MAX_CELL_CHARS = 300;
const MAX_ITEMS = 10;
const MAX_DOUBTS = 5;

/** The session and the branch that the commands in a text name. */
export interface Audience {
  /** The short id, or a longer beginning where another session's id begins the same. */
  readonly session: string;
  /** The branch that commands name; null where there is only one working tree. */
  readonly branch: string | null;
  readonly facts: Pick<Facts, "branch" | "branchLines">;
}

/** Writes the command with which a person satisfies requirements for a session, from anywhere in the repository. */
export function satisfyCommand(
  names: readonly string[],
  { session, branch }: Pick<Audience, "session" | "branch">,
): string {
  return `conclaude req satisfy ${names.join(" ")} --session ${session}` +
    (branch === null ? "" : ` --branch ${quoteWord(branch)}`);
}

function namesOf(open: readonly Open[]): string[] {
  return [...new Set(open.map(({ requirement }) => requirement.name))];
}

/** Writes the command with which a person satisfies open requirements, in backticks. */
function commandFor(open: readonly Open[], to: Audience): string {
  return `\`${satisfyCommand(namesOf(open), to)}\``;
}

function wayOf(open: readonly Open[], to: Audience): string {
  const them = open.length === 1 ? "it" : "them";
  return `A person can satisfy ${them} with ${commandFor(open, to)}; ${NOT_YOU}`;
}

const NOT_YOU = "do not run that yourself.";

export function denialText(open: readonly Open[], to: Audience): string {
  const [first] = open;
  const head = open.length === 1
    ? [`Blocked: the requirement "${first!.requirement.name}" is open: ${reasonOf(first!, to)}`]
    : [`Blocked: ${open.length} requirements are open.`, ...tableOf(open, to)];
  const way = "Nothing was done. If there is no real work to do here, leave it. " + wayOf(open, to);
  return [...head, ...checklistOf(open), ...skillLines(open), way].join("\n");
}

/** Writes a short text for a denial that repeats within seconds, because Claude sent several tool uses at once. */
export function shortDenialText(open: readonly Open[], to: Audience): string {
  return `Blocked as before, still open: ${open.map(shortOf).join("; ")}. ` +
    `A person can run ${commandFor(open, to)}; ${NOT_YOU}`;
}

/** Says why a strict policy denies a shell command that may fall under open requirements. */
export function doubtText(open: readonly Open[], doubts: readonly Doubt[], to: Audience): string {
  const names = namesOf(open);
  const relevant = doubts.filter(({ requirement }) => names.includes(requirement.name));
  const whys = [...new Set(relevant.map(({ why }) => why))].slice(0, MAX_DOUBTS).join("; ");
  const what = names.length === 1 ? "requirement" : "requirements";
  return `Blocked: the ${what} ${quoted(names)} may forbid it, which can only be known when ` +
    `it runs (${whys}). Write the command out plainly. ${wayOf(open, to)}`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/** Says why a strict policy denies a tool use when satisfactions cannot be read. */
export function unknownText(mayCount: readonly Requirement[], keeping: Keeping): string {
  const names = [...new Set(mayCount.map(({ name }) => name))];
  const what = `${quoted(names)} ${names.length === 1 ? "is" : "are"} satisfied`;
  const why = keeping === "off"
    ? "known, for the database is switched off. A person has to switch it on " +
      "(`database.enabled: true`; `conclaude config path` says where)."
    : "read from the database.";
  return `whether ${what} cannot be ${why}`;
}

export interface OpenOnBranch {
  readonly open: readonly Open[];
  readonly to: Audience;
  /** `gone`: git knows no branch of this name any more. */
  readonly place: "here" | "elsewhere" | "gone";
}

export function stopText(branches: readonly OpenOnBranch[]): string {
  const commands = branches.map(({ open, to }) => commandFor(open, to)).join(" and ");
  return [
    "## Cannot complete: requirements are open",
    ...branches.flatMap(({ open, to, place }) => [
      `What was done in this session${placeText(to, place)} needs:`,
      ...tableOf(open, to),
    ]),
    ...skillLines(branches.flatMap(({ open }) => open)),
    `Satisfy them, then stop. A person can do it with ${commands}; ${NOT_YOU}`,
  ].join("\n");
}

function placeText({ facts: { branch } }: Audience, place: OpenOnBranch["place"]): string {
  if (place === "here") return "";
  return ` on the branch ${branch}${place === "gone" ? ", which is there no more," : ""}`;
}

/** Writes the briefing at the start of a session; empty when there is nothing to tell. */
export function briefingText(
  policy: RequirementPolicy,
  open: readonly Open[],
  to: Audience & { readonly carried: readonly string[]; readonly unknown: readonly Open[] },
): string {
  const { carried, unknown } = to;
  const all = policy.requirements.length;
  if (policy.briefing === "none" || all === 0) return "";
  const lines = [
    policy.header,
    `## Requirements: ${all - open.length - unknown.length}/${all} satisfied`,
    carried.length > 0 && `Taken over from the session before: ${carried.join(", ")}`,
    unknown.length > 0 && `Cannot be known: ${unknown.map(shortOf).join("; ")}`,
    ...(open.length === 0 ? [] : [
      ...(policy.briefing === "standard"
        ? tableOf(open, to)
        : [`Open: ${open.map(shortOf).join("; ")}`]),
      ...skillLines(open),
      `**Fallback** (a person's action): ${commandFor(open, to)}`,
      "You may run the skills; do not run `conclaude req satisfy` yourself.",
    ]),
  ];
  return lines.filter((line) => line !== null && line !== false).join("\n");
}

const ABOUT_CHANGES =
  /\b(?:edit|change|modif(?:y|ies)|update|fix|implement|refactor|rename|add|remove|delete|write|create|commit|push|merge|pull request|pr)\b/i;

/** Writes the answer to a prompt about edits or commits; empty for other prompts, and when nothing is open. */
export function reminderText(prompt: string, open: readonly Open[]): string {
  if (open.length === 0 || !ABOUT_CHANGES.test(prompt)) return "";
  const names = namesOf(open).join(", ");
  const line = `**Requirements reminder**: ${open.length} unsatisfied: ${names}`;
  return [line, ...skillLines(open)].join("\n");
}

export function planText(open: readonly Open[], to: Audience): string {
  return ["## Plan validation required", ...tableOf(open, to), ...skillLines(open)].join("\n");
}

/** Says why a requirement is open, in the configured words or the usual ones. */
export function reasonOf({ requirement, finding, isUnknown }: Open, to: Audience): string {
  const usual = finding ?? requirement.description ?? "it has to be satisfied first";
  const { message } = requirement;
  const text = message === null || isUnknown ? usual : filled(message, valuesOf(requirement, to));
  return text.length <= MAX_REASON_CHARS
    ? text
    : `${text.slice(0, MAX_REASON_CHARS).toWellFormed()}…`;
}

/** Lists the tool uses that a requirement covers: ``Edit, Bash `git\s+commit` ``. */
export function triggersText(triggers: readonly Trigger[]): string {
  return triggers.map(({ tool, command }) => command === null ? tool : `${tool} \`${command}\``)
    .join(", ");
}

function shortOf({ requirement, finding, isUnknown }: Open): string {
  const why = isUnknown ? finding : requirement.shortMessage ?? finding;
  return why === null ? requirement.name : `${requirement.name} (${why})`;
}

function tableOf(open: readonly Open[], to: Audience): string[] {
  const cell = (text: string) => text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();
  const row = (one: Open) => {
    const { name, resolvedBy, shortMessage } = one.requirement;
    const message = one.isUnknown ? null : shortMessage;
    const why = (message ?? reasonOf(one, to)).slice(0, MAX_CELL_CHARS).toWellFormed();
    return `| ${name} | ${cell(why)} | ${resolvedBy === null ? "" : `\`/${resolvedBy}\``} |`;
  };
  return [
    "| Requirement | Why | Execute |",
    "| --- | --- | --- |",
    ...firstOf(open, MAX_ROWS, row),
  ];
}

/** Writes the first items as lines, and how many are left out. */
function firstOf<T>(all: readonly T[], most: number, lineOf: (one: T) => string): string[] {
  const left = all.length - most;
  return [...all.slice(0, most).map(lineOf), ...left > 0 ? [`and ${left} more`] : []];
}

/** Lists the checklists' items. With several requirements each item names its requirement, and the list is cut. */
function checklistOf(open: readonly Open[]): string[] {
  if (open.length === 1) return open[0]!.requirement.checklist.map((item) => `- [ ] ${item}`);
  const items = open.flatMap(({ requirement: { name, checklist } }) =>
    checklist.map((item) => `- [ ] ${name}: ${item}`)
  );
  return firstOf(items, MAX_ITEMS, (item) => item.slice(0, MAX_CELL_CHARS).toWellFormed());
}

/** Lists each skill once, with all requirements that it satisfies. */
function skillLines(open: readonly Open[]): string[] {
  const bySkill = Map.groupBy(open, ({ requirement }) => requirement.resolvedBy);
  bySkill.delete(null);
  return [...bySkill].map(([skill, resolved]) =>
    `**Execute**: \`/${skill}\` (satisfies ${namesOf(resolved).join(", ")})`
  );
}

function valuesOf(
  { resolvedBy, condition }: Requirement,
  to: Audience,
): Readonly<Record<string, string>> {
  return {
    auto_resolve_skill: resolvedBy === null ? "" : `/${resolvedBy}`,
    session_id: to.session,
    branch: to.facts.branch,
    total: typeof to.facts.branchLines === "number" ? String(to.facts.branchLines) : "",
    limit: condition.type === "branch_size" ? String(condition.block) : "",
  };
}
