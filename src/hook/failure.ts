import { redactText } from "../secrets/redact.ts";
import { redactValue } from "../secrets/redact_value.ts";
import { withoutOverlaps } from "../claude/shorten.ts";
import { type Environment, locate, type Locations } from "../system/environment.ts";
import { messageOf, quietly } from "../base/errors.ts";
import { newId, UNKNOWN_SESSION_ID } from "../base/ids.ts";
import { appendLog, claimNotice, logFiles } from "../system/log.ts";
import { spoolRecord } from "../db/spool.ts";
import type { HookRecord } from "../db/captures.ts";
import { shortenInput } from "./masking.ts";
import type { HookFlags, HookWork } from "./handler.ts";
import { elapsedMs, type Input, readInput, toEvent, withPlainLetters } from "./protocol.ts";

/** Spools a record that the database could not take, and logs the reason. @returns Notices for the person. */
export function keepElsewhere(
  thrown: unknown,
  record: HookRecord,
  { database, locations, environment }: Pick<HookWork, "database" | "locations" | "environment">,
): string[] {
  const { spoolFolders } = locations;
  const { hookName } = record.execution;
  const isStart = hookName === "SessionStart";
  const once = (subject: string, notice: string) =>
    claimNotice(subject, { sessionId: record.sessionId, spoolFolders }) || isStart ? [notice] : [];
  const log = (level: "warn" | "error", message: string) =>
    addToLog(locations, { level, message: `hook ${hookName}: ${message}`, atMs: record.atMs });
  const fault = messageOf(thrown);
  const why = `the database ${database} could not take it: ${fault}`;
  try {
    // The duration includes the wait for the database.
    const execution = { ...record.execution, durationMs: elapsedMs(environment) };
    const path = spoolRecord({ ...record, execution }, { database, folders: spoolFolders });
    log("warn", `${why}; it waits in ${path}; next: run \`conclaude doctor\``);
    // The bundle may hold the class of an error twice.
    const name = thrown instanceof Error ? thrown.name : "";
    if (name === "SchemaBehindError") {
      return once(
        "schema-behind",
        `conclaude was updated, and its database ${database} is brought up to date after this turn. Until then events ` +
          `wait in the spool, and ${UNKNOWN}. \`conclaude queue drain\` does it now.`,
      );
    }
    if (name === "NewerSchemaError") {
      return once(
        "newer-schema",
        `conclaude is older than its database ${database}. Events wait in the spool, and ${UNKNOWN}: install the ` +
          "newest conclaude, or run `conclaude doctor`.",
      );
    }
    // A database that another process has locked is free again soon.
    if (!isStart || /locked|busy/i.test(fault)) return [];
    return [
      `conclaude: the database ${database} cannot be used: ${fault}. ` +
      `Events wait in the spool, and ${UNKNOWN}. Run \`${commandFor(fault)}\`.`,
    ];
  } catch (spoolThrown) {
    const reasons = spoolThrown instanceof AggregateError ? spoolThrown.errors : [spoolThrown];
    log(
      "error",
      `${why}; nor could a spool folder: ${reasons.map(messageOf).join("; ")}; it is lost`,
    );
    const spools = spoolFolders.join(" or ");
    return once(
      "nothing-writable",
      `conclaude cannot record this session: ${why}, and neither could ${spools}. ` +
        "Free space or correct the permissions, then run `conclaude doctor`.",
    );
  }
}

/** Logs that part of an answer broke, and tells the person: at each SessionStart, else once per session and event. */
export function tellBroken(thrown: unknown, what: string, work: HookWork): void {
  const { event: { name }, sessionId, atMs, locations, tell } = work;
  const { spoolFolders } = locations;
  const why = messageOf(thrown);
  const message = `hook ${name}: ${what} cannot be told: ${why}`;
  addToLog(locations, { level: "error", message, atMs });
  if (name !== "SessionStart" && !claimNotice(`broken-${name}`, { sessionId, spoolFolders })) {
    return;
  }
  tell(`conclaude: ${what} cannot be told (${why}). Run \`${commandFor(why)}\`.`);
}

/** Returns the command that helps against an error of SQLite. */
function commandFor(why: string): string {
  return /not a database|malformed/i.test(why) ? "conclaude doctor --fix" : "conclaude doctor";
}

/** What a hook cannot know without the database. */
const UNKNOWN =
  "requirements, pauses, counted stops and what commands change of protected files cannot be known";

/** Spools an event whose handling broke: its masked input, and the error with its stack. */
export async function keepCrashed(
  thrown: unknown,
  { stdin, flags, environment }: {
    readonly stdin: string | Uint8Array;
    readonly flags: HookFlags;
    readonly environment: Environment;
  },
): Promise<void> {
  const atMs = environment.now();
  const locations = locate(environment, { dbFlag: flags.db });
  const input = shortenInput(await readInput(stdin));
  const name = flags.event;
  const fields = withoutOverlaps(maskedFields(input));
  const event = toEvent(fields, name && maskedText(name));
  // Fields that are nested too deep cannot be written as JSON.
  const text = input.kind === "event"
    ? quietly(() => JSON.stringify(fields)) ?? UNMASKED
    : maskedText(input.text);
  const isToolUse = event.name === "PostToolUse" || event.name === "PostToolUseFailure";
  const record: HookRecord = {
    id: newId(atMs),
    atMs,
    sessionId: event.sessionId ?? UNKNOWN_SESSION_ID,
    session: null,
    execution: {
      hookName: event.name,
      toolName: event.toolName,
      toolUseId: event.toolUseId,
      status: "failure",
      durationMs: elapsedMs(environment),
      errorMessage: messageOf(thrown),
      errorStack: thrown instanceof Error ? thrown.stack ?? null : null,
      metadata: {},
    },
    capture: !isToolUse ? null : {
      toolName: event.toolName ?? "unknown",
      toolUseId: event.toolUseId,
      outcome: event.name === "PostToolUse" ? "success" : "failure",
      priority: "normal",
      filesTouched: [],
      payload: JSON.stringify({ tool_name: event.toolName, unparsed: text }),
      cutBytes: input.cutBytes,
    },
    counters: [],
  };
  keepElsewhere(thrown, record, { database: locations.database, locations, environment });
}

/** Replaces a text that cannot be masked. */
const UNMASKED = "[redacted:text]";

/** Returns the fields, masked; only the session's id when masking fails. */
function maskedFields(input: Input): Record<string, unknown> {
  if (input.kind !== "event") return {};
  const { session_id } = input.fields;
  const masked = quietly(() => redactValue(input.fields, { patterns: [] }));
  return { ...masked as Record<string, unknown> | undefined, session_id };
}

function maskedText(text: string): string {
  return quietly(() => redactText(withPlainLetters(text), { patterns: [] })) ?? UNMASKED;
}

/** Logs which spool files hold no record. They are set aside, not removed. */
export function reportDamaged(paths: readonly string[], locations: Locations): void {
  const message = `spool files that hold no record were set aside: ${paths.join(", ")}`;
  addToLog(locations, { level: "warn", message, atMs: Date.now() });
}

function addToLog({ home, spoolFolders }: Locations, line: Omit<LogLine, "home">): void {
  appendLog(logFiles(spoolFolders), { home, ...line });
}

type LogLine = Parameters<typeof appendLog>[1];
