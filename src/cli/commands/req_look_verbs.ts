/** `conclaude req status|show|explain|list|sessions`: what only looks. */
import { plain } from "../../capture/plain.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import { isUserError, UserError } from "../../errors.ts";
import type { Ground } from "../../gate/ground.ts";
import { UNKEPT } from "../../gate/ground.ts";
import { deniedUnkept, isStrict, unkeptText } from "../../gate/asked_requirements.ts";
import { findRepository, lookUpwards } from "../../git/repository.ts";
import { shortSessionId } from "../../ids.ts";
import { lookAtProcesses } from "../../process/identity.ts";
import type { Requirement } from "../../requirement/requirement_policy.ts";
import { satisfyCommand, triggersText } from "../../requirement/requirement_text.ts";
import { goneSessions } from "../../session/liveness.ts";
import { findPause } from "../../store/pauses.ts";
import { listBranches } from "../../store/requirements.ts";
import { activeSessions } from "../../store/session_registry.ts";
import { listSessions } from "../../store/sessions.ts";
import { relativeTime } from "../../time.ts";
import type { CliContext } from "../context.ts";
import { OF_BRANCH, OF_SESSION, text, toggle } from "../flags.ts";
import {
  branchKeyOf,
  configuredRequirement,
  configuredType,
  durationText,
  hereOfSession,
  namedRequirements,
  NO_SESSION,
  requirementsHere,
  type Row,
  rowsOf,
  sessionIdOf,
} from "../requirements_here.ts";
import { projectHere } from "../session_lookup.ts";
import { openStore } from "../store.ts";
import { factLines, type Facts, listView, tableText } from "../table.ts";
import { verb } from "../verb.ts";
import type { DatabaseSync } from "node:sqlite";

const ONE_NAME = [text("The requirement", "name")];

export const status = verb({
  flags: { session: OF_SESSION, branch: OF_BRANCH },
  about:
    "Shows every requirement that is switched on here, and how it stands for this branch and session.\n" +
    "It leaves with status 0 also when some are open.",
  examples: ["conclaude req status", "conclaude req status --session 01980c5e --json"],
  async run(context, flags) {
    const { db } = await openStore(context, "read");
    const { sessionId, warning } = await sessionOrNone(db, context, flags.session);
    const here = await hereOfSession(context, db, sessionId);
    const { ground } = here;
    const fault = faultOf(here.config);
    if (ground === UNKEPT && isStrict(here.config)) {
      const repository = findRepository(lookUpwards(here.folder));
      const at = { sessionId, atMs: Date.now(), environment: context.environment };
      const denied = await deniedUnkept(here.requirements, repository, at);
      return {
        json: { branch: null, session: sessionId, why: ground.why, denied, requirements: [] },
        text: `Requirements: ${unkeptText(denied)}.`,
      };
    }
    if (ground.kind === "none" && flags.branch === undefined) {
      const report = { branch: null, session: sessionId, why: ground.why, requirements: [] };
      return { json: report, text: `Requirements do not count here: ${ground.why}.` };
    }
    const key = branchKeyOf(here, flags.branch);
    const { rows, to } = await rowsOf(here, {
      db,
      key,
      sessionId,
      environment: context.environment,
    });
    const atMs = Date.now();
    const pause = findPause(db, { sessionId, subject: "requirements", atMs });
    const open = rows.filter(({ status }) => status === "open");
    const fulfilled = rows.filter(({ status }) => status === "satisfied" || status === "met");
    const lines = [
      `${plain(key.branch)}, ${
        sessionId === NO_SESSION ? "no session" : `session ${shortSessionId(sessionId)}`
      }: ` +
      `${fulfilled.length} of ${rows.length} satisfied`,
      ...[warning, lastBranchNote(here.ground), fault].flatMap((note) =>
        note === null ? [] : [`  note: ${plain(note)}`]
      ),
      ...(pause === undefined ? [] : [
        `  paused${pause.reason === null ? "" : `: ${plain(pause.reason)}`}; ` +
        `\`conclaude req resume --session ${to.session}\` ends it`,
      ]),
      "",
      listView(
        context,
        { rows },
        {
          REQUIREMENT: ({ name }) => name,
          STATUS: ({ status }) => status,
          SCOPE: ({ scope }) => scope,
          BY: ({ satisfiedBy, unproven }) =>
            satisfiedBy === null || unproven === null ? satisfiedBy : `${satisfiedBy} (unproven)`,
          WHEN: (row) => whenOf(row, atMs),
          TRIGGERED: ({ triggered }) => triggered ? "yes" : null,
          WHY: ({ why, unproven }) => why ?? unproven,
        },
        `No requirement is switched on here.${
          fault === null ? " `conclaude req init` begins some." : ""
        }`,
      ).text,
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
        fault,
        pausedUntilMs: pause?.endsAtMs ?? null,
        requirements: rows,
      },
      text: lines.join("\n"),
    };
  },
});

export const list = verb({
  about: "Lists the branches of this repository of which something is recorded, and how much.",
  examples: ["conclaude req list", "conclaude req list --json"],
  async run(context) {
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
  },
});

export const sessions = verb({
  flags: { project: toggle("Only of the project in this folder") },
  about:
    "Lists the sessions that are active, with their branches and processes. One whose process is gone is left out.",
  examples: ["conclaude req sessions --project", "conclaude req sessions --json"],
  async run(context, flags) {
    const { db } = await openStore(context, "read");
    const gone = await withoutProcess(db);
    const sessions = listSessions(db, {
      project: flags.project ? projectHere(context.cwd) : null,
      status: "active",
      limit: Number.MAX_SAFE_INTEGER,
    }).filter(({ sessionId }) => !gone.has(sessionId));
    const now = Date.now();
    return listView(context, { sessions }, {
      ID: ({ shortId }) => shortId,
      BRANCH: ({ branch }) => branch,
      PROCESS: [({ claudePid }) => claudePid],
      "LAST SEEN": ({ updatedAtMs }) => relativeTime(updatedAtMs, now),
      PROJECT: ({ projectDir }) => projectDir,
    }, "No session is active.");
  },
});

export const show = verb({
  args: ONE_NAME,
  about: "Shows one requirement: what it asks, when, and what satisfies it.",
  examples: ["conclaude req show commit_plan", "conclaude req show commit_plan --json"],
  async run(context, _flags, name) {
    const here = await requirementsHere(context);
    const { requirement, isOn } = await configuredRequirement(context, here, name);
    const facts: Facts = [
      ["requirement", isOn ? name : `${name} (switched off)`],
      ["type", Object.values(configuredType(requirement!)).join(", ")],
      ["scope", requirement!.scope],
      ["asked at", requirement!.stopOnly ? "stop only" : triggersText(requirement!.triggers)],
      ["description", requirement!.description],
      ["message", requirement!.message],
      ["condition", conditionText(requirement!)],
      ["skills", requirement!.skills.join(", ") || null],
      ["run", requirement!.resolvedBy === null ? null : `/${requirement!.resolvedBy}`],
      ["checklist", requirement!.checklist.join("; ") || null],
    ];
    return { json: { requirement, enabled: isOn }, text: factLines(facts, 13).join("\n") };
  },
});

export const explain = verb({
  args: ONE_NAME,
  flags: { session: OF_SESSION, branch: OF_BRANCH },
  about:
    "Says of one requirement when it is asked, how it stands here, why, and what would change that.",
  examples: ["conclaude req explain commit_plan --session 01980c5e"],
  async run(context, flags, name) {
    const { db } = await openStore(context, "read");
    const { sessionId, warning } = await sessionOrNone(db, context, flags.session);
    const here = await hereOfSession(context, db, sessionId);
    const [requirement] = await namedRequirements(context, here, { names: [name], undone: null });
    const key = branchKeyOf(here, flags.branch);
    const { rows: [row], to } = await rowsOf({ ...here, requirements: [requirement!] }, {
      db,
      key,
      sessionId,
      environment: context.environment,
    });
    const isOfSession = sessionId !== NO_SESSION;
    const happened = row!.triggered
      ? "that has happened in this session"
      : "that has not happened yet";
    const lines = [
      `${name} is ${row!.status} on ${key.branch}${
        isOfSession ? ` for session ${shortSessionId(sessionId)}` : ", as far as can be told"
      }.`,
      ...(warning === null ? [] : [`  note: ${warning}`]),
      `It is asked when Claude ${
        requirement!.stopOnly
          ? `stops, after ${triggersText(requirement!.triggers)}`
          : `uses ${triggersText(requirement!.triggers)}`
      }${isOfSession ? `; ${happened}` : ""}.`,
      ...(row!.satisfiedBy === null ? [] : [
        `Satisfied ${row!.wholeBranch ? "for the whole branch " : ""}by ${row!.satisfiedBy}, ` +
        `${whenOf(row!, Date.now())}.`,
      ]),
      ...(row!.unproven === null ? [] : [`Unproven: ${row!.unproven}.`]),
      ...(row!.expired === null ? [] : [
        `It was satisfied by ${row!.expired.by}; that ran out ${
          relativeTime(row!.expired.atMs, Date.now())
        } (${new Date(row!.expired.atMs).toISOString()}).`,
      ]),
      ...(row!.why === null ? [] : [`Why: ${row!.why}`]),
      ...requirement!.checklist.map((item) => `  [ ] ${item}`),
      ...(requirement!.skills.length === 0
        ? []
        : [`Skills that satisfy it: ${requirement!.skills.join(", ")}`]),
      ...(isOfSession ? [`A person satisfies it with: ${satisfyCommand([name], to)}`] : []),
    ];
    return {
      json: { ...row, branch: key.branch, session: sessionId, warning },
      text: lines.map(plain).join("\n"),
    };
  },
});

function lastBranchNote(ground: Ground): string | null {
  return ground.kind === "branch" && ground.repository.branch === null
    ? "no branch is checked out, so the last one of the session counts"
    : null;
}

/** Active sessions whose process is gone; the next SessionStart marks them. */
async function withoutProcess(db: DatabaseSync): Promise<ReadonlySet<string>> {
  const sessions = activeSessions(db, { except: "", limit: Number.MAX_SAFE_INTEGER });
  const processes = await lookAtProcesses(sessions.map(({ claudePid }) => claudePid));
  return new Set(goneSessions(sessions, processes, null));
}

/** What is wrong with the configuration, so that requirements may be missing; null when nothing is. */
function faultOf(
  { unreadable, problems, problemKeys, brokenRequirements }: HookConfig,
): string | null {
  const next = "`conclaude config validate` shows it";
  if (unreadable !== "") return `nothing counts of ${unreadable}; ${next}`;
  return problems === 0 ? null : `the configuration has mistakes, in ${problemKeys.join(", ")}` +
    `${brokenRequirements === "" ? "" : `, which switch off ${brokenRequirements}`}; ${next}`;
}

/** The session that is meant; without one the status of the whole branch is told. */
async function sessionOrNone(
  db: DatabaseSync,
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

function conditionText({ condition }: Requirement): string | null {
  switch (condition.type) {
    case "blocking":
      return null;
    case "branch_size":
      return `fewer than ${condition.block} lines changed on the branch (noted from ${condition.warn})`;
    case "protected_branch":
      return `the branch is none of ${condition.branches.join(", ")}`;
    case "single_session":
      return "no other session is live in the same working tree";
  }
}
