import { redactText } from "../../secrets/redact.ts";
import { count } from "../../base/counts.ts";
import { rulesOf, stopRulesOf } from "../../policy/guards/single_rules.ts";
import { listPauses, removePause, savePause } from "../../policy/store.ts";
import { tellingId } from "../../db/sessions.ts";
import { number, textFlag, usually } from "../flags.ts";
import { peek } from "../look_as_hook.ts";
import { sessionIdOf } from "../requirements_here.ts";
import { openKept, openStore } from "../open_store.ts";
import { listView } from "../table.ts";
import { group, verb } from "../verb.ts";

const LIVE_SESSION = textFlag(
  "The session, by its id or the beginning of it; without it, the one that this runs in, or the only live one here",
  "id",
);

const MAX_MINUTES = 1_440;

const list = verb({
  brief: "List the rules in force here, and what is lifted",
  about:
    "Lists every rule that is asked in this folder before a tool runs or Claude stops, and the sessions for which\n" +
    "a person has lifted them.",
  examples: ["conclaude guard list", "conclaude guard list --json"],
  async run(context) {
    const { policy, config } = await peek(context, context.cwd, () => undefined);
    const { db } = await openStore(context, "read");
    const now = Date.now();
    const pauses = listPauses(db, now).filter(({ subject }) => subject === "guards");
    const rules = [
      ...(policy === null ? [] : rulesOf(policy).filter(({ isOn }) => isOn)),
      ...(config.stop === "" ? [] : stopRulesOf(JSON.parse(config.stop))),
    ].map(({ name, glob }) => ({ name, pattern: glob || null }));
    const { text } = listView(context, { rules }, {
      RULE: ({ name }) => name,
      PATTERN: ({ pattern }) => pattern,
    }, "No rules here. `conclaude config init` begins some.");
    const lifted = pauses.map(({ sessionId, endsAtMs, reason }) =>
      `Lifted for session ${tellingId(db, sessionId)}, ${minutesText(endsAtMs - now)} more` +
      (reason === null ? "" : `: ${reason}`)
    );
    return {
      json: { root: policy?.root ?? null, strict: policy?.isStrict ?? false, rules, pauses },
      text: [text, ...lifted.length > 0 ? ["", ...lifted] : []].join("\n"),
    };
  },
});

const pause = verb({
  person: "guard pause",
  flags: {
    session: LIVE_SESSION,
    minutes: usually("15", number(1, MAX_MINUTES, "For how long, 1 to 1440")),
    reason: textFlag("Why, for the audit trail"),
  },
  brief: "Lift the rules for a session, for a while",
  about:
    "Lifts the rules for one session, for 15 minutes or as long as is said. What they would have forbidden is\n" +
    "noted in the audit trail all the same. An agent is kept from running this.",
  examples: [
    "conclaude guard pause --session 01980c5e",
    "conclaude guard pause --session 01980c5e --minutes 60 --reason 'moving the lock file'",
  ],
  async run(context, flags) {
    const db = await openKept(context, "pause the guards");
    const named = { named: flags.session, command: "guard pause" };
    const sessionId = await sessionIdOf(db, context, named);
    const createdAtMs = Date.now();
    const endsAtMs = createdAtMs + flags.minutes * MINUTE_MS;
    const reason = flags.reason === undefined ? null : redactText(flags.reason, { patterns: [] });
    savePause(db, { sessionId, subject: "guards", reason, createdAtMs, endsAtMs });
    const id = tellingId(db, sessionId);
    const lasts = minutesText(endsAtMs - createdAtMs);
    return {
      json: { sessionId, endsAtMs, reason },
      text: `The guards are lifted for session ${id}, for ${lasts}. ` +
        `To end it: conclaude guard resume --session ${id}\n` +
        "Requirements stay in force: `conclaude req pause` lifts those.",
    };
  },
});

const resume = verb({
  person: "guard resume",
  flags: { session: LIVE_SESSION },
  brief: "Put the rules in force again",
  about: "Ends what `conclaude guard pause` began.",
  examples: ["conclaude guard resume --session 01980c5e"],
  async run(context, flags) {
    const { db } = await openStore(context, "write");
    const named = { named: flags.session, command: "guard resume" };
    const sessionId = await sessionIdOf(db, context, named);
    const wasPaused = removePause(db, sessionId, "guards");
    const id = tellingId(db, sessionId);
    const are = wasPaused ? "are in force again" : "were in force already";
    return { json: { sessionId, wasPaused }, text: `The rules ${are} for session ${id}.` };
  },
});

export const guard = group({
  verbs: { list, pause, resume },
  examples: ["conclaude guard list", "conclaude guard pause --session 01980c5e"],
});

const MINUTE_MS = 60_000;

function minutesText(ms: number): string {
  return count(Math.max(1, Math.round(ms / MINUTE_MS)), "minute");
}
