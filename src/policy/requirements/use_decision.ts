/** Decides about a tool use from the stored satisfactions, in the transaction that writes the event. */
import type { DatabaseSync } from "node:sqlite";
import { STRICT_RULE } from "../guards/decide.ts";
import { doubtfulOf, type Open, openForUse, unknownOf } from "./open_requirements.ts";
import type { Requirement } from "./requirement_policy.ts";
import { type Audience, denialText, doubtText, shortDenialText } from "./requirement_text.ts";
import { withoutSpent } from "./commits.ts";
import { type BranchKey, isTriggered, type Standing } from "./standing.ts";
import type { Doubt } from "./trigger_match.ts";
import { type AllowedUse, type DeniedOnto, wasDeniedSince } from "./triggers_table.ts";
import { isPaused } from "../pauses_table.ts";
import { type Clearing, readStandings, type RequirementChange } from "./requirements_table.ts";
import type { GatheredFacts } from "./asked_requirements.ts";
import { noticeOf, type Proofs, type Unproven, unprovenAmong, unprovenNotes } from "./proven.ts";

/** The same denial within this time is told in short: it comes from parallel tool calls. */
const REPEATED_MS = 5_000;

export interface RequirementSaying {
  readonly reason: string;
  /** The open requirements as rule names, also when a person has lifted them. */
  readonly rules: readonly string[];
  readonly paused: boolean;
  /** True where only a person may allow it. */
  readonly withholds?: true;
  readonly changes: readonly RequirementChange[];
  readonly notes: Readonly<Record<string, unknown>>;
  readonly notices: readonly string[];
}

export const SILENT: RequirementSaying = {
  reason: "",
  rules: [],
  paused: false,
  changes: [],
  notes: {},
  notices: [],
};

/** The part of a tool use that happens on one branch, with the facts for its requirements. */
export interface PreparedUse extends GatheredFacts {
  readonly key: BranchKey;
  readonly toolUseId: string | null;
  readonly triggered: readonly Requirement[];
  readonly doubts: readonly Doubt[];
  readonly to: Audience;
  readonly worktree: string;
  /** False where the command itself checks the branch out. */
  readonly isCheckedOut: boolean;
  /** The single uses that it would be. */
  readonly uses: readonly Omit<AllowedUse, "untilMs">[];
  /** Satisfactions that earlier actions have used up; they are cleared now. */
  readonly spent: readonly Clearing[];
  readonly proofs: Proofs;
}

export interface JudgedUse extends PreparedUse {
  readonly standings: readonly Standing[];
  readonly open: readonly Open[];
  readonly unknown: readonly Open[];
  /** Open requirements that it may fall under. */
  readonly feared: readonly Open[];
  /** Satisfactions without a proof that allow it. */
  readonly unproven: readonly Unproven[];
}

/** Decides about all parts together. @throws {Error} What SQLite says. */
export function decideUse(
  parts: readonly PreparedUse[],
  db: DatabaseSync,
  { denying, isStrict }: {
    readonly denying: readonly string[];
    readonly isStrict: boolean;
  },
): RequirementSaying {
  const judged = parts.map((part) => judgePart(part, db, isStrict));
  const open = judged.filter((part) => part.open.length > 0);
  const feared = isStrict ? judged.filter((part) => part.feared.length > 0) : [];
  const isOpen = open.length + feared.length > 0;
  const named = open.flatMap((part) => part.open.map(({ requirement }) => requirement.name));
  const rules = [
    ...[...new Set(named)].map((name) => `requirements.${name}`),
    // The guards may have named this rule already.
    ...(feared.length > 0 && !denying.includes(STRICT_RULE) ? [STRICT_RULE] : []),
  ];
  const { sessionId, atMs } = parts[0]!.facts;
  const paused = isOpen && isPaused(db, { sessionId, subject: "requirements", atMs });
  const isDenied = denying.length > 0 || (isOpen && !paused);
  const counted = denying.length > 0 || isOpen ? [] : judged;
  const unproven = judged.flatMap((part) => part.unproven);
  const told = noticeOf(isDenied || isOpen ? [] : unproven, parts[0]!.to);
  const textOf = (part: JudgedUse) =>
    wasDeniedSince(db, { sessionId, rules: [...denying, ...rules], sinceMs: atMs - REPEATED_MS })
      ? shortDenialText(part.open, part.to)
      : denialText(part.open, part.to);
  return {
    reason: !isOpen || paused ? "" : [
      ...feared.map((part) => doubtText(part.feared, part.doubts, part.to)),
      ...open.map(textOf),
    ].join("\n"),
    rules,
    paused,
    changes: [
      ...parts.flatMap(({ changes }) => changes),
      ...counted.flatMap(triggersOf),
      ...told.changes,
    ],
    notices: told.notices,
    notes: {
      ...unprovenNotes(unproven),
      ...sizeNotes(judged),
      ...doubtNotes(judged),
      // At a stop it is looked up whether the use has run; its report tells what it used up.
      ...noteOf("triggered", counted.flatMap((one) => one.triggered.map(({ name }) => name))),
      ...noteOf("uses", isDenied ? [] : judged.flatMap(usesOf)),
      // A skill that satisfies the denied requirement counts here: in this working tree, and on
      // these branches.
      ...Object.assign(
        {},
        ...judged.map(({ to, worktree, isCheckedOut }) =>
          to.branch === null || !isCheckedOut ? {} : { worktree }
        ),
      ),
      ...noteOf("onto", open.filter(({ isCheckedOut }) => !isCheckedOut).flatMap(ontoOf)),
    },
  };
}

/** Requirements that were open on a branch which the command itself would have checked out. */
function ontoOf({ key, open }: JudgedUse): DeniedOnto[] {
  return open.map(({ requirement }) => ({ ...key, requirement: requirement.name }));
}

/** Judges one part. @throws {Error} What SQLite says. */
export function judgePart(
  part: PreparedUse,
  db: DatabaseSync | null,
  isStrict: boolean,
): JudgedUse {
  const { triggered, doubts, facts, key } = part;
  const stored = db === null ? [] : readStandings(db, key, facts.sessionId);
  const standings = part.proofs.marked(withoutSpent(stored, part.spent));
  const askedOf = (ones: readonly Requirement[]) => ones.filter(({ stopOnly }) => !stopOnly);
  const openAmong = (ones: readonly Requirement[]) => [
    ...openForUse(ones, standings, facts),
    ...(isStrict ? doubtfulOf(askedOf(ones), standings, facts) : []),
  ];
  return {
    ...part,
    standings,
    open: openAmong(triggered),
    unknown: unknownOf(askedOf(triggered), standings, facts),
    unproven: unprovenAmong(askedOf(triggered), standings, part),
    feared: openAmong([...new Set(doubts.map(({ requirement }) => requirement))]),
  };
}

function triggersOf(
  { triggered, standings, key, facts, toolUseId }: JudgedUse,
): RequirementChange[] {
  const { sessionId } = facts;
  return triggered.filter((requirement) => !isTriggered(requirement, standings, sessionId))
    .map(({ name, scope }) => ({
      kind: "trigger",
      ...key,
      requirement: name,
      scope,
      sessionId,
      toolUseId,
    }));
}

/** The satisfaction that allows a use may be a moment younger than the event. */
function usesOf({ uses, standings, facts }: JudgedUse): AllowedUse[] {
  return uses.map((use) => {
    const own = standings.find(({ requirement, sessionId }) =>
      requirement === use.requirement && sessionId === facts.sessionId
    );
    return { ...use, untilMs: Math.max(facts.atMs, own?.satisfiedAtMs ?? 0) };
  });
}

/** `branchLines` is null on a trunk, and without a base. */
function sizeNotes(judged: readonly JudgedUse[]): RequirementSaying["notes"] {
  const sized = judged.flatMap(({ triggered, facts: { branchLines } }) =>
    triggered.flatMap(({ name, condition }) => {
      const lines = typeof branchLines === "number" ? branchLines : null;
      return condition.type === "branch_size"
        ? [{ name, lines, isWarned: (lines ?? 0) >= condition.warn }]
        : [];
    })
  );
  const unknown = judged.flatMap((part) => part.unknown)
    .map(({ requirement, finding }) => [requirement.name, finding] as const);
  return {
    ...(sized.length === 0 ? {} : { branchLines: sized[0]!.lines }),
    ...(unknown.length === 0 ? {} : { unknown: Object.fromEntries(unknown) }),
    ...noteOf("warned", sized.filter(({ isWarned }) => isWarned).map(({ name }) => name)),
  };
}

function doubtNotes(judged: readonly JudgedUse[]): RequirementSaying["notes"] {
  const whys = new Set(judged.flatMap(({ doubts }) => doubts.map(({ why }) => why)));
  return whys.size === 0 ? {} : { unsure: whys.size };
}

function noteOf(name: string, values: readonly unknown[]): RequirementSaying["notes"] {
  return values.length === 0 ? {} : { [name]: values };
}
