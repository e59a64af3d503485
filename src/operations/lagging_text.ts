/** Says which machines of a team have not forgotten yet. */
import { plain } from "../base/plain.ts";
import type { SeenMachine } from "../team/types.ts";
import { agoText } from "./list_and_show.ts";

export function laggingText({ author, origin, atMs }: SeenMachine): string {
  return `${plain(author)}'s machine ${origin.slice(-8)} has yet to forget; it was seen ${
    agoText(atMs)
  }`;
}
