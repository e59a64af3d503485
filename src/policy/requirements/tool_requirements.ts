/** Decides by the requirements whether a tool use may happen. Loaded only where a requirement may concern the tool. */
import type { DatabaseSync } from "node:sqlite";
import { UNKNOWN_SESSION_ID } from "../../base/ids.ts";
import { type GuardPolicy, STRICT_RULE } from "../guards/guard_policy.ts";
import type { AskedUse } from "../guards/judge_use.ts";
import { type Keeping, keepingOf } from "../guards/lift.ts";
import { isPaused } from "../pauses_table.ts";
import { requirementsFor, type TriggeredPlace } from "./places.ts";
import {
  DETACHED,
  groundOf,
  lastBranchIn,
  NAMELESS,
  type RequirementWork,
  UNKEPT,
  UNKNOWN_BRANCH,
} from "./ground.ts";
import { tellUnproven } from "./proof.ts";
import { type Requirement, requirementPolicyIn } from "./requirement_policy.ts";
import type { Doubt } from "./trigger_match.ts";
import { denialText, doubtText, shortDenialText, unknownText } from "./requirement_text.ts";
import {
  type AllowedUse,
  type RequirementChange,
  type RequirementSaying,
  SILENT,
  wasDeniedSince,
} from "./requirements_table.ts";
import { type PreparedStand, prepareStand } from "./stand.ts";
import { denying, type Judged, mayBeOpen } from "./standing.ts";
import { singleUsesOf } from "./used_up.ts";

/** A denial that repeats within this time gets a short text: it comes from parallel tool calls. */
const REPEATED_MS = 5_000;

export interface UseSaying extends RequirementSaying {
  readonly paused?: boolean;
  /** True where only a person may allow the use. */
  readonly withholds?: true;
  /** What the decision needs and cannot read; see `Verdict`. */
  readonly blind?: string;
  /** The judged requirements, for an explanation of the decision; absent where no requirement counts. */
  readonly asked?: Asked;
}

/** The requirements that a tool use falls under, as they stand. */
export interface Asked {
  readonly judged: readonly JudgedUse[];
  /** Requirements in places whose branch git does not report. */
  readonly untold: readonly Requirement[];
  readonly doubts: readonly Doubt[];
  readonly keeping: Keeping;
}

/**
 * Decides in the transaction that writes the event; `db` is null when there is no database. `denying` are the rules
 * that already deny the use: a denied use triggers no requirement.
 */
export type RequiredUse = (db: DatabaseSync | null, denying: readonly string[]) => UseSaying;

type UseContext = RequirementWork & Pick<GuardPolicy, "isStrict" | "whenBlind">;

/** Looks up everything before the transaction begins. Returns null when the tool use falls under no requirement. */
export async function prepareUse(
  policy: string,
  use: AskedUse & { readonly toolUseId: string | null },
  at: UseContext,
): Promise<RequiredUse | null> {
  const { requirements } = requirementPolicyIn(policy);
  const ground = at.sessionId === UNKNOWN_SESSION_ID ? NAMELESS : groundOf(at.repository);
  // HEAD may be detached here while the tool use happens in another working tree.
  if (ground.repository === null) return notCounting(ground.why);
  const places = await requirementsFor(requirements, use, ground.repository);
  if (places.length === 0) return null;
  const parts = await prepareParts(places, at);
  // Gates that allow what they cannot see judge by the session's last branch instead.
  const untold = at.whenBlind === "allow" && parts.length > 0
    ? []
    : places.filter(({ repository }) => repository.isBranchUnknown).flatMap(requirementsAt)
      .filter(({ stopOnly }) => !stopOnly);
  if (parts.length + untold.length === 0) {
    return notCounting(ground.kind === "none" ? ground.why : DETACHED);
  }
  const doubts = places.flatMap((place) => place.doubts);
  return (db, denied) => {
    const keeping = keepingOf(db, at.config);
    const lasting = keeping === "lasting" ? db : null;
    const judged = parts.map((part) => judgePart(part, lasting, at.isStrict));
    const decided = judged.length > 0 && lasting !== null
      ? decideUse(judged, lasting, { denied, toolUseId: use.toolUseId })
      : undecided(keeping, judged, at);
    const saying = untold.length === 0 ? decided : withUntold(decided, untold, { ...at, db });
    return { ...saying, asked: { judged, untold, doubts, keeping } };
  };
}

function notCounting(why: string): RequiredUse {
  return () => ({ ...SILENT, notes: { requirements: why } });
}

/** Returns the requirements that the use at a place falls under, or may fall under, each once. */
function requirementsAt({ triggered, doubts }: TriggeredPlace): Requirement[] {
  return [...new Set([...triggered, ...doubts.map(({ requirement }) => requirement)])];
}

function withUntold(
  saying: UseSaying,
  untold: readonly Requirement[],
  { sessionId, atMs, db }: UseContext,
): UseSaying {
  const names = [...new Set(untold.map(({ name }) => `"${name}"`))].join(", ");
  const blind = `whether ${names} counts here cannot be known, for ${UNKNOWN_BRANCH}. ` +
    "A person has to make `git symbolic-ref HEAD` work here, as the hook runs it.";
  const paused = db !== null && isPaused(db, { sessionId, subject: "requirements", atMs });
  const notes = { ...saying.notes, requirements: UNKNOWN_BRANCH };
  return { ...saying, notes, ...(paused ? { paused } : { blind }) };
}

/** Decides where Claude Code asks a person: no rule may answer in the person's place while a requirement is open. */
export function askedFor(prepared: RequiredUse): RequiredUse {
  return (db, denied) => {
    if (denied.length > 0) return SILENT;
    const { reason, blind } = prepared(db, denied);
    return reason === "" && blind === undefined ? SILENT : { ...SILENT, withholds: true };
  };
}

/** The part of a tool use that happens on one branch. */
type PreparedUse = PreparedStand & TriggeredPlace;

/** Looks up each place. Where no branch is known, only the session's working tree counts, by its last branch. */
async function prepareParts(
  places: readonly TriggeredPlace[],
  at: UseContext,
): Promise<PreparedUse[]> {
  const parts: PreparedUse[] = [];
  for (const place of places) {
    const { repository } = place;
    const isHome = repository.root === at.repository?.root;
    const branch = repository.branch ?? (isHome ? lastBranchIn(repository, at) : null);
    if (branch === null) continue;
    const tree = { ...repository, branch };
    const prepared = await prepareStand(at.isStrict ? requirementsAt(place) : place.triggered, {
      ...at,
      repository: tree,
      isCheckedOut: place.isCheckedOut && repository.branch !== null,
      isElsewhere: !place.showsBranch,
      key: { repository: repository.commonDir, branch },
    });
    parts.push({ ...place, ...prepared, repository: tree });
  }
  return parts;
}

export type JudgedUse = PreparedUse & {
  readonly judged: readonly Judged[];
  /** Those that may deny the use. */
  readonly counting: readonly Judged[];
  readonly open: readonly Judged[];
  /** Open requirements that the use may fall under; empty unless the policy is strict. */
  readonly feared: readonly Judged[];
};

/** Judges the use on one branch. @throws {Error} An error of SQLite. */
function judgePart(part: PreparedUse, db: DatabaseSync | null, isStrict: boolean): JudgedUse {
  const { triggered, doubts, facts } = part;
  const judged = part.judge(db);
  const among = (requirements: readonly Requirement[]) =>
    judged.filter(({ requirement }) => requirements.includes(requirement));
  const counting = among(triggered.filter(({ stopOnly }) => !stopOnly));
  const doubtful = isStrict ? among(doubts.map(({ requirement }) => requirement)) : [];
  return {
    ...part,
    judged,
    counting,
    open: denying(counting, facts, isStrict),
    feared: denying(doubtful, facts, true),
  };
}

/** Decides where the satisfactions cannot be read. */
function undecided(
  keeping: Keeping,
  parts: readonly PreparedUse[],
  { isStrict, whenBlind }: UseContext,
): UseSaying {
  if (parts.length === 0) return SILENT;
  const why = keeping === "off" ? UNKEPT.why : "what was satisfied could not be read";
  const mayCount = parts.flatMap((part) =>
    mayBeOpen(isStrict ? requirementsAt(part) : part.triggered, part.facts)
  );
  // A person who switches the database off reads that when the session begins.
  const isSilent = mayCount.length === 0 || (keeping === "off" && whenBlind === "allow");
  const blind = isSilent ? {} : { blind: unknownText(mayCount, keeping) };
  return { ...SILENT, notes: { requirements: why }, ...blind };
}

/** Decides about the use on all its branches together. @throws {Error} An error of SQLite. */
function decideUse(
  judged: readonly JudgedUse[],
  db: DatabaseSync,
  { denied, toolUseId }: { readonly denied: readonly string[]; readonly toolUseId: string | null },
): UseSaying {
  const open = judged.filter((part) => part.open.length > 0);
  const feared = judged.filter((part) => part.feared.length > 0);
  const isOpen = open.length + feared.length > 0;
  const named = open.flatMap((part) => part.open.map(({ requirement }) => requirement.name));
  // The guards may have named this rule already.
  const strict = feared.length > 0 && !denied.includes(STRICT_RULE) ? [STRICT_RULE] : [];
  const rules = [...[...new Set(named)].map((name) => `requirements.${name}`), ...strict];
  const { facts: { sessionId, atMs }, to } = judged[0]!;
  const paused = isOpen && isPaused(db, { sessionId, subject: "requirements", atMs });
  const isDenied = denied.length > 0 || (isOpen && !paused);
  const isAllowed = denied.length === 0 && !isOpen;
  const unproven = tellUnproven(judged.flatMap((part) => part.counting), isAllowed ? to : null);
  const textOf = (part: JudgedUse) =>
    wasDeniedSince(db, { sessionId, rules: [...denied, ...rules], sinceMs: atMs - REPEATED_MS })
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
      ...judged.flatMap(({ changes }) => changes),
      ...(isAllowed ? judged.flatMap((part) => triggersOf(part, toolUseId)) : []),
      ...unproven.changes,
    ],
    notices: unproven.notices,
    notes: { ...unproven.notes, ...notesOf(judged, { isDenied, isAllowed }) },
  };
}

function triggersOf(
  { triggered, judged, key, facts: { sessionId } }: JudgedUse,
  toolUseId: string | null,
): RequirementChange[] {
  const about = { kind: "trigger", ...key, sessionId, toolUseId } as const;
  return judged.filter((one) => triggered.includes(one.requirement) && !one.isTriggered)
    .map(({ requirement: { name, scope } }) => ({ ...about, requirement: name, scope }));
}

/** Returns the use's notes for the audit trail, without empty ones. */
function notesOf(
  judged: readonly JudgedUse[],
  { isDenied, isAllowed }: { readonly isDenied: boolean; readonly isAllowed: boolean },
): UseSaying["notes"] {
  const sized = judged.flatMap(({ triggered, facts: { branchLines } }) => {
    // Null on a trunk, and on a branch without a base.
    const lines = typeof branchLines === "number" ? branchLines : null;
    return triggered.flatMap(({ name, condition }) =>
      condition.type === "branch_size" ? [{ name, lines, warn: condition.warn }] : []
    );
  });
  const unknown = judged.flatMap((part) => part.counting)
    .filter(({ status }) => status === "unknown")
    .map(({ requirement, finding }) => [requirement.name, finding] as const);
  const triggered = judged.flatMap((part) => part.triggered.map(({ name }) => name));
  const notes = {
    branchLines: sized[0]?.lines,
    unknown: unknown.length > 0 ? Object.fromEntries(unknown) : undefined,
    unsure: new Set(judged.flatMap(({ doubts }) => doubts.map(({ why }) => why))).size || undefined,
    warned: sized.filter(({ lines, warn }) => (lines ?? 0) >= warn).map(({ name }) => name),
    // A stop looks up whether the use has run; the hook after the use reads what it used up.
    triggered: isAllowed ? triggered : [],
    // A skill that satisfies a denied requirement also satisfies it on the branches where it was denied.
    denied: judged.flatMap(({ key, open }) =>
      open.map(({ requirement }) => ({ ...key, requirement: requirement.name }))
    ),
    uses: isDenied ? [] : judged.flatMap(allowedBy),
  };
  const isEmpty = (note: unknown) => note === undefined || Array.isArray(note) && note.length === 0;
  return Object.fromEntries(Object.entries(notes).filter(([, note]) => !isEmpty(note)));
}

/** Returns the allowed single uses. The satisfaction that allows a use may be a moment younger than the event. */
function allowedBy(part: JudgedUse): AllowedUse[] {
  return singleUsesOf(part).map((use) => {
    const { own } = part.judged.find(({ requirement }) => requirement.name === use.requirement)!;
    return { ...use, untilMs: Math.max(part.facts.atMs, own?.satisfiedAtMs ?? 0) };
  });
}
