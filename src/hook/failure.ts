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
  const { home, spoolFolders } = locations;
  const isStart = record.execution.hookName === "SessionStart";
  const once = (subject: string, notice: string) =>
    claimNotice(subject, { sessionId: record.sessionId, spoolFolders }) || isStart ? [notice] : [];
  const log = (level: "warn" | "error", message: string) =>
    appendLog(logFiles(spoolFolders), {
      home,
      level,
      message: `hook ${record.execution.hookName}: ${message}`,
      atMs: record.atMs,
    });
  const why = `the database ${database} could not take it: ${messageOf(thrown)}`;
  try {
    // The duration includes the wait for the database.
    const execution = { ...record.execution, durationMs: elapsedMs(environment) };
    const path = spoolRecord({ ...record, execution }, { database, folders: spoolFolders });
    log("warn", `${why}; it waits in ${path}; next: run \`conclaude doctor\``);
    return isNamed(thrown, "SchemaBehindError")
      ? once(
        "schema-behind",
        `conclaude was updated, and its database ${database} is brought up to date after this turn. Until then events ` +
          `wait in the spool, and ${UNKNOWN}. \`conclaude queue drain\` does it now.`,
      )
      : isNamed(thrown, "NewerSchemaError")
      ? once(
        "newer-schema",
        `conclaude is older than its database ${database}. Events wait in the spool, and ${UNKNOWN}: install the ` +
          "newest conclaude, or run `conclaude doctor`.",
      )
      : isStart
      ? unusable(messageOf(thrown), database)
      : [];
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

/** Logs that part of an answer broke after its event was saved. Tells the person once per session and event. */
export function tellBroken(thrown: unknown, what: string, work: HookWork): void {
  const { event: { name }, sessionId, atMs, locations: { home, spoolFolders }, tell } = work;
  const why = messageOf(thrown);
  const message = `hook ${name}: ${what} cannot be told: ${why}`;
  appendLog(logFiles(spoolFolders), { home, level: "error", message, atMs });
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

/** Tells of an unusable database. One that another process has locked is free again soon, so nothing is told of it. */
function unusable(why: string, database: string): string[] {
  if (/locked|busy/i.test(why)) return [];
  return [
    `conclaude: the database ${database} cannot be used: ${why}. ` +
    `Events wait in the spool, and ${UNKNOWN}. Run \`${commandFor(why)}\`.`,
  ];
}

/** Tells whether an error has a class, by the class's name, since the bundle may hold the class twice. */
function isNamed(thrown: unknown, name: string): boolean {
  return thrown instanceof Error && thrown.name === name;
}

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
  appendLog(logFiles(locations.spoolFolders), {
    home: locations.home,
    level: "warn",
    message: `spool files that hold no record were set aside: ${paths.join(", ")}`,
    atMs: Date.now(),
  });
}
