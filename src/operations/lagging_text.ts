/** Says which machines of a team have not forgotten what they were to forget. */
import { plain } from "../base/plain.ts";
import type { LaggingMachines } from "../team/store.ts";
import type { SeenMachine } from "../team/types.ts";
import { agoText } from "./list_and_show.ts";

/** A line for each machine, the ones that forget at their next sync first. */
export function laggingLines({ notForgotten, outOfReach }: LaggingMachines): string[] {
  return [...notForgotten, ...outOfReach].map((machine) =>
    `${plain(machine.author)}'s machine ${shortOrigin(machine.origin)} ${stateText(machine)}`
  );
}

/** A machine as lists and `--gone` name it. */
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
