import type { DatabaseSync } from "node:sqlite";
import { isOwnTool } from "../claude/payload.ts";
import { needsRedaction } from "../secrets/look.ts";
import { readConfigFiles } from "../config/discover.ts";
import {
  databaseAt,
  type Environment,
  locate,
  type Locations,
  MEMORY_VARIABLE,
  SUMMARIZER_VARIABLE,
} from "../system/environment.ts";
import { matchesAny } from "../base/paths.ts";
import type { HookConfig } from "../config/hook_config.ts";
import { lookUpwards, repositoryAt } from "../system/git/repository.ts";
import { newId, normalizeSessionId, processNumber, UNKNOWN_SESSION_ID } from "../base/ids.ts";
import { type Appliers, type HookRecord, MEMORY_OFF, saveRecord } from "../db/captures.ts";
import { isLogLong, openDatabase } from "../db/database.ts";
import type { Draft, HookFlags, HookWork } from "./handler.ts";
import {
  elapsedMs,
  folderOf,
  type Input,
  toEvent,
  transcriptOf,
  withPlainLetters,
} from "./protocol.ts";
import { mkdirSync, readDirSync } from "../system/files.ts";

const MAX_SPOOL_MS = 500;

/** The largest database that a hook copies, in bytes: a fraction of a second. The drain copies a larger one. */
const MAX_COPY_BYTES = 32_000_000;
const SPARE_BUSY_MS = 100;

/** Reads what decides about an event (the environment, the configuration, the repository), and opens the database. */
export async function beginWork(
  input: Input,
  flags: HookFlags,
  environment: Environment,
): Promise<HookWork> {
  const atMs = environment.now();
  const { variable } = environment;
  const noDb = flags.noDb || variable(SUMMARIZER_VARIABLE) !== undefined;
  const locations = locate(environment, { dbFlag: flags.db });
  const sent = input.kind === "event" ? input.fields : {};
  const projectDir = variable("CLAUDE_PROJECT_DIR") ?? folderOf(sent);
  const looks = projectDir === null ? [] : lookUpwards(projectDir);
  const files = readConfigFiles(looks, locations);
  const { loadHookConfig } = await import("../config/cached.ts");
  const { config: written, configFrom, cache, brought } = await loadHookConfig(files, {
    locations,
    noDb,
    looks,
    sections: () => import("../operations/config_sections.ts"),
  });
  const config = noDb ? { ...written, databaseEnabled: false } : written;
  const repository = repositoryAt(folderOf(sent), { projectDir, looks });
  const { event, maskedText, hide, cutBytes } = await withoutSecrets(input, {
    eventName: flags.event,
    config,
    places: [projectDir, repository?.commonDir, repository?.branch].join(" "),
  });
  const claudePid = processNumber(variable("CLAUDE_PID"));
  const sessionId = event.sessionId ??
    normalizeSessionId(variable("CLAUDE_CODE_SESSION_ID")) ?? UNKNOWN_SESSION_ID;

  const database = config.databaseEnabled ? databaseAt(locations, config.databasePath) : ":memory:";
  const isDrain = flags.event === "Drain";
  const opened = await open(database, { cache, config, locations, isDrain });
  if (opened.db !== null) environment.hold(opened.db);
  const isMemoryOff = variable(MEMORY_VARIABLE) === "off";
  const keptOut = isMemoryOff
    ? MEMORY_VARIABLE
    : !config.captureEnabled
    ? "capture.enabled"
    : matchesAny(config.excludeProjects, projectDir ?? "")
    ? "capture.exclude.projects"
    : null;
  const notices = brought.map((path) =>
    `conclaude: git has brought another version of ${hide(path)}, which is in force from now on.`
  );
  let saved = false;
  let isTwin = false;
  let finalDraft: Draft | null = null;
  let beside: Pick<HookRecord, "told"> = {};
  let applyTold: Appliers["told"];
  let fault: unknown = opened.reason;

  const id = newId(atMs);
  // Another hook for the same event recognises this hook's record by these fields.
  const twin = {
    ...(variable("CLAUDE_PLUGIN_ROOT") === undefined ? {} : { via: "plugin" }),
    ...(event.toolUseId === null
      ? { told: (await import("../base/fnv.ts")).digestOf(maskedText()) }
      : {}),
  };
  const recordOf = (draft: Draft): HookRecord => ({
    id,
    atMs,
    sessionId,
    session: sessionId === UNKNOWN_SESSION_ID ? null : {
      effect: "touch",
      source: null,
      title: null,
      projectDir: hide(projectDir),
      repository: hide(repository?.commonDir ?? null),
      branch: hide(repository?.branch ?? null),
      cwd: event.cwd,
      permissionMode: event.permissionMode,
      transcriptPath: event.transcriptPath,
      claudePid,
      claudeProcess: null,
      endReason: null,
      ...draft.session,
    },
    execution: {
      hookName: event.name,
      toolName: event.toolName,
      toolUseId: event.toolUseId,
      status: draft.status ?? "success",
      durationMs: elapsedMs(environment),
      errorMessage: draft.errorMessage ?? null,
      errorStack: null,
      metadata: {
        config: configFrom,
        ...draft.metadata,
        ...(cutBytes > 0 ? { cutBytes } : {}),
        ...twin,
      },
    },
    capture: draft.capture ?? null,
    counters: [...draft.counters ?? [], ...isMemoryOff ? [MEMORY_OFF] : []],
    ...(hasChanges(draft) ? { ...beside, changes: draft.changes } : beside),
  });
  const save: HookWork["save"] = async (draft) => {
    const { db } = opened;
    const decide = (from: DatabaseSync | null) => {
      finalDraft = typeof draft === "function" ? draft(from) : draft;
      return finalDraft;
    };
    try {
      if (db === null) throw opened.reason;
      // Few events change what is stored of requirements.
      const changes = typeof draft === "function" || hasChanges(draft)
        ? (await import("../policy/store.ts")).applyChanges
        : undefined;
      isTwin = !saveRecord(db, () => recordOf(decide(db)), { changes, told: applyTold });
      saved = true;
      if (database !== ":memory:" && isLogLong(database)) {
        (await import("../memory/drain/shorten_log.ts")).shortenLog(db, database);
      }
    } catch (thrown) {
      fault = thrown;
      const { keepElsewhere } = await import("./failure.ts");
      notices.push(
        ...keepElsewhere(thrown, recordOf(decide(null)), { database, locations, environment }),
      );
    }
  };

  return {
    environment,
    event,
    sent,
    home: locations.home,
    maskedText,
    cutBytes,
    isInputCut: input.cutBytes > 0,
    problem: input.kind === "unreadable" ? input.problem : null,
    atMs,
    sessionId,
    transcriptPath: transcriptOf(sent),
    projectDir,
    shownProjectDir: hide(projectDir),
    hide,
    repository,
    claudePid,
    config,
    configFiles: files,
    database,
    locations,
    get fault() {
      return fault;
    },
    keepsContent: keptOut === null,
    async mask(texts) {
      const patterns = config.redactPatterns.map((source) => new RegExp(source, "g"));
      if (!needsRedaction(JSON.stringify(texts), patterns)) return texts;
      const { redactText } = await import("../secrets/redact.ts");
      return texts.map((text) => redactText(text, { patterns }));
    },
    async exclusion(toolName, toolInput, tool) {
      if (keptOut !== null) return keptOut;
      const { excludeTools, excludePaths, excludeCommands } = config;
      const excluded = excludeTools.length + excludePaths.length + excludeCommands.length;
      if (excluded === 0 && !isOwnTool(toolName)) return null;
      const { exclusionOf } = await import("../config/exclusion.ts");
      return exclusionOf(config, {
        toolName,
        toolInput,
        toolResponse: tool === undefined
          ? event.own["tool_response"] ?? event.own["error"]
          : tool.toolResponse,
        folder: event.cwd,
        projectDir,
        home: locations.home,
      });
    },
    db: opened.db,
    notices,
    tell: (notice) => void notices.push(notice),
    saveBeside(told, apply) {
      beside = { told };
      applyTold = apply;
    },
    save,
    get isTwin() {
      return isTwin;
    },
    get saved() {
      return finalDraft;
    },
    spareDb() {
      if (!saved || opened.db === null) return null;
      opened.db.exec(`PRAGMA busy_timeout = ${SPARE_BUSY_MS}`);
      return opened.db;
    },
  };
}

function hasChanges(draft: Draft): draft is Draft & Required<Pick<Draft, "changes">> {
  return draft.changes !== undefined && draft.changes.length > 0;
}

/** Makes the event of an input, and masks it. */
async function withoutSecrets(
  input: Input,
  { eventName, config, places }: {
    readonly eventName: string | undefined;
    readonly config: HookConfig;
    /** Texts beside the event that may hold secrets: the project, its repository, its branch. */
    readonly places: string;
  },
) {
  const text = withPlainLetters(input.text);
  const patterns = config.redactPatterns.map((source) => new RegExp(source, "g"));
  // All texts to store are searched at once, since each search costs time.
  const isClean = !needsRedaction(`${text} ${places} ${eventName}`, patterns);
  if (!isClean || input.cutBytes > 0) {
    return (await import("./masking.ts")).maskInput(input, { eventName, patterns, isClean });
  }
  return {
    event: toEvent(input.kind === "event" ? input.fields : {}, eventName),
    maskedText: () => text,
    hide: (path: string | null) => path,
    cutBytes: 0,
  };
}

async function open(
  database: string,
  { cache, config, locations, isDrain }: Pick<HookWork, "config" | "locations"> & {
    readonly cache: DatabaseSync | null;
    /** Whether nobody waits for the hook. */
    readonly isDrain: boolean;
  },
) {
  try {
    const db = cache !== null && database === locations.database
      ? cache
      : await openDatabase(database, {
        busyTimeoutMs: config.busyTimeoutMs,
        ownOnly: locations.databaseFrom === "fallback",
        maxCopyBytes: isDrain ? Infinity : MAX_COPY_BYTES,
      });
    if (db === cache) db.exec(`PRAGMA busy_timeout = ${config.busyTimeoutMs}`);
    await takeInSpool(db, database, locations);
    return { db, reason: null };
  } catch (reason) {
    return { db: null, reason };
  }
}

/** Saves the spooled records of earlier hooks. @throws {Error} When the database cannot take them. */
async function takeInSpool(
  db: DatabaseSync,
  database: string,
  locations: Locations,
): Promise<void> {
  if (!locations.spoolFolders.some(holdsRecords)) return;
  const { drainSpool } = await import("../operations/spool_drain.ts");
  const untilMs = performance.now() + MAX_SPOOL_MS;
  const { damaged } = drainSpool(db, { database, folders: locations.spoolFolders, untilMs });
  if (damaged.length > 0) (await import("./failure.ts")).reportDamaged(damaged, locations);
}

/** Tells whether a spool folder holds records. Makes a missing folder, since an empty one is cheaper to look into. */
function holdsRecords(folder: string): boolean {
  try {
    // Damaged files that were set aside have another ending.
    for (const { name } of readDirSync(folder)) if (name.endsWith(".json")) return true;
  } catch {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch {
      // The folder cannot be made, so nothing waits there.
    }
  }
  return false;
}
