/** Registers conclaude as an MCP server of Claude Code, and removes it again. No other byte of the file changes. */
import { quietly, UserError } from "../../base/errors.ts";
import { baseName, joinPath, parentOf, resolvePath } from "../../base/paths.ts";
import { OS } from "../../system/environment.ts";
import { realPathSync } from "../../system/files.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { whileLocked } from "../../system/folder_lock.ts";
import type { Program } from "./hooks.ts";
import { type JsonPath, removeAt, setAt } from "./json_edit.ts";
import { memberOf, splitWords } from "./own_handler.ts";
import {
  type Attempt,
  openFile,
  replaceSettings,
  shapeOf,
  uneditable,
  withFreshFile,
} from "./settings_file.ts";
import { type SettingsPlace, type SettingsScope } from "./settings_place.ts";

/** The name of our server, and the verb that makes the program one. */
const SERVER_NAME = "conclaude";
const SERVER_VERB = "mcp";

interface ServerOptions {
  readonly place: ServersPlace;
  readonly dryRun?: boolean | undefined;
  /** The flags of the command, to be repeated in a refusal: `["--scope", "local", "--mcp"]`. */
  readonly flags: readonly string[];
}

/** The result in one file; with `dryRun`, the result that it would have. */
export interface ServerReport {
  readonly file: string;
  readonly scope: SettingsScope;
  readonly changed: boolean;
  readonly dryRun: boolean;
  /** `present` and `absent`: nothing had to be done. `foreign`: another server has our name. */
  readonly done: "added" | "updated" | "present" | "removed" | "absent" | "foreign";
  /** True when the file was made for the server, and is removed. */
  readonly deleted: boolean;
  /** Our server before (`- `) and after (`+ `). The rest of the file is private, so it is not shown. */
  readonly diff: readonly string[];
}

export function serverOf(program: Program): ServerEntry {
  const words = program.kind === "line"
    ? splitWords(program.line) ?? [program.line]
    : [program.kind === "name" ? program.name : program.path];
  const [command = "", ...args] = words;
  return { command, args: [...args, SERVER_VERB] };
}

/** Registers our server, or brings it up to date. @throws UserError When another server has our name. */
export function registerServer(
  { program, ...options }: ServerOptions & { readonly program: Program },
): ServerReport {
  return changeServers("install-hooks", options, serverOf(program));
}

/** Removes our server from a file; another program's server under our name stays. */
export function unregisterServer(options: ServerOptions): ServerReport {
  return changeServers("uninstall-hooks", options, null);
}

/**
 * Claude Code changes its own file under a lock beside it (seen in 2.1.329): without the lock it could read the file
 * before our change and write it after. We wait for five seconds, longer than a write takes.
 */
const CLAUDES_LOCK = { waitMs: 5_000, staleMs: 10_000 };

const UNCHANGED = { none: "absent", foreign: "foreign", ours: "present" } as const;

/** @param entry Our server; null removes it. */
function changeServers(
  command: Attempt["command"],
  { place, flags, dryRun = false }: ServerOptions,
  entry: ServerEntry | null,
): ServerReport {
  const { path, keys, scope, isClaudes } = place;
  return withFreshFile({ command, path, flags, subject: "the MCP server" }, (file) => {
    const before = file.text ?? "";
    const after = entry === null ? removeServer(before, keys) : addServer(before, keys, entry);
    const changed = after !== before;
    const had = findServer(before, keys);
    const { command: started, args } = Object(had.value);
    // The file is what registering our server without a file would write, so it holds nothing else.
    const deleted = entry === null && changed &&
      addServer("", keys, { command: started, args }) === before;
    const write = () => replaceSettings(file, deleted ? undefined : after);
    if (changed && !dryRun) {
      const isWritten = isClaudes ? whileLocked(`${path}.lock`, write, CLAUDES_LOCK) : write();
      if (!isWritten) return undefined;
    }
    const lineOf = (mark: string, text: string) => {
      const { kind, value } = findServer(text, keys);
      const name = [...keys, SERVER_NAME].join(".");
      return kind === "none" ? [] : [`${mark} ${name}: ${JSON.stringify(value)}`];
    };
    const diff = changed ? [...lineOf("-", before), ...lineOf("+", after)] : [];
    const written = had.kind === "none" ? "added" : "updated";
    const edited = entry === null ? "removed" : written;
    const done = changed ? edited : UNCHANGED[had.kind];
    return { file: path, scope, changed, dryRun, done, deleted, diff };
  });
}

interface ServersPlace {
  readonly scope: SettingsScope;
  readonly path: string;
  /** The keys that lead to the object; it need not exist. */
  readonly keys: readonly string[];
  /** True for the file that Claude Code keeps for itself and changes at any time. */
  readonly isClaudes: boolean;
}

/** A place without a settings file that a person named: settings files hold no servers. */
export type ServersScope = Omit<SettingsPlace, "settings">;

const SERVERS = "mcpServers";

/** Returns the place of the servers of a scope: `.mcp.json` of the project, else Claude Code's own file. */
export function serversPlace(place: ServersScope): ServersPlace {
  const { scope, projectDir, home, configDir } = place;
  if (scope === "project") {
    return { scope, path: joinPath(projectDir, ".mcp.json"), keys: [SERVERS], isClaudes: false };
  }
  const folder = configDir || home;
  if (!folder) {
    throw new UserError("Cannot find the file in which Claude Code keeps MCP servers", {
      why: "neither CLAUDE_CONFIG_DIR nor HOME is set; nothing was changed",
      next: "set HOME, or leave out `--mcp`",
    });
  }
  const cwd = place.cwd ?? projectDir;
  const path = joinPath(resolvePath(folder, { folder: cwd, home }), ".claude.json");
  const keys = scope === "local" ? ["projects", projectKey(projectDir), SERVERS] : [SERVERS];
  return { scope, path, keys, isClaudes: true };
}

/** Returns the name that Claude Code 2.1.329 gives a project: the top folder of its main checkout, links resolved. */
function projectKey(projectDir: string): string {
  const folder = quietly(() => realPathSync(projectDir)) ?? projectDir;
  const repository = findRepository(lookUpwards(folder));
  const key = repository === undefined
    ? folder
    : baseName(repository.commonDir) === ".git"
    ? parentOf(repository.commonDir)
    : repository.root;
  const slashed = OS === "windows" ? key.replaceAll("\\", "/") : key;
  return slashed.normalize("NFC");
}

interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
}

/** Opens a file whose `keys` lead to the object of servers, if it has one. */
function openServers(text: string, keys: readonly string[]) {
  return openFile(text, shapeOf([...keys, SERVER_NAME]));
}

/** Finds the server with our name. @throws UserError When the text has our name and cannot be edited safely. */
function findServer(
  text: string,
  keys: readonly string[],
): { readonly kind: "none" | "ours" | "foreign"; readonly value: unknown } {
  const nothing = { kind: "none", value: undefined } as const;
  if (!text.includes(`"${SERVER_NAME}"`)) return nothing;
  const { settings } = openServers(text, keys);
  const value = [...keys, SERVER_NAME].reduce(memberOf, settings as unknown);
  return value === undefined ? nothing : { kind: isOurs(value) ? "ours" : "foreign", value };
}

/** Adds our server, or corrects it in its place. @throws UserError When another server has our name. */
export function addServer(text: string, keys: readonly string[], entry: ServerEntry): string {
  const { mark, body } = openServers(text, keys);
  const { kind, value } = findServer(text, keys);
  if (kind === "foreign") {
    throw uneditable(
      `another MCP server has the name \`${SERVER_NAME}\` there, and is not ours to change`,
      `give that server another name, or remove it (\`claude mcp remove ${SERVER_NAME}\`),`,
    );
  }
  // A person may have given the server more fields, such as variables.
  const present = value === undefined ? { type: "stdio" } : value as ServerEntry;
  const server = { ...present, ...entry };
  return JSON.stringify(server) === JSON.stringify(present)
    ? text
    : mark + setAt(body, [...keys, SERVER_NAME], server);
}

/** Returns the text without our server, and without the objects that held nothing else. */
export function removeServer(text: string, keys: readonly string[]): string {
  if (findServer(text, keys).kind !== "ours") return text;
  const { mark, body, settings } = openServers(text, keys);
  return mark + removeAt(body, emptiedBy(settings, keys));
}

/** Tells whether a server is ours: our verb is its last argument. A person may have changed the rest. */
function isOurs(value: unknown): boolean {
  const { type = "stdio", command, args } = Object(value);
  return type === "stdio" && typeof command === "string" && Array.isArray(args) &&
    args.at(-1) === SERVER_VERB;
}

function emptiedBy(settings: unknown, keys: readonly string[]): JsonPath {
  const isAlone = (path: readonly string[]) =>
    Object.keys(Object(path.slice(0, -1).reduce(memberOf, settings))).length === 1;
  let path = [...keys, SERVER_NAME];
  // Claude Code writes an object of servers for each of its projects, also an empty one.
  if (keys.length > 1 && !isAlone(keys)) return path;
  while (path.length > 1 && isAlone(path)) path = path.slice(0, -1);
  return path;
}
