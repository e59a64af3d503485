/** Handles requirements at the start of a session, at a prompt and at the end of the session. */
import { groundFor, UNKNOWN_BRANCH } from "../policy/requirements/ground.ts";
import { quietly } from "../base/errors.ts";
import { keepingOf } from "../policy/guards/lift.ts";
import { deniedUnkept, deniesBlind, standOf, unkeptText } from "../policy/requirements/stand.ts";
import { carriedOver } from "../policy/requirements/satisfy.ts";
import {
  type RequirementPolicy,
  requirementPolicyIn,
} from "../policy/requirements/requirement_policy.ts";
import { briefingText, reminderText } from "../policy/requirements/requirement_text.ts";
import { findPause, isPaused, readStandings, type RequirementChange } from "../policy/store.ts";
import type { HookWork } from "./handler.ts";
import { nameOf } from "./protocol.ts";

/**
 * Prepares the work of requirements at a SessionStart. @returns The changes to write with the event, and a function that
 * makes the text for Claude, once the event is saved.
 */
export function beginRequirements(work: HookWork) {
  const policy = requirementPolicyIn(work.config.requirements);
  const ground = groundFor(work);
  if (work.repository?.isBranchUnknown) {
    const meaning = deniesBlind(work.config)
      ? "every tool use that a requirement is about is denied"
      : ground.kind === "branch"
      ? `the requirements of ${ground.branch} still count`
      : "requirements do not count";
    work.tell(`conclaude: ${UNKNOWN_BRANCH}, so ${meaning}. Run \`conclaude doctor\`.`);
  }
  if (ground.kind === "none") {
    const changes: RequirementChange[] = [];
    return { changes, text: () => whyNot(work, policy, ground.why) };
  }
  const { key } = ground;
  const { sessionId, atMs, db, repository } = work;
  const last = repository?.branch === null
    ? `No branch is checked out: the requirements of \`${ground.branch}\`, this session's last branch, still count.\n`
    : "";
  const source = nameOf(work.event.own["source"]) ?? "startup";
  const carried =
    quietly(() =>
      db === null ? [] : carriedOver(policy, readStandings(db, key), { sessionId, source, atMs })
    ) ?? [];
  return {
    changes: carried.map((one): RequirementChange => ({ kind: "satisfy", ...key, ...one })),
    async text() {
      const spare = work.spareDb();
      if (spare === null || policy.briefing === "none") return "";
      const { open, unknown, to } = await standOf(policy.requirements, {
        ...work,
        ...ground,
        db: spare,
      });
      const names = carried.map(({ requirement }) => requirement);
      const pause = findPause(spare, { sessionId, subject: "requirements", atMs });
      const banner = pause === undefined
        ? ""
        : `**Requirements are paused for this session**${
          pause.reason === null ? "" : `: ${pause.reason}`
        } (\`conclaude req resume --session ${to.session}\` ends it)\n`;
      return banner + last + briefingText(policy, open, { ...to, unknown, carried: names });
    },
  };
}

/** Tells why requirements do not count here, or why nothing about them can be stored. */
async function whyNot(work: HookWork, policy: RequirementPolicy, why: string): Promise<string> {
  if (policy.briefing === "none") return "";
  const { db, config, repository } = work;
  if (repository?.isBranchUnknown && deniesBlind(config)) {
    return `## Requirements: what they are about is denied here, for ${why}`;
  }
  if (keepingOf(db, config) !== "off" || !deniesBlind(config)) {
    return `## Requirements: not in force here, for ${why}`;
  }
  const denied = await deniedUnkept(policy.requirements, repository, work);
  return `## Requirements: ${unkeptText(denied)}`;
}

/** Ends the session's pause. What the session has satisfied stays, unless the configuration clears it. */
export function endRequirements({ config, sessionId }: HookWork): RequirementChange[] {
  const policy = requirementPolicyIn(config.requirements);
  const resume: RequirementChange = { kind: "resume", sessionId };
  const forget: RequirementChange = { kind: "forget", sessionId };
  return policy.clearsAtEnd ? [resume, forget] : [resume];
}

/** Tells a prompt that speaks of changes which requirements are open. Call it once the event is saved. */
export async function reminderFor(work: HookWork): Promise<string> {
  const prompt = work.event.own["prompt"];
  const ground = groundFor(work);
  if (work.config.requirements === "" || typeof prompt !== "string" || ground.kind === "none") {
    return "";
  }
  const policy = requirementPolicyIn(work.config.requirements);
  const db = policy.reminds ? work.spareDb() : null;
  if (db === null) return "";
  const { sessionId, atMs } = work;
  if (isPaused(db, { sessionId, subject: "requirements", atMs })) return "";
  const gates = policy.requirements.filter(({ stopOnly, condition }) =>
    !stopOnly && condition.type !== "branch_size"
  );
  const { open } = await standOf(gates, { ...work, ...ground, db });
  return reminderText(prompt, open);
}
