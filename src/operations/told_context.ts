/** Builds the text that memory gives a session at its start, for the hook and for the verb that shows it. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../config/hook_config.ts";
import { countWaiting, hasWaiting, isAnyForgotten } from "../db/queue_work.ts";
import { contextChars, type ContextLine, waitingText } from "../memory/tell/context_text.ts";
import { FROM_AROUND, surroundingProject } from "../memory/tell/around.ts";
import { sessionContext } from "../memory/tell/session_context.ts";
import type { ContextPlace } from "../memory/tell/told_rows.ts";

interface ToldContext {
  /** The exact text that Claude gets; empty if memory holds nothing or is switched off. */
  readonly text: string;
  /** One line for the person; empty if memory holds nothing. */
  readonly notice: string;
  readonly lines: readonly ContextLine[];
  readonly leftOut: readonly ContextLine[];
}

/** Builds the context of a session, with the count of waiting captures. @param options `room`: the most characters. */
export async function toldContext(
  db: DatabaseSync,
  at: Omit<ContextPlace, "waiting">,
  { config, room: given }: {
    readonly config: Pick<HookConfig, "memoryEnabled" | "contextTokens" | "redactPatterns">;
    readonly room: number;
  },
): Promise<ToldContext> {
  const tokens = config.contextTokens;
  if (!config.memoryEnabled || tokens === 0) return NOTHING;
  const { project, sessionId, nowMs } = at;
  const isBehind = hasWaiting(db, nowMs);
  const waiting = isBehind ? await titlesOfWaiting(db, at, config.redactPatterns) : [];
  const maxChars = contextChars({ tokens, room: given });
  const waitingLine = isBehind ? waitingText(countWaiting(db, { project, except: sessionId })) : "";
  // If there is hardly any room, the count of waiting captures is left out.
  const footer = 2 * waitingLine.length > maxChars ? "" : waitingLine;
  const room = footer === "" ? maxChars : maxChars - footer.length - "\n".length;
  const around = surroundingProject(db, at);
  // The surrounding project gets the room that the project itself leaves, at least a quarter.
  const reserved = around === null ? 0 : Math.ceil(maxChars / 4);
  const own = await sessionContext(db, { ...at, waiting }, { tokens, room: room - reserved });
  const outer = around === null
    ? NOTHING
    : await sessionContext(db, { ...at, ...around, waiting: [] }, {
      tokens,
      room: room - own.text.length - 2,
      heading: `## What is known ${FROM_AROUND}${around.root}`,
    });
  return {
    notice: own.notice || outer.notice,
    text: [own.text, outer.text, footer].filter((part) => part !== "").join("\n"),
    lines: [...own.lines, ...outer.lines],
    leftOut: [...own.leftOut, ...outer.leftOut],
  };
}

const NOTHING = { text: "", notice: "", lines: [], leftOut: [] } as const;

/** Returns titles of waiting captures. It works none of them in, since a person waits for the result. */
async function titlesOfWaiting(
  db: DatabaseSync,
  { project, sessionId, root }: Omit<ContextPlace, "waiting">,
  redactPatterns: HookConfig["redactPatterns"],
): Promise<ContextPlace["waiting"]> {
  const [{ waitingTitles }, { lateRedaction }] = await Promise.all([
    import("../memory/tell/waiting_titles.ts"),
    import("../memory/drain/late_redaction.ts"),
  ]);
  // The code that knows forgotten captures loads slower than all the rest, and mostly nothing is forgotten.
  const withoutForgotten = isAnyForgotten(db)
    ? (await import("../upkeep/store.ts")).removeForgottenAgain
    : null;
  const redact = await lateRedaction(redactPatterns);
  return waitingTitles(db, { project, except: sessionId, root, redact, withoutForgotten });
}
