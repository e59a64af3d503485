import { messageOf } from "../errors.ts";
import { parentOf } from "../paths.ts";
import { quoteWord } from "../settings/hooks.ts";
import { isThere } from "./whole_file.ts";

const NO_ROOM = /no space|os error 28|disk is full|quota/i;

/** The command that shows, or mends, why a file could not be written: about the folder that it is to lie in. */
export function writeAdvice(path: string, thrown: unknown): string {
  const folder = parentOf(path);
  const command = !isThere(folder)
    ? "mkdir -p"
    : NO_ROOM.test(messageOf(thrown))
    ? "df -h"
    : "ls -ld";
  return `${command} ${quoteWord(folder)}`;
}
