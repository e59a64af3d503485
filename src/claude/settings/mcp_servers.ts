/** Registers conclaude as an MCP server of Claude Code, and removes it again. No other byte of the file changes. */
import { getNodeValue, parseTree } from "jsonc-parser";
import { quietly, UserError } from "../../base/errors.ts";
import { baseName, joinPath, parentOf, resolvePath } from "../../base/paths.ts";
import { OS } from "../../system/environment.ts";
import { realPathSync } from "../../system/files.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { whileLocked } from "../../system/folder_lock.ts";
import type { Program } from "./hooks.ts";
import { type Node, propertyAt, removeMember, setAt, valueAt } from "./json_edit.ts";
import { memberOf, splitWords } from "./own_handler.ts";
import {
  type Attempt,
  mustBe,
  openObject,
  refusal,
  refuseTwins,
  replaceSettings,
  type SettingsFile,
  withFreshFile,
} from "./settings_file.ts";
import { type SettingsPlace, type SettingsScope } from "./settings_place.ts";

export interface ServerOptions {
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
  options: ServerOptions & { readonly program: Program },
): ServerReport {
  const entry = serverOf(options.program);
  return changeServers("install-hooks", options, (text, edit, found) => {
    const after = addServer(text, { ...edit, entry });
    const done = after === text ? "present" : found.kind === "none" ? "added" : "updated";
    return { after, done, deleted: false };
  });
}

/** Removes our server from a file; another program's server under our name stays. */
export function unregisterServer(options: ServerOptions): ServerReport {
  return changeServers("uninstall-hooks", options, (text, edit, found) => {
    const after = removeServer(text, edit);
    const isChanged = after !== text;
    const done = isChanged ? "removed" : found.kind === "foreign" ? "foreign" : "absent";
    return { after, done, deleted: isChanged && isMadeFor(text, { ...edit, value: found }) };
  });
}

function changeServers(
  command: Attempt["command"],
  { place, flags, dryRun = false }: ServerOptions,
  change: (
    text: string,
    edit: ServerEdit,
    found: FoundServer,
  ) => Pick<ServerReport, "done" | "deleted"> & { readonly after: string },
): ServerReport {
  const { path, keys, scope } = place;
  const attempt = { command, path, flags, subject: "the MCP server" };
  const edit = { keys, attempt };
  return withFreshFile(attempt, (file) => {
    const before = file.text ?? "";
    const { after, ...result } = change(before, edit, findServer(before, edit));
    const changed = after !== before;
    const isLost = changed && !dryRun &&
      !replace(file, result.deleted ? undefined : after, place);
    const diff = changed ? serverLines(before, after, edit) : [];
    return isLost ? undefined : { file: file.path, scope, changed, dryRun, ...result, diff };
  });
}

/**
 * Claude Code changes its own file under a lock beside it (seen in 2.1.329): without the lock it could read the file
 * before our change and write it after. We wait for five seconds, longer than a write takes.
 */
const CLAUDES_LOCK = { waitMs: 5_000, staleMs: 10_000 };

/** Writes the file. @returns False, with nothing written, when the file has changed since it was read. */
function replace(
  file: SettingsFile,
  text: string | undefined,
  { isClaudes }: ServersPlace,
): boolean {
  const act = () => replaceSettings(file, text);
  return isClaudes ? whileLocked(`${file.path}.lock`, act, CLAUDES_LOCK) : act();
}

/** Tells whether a file holds nothing but our server, as its registration into no file writes it. */
function isMadeFor(
  text: string,
  { value, ...edit }: ServerEdit & { readonly value: FoundServer },
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

interface ServersPlace {
  readonly scope: SettingsScope;
  readonly path: string;
  /** The keys that lead to the object; it need not exist. */
  readonly keys: readonly string[];
  /** True for the file that Claude Code keeps for itself and changes at any time. */
  readonly isClaudes: boolean;
}

/** A scope without a file of its own: settings files hold no servers. */
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

const SERVER_NAME = "conclaude";

/** The verb that makes the program an MCP server. */
const SERVER_VERB = "mcp";

interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
}

/** `keys` lead to the object of servers. */
export interface ServerEdit {
  readonly keys: readonly string[];
  readonly attempt: Attempt;
}

type FoundServer =
  | { readonly kind: "none" }
  | { readonly kind: "ours" | "foreign"; readonly value: unknown };

/** Finds the server with our name. @throws UserError When the text has our name and cannot be edited safely. */
function findServer(text: string, edit: ServerEdit): FoundServer {
  if (!text.includes(`"${SERVER_NAME}"`)) return { kind: "none" };
  const { body } = openObject(text, edit.attempt);
  const node = valueAt(openServers(body, edit), SERVER_NAME);
  if (node === undefined) return { kind: "none" };
  const value: unknown = getNodeValue(node);
  return { kind: isOurs(value) ? "ours" : "foreign", value };
}

/** Adds our server, or corrects it in its place. @throws UserError When another server has our name. */
export function addServer(
  text: string,
  options: ServerEdit & { readonly entry: ServerEntry },
): string {
  const { keys, attempt, entry } = options;
  const { mark, body } = openObject(text, attempt);
  // Refuses servers of another shape, which `findServer` does not look into.
  openServers(body, options);
  const found = findServer(text, options);
  if (found.kind === "foreign") {
    throw refusal(attempt, {
      why: `another MCP server has the name \`${SERVER_NAME}\` there, and is not ours to change`,
      todo: `give that server another name, or remove it (\`claude mcp remove ${SERVER_NAME}\`),`,
    });
  }
  // A person may have given the server more fields, such as variables.
  const present = found.kind === "none" ? { type: "stdio" } : found.value as ServerEntry;
  const server = { ...present, ...entry };
  return JSON.stringify(server) === JSON.stringify(present)
    ? text
    : mark + setAt(body, [...keys, SERVER_NAME], server);
}

/** Returns the text without our server, and without the objects that held nothing else. */
export function removeServer(text: string, edit: ServerEdit): string {
  if (findServer(text, edit).kind !== "ours") return text;
  const { mark, body } = openObject(text, edit.attempt);
  const own = propertyAt(openServers(body, edit), SERVER_NAME);
  return own === undefined ? text : mark + removeMember(body, emptiedBy(own, edit.keys));
}

/** Tells whether a server is ours: our verb is its last argument. A person may have changed the rest. */
function isOurs(value: unknown): boolean {
  const type = memberOf(value, "type");
  const args = memberOf(value, "args");
  return (type === undefined || type === "stdio") &&
    typeof memberOf(value, "command") === "string" &&
    Array.isArray(args) && args.at(-1) === SERVER_VERB;
}

/** Returns the object of servers; undefined when the file has none yet. */
function openServers(body: string, { keys, attempt }: ServerEdit): Node | undefined {
  let node = parseTree(body);
  let path = "";
  for (const key of [...keys, SERVER_NAME]) {
    if (node === undefined) return undefined;
    if (path !== "") mustBe("object", { node, path: `\`${path.slice(0, -1)}\``, attempt });
    refuseTwins(body, { object: node, keys: [key], path, attempt });
    if (key === SERVER_NAME) return node;
    path += `${key}.`;
    node = valueAt(node, key);
  }
  return undefined;
}

function emptiedBy(own: Node, keys: readonly string[]): Node {
  let emptied = own;
  for (const _ of keys) {
    const holder = emptied.parent?.parent;
    const isAlone = emptied.parent?.children?.length === 1;
    if (holder === undefined || !isAlone) break;
    const isOfProject = keys.length > 1 && emptied === own;
    if (isOfProject && (holder.parent?.children?.length ?? 0) > 1) break;
    emptied = holder;
  }
  return emptied;
}
