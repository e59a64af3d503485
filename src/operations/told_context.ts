/** What memory tells a session at its start, for the hook that tells it and for the verb that shows it. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../config/hook_config.ts";
import { countWaiting, hasWaiting, isAnyForgotten } from "../db/queue_work.ts";
import { contextChars, type ContextLine, waitingText } from "../memory/tell/context_text.ts";
import { FROM_AROUND, surroundingProject } from "../memory/tell/around.ts";
import { sessionContext } from "../memory/tell/session_context.ts";
import type { ContextPlace } from "../memory/tell/told_rows.ts";

interface ToldContext {
  /** Exactly what Claude is told; empty when there is nothing, or memory is off. */
  readonly text: string;
  /** One line for the person; empty when memory holds nothing. */
  readonly notice: string;
  readonly lines: readonly ContextLine[];
  /** The lines that were left out for lack of room. */
  readonly leftOut: readonly ContextLine[];
}

/**
 * The context of a session, and how many captures wait. @param options `room`: the most characters.
 * @throws {Error} What SQLite says.
 */
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
  const most = contextChars({ tokens, room: given });
  const waits = isBehind ? waitingText(countWaiting(db, { project, except: sessionId })) : "";
  // Where there is hardly any room, memory comes before the count of waiting captures.
  const last = 2 * waits.length > most ? "" : waits;
  const room = last === "" ? most : most - last.length - "\n".length;
  const around = surroundingProject(db, at);
  // The surroundings get what the project itself leaves, and a quarter at least.
  const kept = around === null ? 0 : Math.ceil(most / 4);
  const own = await sessionContext(db, { ...at, waiting }, { tokens, room: room - kept });
  const more = around === null ? NOTHING : await sessionContext(
    db,
    { ...at, ...around, waiting: [] },
    {
      tokens,
      room: room - own.text.length - 2,
      heading: `## What is known ${FROM_AROUND}${around.root}`,
    },
  );
  return {
    notice: own.notice || more.notice,
    text: [own.text, more.text, last].filter((part) => part !== "").join("\n"),
    lines: [...own.lines, ...more.lines],
    leftOut: [...own.leftOut, ...more.leftOut],
  };
}

const NOTHING = { text: "", notice: "", lines: [], leftOut: [] } as const;

/** Titles of what waits to be worked in: nothing is worked in here, where somebody waits for it. */
async function titlesOfWaiting(
  db: DatabaseSync,
  { project, sessionId, root }: Omit<ContextPlace, "waiting">,
  redactPatterns: HookConfig["redactPatterns"],
): Promise<ContextPlace["waiting"]> {
  const [{ waitingTitles }, { lateRedaction }] = await Promise.all([
    import("../memory/tell/waiting_titles.ts"),
    import("../memory/drain/late_redaction.ts"),
  ]);
  // What knows of forgotten captures takes longer to load than all the rest, and mostly nothing is forgotten.
  const withoutForgotten = isAnyForgotten(db)
    ? (await import("../upkeep/store.ts")).removeForgottenAgain
    : null;
  const redact = await lateRedaction(redactPatterns);
  return waitingTitles(db, { project, except: sessionId, root, redact, withoutForgotten });
}
