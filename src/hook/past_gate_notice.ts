/** Tells the person once which tool uses went past their gate, in this session or in others of the project. */
import { count } from "../base/counts.ts";
import { quietly } from "../base/errors.ts";
import { readCounter } from "../db/counters.ts";
import { PAST_GATE, pastGatesBefore } from "../db/past_gates.ts";
import { claimNotice } from "../system/log.ts";
import type { HookWork } from "./handler.ts";

export function tellPastGates(work: HookWork, which: "this session" | "earlier sessions"): void {
  const { db, sessionId, shownProjectDir, locations: { spoolFolders } } = work;
  if (db === null) return;
  const isThis = which === "this session";
  const found =
    quietly(() =>
      isThis
        ? [{ sessionId, uses: readCounter(db, sessionId, PAST_GATE) }]
        : pastGatesBefore(db, { project: shownProjectDir ?? "", sessionId })
    ) ?? [];
  const untold = found.filter(({ sessionId, uses }) =>
    uses > 0 &&
    claimNotice(`past-gate-${isThis ? "here" : "later"}-${uses}`, { sessionId, spoolFolders })
  );
  if (untold.length === 0) return;
  const uses = untold.reduce((sum, one) => sum + one.uses, 0);
  work.tell(
    `conclaude: in ${isThis ? which : `${which} of this project`} ${count(uses, "tool use")} ran ` +
      "without asking a gate, or although one denied it. Run `conclaude doctor`.",
  );
}
