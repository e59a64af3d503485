/** Makes the texts about a sync, and about machines of a team that have yet to forget something. */
import type { LaggingMachines } from "../team/store.ts";
import type { ForgottenRows, SeenMachine } from "../team/types.ts";
import { agoText } from "./list_and_show.ts";
import { count } from "../base/counts.ts";
import type { SyncReport } from "../team/sync.ts";

/** Reports a sync as `shop: 5 sent, 2 received`, with a line for each other result. */
export function syncLines(
  what: string,
  { sent, received, notSent, forgot, restored }: SyncReport,
): string[] {
  const summary = `${what}: ${sent} sent, ${received} received`;
  return [
    notSent === null ? summary : `${summary}; ${notSent}`,
    ...forgotLines(forgot).map((line) => `  forgotten here: ${line}`),
    ...restored === null ? [] : [
      `  the server was restored from an older copy: it has the rows up to ${restored.hasSeq} of ` +
      `${restored.hadSeq} that were here`,
      `  ${
        count(restored.again, "row is", "rows are")
      } sent again; the others' machines send theirs at ` +
      "their next sync",
      "  next: conclaude team verify",
    ],
  ];
}

/** Formats rows as `3 rows, which alice forgot 2d ago`. */
export function forgotLines(forgot: readonly ForgottenRows[]): string[] {
  return forgot.map(({ author, rows, atMs }) =>
    `${count(rows, "row")}, which ${author} forgot ${agoText(atMs)}`
  );
}

/** Describes each machine in a line, those that forget at their next sync first. */
export function laggingLines({ notForgotten, outOfReach }: LaggingMachines): string[] {
  return [...notForgotten, ...outOfReach].map((machine) =>
    `${machine.author}'s machine ${shortOrigin(machine.origin)} ${stateText(machine)}`
  );
}

/** Returns the name of a machine in lists and for `--gone`. */
export function shortOrigin(origin: string): string {
  return origin.slice(-8);
}

function stateText({ leftSeq, heir, atMs }: SeenMachine): string {
  const ago = agoText(atMs);
  if (leftSeq === null) {
    return `has yet to forget; it was seen ${ago}. Where it is gone for good, its person says so: ` +
      "`conclaude team members --gone MACHINE`";
  }
  return heir === null
    ? `left ${ago}, and what it had then stays there: out of reach, to be forgotten there by hand`
    : `goes on as ${
      shortOrigin(heir)
    } since ${ago}, when its database was restored or copied; a copy ` +
      "that still runs forgets at its next sync";
}
