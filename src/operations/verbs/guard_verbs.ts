import { count } from "../../base/counts.ts";
import { rulesOf, stopRulesOf } from "../../policy/guards/single_rules.ts";
import { policiesIn } from "../../policy/policies.ts";
import { listPauses } from "../../policy/store.ts";
import { tellingId } from "../../db/sessions.ts";
import { peek } from "../look_as_hook.ts";
import { linesOf, tableText } from "../table.ts";
import { readVerb } from "../list_and_show.ts";
import { group } from "../verb.ts";
import { pauseVerb, resumeVerb } from "./pause_verbs.ts";

const list = readVerb({
  async run({ db, context }) {
    const { policy, config } = await peek(context, context.cwd, () => undefined);
    const now = Date.now();
    const pauses = listPauses(db, now).filter(({ subject }) => subject === "guards");
    const rules = [
      ...(policy === null ? [] : rulesOf(policy).filter(({ isOn }) => isOn)),
      ...stopRulesOf(policiesIn(config).stop),
    ].map(({ name, glob }) => ({ name, pattern: glob || null }));
    const text = tableText(context, rules, {
      RULE: ({ name }) => name,
      PATTERN: ({ pattern }) => pattern,
    }, "No rules here. `conclaude config init` begins some.");
    const lifted = pauses.map(({ sessionId, endsAtMs, reason }) => {
      const left = count(Math.max(1, Math.round((endsAtMs - now) / 60_000)), "minute");
      const why = reason === null ? "" : `: ${reason}`;
      return `Lifted for session ${tellingId(db, sessionId)}, ${left} more${why}`;
    });
    return {
      json: { root: policy?.root ?? null, strict: policy?.isStrict ?? false, rules, pauses },
      text: linesOf([
        text,
        lifted.length > 0 && ["", lifted],
        rules.length > 0 && ["", "What a rule means: `conclaude config get RULE`"],
      ]).join("\n"),
    };
  },
});

const pause = pauseVerb("guards", {
  usual: 15,
  maxMinutes: 1_440,
  note: "\nRequirements stay in force: `conclaude req pause` lifts those.",
});

const resume = resumeVerb("guards", "guard resume");

export const guard = group({ list, pause, resume });
