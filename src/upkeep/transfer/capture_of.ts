/** Makes of an item in a transcript the capture that a hook would have made in its project. */
import {
  capturePriority,
  filesTouched,
  serializePayload,
  SHELL_TOOLS,
} from "../../claude/payload.ts";
import { redactValue } from "../../secrets/redact_value.ts";
import { needsRedaction } from "../../secrets/look.ts";
import { quietly } from "../../base/errors.ts";
import { idAt } from "../../base/ids.ts";
import { digestOf } from "../../base/fnv.ts";
import type { TranscriptItem } from "../../claude/transcript/transcript_reader.ts";
import { bareSummary } from "../../claude/transcript/spoken.ts";
import { WORDS } from "../../memory/observe/capture_keys.ts";
import { type Capture, MEMORY_OFF } from "../../db/captures.ts";
import { readCounter } from "../../db/counters.ts";
import { exclusionOf } from "../../config/exclusion.ts";
import { matchesAny } from "../../base/paths.ts";
import type { DatabaseSync } from "node:sqlite";
import { redactText } from "../../secrets/redact.ts";
import { loadHookConfig } from "../../config/cached.ts";
import { DEFAULT_HOOK_CONFIG, readConfigFiles } from "../../config/discover.ts";
import { databaseAt, type Locations, MEMORY_VARIABLE } from "../../system/environment.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { isFolder } from "../../system/on_disk.ts";

/** A project that sessions ran in. */
export interface TranscriptProject {
  /** The folder in which the session began; null when its transcript names none. */
  readonly dir: string | null;
  /** The common git directory; null outside of a repository, or when the folder is gone. */
  readonly repository: string | null;
  readonly config: HookConfig;
  /** The database that hooks write to there; null where it is switched off. */
  readonly database: string | null;
  readonly patterns: readonly RegExp[];
  /** The user's home, for `~` in a command. */
  readonly home: string | null;
  /** Masks secrets in a path. */
  readonly hide: (path: string | null) => string | null;
}

/** Makes a function that finds the project of a folder. It reads each project once. */
export function projectFinder(
  locations: Locations,
): (dir: string | null) => Promise<TranscriptProject> {
  const known = new Map<string | null, Promise<TranscriptProject>>();
  return (dir) => {
    const found = known.get(dir) ?? readProject(dir, locations);
    known.set(dir, found);
    return found;
  };
}

async function readProject(dir: string | null, locations: Locations): Promise<TranscriptProject> {
  const looks = dir === null ? [] : lookUpwards(dir);
  const files = readConfigFiles(looks, locations);
  const config = files.length === 0
    ? DEFAULT_HOOK_CONFIG
    : (await loadHookConfig(files, { locations, looks, noDb: true })).config;
  const patterns = config.redactPatterns.map((source) => new RegExp(source, "g"));
  return {
    dir,
    // Where the folder is gone, a repository further up is not the project's.
    repository: dir !== null && isFolder(dir) ? findRepository(looks)?.commonDir ?? null : null,
    config,
    database: config.databaseEnabled ? databaseAt(locations, config.databasePath) : null,
    patterns,
    home: locations.home,
    hide: (path) => path === null ? null : redactText(path, { patterns }),
  };
}

/** The name of an item's capture: that of the tool, or of the event. */
export function nameOf(item: TranscriptItem): string {
  return item.kind === "toolUse" ? item.toolName : WORDS[item.kind].event;
}

/** The id of an item's capture. It is always the same for the same item. */
export function captureIdOf(item: TranscriptItem): string {
  const key = `${item.sessionId} ${
    item.kind === "toolUse" ? item.toolUseId : `${item.kind} ${item.uuid}`
  }`;
  return idAt(item.atMs, digestOf(key) + digestOf(`transcript ${key}`));
}

/** The capture of an item: secrets are masked, private parts dropped, and the payload is cut at the limit. */
export async function captureOf(
  item: TranscriptItem,
  project: TranscriptProject,
): Promise<Capture> {
  const fields = masked(fieldsOf(item, project), project);
  const { text: payload, cutBytes } = await serializePayload(fields, {
    maxBytes: project.config.maxPayloadBytes,
    sent: () => "",
  });
  const isUse = item.kind === "toolUse";
  const toolName = isUse ? String(fields["tool_name"]) : nameOf(item);
  return {
    ...{ payload, cutBytes, toolName },
    toolUseId: isUse ? item.toolUseId : null,
    source: "transcript",
    outcome: isUse && item.error !== null ? "failure" : "success",
    priority: capturePriority(toolName),
    filesTouched: filesTouched(toolName, fields["tool_input"]),
  };
}

/**
 * The key of the configuration, or the variable, that keeps an item out; null where none does.
 *
 * @param isOff Whether memory was off for its session.
 */
export function exclusionIn(
  { config, dir, home }: TranscriptProject,
  item: TranscriptItem,
  isOff: boolean,
): string | null {
  if (isOff) return MEMORY_VARIABLE;
  if (!config.captureEnabled) return "capture.enabled";
  if (matchesAny(config.excludeProjects, dir ?? "")) return "capture.exclude.projects";
  if (item.kind !== "toolUse") return null;
  const { toolName, toolInput, cwd: folder } = item;
  const toolResponse = item.response ?? item.error;
  return exclusionOf(config, { toolName, toolInput, toolResponse, folder, projectDir: dir, home });
}

/** Whether hooks kept no content of a session because memory was off for it. */
export function isMemoryOff(db: DatabaseSync, sessionId: string): boolean {
  return readCounter(db, sessionId, MEMORY_OFF) > 0;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(item: TranscriptItem, { dir }: TranscriptProject): Fields {
  const project_dir = dir ?? "";
  if (item.kind !== "toolUse") {
    const text = item.kind === "compaction" ? bareSummary(item.text) : item.text;
    return { [WORDS[item.kind].field]: text, project_dir };
  }
  const { toolName, cwd, error } = item;
  const fields = {
    tool_name: toolName,
    tool_input: item.toolInput,
    tool_response: error === null ? asResponse(toolName, item.response) : null,
    project_dir,
    cwd: SHELL_TOOLS.has(toolName) && cwd !== project_dir ? cwd : null,
    error,
    tool_use_id: item.toolUseId,
    prompt_id: item.promptId,
    agent_id: item.agentId,
    agent_type: item.agentType,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** A transcript has only the answer of a sub-agent; the response that a hook gets has the answer in `content`. */
function asResponse(toolName: string, response: unknown): unknown {
  const isAgent = toolName === "Agent" || toolName === "Task";
  return isAgent && (typeof response === "string" || Array.isArray(response))
    ? { content: response }
    : response;
}

/** Masks as a hook does. Own patterns of the configuration do not apply to the name of a tool and the id of its use. */
function masked(fields: Fields, { patterns }: TranscriptProject): Fields {
  // Fields that are nested too deeply have no JSON.
  const text = quietly(() => JSON.stringify(fields));
  if (text && !needsRedaction(text, patterns)) return fields;
  const { tool_name, tool_use_id } = fields;
  const names = tool_name === undefined ? {} : { tool_name, tool_use_id };
  return {
    ...redactValue(fields, { patterns }) as Fields,
    ...redactValue(names, { patterns: [] }) as Fields,
  };
}
