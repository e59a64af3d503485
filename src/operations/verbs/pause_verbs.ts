/** `guard pause|resume` and `req pause|resume`: lift the rules or requirements of one session for a while. */
import { redactText } from "../../secrets/redact.ts";
import { count } from "../../base/counts.ts";
import { removePause, savePause } from "../../policy/store.ts";
import { tellingId } from "../../db/sessions.ts";
import { numberFlag, SHARED, textFlag } from "../flags.ts";
import { sessionIdOf } from "../requirements_here.ts";
import { openStore } from "../open_store.ts";
import { verb } from "../verb.ts";

const MINUTE_MS = 60_000;
const MINUTES_A_WEEK = 10_080;
/** Longer than any session, so that a pause without a time ends with its session. */
const UNTIL_THE_END_MINUTES = 10 * 365 * 24 * 60;

const NOUNS = { guards: "guard", requirements: "req" } as const;
type Subject = keyof typeof NOUNS;

/** Makes the verb that begins a pause. @param usual The minutes without `--minutes`; null is until the session ends. */
export function pauseVerb(
  subject: Subject,
  { maxMinutes = MINUTES_A_WEEK, usual, note = "" }: {
    readonly maxMinutes?: number;
    readonly usual: number | null;
    readonly note?: string;
  },
) {
  const noun = NOUNS[subject];
  const withoutIt = usual === null ? "until the session ends" : `${usual}`;
  return verb({
    person: `${noun} pause`,
    flags: {
      session: SHARED.ofSession,
      reason: textFlag("Why; kept with the pause"),
      minutes: numberFlag(1, maxMinutes, `For how long; without it ${withoutIt}`),
    },
    async run(context, { session: named, ...flags }) {
      const { db } = await openStore(context, "write", `pause the ${subject}`);
      const sessionId = await sessionIdOf(db, context, { named, command: `${noun} pause` });
      const minutes = flags.minutes ?? usual;
      const reason = flags.reason === undefined ? null : redactText(flags.reason, { patterns: [] });
      const createdAtMs = Date.now();
      const endsAtMs = createdAtMs + (minutes ?? UNTIL_THE_END_MINUTES) * MINUTE_MS;
      const pause = { sessionId, subject, reason, createdAtMs, endsAtMs };
      savePause(db, pause);
      const id = tellingId(db, sessionId);
      const lasts = minutes === null ? "until it ends" : `for ${count(minutes, "minute")}`;
      return {
        json: pause,
        text: `The ${subject} are lifted for session ${id}, ${lasts}.\n` +
          `To end it: conclaude ${noun} resume --session ${id}${note}`,
      };
    },
  });
}

/** Makes the verb that ends a pause. @param person The verb's name, if only a person may run it. */
export function resumeVerb(subject: Subject, person?: string) {
  const noun = NOUNS[subject];
  return verb({
    person,
    flags: { session: SHARED.ofSession },
    async run(context, { session: named }) {
      const { db } = await openStore(context, "write");
      const sessionId = await sessionIdOf(db, context, { named, command: `${noun} resume` });
      const wasPaused = removePause(db, sessionId, subject);
      const are = wasPaused ? "are in force again" : "were in force already";
      const id = tellingId(db, sessionId);
      return { json: { sessionId, wasPaused }, text: `The ${subject} ${are} for session ${id}.` };
    },
  });
}
