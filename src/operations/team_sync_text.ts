/** Says what a sync did. */
import { count } from "../base/counts.ts";
import { plain } from "../base/plain.ts";
import type { SyncReport } from "../team/sync.ts";
import type { ForgottenRows } from "../team/types.ts";
import { agoText } from "./list_and_show.ts";

/** `5 sent, 2 received`, and a line for whatever else is to be known. */
export function saidOf({ sent, received, notSent, forgot, restored }: SyncReport): string {
  const said = `${sent} sent, ${received} received`;
  return [
    notSent === null ? said : `${said}; ${notSent}`,
    ...forgotLines(forgot).map((line) => `  forgotten here: ${line}`),
    ...restored === null ? [] : [
      `  the server was restored from an older copy: it has the rows up to ${restored.hasSeq} of ` +
      `${restored.hadSeq} that were here`,
      `  ${
        count(restored.again, "row is", "rows are")
      } sent again; what others wrote, their machines ` +
      "send at their next sync",
      "  next: conclaude team verify",
    ],
  ].join("\n");
}

/** `3 rows, which alice has forgotten 2d ago` */
export function forgotLines(forgot: readonly ForgottenRows[]): string[] {
  return forgot.map(({ author, rows, atMs }) =>
    `${count(rows, "row")}, which ${plain(author)} has forgotten ${agoText(atMs)}`
  );
}
