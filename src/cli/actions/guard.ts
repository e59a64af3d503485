import { count } from "../../counts.ts";
import { redactText } from "../../secrets/redact.ts";
import { rulesOf, stopRulesOf } from "../../guard/explain.ts";
import { listPauses, removePause, savePause } from "../../store/pauses.ts";
import { tellingId } from "../../store/telling_id.ts";
import type { CliContext } from "../context.ts";
import { sessionIdOf } from "../requirements_here.ts";
import { peek } from "../policy.ts";
import { openKept, openStore } from "../store.ts";
import { tableText } from "../table.ts";
import type { View } from "../view.ts";

const MINUTE_MS = 60_000;

/** `conclaude guard list` */
export async function listRules(context: CliContext): Promise<View> {
  const { policy, config } = await peek(context, context.cwd, () => undefined);
  const { db } = await openStore(context, "read");
  const now = Date.now();
  const pauses = listPauses(db, now).filter(({ subject }) => subject === "guards");
  const rules = [
    ...(policy === null ? [] : rulesOf(policy).filter(({ isOn }) => isOn)),
    ...(config.stop === "" ? [] : stopRulesOf(JSON.parse(config.stop))),
  ].map(({ name, glob }) => ({ name, pattern: glob || null }));
  const table = tableText(rules, [
    { title: "RULE", value: ({ name }) => name },
    { title: "PATTERN", value: ({ pattern }) => pattern },
  ], {
    empty: "No rules here. `conclaude config init` begins some.",
    color: context.globals.color,
  });
  const lifted = pauses.map(({ sessionId, endsAtMs, reason }) =>
    `Lifted for session ${tellingId(db, sessionId)}, ${minutesText(endsAtMs - now)} more` +
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
  const db = await openKept(context, "pause the guards");
  const sessionId = await sessionIdOf(db, context, {
    named: flags.session,
    command: "guard pause",
  });
  const createdAtMs = Date.now();
  const endsAtMs = createdAtMs + flags.minutes * MINUTE_MS;
  const reason = flags.reason === undefined ? null : redactText(flags.reason, { patterns: [] });
  savePause(db, { sessionId, subject: "guards", reason, createdAtMs, endsAtMs });
  const id = tellingId(db, sessionId);
  return {
    json: { sessionId, endsAtMs, reason },
    text: `The guards are lifted for session ${id}, for ` +
      `${
        minutesText(endsAtMs - createdAtMs)
      }. To end it: conclaude guard resume --session ${id}\n` +
      "Requirements stay in force: `conclaude req pause` lifts those.",
  };
}

/** `conclaude guard resume` */
export async function resumeGuards(
  context: CliContext,
  flags: { readonly session?: string },
): Promise<View> {
  const { db } = await openStore(context, "write");
  const sessionId = await sessionIdOf(db, context, {
    named: flags.session,
    command: "guard resume",
  });
  const wasPaused = removePause(db, sessionId, "guards");
  const id = tellingId(db, sessionId);
  return {
    json: { sessionId, wasPaused },
    text: wasPaused
      ? `The rules are in force again for session ${id}.`
      : `The rules were in force already for session ${id}.`,
  };
}

function minutesText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS));
  return count(minutes, "minute");
}
