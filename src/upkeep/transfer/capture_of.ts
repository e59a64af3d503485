/** Turns an item of a transcript into the capture that a hook would have made of it. */
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
import type { HookConfig } from "../../config/hook_config.ts";
import { databaseAt, type Locations, MEMORY_VARIABLE } from "../../system/environment.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { isFolder } from "../../system/on_disk.ts";

export interface TranscriptProject {
  /** The folder in which the session began; null if the transcript names none. */
  readonly dir: string | null;
  /** The common git directory; null outside of a repository, or when the folder is gone. */
  readonly repository: string | null;
  readonly config: HookConfig;
  /** The database that hooks use in this project; null if it is switched off. */
  readonly database: string | null;
  readonly patterns: readonly RegExp[];
  /** The user's home, for `~` in a command. */
  readonly home: string | null;
  readonly hide: (path: string | null) => string | null;
}

/** Makes a function that finds the project of a folder, and that reads each project once. */
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
    // If the folder is gone, a repository further up may not be the project's.
    repository: dir !== null && isFolder(dir) ? findRepository(looks)?.commonDir ?? null : null,
    config,
    database: config.databaseEnabled ? databaseAt(locations, config.databasePath) : null,
    patterns,
    home: locations.home,
    hide: (path) => path === null ? null : redactText(path, { patterns }),
  };
}

/** Returns the name of an item's capture: the name of the tool or of the event. */
export function nameOf(item: TranscriptItem): string {
  return item.kind === "toolUse" ? item.toolName : WORDS[item.kind].event;
}

/** Returns the id of an item's capture, which is always the same for the same item. */
export function captureIdOf(item: TranscriptItem): string {
  const key = `${item.sessionId} ${
    item.kind === "toolUse" ? item.toolUseId : `${item.kind} ${item.uuid}`
  }`;
  return idAt(item.atMs, digestOf(key) + digestOf(`transcript ${key}`));
}

/** Makes the capture of an item: masks secrets, removes private parts, and cuts the payload at the limit. */
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
    payload,
    cutBytes,
    toolName,
    toolUseId: isUse ? item.toolUseId : null,
    source: "transcript",
    outcome: isUse && item.error !== null ? "failure" : "success",
    priority: capturePriority(toolName),
    filesTouched: filesTouched(toolName, fields["tool_input"]),
  };
}

/**
 * Returns the configuration key or the variable that excludes an item; null if none does.
 *
 * @param isOff Whether memory was off for the item's session.
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

/** Wraps a sub-agent's answer in `content`, as a hook gets it; a transcript has only the answer. */
function asResponse(toolName: string, response: unknown): unknown {
  const isAgent = toolName === "Agent" || toolName === "Task";
  return isAgent && (typeof response === "string" || Array.isArray(response))
    ? { content: response }
    : response;
}

/** Masks fields as a hook does. The user's patterns do not apply to a tool's name and the id of its use. */
function masked(fields: Fields, { patterns }: TranscriptProject): Fields {
  // `JSON.stringify()` fails on fields that are nested too deeply.
  const text = quietly(() => JSON.stringify(fields));
  if (text && !needsRedaction(text, patterns)) return fields;
  const { tool_name, tool_use_id } = fields;
  const names = tool_name === undefined ? {} : { tool_name, tool_use_id };
  return {
    ...redactValue(fields, { patterns }) as Fields,
    ...redactValue(names, { patterns: [] }) as Fields,
  };
}
