import type { DatabaseSync } from "node:sqlite";
import { count } from "../base/counts.ts";
import { receiptsWithoutKey } from "../upkeep/store.ts";
import type { CliContext } from "./context.ts";
import { nextHere } from "./next_command.ts";
import { errorText } from "./view.ts";

/** Says on stderr, after something was brought in, that what was forgotten may be among it; nothing where that is known. */
export function tellLostForgetKey(context: CliContext, db: DatabaseSync): void {
  const receipts = receiptsWithoutKey(db);
  const [newest] = receipts;
  if (newest === undefined) return;
  context.process.stderr.write(errorText({
    what: "Prompts and messages that were forgotten may have come back",
    why: `the key is lost by which those of ${count(receipts.length, "receipt")} were known`,
    next: nextHere(`conclaude memory verify ${newest.id}`, context.globals),
  }));
}
