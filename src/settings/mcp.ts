/** Registering conclaude as an MCP server of Claude Code, and taking that back. */
import { whileLocked } from "./claude_lock.ts";
import { replaceSettings, type SettingsFile, type SettingsScope } from "./file.ts";
import { withFreshFile } from "./fresh_file.ts";
import type { Program } from "./hooks.ts";
import type { ServersPlace } from "./mcp_place.ts";
import {
  addServer,
  findServer,
  removeServer,
  SERVER_NAME,
  SERVER_VERB,
  type ServerEdit,
  type ServerEntry,
} from "./mcp_text.ts";
import { splitWords } from "./own_handler.ts";
import type { Attempt } from "./settings_text.ts";

/** Where, and how. */
export interface ServerOptions {
  readonly place: ServersPlace;
  readonly dryRun?: boolean | undefined;
  /** What the command was told, to be repeated in a refusal: `["--scope", "local", "--mcp"]`. */
  readonly flags: readonly string[];
}

/** What became of our server in one file, or with `dryRun` would. */
export interface ServerReport {
  readonly file: string;
  readonly scope: SettingsScope;
  readonly changed: boolean;
  readonly dryRun: boolean;
  /** What was done: `present` and `absent` say that nothing was to do, `foreign` that another server has our name. */
  readonly done: "added" | "updated" | "present" | "removed" | "absent" | "foreign";
  /** True when the file was made for the server, and is gone again. */
  readonly deleted: boolean;
  /** The server before (`- `) and after (`+ `). Nothing else of the file is shown: it holds what is nobody's business. */
  readonly diff: readonly string[];
}

/** How Claude Code starts the server of a program. */
export function serverOf(program: Program): ServerEntry {
  const words = program.kind === "line"
    ? splitWords(program.line) ?? [program.line]
    : [program.kind === "name" ? program.name : program.path];
  const [command = "", ...args] = words;
  return { command, args: [...args, SERVER_VERB] };
}

/**
 * Registers our server, or brings it up to date. A second run changes nothing.
 *
 * @throws UserError When the file cannot be read, edited safely or written, or when another server has our name.
 */
export function registerServer(
  options: ServerOptions & { readonly program: Program },
): ServerReport {
  const { place, program, dryRun = false } = options;
  const edit = editOf("install-hooks", options);
  const entry = serverOf(program);
  return withFreshFile(edit.attempt, (file) => {
    const before = file.text ?? "";
    const had = findServer(before, edit);
    const after = addServer(before, { ...edit, entry });
    const changed = after !== before;
    if (changed && !dryRun && !replace(file, after, place)) return undefined;
    return {
      ...factsOf(file, place),
      changed,
      dryRun,
      done: !changed ? "present" : had.kind === "none" ? "added" : "updated",
      deleted: false,
      diff: changed ? serverLines(before, after, edit) : [],
    };
  });
}

/**
 * Takes our server out of a file again; one of another program under our name stays.
 *
 * @throws UserError When the file names us, and cannot be read, edited safely or written.
 */
export function unregisterServer(options: ServerOptions): ServerReport {
  const { place, dryRun = false } = options;
  const edit = editOf("uninstall-hooks", options);
  return withFreshFile(edit.attempt, (file) => {
    const before = file.text ?? "";
    const had = findServer(before, edit);
    const after = removeServer(before, edit);
    const changed = after !== before;
    const deleted = changed && isMadeFor(before, { ...edit, value: had });
    const text = deleted ? undefined : after;
    if (changed && !dryRun && !replace(file, text, place)) return undefined;
    return {
      ...factsOf(file, place),
      changed,
      dryRun,
      done: changed ? "removed" : had.kind === "foreign" ? "foreign" : "absent",
      deleted,
      diff: changed ? serverLines(before, after, edit) : [],
    };
  });
}

function editOf(
  command: Attempt["command"],
  { place, flags }: Pick<ServerOptions, "place" | "flags">,
): ServerEdit {
  const { path, keys } = place;
  return { keys, attempt: { command, path, flags, subject: "the MCP server" } };
}

/** @returns False, with nothing written, when the file has changed since it was read. */
function replace(
  file: SettingsFile,
  text: string | undefined,
  { isClaudes }: ServersPlace,
): boolean {
  const act = () => replaceSettings(file, text);
  return isClaudes ? whileLocked(file.path, act) : act();
}

function factsOf(
  { path }: SettingsFile,
  { scope }: ServersPlace,
): Pick<ServerReport, "file" | "scope"> {
  return { file: path, scope };
}

/** Whether a file holds nothing but our server, written as we write it where there is no file. */
function isMadeFor(
  text: string,
  { value, ...edit }: ServerEdit & { readonly value: ReturnType<typeof findServer> },
): boolean {
  if (value.kind !== "ours") return false;
  const { command, args } = value.value as ServerEntry;
  return addServer("", { ...edit, entry: { command, args } }) === text;
}

function serverLines(before: string, after: string, edit: ServerEdit): string[] {
  const path = [...edit.keys, SERVER_NAME].join(".");
  const line = (mark: string, text: string) => {
    const found = findServer(text, edit);
    return found.kind === "none" ? [] : [`${mark} ${path}: ${JSON.stringify(found.value)}`];
  };
  return [...line("-", before), ...line("+", after)];
}
