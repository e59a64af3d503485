import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../base/errors.ts";
import { type ForgetPreview, previewForget, runForget } from "../../upkeep/forget/forget.ts";
import { type ForgetPlace, transcriptsWith } from "../../upkeep/forget/forget_files.ts";
import { bytesLeft, verifyReceipt } from "../../upkeep/forget/forget_proof.ts";
import { drainSpool, takeInSpool } from "../spool_drain.ts";
import { requireOurs } from "../../upkeep/care/require_ours.ts";
import { lateRedaction } from "../../memory/drain/late_redaction.ts";
import {
  commandAgain,
  findReceipts,
  forgottenDigest,
  namesOfReceipt,
  type Receipt,
  stoppedReceipt,
} from "../../upkeep/store.ts";
import { laggingMachines } from "../../team/store.ts";
import { laggingLines } from "../team_text.ts";
import { type ForgetFilter, isTextAlone, readObservations } from "../../memory/store.ts";
import { observationLine } from "../../memory/search/observation_view.ts";
import { identifyDatabase } from "../../db/database_identity.ts";
import { confirmOrThrow, listFirst, progressLine } from "../terminal.ts";
import type { CliContext } from "../context.ts";
import {
  fileMeant,
  forgetFilterOf,
  type ForgetFlags,
  isNone,
  numbersOf,
  ofWhat,
  previewView,
  removedText,
  reportView,
  textFilterOf,
} from "../forget_view.ts";
import { nextHere } from "../next_command.ts";
import { keptPlace, lookIntoStore, openAt } from "../open_store.ts";
import { unknownFilters } from "../memory_filter.ts";
import { optional, parsed, proposing, SHARED, text, textFlag, toggle } from "../flags.ts";
import { many, verb } from "../verb.ts";

const when = async (text: string) =>
  (await import("../../memory/search/point_in_time.ts")).parseSince(text, Date.now(), {
    isExact: true,
  });

export const forget = verb({
  person: "memory forget",
  args: many(proposing("observation", text("Number of an observation, or id of a capture", "id"))),
  flags: {
    session: proposing(
      "session",
      textFlag("What was seen in this session, by its id or the beginning of it", "id"),
    ),
    project: textFlag("What was seen in this project", "folder"),
    file: textFlag("What was done to this file, or to those in this folder", "path"),
    text: textFlag("Everything that holds this text, in letters of either case"),
    since: optional(
      parsed(
        when,
        "What was seen since then: an age (30m, 2h, 3d, 1w) or a date (2026-11-20)",
        "when",
      ),
    ),
    until: optional(parsed(when, "What was seen until then", "when")),
    dryRun: toggle("Say what would be removed, and remove nothing"),
    yes: SHARED.yes,
  },
  async run(context, { dryRun, yes, ...flags }, ...ids) {
    const place = await forgetPlace(context, { mayMigrate: !dryRun });
    using progress = progressLine(context);
    const { since: sinceMs, until: untilMs, ...named } = flags;
    const again = commandAgain({ ids, ...named, sinceMs, untilMs });
    const redact = await lateRedaction(place.redactPatterns);
    const { tell } = progress;
    const looked = await lookIntoStore(context, (db) => {
      const filter = forgetFilterOf(db, context, { flags, ids });
      const chosen = (salt: string) => chosenOf(flags, { ids, filter, salt });
      const search = { filter, redact, nowMs: Date.now(), tell };
      const found = previewForget(db, place, search);
      return {
        filter,
        chosen,
        found,
        removals: observationLines(db, found),
        unknown: !isNone(found)
          ? []
          : unknownFilters(db, flags, { ...filter, file: fileMeant(filter) ?? null }),
        isStopped: stoppedReceipt(db, chosen) !== undefined,
      };
    });
    const { filter, chosen, unknown, isStopped, removals } = looked;
    const preview = withUnused(place, filter, looked.found);
    const transcripts = () => transcriptsWith(preview.transcripts, filter);
    progress.end();
    const isNothing = isNone(preview);
    if (dryRun || isNothing && !isStopped) {
      const how = { isDry: dryRun, filter, unknown, removals };
      return previewView({ ...preview, transcripts: transcripts() }, how);
    }
    if (!yes) {
      confirmOrThrow(context, {
        what: "forget it",
        shows: removals,
        ask: isNothing
          ? "Nothing of it is in a row any more. Finish what was stopped?"
          : `Remove for good${ofWhat(filter) || ":"} ${removedText(preview.removed)}?`,
        again: again.endsWith("--yes") ? again : `${again} --yes`,
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
    return reportView({ ...preview, ...report, transcripts: transcripts() });
  },
});

/** Lists the newest observations to remove, counts the others, and names those removed because they tell of them. */
function observationLines(db: DatabaseSync, { observations, along }: ForgetPreview): string[] {
  const lines = listFirst(
    observations.toSorted((a, b) => b - a),
    (ids) => readObservations(db, ids).map((one) => observationLine(one, Date.now())),
  );
  const why = `  Fixes and summaries that tell of them go too: ${numbersOf(along)}.`;
  return along.length === 0 ? lines : [...lines, why];
}

export const verify = verb({
  args: [text("Id of a receipt, or its beginning", "receipt")],
  flags: { text: textFlag("The text that was forgotten: every byte is looked through for it") },
  async run(context, flags, id) {
    const place = await forgetPlace(context, { mayMigrate: true });
    const receipt = await lookIntoStore(context, (db) => receiptOf(findReceipts(db, id, 2), id));
    const found = await verifyReceipt(place, receipt, {
      text: flags.text ?? null,
      filter: flags.text === undefined ? null : textFilterOf(flags.text),
    });
    const problems = found.map((one) => ({ ...one, next: nextHere(one.next, context.globals) }));
    // The machines of a team that have not yet forgotten what the receipt names.
    const lagging = await lookIntoStore(context, (db) => {
      const uids = namesOfReceipt(db, receipt.id).map((name) => name.replace(/^task\//, ""));
      return laggingMachines(db, { project: null, uids });
    });
    const { salt: _salt, digests: _digests, textDigest, ...shownReceipt } = receipt;
    const ok = problems.length === 0;
    const gone = `Everything that the receipt ${receipt.id} names is gone: ${
      removedText(receipt.removed)
    }.`;
    const more = textDigest !== null && flags.text === undefined
      ? ["With --text every byte is looked through for the text again."]
      : [];
    const lines = problems.flatMap(({ message, next }) => [message, `  next: ${next}`]);
    return {
      json: { ok, receipt: { ...shownReceipt, isText: textDigest !== null }, problems, ...lagging },
      text: [...ok ? [gone, ...more] : lines, ...laggingLines(lagging)],
      exitCode: ok ? 0 : 1,
    };
  },
});

/**
 * Finds the database and moves its waiting records from the spool into it.
 *
 * @throws {UserError} If nothing is kept, if conclaude did not make the database, or if the schema is older and may not
 * migrate.
 */
export async function forgetPlace(
  context: CliContext,
  { mayMigrate }: { readonly mayMigrate: boolean },
): Promise<ForgetPlace & { readonly redactPatterns: readonly string[] }> {
  const { locations: { home, dataFolder, spoolFolders } } = context;
  const place = await keptPlace(context, "forget");
  const { database, config: { busyTimeoutMs, redactPatterns } } = place;
  const { kind } = identifyDatabase(database);
  if (kind === "older" && !mayMigrate) {
    throw new UserError("Cannot look for what would be forgotten", {
      why: "the database has an older schema; nothing was changed",
      next: "conclaude db migrate",
    });
  }
  if (kind === "ours" || kind === "older") {
    const { db } = await openAt(context, place, database);
    takeInSpool(db, { database, folders: spoolFolders });
    db.close();
  } else if (kind !== "missing" && kind !== "empty") requireOurs("Cannot forget", database);
  return { home, database, dataFolder, spoolFolders, busyTimeoutMs, drainSpool, redactPatterns };
}

function receiptOf(found: readonly Receipt[], id: string): Receipt {
  const [receipt] = found;
  if (receipt !== undefined && found.length === 1) return receipt;
  throw new UserError(`Cannot find the receipt "${id}"`, {
    why: `${found.length === 0 ? "no id begins" : "several ids begin"} like this`,
    next: "conclaude memory verify --help",
  });
}

/** Adds to an empty preview the text that earlier removals left in unused space of the database. */
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

/** Returns the flags for the receipt, with the file and the text only as digests. */
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
