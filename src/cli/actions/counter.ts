import { UserError } from "../../errors.ts";
import { shortSessionId } from "../../ids.ts";
import { quoteWord } from "../../settings/hooks.ts";
import {
  incrementCounter,
  listCounters,
  readCounter,
  resetCounters,
} from "../../store/counters.ts";
import { relativeTime } from "../../time.ts";
import type { CliContext } from "../context.ts";
import { counterOwnerOf, sessionFilterOf } from "../session_lookup.ts";
import { openStore } from "../store.ts";
import { tableText } from "../table.ts";
import { USAGE } from "../usage.ts";
import type { View } from "../view.ts";

/** Which session a counter belongs to. */
interface Owner {
  readonly session: string;
}

/** `conclaude counter list` */
export async function listAll(
  context: CliContext,
  flags: { readonly session?: string },
): Promise<View> {
  const { db } = await openStore(context, "read");
  const counters = listCounters(db, sessionFilterOf(db, flags.session));
  const now = Date.now();
  return {
    json: { counters },
    text: tableText(counters, [
      { title: "SESSION", value: (row) => shortSessionId(row.sessionId) },
      { title: "TYPE", value: (row) => row.type },
      { title: "VALUE", value: (row) => row.value, align: "right" },
      { title: "CHANGED", value: (row) => relativeTime(row.updatedAtMs, now) },
    ], { empty: "No counters yet.", color: context.globals.color }),
  };
}

/** `conclaude counter get TYPE` */
export async function getCounter(context: CliContext, flags: Owner, type: string): Promise<View> {
  const { db } = await openStore(context, "read");
  return valueView(readCounter(db, counterOwnerOf(db, flags.session), type));
}

/** `conclaude counter increment TYPE` */
export async function raiseCounter(
  context: CliContext,
  flags: Owner & { readonly by: number },
  type: string,
): Promise<View> {
  const { db } = await openStore(context, "write");
  const sessionId = counterOwnerOf(db, flags.session);
  return valueView(incrementCounter(db, { sessionId, type, by: flags.by, atMs: Date.now() }));
}

/** `conclaude counter reset TYPE|--all` */
export async function resetCounter(
  context: CliContext,
  flags: Owner & { readonly all: boolean },
  type?: string,
): Promise<View> {
  if (flags.all === (type !== undefined)) {
    throw new UserError("Cannot tell which counters to reset", {
      why: flags.all ? "there is a type beside --all" : "there is neither a type nor --all",
      next: `conclaude counter list --session ${quoteWord(flags.session)}`,
      exitCode: USAGE,
    });
  }
  const { db } = await openStore(context, "write");
  const reset = resetCounters(db, counterOwnerOf(db, flags.session), type ?? null);
  return { json: { reset }, text: `${reset} counters set back to 0.` };
}

function valueView(value: number): View {
  return { json: { value }, text: String(value) };
}
