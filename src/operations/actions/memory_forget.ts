import type { DatabaseSync } from "node:sqlite";
import { plain } from "../../base/plain.ts";
import { UserError } from "../../base/errors.ts";
import { type ForgetPreview, previewForget, runForget } from "../../upkeep/forget/forget.ts";
import { stoppedOf } from "../../upkeep/forget/forget_again.ts";
import { type ForgetPlace, transcriptsWith } from "../../upkeep/forget/forget_files.ts";
import { bytesLeft, verifyReceipt } from "../../upkeep/forget/forget_proof.ts";
import { requireOurs } from "../../upkeep/care/require_ours.ts";
import { lateRedaction } from "../../memory/drain/late_redaction.ts";
import {
  findReceipts,
  type ForgetFilter,
  forgottenDigest,
  isTextAlone,
  type Receipt,
  relatedTo,
  unfinishedReceipts,
} from "../../upkeep/store.ts";
import { identifyDatabase } from "../../db/database_identity.ts";
import { confirmOrThrow, progressLine } from "../terminal.ts";
import type { CliContext } from "../context.ts";
import { forgetAgain, forgetFilterOf, type ForgetFlags, textFilterOf } from "../forget_filter.ts";
import { fileMeant, isNone, ofWhat, previewView, removedText, reportView } from "../forget_view.ts";
import { nextHere } from "../next_command.ts";
import { lookIntoStore, openAt, openKept, placeOf } from "../open_store.ts";
import { type UnknownFilter, unknownFilters, unknownText } from "../unknown_filter.ts";
import type { View } from "../view.ts";

/** `conclaude memory forget [ID…]` */
export async function forgetMemory(
  context: CliContext,
  { dryRun, yes, ...flags }: ForgetFlags & { readonly dryRun: boolean; readonly yes: boolean },
  ...ids: readonly string[]
): Promise<View> {
  const place = await forgetPlace(context, { mayMigrate: !dryRun });
  const progress = progressLine(context);
  const again = forgetAgain(flags, ids);
  const redact = await lateRedaction(place.redactPatterns);
  const tell = (doing: string) => progress.tell(doing);
  const looked = await lookIntoStore(context, (db) => {
    const filter = forgetFilterOf(db, context, { flags, ids });
    const chosen = (salt: string) => chosenOf(flags, { ids, filter, salt });
    const asked = { filter, redact, nowMs: Date.now(), tell };
    const found = previewForget(db, place, { ...asked, isDry: dryRun });
    return {
      filter,
      chosen,
      found,
      related: relatedTo(db, filter),
      unknown: isNone(found) ? unknownOf(db, filter, flags) : [],
      isStopped: stoppedOf(unfinishedReceipts(db), chosen).length > 0,
    };
  });
  const { filter, chosen, related, unknown, isStopped } = looked;
  const preview = withUnused(place, filter, looked.found);
  progress.end();
  const isNothing = isNone(preview);
  if (dryRun || isNothing && !isStopped) {
    // What is known instead may be quite another one: it is only looked at.
    const lines = unknownText(
      unknown,
      nextHere("conclaude memory forget --dry-run", context.globals),
    );
    const transcripts = transcriptsWith(preview.transcripts, filter);
    const hints = { unknown, lines };
    return previewView(
      { ...preview, transcripts },
      { isDry: dryRun, filter, hints, related, context },
    );
  }
  if (!yes) {
    confirmOrThrow(context, {
      what: "forget it",
      ask: isNothing
        ? "Nothing of it is in a row any more. Finish what was stopped?"
        : `Remove for good${ofWhat(filter) || ":"} ${removedText(preview.removed)}?`,
      again: nextHere(again.endsWith("--yes") ? again : `${again} --yes`, context.globals),
    });
  }
  const report = await runForget(place, {
    filter,
    chosen,
    text: flags.text ?? null,
    again,
    isUnused: "unusedRoom" in preview.removed,
    redact,
    nowMs: Date.now(),
    tell,
  });
  progress.end();
  return reportView(report, { context, related });
}

/** `conclaude memory verify RECEIPT` */
export async function verifyForgotten(
  context: CliContext,
  flags: { readonly text?: string },
  id: string,
): Promise<View> {
  const place = await forgetPlace(context, { mayMigrate: true });
  const receipt = await lookIntoStore(context, (db) => receiptOf(findReceipts(db, id, 2), id));
  const found = await verifyReceipt(place, receipt, {
    text: flags.text ?? null,
    filter: flags.text === undefined ? null : textFilterOf(flags.text),
  });
  const problems = found.map(({ message, next }) => ({
    message,
    next: nextHere(next, context.globals),
  }));
  const { salt: _salt, digests: _digests, textDigest, ...told } = receipt;
  return {
    json: {
      ok: problems.length === 0,
      receipt: { ...told, isText: textDigest !== null },
      problems,
    },
    text: problems.length === 0
      ? `Everything that the receipt ${receipt.id} names is gone: ${removedText(receipt.removed)}.${
        textDigest !== null && flags.text === undefined
          ? "\nWith --text every byte is looked through for the text again."
          : ""
      }`
      : problems.map(({ message, next }) => `${plain(message)}\n  next: ${plain(next)}`).join("\n"),
    exitCode: problems.length === 0 ? 0 : 1,
  };
}

async function forgetPlace(
  context: CliContext,
  { mayMigrate }: { readonly mayMigrate: boolean },
): Promise<ForgetPlace & { readonly redactPatterns: readonly string[] }> {
  const place = await placeOf({ ...context, globals: { ...context.globals, noDb: true } });
  const { database } = await lookedUp(context);
  const kind = identifyDatabase(database).kind;
  if (kind === "older" && mayMigrate) (await openAt(place, database)).db.close();
  else if (kind === "older") {
    throw new UserError("Cannot look for what would be forgotten", {
      why: "the database has an older schema; nothing was changed",
      next: "conclaude db migrate",
    });
  } else if (kind !== "missing" && kind !== "empty") requireOurs("Cannot forget", database);
  return {
    home: context.locations.home,
    database,
    dataFolder: context.locations.dataFolder,
    spoolFolders: context.locations.spoolFolders,
    busyTimeoutMs: place.config.busyTimeoutMs,
    redactPatterns: place.config.redactPatterns,
  };
}

/** Without a database there is nothing to forget. */
async function lookedUp(context: CliContext): Promise<{ readonly database: string }> {
  const place = await placeOf(context);
  if (place.database === ":memory:") await openKept(context, "forget");
  return place;
}

function receiptOf(found: readonly Receipt[], id: string): Receipt {
  const [receipt] = found;
  if (receipt !== undefined && found.length === 1) return receipt;
  throw new UserError(`Cannot find the receipt "${id}"`, {
    why: found.length === 0
      ? "no receipt has an id that begins like this"
      : "several receipts have ids that begin like this",
    next: "conclaude memory verify --help",
  });
}

/** What was removed earlier may still stand in room that nothing uses. */
function withUnused(
  place: ForgetPlace,
  filter: ForgetFilter,
  preview: ForgetPreview,
): ForgetPreview {
  if (!isTextAlone(filter) || !isNone(preview)) return preview;
  const { tables, log, forms } = bytesLeft(place, filter.text!);
  const isUnused = tables.length > 0 || log;
  return { ...preview, forms, ...(isUnused && { removed: { unusedRoom: 1 } }) };
}

function chosenOf(
  { session, project, file, text, since, until }: ForgetFlags,
  { ids, filter, salt }: {
    readonly ids: readonly string[];
    readonly filter: ForgetFilter;
    readonly salt: string;
  },
): Record<string, unknown> {
  return {
    ...(ids.length > 0 && { ids }),
    ...(session !== undefined && { session: filter.sessionId }),
    ...(project !== undefined && { project: filter.project }),
    ...(file !== undefined && { file: forgottenDigest(salt, file) }),
    ...(text !== undefined && { text: forgottenDigest(salt, text) }),
    ...(since !== undefined && { sinceMs: since }),
    ...(until !== undefined && { untilMs: until }),
  };
}

/** Of which flags nothing is known: then nothing fits, whatever else was asked for. */
function unknownOf(
  db: DatabaseSync,
  filter: ForgetFilter,
  { project, file }: ForgetFlags,
): readonly UnknownFilter[] {
  const asked = (typed: string | undefined, meant: string | null | undefined) =>
    typed === undefined || meant == null ? null : { typed, meant };
  return unknownFilters(db, {
    project: asked(project, filter.project),
    branch: null,
    file: asked(file, fileMeant(filter)),
  });
}
