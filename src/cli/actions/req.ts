/** `conclaude req status|show|explain|list|sessions`: what only looks. */
import { plain } from "../../capture/plain.ts";
import { isUserError, UserError } from "../../errors.ts";
import type { Ground } from "../../gate/requirements.ts";
import { type Stand, standOf } from "../../gate/standings.ts";
import { shortSessionId } from "../../ids.ts";
import { openOf } from "../../requirement/judge.ts";
import type { Requirement } from "../../requirement/policy.ts";
import {
  isTriggered,
  satisfyingOf,
  type Standing,
  WHOLE_BRANCH,
} from "../../requirement/standing.ts";
import {
  type Audience,
  reasonOf,
  satisfyCommand,
  statusOf,
  triggersText,
} from "../../requirement/text.ts";
import { findPause } from "../../store/pauses.ts";
import { listBranches, readOwnStandings } from "../../store/requirements.ts";
import { listSessions } from "../../store/sessions.ts";
import { relativeTime } from "../../time.ts";
import type { CliContext } from "../context.ts";
import {
  branchKeyOf,
  hereOfSession,
  namedRequirements,
  NO_SESSION,
  type RequirementsHere,
  requirementsHere,
  sessionIdOf,
} from "../requirements_here.ts";
import { projectHere } from "../session_lookup.ts";
import { openStore } from "../store.ts";
import { tableText } from "../table.ts";
import type { View } from "../view.ts";

type Where = { readonly session?: string; readonly branch?: string };

/** One requirement as it stands. */
interface Row {
  readonly name: string;
  readonly type: Requirement["condition"]["type"];
  readonly scope: Requirement["scope"];
  /** `met` is a condition that holds by itself. */
  readonly status: "satisfied" | "met" | "open";
  readonly satisfiedBy: string | null;
  readonly satisfiedAtMs: number | null;
  readonly expiresAtMs: number | null;
  /** Whether it counts for the whole branch. */
  readonly wholeBranch: boolean;
  readonly triggered: boolean;
  readonly stopOnly: boolean;
  readonly why: string | null;
  readonly run: string | null;
  readonly metadata: Standing["metadata"];
}

/** `conclaude req status` */
export async function showStatus(context: CliContext, flags: Where): Promise<View> {
  const { db } = await openStore(context, "read");
  const { sessionId, warning } = await sessionOrNone(db, context, flags.session);
  const here = await hereOfSession(context, db, sessionId);
  const { ground } = here;
  if (ground.kind === "none" && flags.branch === undefined) {
    const report = { branch: null, session: sessionId, why: ground.why, requirements: [] };
    return { json: report, text: `Requirements do not count here: ${ground.why}.` };
  }
  const key = branchKeyOf(here, flags.branch);
  const { rows, to } = await rowsOf(here, { db, key, sessionId });
  const atMs = Date.now();
  const pause = findPause(db, { sessionId, subject: "requirements", atMs });
  const open = rows.filter(({ status }) => status === "open");
  const lines = [
    `${plain(key.branch)}, ${
      sessionId === NO_SESSION ? "no session" : `session ${shortSessionId(sessionId)}`
    }: ` +
    `${rows.length - open.length} of ${rows.length} satisfied`,
    ...(warning === null ? [] : [`  note: ${plain(warning)}`]),
    ...(pause === undefined ? [] : [
      `  paused${pause.reason === null ? "" : `: ${plain(pause.reason)}`}; ` +
      `\`conclaude req resume --session ${shortSessionId(sessionId)}\` ends it`,
    ]),
    "",
    tableText(rows, [
      { title: "REQUIREMENT", value: ({ name }) => name },
      { title: "STATUS", value: ({ status }) => status },
      { title: "SCOPE", value: ({ scope }) => scope },
      { title: "BY", value: ({ satisfiedBy }) => satisfiedBy },
      { title: "WHEN", value: (row) => whenOf(row, atMs) },
      { title: "TRIGGERED", value: ({ triggered }) => triggered ? "yes" : null },
      { title: "WHY", value: ({ why }) => why },
    ], {
      empty: "No requirement is switched on here. `conclaude req init` begins some.",
      color: context.globals.color,
    }),
    ...(open.length === 0 || sessionId === NO_SESSION ? [] : [
      "",
      `To satisfy: ${satisfyCommand(open.map(({ name }) => name), to)}`,
    ]),
  ];
  return {
    json: {
      repository: key.repository,
      branch: key.branch,
      session: sessionId,
      warning,
      pausedUntilMs: pause?.endsAtMs ?? null,
      requirements: rows,
    },
    text: lines.join("\n"),
  };
}

/** `conclaude req show NAME` */
export async function showRequirement(
  context: CliContext,
  _flags: Readonly<Record<never, never>>,
  name: string,
): Promise<View> {
  const here = await requirementsHere(context);
  const [requirement] = namedRequirements(here, [name]);
  const facts: readonly (readonly [string, string | null])[] = [
    ["requirement", name],
    ["type", requirement!.condition.type],
    ["scope", requirement!.scope],
    ["asked at", requirement!.stopOnly ? "stop only" : triggersText(requirement!.triggers)],
    ["description", requirement!.description],
    ["message", requirement!.message],
    ["condition", conditionText(requirement!)],
    ["skills", requirement!.skills.join(", ") || null],
    ["run", requirement!.resolvedBy === null ? null : `/${requirement!.resolvedBy}`],
    ["checklist", requirement!.checklist.join("; ") || null],
  ];
  return {
    json: { requirement },
    text: facts.filter(([, value]) => value !== null)
      .map(([fact, value]) => `${fact.padEnd(13)}${plain(value ?? "")}`).join("\n"),
  };
}

/** `conclaude req explain NAME` */
export async function explainRequirement(
  context: CliContext,
  flags: Where,
  name: string,
): Promise<View> {
  const { db } = await openStore(context, "read");
  const { sessionId } = await sessionOrNone(db, context, flags.session);
  const here = await hereOfSession(context, db, sessionId);
  const [requirement] = namedRequirements(here, [name]);
  const key = branchKeyOf(here, flags.branch);
  const { rows: [row], to } = await rowsOf({ ...here, requirements: [requirement!] }, {
    db,
    key,
    sessionId,
  });
  const session = shortSessionId(sessionId);
  const lines = [
    `${name} is ${row!.status} on ${key.branch} for session ${session}.`,
    `It is asked when Claude ${
      requirement!.stopOnly
        ? `stops, after ${triggersText(requirement!.triggers)}`
        : `uses ${triggersText(requirement!.triggers)}`
    }; ${row!.triggered ? "that has happened in this session" : "that has not happened yet"}.`,
    ...(row!.satisfiedBy === null ? [] : [
      `Satisfied ${row!.wholeBranch ? "for the whole branch " : ""}by ${row!.satisfiedBy}, ` +
      `${whenOf(row!, Date.now())}.`,
    ]),
    ...(row!.why === null ? [] : [`Why: ${row!.why}`]),
    ...requirement!.checklist.map((item) => `  [ ] ${item}`),
    ...(requirement!.skills.length === 0
      ? []
      : [`Skills that satisfy it: ${requirement!.skills.join(", ")}`]),
    `A person satisfies it with: ${satisfyCommand([name], to)}`,
  ];
  return { json: { ...row, branch: key.branch, session: sessionId }, text: plainLines(lines) };
}

/** `conclaude req list` */
export async function listState(context: CliContext): Promise<View> {
  const here = await requirementsHere(context);
  const { db } = await openStore(context, "read");
  const { repository } = branchKeyOf(here, here.ground.kind === "none" ? "-" : undefined);
  const branches = listBranches(db, repository);
  return {
    json: { repository, branches },
    text: tableText(branches, [
      { title: "BRANCH", value: ({ branch }) => branch },
      { title: "SATISFIED", value: ({ satisfied }) => satisfied, align: "right" },
      { title: "SESSIONS", value: ({ sessions }) => sessions, align: "right" },
    ], { empty: "Nothing is recorded of any branch.", color: context.globals.color }),
  };
}

/** `conclaude req sessions` */
export async function listLive(
  context: CliContext,
  flags: { readonly project: boolean },
): Promise<View> {
  const { db } = await openStore(context, "read");
  const sessions = listSessions(db, {
    project: flags.project ? projectHere(context.cwd) : null,
    status: "active",
    limit: Number.MAX_SAFE_INTEGER,
  });
  const now = Date.now();
  return {
    json: { sessions },
    text: tableText(sessions, [
      { title: "ID", value: ({ shortId }) => shortId },
      { title: "BRANCH", value: ({ branch }) => branch },
      { title: "PROCESS", value: ({ claudePid }) => claudePid, align: "right" },
      { title: "LAST SEEN", value: ({ updatedAtMs }) => relativeTime(updatedAtMs, now) },
      { title: "PROJECT", value: ({ projectDir }) => projectDir },
    ], { empty: "No session is active.", color: context.globals.color }),
  };
}

async function rowsOf(
  { requirements, ground }: Pick<RequirementsHere, "requirements" | "ground">,
  at: {
    readonly db: Parameters<typeof readOwnStandings>[0];
    readonly key: ReturnType<typeof branchKeyOf>;
    readonly sessionId: string;
  },
): Promise<{ readonly rows: readonly Row[]; readonly to: Audience }> {
  const { open, standings, facts, to } = await standHere(requirements, ground, at);
  const { sessionId } = facts;
  const rows = requirements.map((requirement): Row => {
    const satisfying = satisfyingOf(requirement, standings, facts);
    const why = open.find((one) => one.requirement === requirement);
    const { name, condition, scope, stopOnly, resolvedBy } = requirement;
    return {
      name,
      type: condition.type,
      scope,
      status: statusOf(requirement, standings, { open, ...facts }),
      satisfiedBy: satisfying?.satisfiedBy ?? null,
      satisfiedAtMs: satisfying?.satisfiedAtMs ?? null,
      expiresAtMs: satisfying?.expiresAtMs ?? null,
      wholeBranch: satisfying?.sessionId === WHOLE_BRANCH,
      triggered: isTriggered(requirement, standings, sessionId),
      stopOnly,
      why: why === undefined ? null : reasonOf(why, to),
      run: resolvedBy === null ? null : `/${resolvedBy}`,
      metadata: satisfying?.metadata ?? {},
    };
  });
  return { rows, to };
}

/** How requirements stand on a branch: on the one that is checked out here, or on another one. */
async function standHere(
  requirements: readonly Requirement[],
  ground: Ground,
  { db, key, sessionId }: Parameters<typeof rowsOf>[1],
): Promise<Stand> {
  const atMs = Date.now();
  if (ground.kind === "branch" && ground.branch === key.branch) {
    const projectDir = ground.repository.root;
    return await standOf(requirements, { db, ground, sessionId, atMs, projectDir });
  }
  // Of a branch that is not checked out, what is calculated cannot be told.
  const facts = { sessionId, atMs, branch: key.branch, branchLines: null, otherSessions: [] };
  const standings = readOwnStandings(db, key, sessionId);
  const to = { session: shortSessionId(sessionId), branch: key.branch, facts };
  return { open: openOf(requirements, standings, facts), standings, facts, to };
}

/** A status can be told without a session, of what the whole branch has. */
async function sessionOrNone(
  db: Parameters<typeof readOwnStandings>[0],
  context: CliContext,
  named: string | undefined,
): Promise<{ readonly sessionId: string; readonly warning: string | null }> {
  try {
    const sessionId = await sessionIdOf(db, context, { named, command: "req status" });
    return { sessionId, warning: null };
  } catch (thrown) {
    if (named !== undefined || !isUserError(thrown)) throw thrown;
    return { sessionId: NO_SESSION, warning: `no session: ${(thrown as UserError).why}` };
  }
}

function whenOf({ satisfiedAtMs, expiresAtMs }: Row, nowMs: number): string | null {
  if (satisfiedAtMs === null) return null;
  const since = relativeTime(satisfiedAtMs, nowMs);
  return expiresAtMs === null ? since : `${since}, ${durationText(expiresAtMs - nowMs)} left`;
}

/** `5m 0s`, as an approval is told. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
}

function conditionText({ condition }: Requirement): string | null {
  switch (condition.type) {
    case "blocking":
      return null;
    case "branch_size":
      return `fewer than ${condition.block} lines changed on the branch (noted from ${condition.warn})`;
    case "protected_branch":
      return `the branch is none of ${condition.branches.join(", ")}`;
    case "single_session":
      return "no other session is live in the same folder";
  }
}

function plainLines(lines: readonly string[]): string {
  return lines.map(plain).join("\n");
}
