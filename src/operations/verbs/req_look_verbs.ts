/** `conclaude req status|show|explain|list|sessions`: show requirements and change nothing. */
import { plain } from "../../base/plain.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import { type Ground, UNKEPT } from "../../policy/requirements/ground.ts";
import { deniedUnkept, deniesBlind, unkeptText } from "../../policy/requirements/stand.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import type { Requirement } from "../../policy/requirements/requirement_policy.ts";
import { satisfyCommand, triggersText } from "../../policy/requirements/requirement_text.ts";
import { activeSessions, listSessions, tellingId } from "../../db/sessions.ts";
import { findPause, listBranches } from "../../policy/store.ts";
import { durationText, relativeTime } from "../../base/time.ts";
import { proposing, SHARED, text, toggle } from "../flags.ts";
import {
  branchKeyOf,
  configuredRequirement,
  configuredType,
  hereOfSession,
  namedRequirements,
  NO_SESSION,
  requirementsHere,
  type Row,
  rowsOf,
  sessionOrNone,
} from "../requirements_here.ts";
import { goneNow, projectHere } from "../session_lookup.ts";
import { factLines, tableText } from "../table.ts";
import { agoText, listVerb, type Reading, readVerb } from "../list_and_show.ts";
import { verb } from "../verb.ts";

const ALL = Number.MAX_SAFE_INTEGER;
const ONE_NAME = [proposing("requirement", text("The requirement", "name"))];

export const status = readVerb({
  flags: { session: SHARED.ofSession, branch: SHARED.ofBranch },
  async run({ db, context }, flags) {
    const { sessionId, warning, here } = await lookFor({ db, context }, flags);
    const { ground } = here;
    const fault = faultOf(here.config);
    if (ground === UNKEPT && deniesBlind(here.config)) {
      const repository = findRepository(lookUpwards(here.context.cwd));
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
    const { rows, to } = await rowsOf(here, { db, key, sessionId });
    const atMs = Date.now();
    const pause = findPause(db, { sessionId, subject: "requirements", atMs });
    const open = rows.filter(({ status }) => status === "open").map(({ name }) => name);
    const fulfilled = rows.filter(({ status }) => status === "satisfied" || status === "met");
    const isOfSession = sessionId !== NO_SESSION;
    const session = isOfSession ? `session ${tellingId(db, sessionId)}` : "no session";
    const notes = [warning, lastBranchNote(ground), fault].filter((note) => note !== null);
    const begin = fault === null ? " `conclaude req init` begins some." : "";
    const table = tableText(context, rows, {
      REQUIREMENT: ({ name }) => name,
      STATUS: ({ status }) => status,
      SCOPE: ({ scope }) => scope,
      BY: ({ satisfiedBy, unproven }) =>
        satisfiedBy === null || unproven === null ? satisfiedBy : `${satisfiedBy} (unproven)`,
      WHEN: (row) => whenOf(row, atMs),
      TRIGGERED: ({ triggered }) => triggered ? "yes" : null,
      WHY: ({ why, unproven }) => why ?? unproven,
    }, `No requirement is switched on here.${begin}`);
    const reason = pause?.reason ? `: ${plain(pause.reason)}` : "";
    const resume = `conclaude req resume --session ${to.session}`;
    const lines = [
      `${plain(key.branch)}, ${session}: ${fulfilled.length} of ${rows.length} satisfied`,
      ...notes.map((note) => `  note: ${plain(note)}`),
      ...pause === undefined ? [] : [`  paused${reason}; \`${resume}\` ends it`],
      "",
      table,
      ...open.length === 0 || !isOfSession ? [] : ["", `To satisfy: ${satisfyCommand(open, to)}`],
    ];
    const pausedUntilMs = pause?.endsAtMs ?? null;
    return {
      json: { ...key, session: sessionId, warning, fault, pausedUntilMs, requirements: rows },
      text: lines.join("\n"),
    };
  },
});

export const list = readVerb({
  async run({ db, context }) {
    const { repository } = branchKeyOf(await requirementsHere(context), "-");
    const branches = listBranches(db, repository);
    const text = tableText(context, branches, {
      BRANCH: ({ branch }) => branch,
      SATISFIED: [({ satisfied }) => satisfied],
      SESSIONS: [({ sessions }) => sessions],
    }, "Nothing is recorded of any branch.");
    return { json: { repository, branches }, text };
  },
});

export const sessions = listVerb({
  flags: { project: toggle("Only of the project in this folder") },
  name: "sessions",
  async rows({ db, context }, flags) {
    const gone = await goneNow(activeSessions(db, { except: "", limit: ALL }));
    const project = flags.project ? projectHere(context.cwd) : null;
    return listSessions(db, { project, status: "active", limit: ALL })
      .filter(({ sessionId }) => !gone.has(sessionId));
  },
  columns: ({ db }) => ({
    ID: ({ sessionId }) => tellingId(db, sessionId),
    BRANCH: ({ branch }) => branch,
    PROCESS: [({ claudePid }) => claudePid],
    "LAST SEEN": ({ updatedAtMs }) => agoText(updatedAtMs),
    PROJECT: ({ projectDir }) => projectDir,
  }),
  empty: "No session is active.",
});

export const show = verb({
  args: ONE_NAME,
  async run(context, _flags, name) {
    const here = await requirementsHere(context);
    const { requirement, isOn } = await configuredRequirement(here, name);
    const { scope, triggers, description, message, skills, resolvedBy, checklist } = requirement;
    const facts = factLines([
      ["requirement", isOn ? name : `${name} (switched off)`],
      ["type", Object.values(configuredType(requirement)).join(", ")],
      ["scope", scope],
      ["asked at", requirement.stopOnly ? "stop only" : triggersText(triggers)],
      ["description", description],
      ["message", message],
      ["condition", conditionText(requirement)],
      ["skills", skills.join(", ") || null],
      ["run", resolvedBy === null ? null : `/${resolvedBy}`],
      ["checklist", checklist.join("; ") || null],
    ], 13);
    return { json: { requirement, enabled: isOn }, text: facts.join("\n") };
  },
});

export const explain = readVerb({
  args: ONE_NAME,
  flags: { session: SHARED.ofSession, branch: SHARED.ofBranch },
  async run({ db, context }, flags, name) {
    const { sessionId, warning, here } = await lookFor({ db, context }, flags);
    const requirements = await namedRequirements(here, [name]);
    const { triggers, stopOnly, skills, checklist } = requirements[0]!;
    const key = branchKeyOf(here, flags.branch);
    const { rows: [row], to } = await rowsOf({ ...here, requirements }, { db, key, sessionId });
    const { status, triggered, wholeBranch, expired, satisfiedBy, unproven, why } = row!;
    const isOfSession = sessionId !== NO_SESSION;
    const whose = isOfSession
      ? ` for session ${tellingId(db, sessionId)}`
      : ", as far as can be told";
    const uses = triggersText(triggers);
    const moment = stopOnly ? `stops, after ${uses}` : `uses ${uses}`;
    const happened = triggered
      ? "; that has happened in this session"
      : "; that has not happened yet";
    const lines = [
      `${name} is ${status} on ${key.branch}${whose}.`,
      warning && `  note: ${warning}`,
      `It is asked when Claude ${moment}${isOfSession ? happened : ""}.`,
      satisfiedBy && `Satisfied ${wholeBranch ? "for the whole branch " : ""}by ${satisfiedBy}, ` +
        `${whenOf(row!, Date.now())}.`,
      unproven && `Unproven: ${unproven}.`,
      expired && `It was satisfied by ${expired.by}; that ran out ${agoText(expired.atMs)} ` +
        `(${new Date(expired.atMs).toISOString()}).`,
      why && `Why: ${why}`,
      ...checklist.map((item) => `  [ ] ${item}`),
      skills.length > 0 && `Skills that satisfy it: ${skills.join(", ")}`,
      isOfSession && `A person satisfies it with: ${satisfyCommand([name], to)}`,
    ];
    return {
      json: { ...row, branch: key.branch, session: sessionId, warning },
      text: lines.flatMap((line) => line || []),
    };
  },
});

/** Finds the session and the requirements that its hooks read. */
async function lookFor(
  { db, context }: Pick<Reading, "db" | "context">,
  { session }: { readonly session?: string },
) {
  const found = await sessionOrNone(db, context, { named: session, command: "req status" });
  return { ...found, here: await hereOfSession(context, db, found.sessionId) };
}

function lastBranchNote(ground: Ground): string | null {
  return ground.kind === "branch" && ground.repository.branch === null
    ? "no branch is checked out, so the last one of the session counts"
    : null;
}

/** Describes mistakes in the configuration that may hide requirements; returns null if there are none. */
function faultOf(
  { unreadable, problems, problemKeys, brokenRequirements }: HookConfig,
): string | null {
  const next = "`conclaude config validate` shows it";
  if (unreadable !== "") return `nothing counts of ${unreadable}; ${next}`;
  return problems === 0 ? null : `the configuration has mistakes, in ${problemKeys.join(", ")}` +
    `${brokenRequirements === "" ? "" : `, which switch off ${brokenRequirements}`}; ${next}`;
}

function whenOf({ satisfiedAtMs, expiresAtMs }: Row, nowMs: number): string | null {
  if (satisfiedAtMs === null) return null;
  const since = relativeTime(satisfiedAtMs, nowMs);
  return expiresAtMs === null ? since : `${since}, ${durationText(expiresAtMs - nowMs)} left`;
}

function conditionText({ condition }: Requirement): string | null {
  if (condition.type === "branch_size") {
    return `fewer than ${condition.block} lines changed on the branch (noted from ${condition.warn})`;
  }
  if (condition.type === "protected_branch") {
    return `the branch is none of ${condition.branches.join(", ")}`;
  }
  const isAlone = condition.type === "single_session";
  return isAlone ? "no other session is live in the same working tree" : null;
}
