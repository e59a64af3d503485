import { count } from "../../counts.ts";
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
import { maskerOf } from "../task_text.ts";
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
  const { db, name } = await counterPlace(context, "read", type);
  return valueView(readCounter(db, counterOwnerOf(db, flags.session), name));
}

/** `conclaude counter increment TYPE` */
export async function raiseCounter(
  context: CliContext,
  flags: Owner & { readonly by: number },
  type: string,
): Promise<View> {
  const { db, name } = await counterPlace(context, "write", type);
  const sessionId = counterOwnerOf(db, flags.session);
  const raised = { sessionId, type: name, by: flags.by, atMs: Date.now() };
  return valueView(incrementCounter(db, raised));
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
  const { db, name } = await counterPlace(context, "write", type ?? "");
  const counted = type === undefined ? null : name;
  const reset = resetCounters(db, counterOwnerOf(db, flags.session), counted);
  return { json: { reset }, text: `${count(reset, "counter")} set back to 0.` };
}

/** The database, and the name of a counter as it may be kept: a secret is none. */
async function counterPlace(context: CliContext, use: "read" | "write", type: string) {
  const { db, place } = await openStore(context, use);
  const mask = await maskerOf(place.config);
  return { db, name: mask(type) };
}

function valueView(value: number): View {
  return { json: { value }, text: String(value) };
}
