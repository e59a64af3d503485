import { UserError } from "../../errors.ts";
import { rulesOf } from "../../guard/explain.ts";
import { shortSessionId } from "../../ids.ts";
import { listPauses, removePause, savePause } from "../../store/pauses.ts";
import { recentActive } from "../../store/session_registry.ts";
import type { CliContext } from "../context.ts";
import { policyOf } from "../policy.ts";
import { projectHere, sessionOf } from "../session_lookup.ts";
import { openStore } from "../store.ts";
import { tableText } from "../table.ts";
import type { View } from "../view.ts";
import type { DatabaseSync } from "node:sqlite";

const MINUTE_MS = 60_000;

/** `conclaude guard list` */
export async function listRules(context: CliContext): Promise<View> {
  const { policy } = await policyOf(context);
  const { db } = await openStore(context, "read");
  const now = Date.now();
  const pauses = listPauses(db, now).filter(({ subject }) => subject === "guards");
  const rules = policy === null
    ? []
    : rulesOf(policy).map(({ name, glob }) => ({ name, pattern: glob || null }));
  const table = tableText(rules, [
    { title: "RULE", value: ({ name }) => name },
    { title: "PATTERN", value: ({ pattern }) => pattern },
  ], {
    empty: "No rules here. `conclaude config init` begins some.",
    color: context.globals.color,
  });
  const lifted = pauses.map(({ sessionId, endsAtMs, reason }) =>
    `Lifted for session ${shortSessionId(sessionId)}, ${minutesText(endsAtMs - now)} more` +
    (reason === null ? "" : `: ${reason}`)
  );
  return {
    json: { root: policy?.root ?? null, strict: policy?.isStrict ?? false, rules, pauses },
    text: [table, ...(lifted.length > 0 ? ["", ...lifted] : [])].join("\n"),
  };
}

/** `conclaude guard pause` */
export async function pauseGuards(
  context: CliContext,
  flags: { readonly session?: string; readonly minutes: number; readonly reason?: string },
): Promise<View> {
  const { db } = await openStore(context, "write");
  const sessionId = chosenSession(db, context, flags.session);
  const createdAtMs = Date.now();
  const endsAtMs = createdAtMs + flags.minutes * MINUTE_MS;
  const reason = flags.reason ?? null;
  savePause(db, { sessionId, subject: "guards", reason, createdAtMs, endsAtMs });
  return {
    json: { sessionId, endsAtMs, reason },
    text: `The rules are lifted for session ${shortSessionId(sessionId)}, for ` +
      `${minutesText(endsAtMs - createdAtMs)}. To end it: ` +
      `conclaude guard resume --session ${shortSessionId(sessionId)}`,
  };
}

/** `conclaude guard resume` */
export async function resumeGuards(
  context: CliContext,
  flags: { readonly session?: string },
): Promise<View> {
  const { db } = await openStore(context, "write");
  const sessionId = chosenSession(db, context, flags.session);
  const wasPaused = removePause(db, sessionId, "guards");
  const short = shortSessionId(sessionId);
  return {
    json: { sessionId, wasPaused },
    text: wasPaused
      ? `The rules are in force again for session ${short}.`
      : `The rules were in force already for session ${short}.`,
  };
}

/** The session that is named, or the only live one of this project. */
function chosenSession(db: DatabaseSync, context: CliContext, named: string | undefined): string {
  if (named !== undefined) return sessionOf(db, named).sessionId;
  const project = projectHere(context.cwd);
  const live = recentActive(db, project);
  if (live.length === 1) return live[0]!;
  throw new UserError("Cannot tell which session is meant", {
    why: live.length === 0
      ? "this project has no live session"
      : `this project has ${live.length}: ${live.map(shortSessionId).join(", ")}`,
    next: live.length === 0
      ? "conclaude session list"
      : `conclaude guard pause --session ${shortSessionId(live[0]!)}`,
  });
}

function minutesText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS));
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}
