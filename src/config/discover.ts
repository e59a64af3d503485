/** Finds and reads the configuration files that count, and hashes them. Runs in every hook. */
import { type FolderLook, leadsInto } from "../system/git/repository.ts";
import { fingerprint } from "../base/ids.ts";
import { joinPath, parentOf } from "../base/paths.ts";
import { type Locations } from "../system/environment.ts";
import { findFault, isFile, readSmallFile, realOr } from "../system/files.ts";
import { trustedFolders } from "./policy_files_table.ts";

/** `local` outranks `project`, and `project` outranks `user`. */
export const LAYERS = ["user", "project", "local"] as const;
export type ConfigLayer = typeof LAYERS[number];

/** A configuration file with its text, or with the reason why it was not read. */
export type ConfigFile =
  & {
    readonly layer: ConfigLayer;
    readonly path: string;
    /** What `~` means in this file; absent when the environment names no home. */
    readonly home?: string | undefined;
  }
  & (
    | { readonly text: string }
    | {
      readonly text: null;
      readonly problem: string;
      /** Set where the file is left out because others could have written it. */
      readonly distrust?: Distrust;
    }
  );

/** Where the user's own file is, and the database that lists trusted folders. */
export type UserPlace = TrustPlace & Pick<Locations, "dataFolder" | "dataNames">;

/** Part of every hash. Raise it whenever keys, defaults or compiled forms change. */
export const CONFIG_FORMAT = 32;

/** How many folders are searched at most, the first one included. */
export const MAX_FOLDERS = 12;

/** The names of a layer's file, the preferred one first. */
const NAMES: Readonly<Record<ConfigLayer, readonly string[]>> = {
  user: ["config.yaml", "config.yml"],
  project: [".conclaude.yaml", ".conclaude.yml"],
  local: [".conclaude.local.yaml"],
};

/** The guards' policy without any file: it refuses what nobody could undo. */
const BUILT_IN_GUARDS = {
  root: null,
  isStrict: false,
  whenBlind: "allow",
  lock: null,
  rules: [],
  preventsRootAdditions: false,
  rootAdditionsMessage: null,
  protectsIgnored: false,
  protectsGenerated: false,
  generatedMessage: null,
  deniesDangerous: true,
  protectsOtherTrees: false,
  protectsUncommitted: true,
  looksAfter: false,
  protectsItself: true,
  permission: [],
};

const NONE: readonly string[] = [];

/**
 * The configuration without any file, as hooks need it. A test keeps it equal to the defaults of the schema, which tells
 * what each key means, its unit and its range.
 */
export const DEFAULT_HOOK_CONFIG = {
  databaseEnabled: true,
  /** Absolute path of the database file, or null for the default place. */
  databasePath: null as string | null,
  busyTimeoutMs: 3000,
  captureEnabled: true,
  /** Patterns for the absolute project directory. A match also covers the folders below. */
  excludeProjects: NONE,
  excludeTools: NONE,
  /**
   * Patterns for a file's absolute path and, inside the project, for its path from there (`src/a.ts`). A match also
   * covers what is below a named folder.
   */
  excludePaths: NONE,
  /** Patterns for a shell command, and for each of the commands that it joins by `&&`, `;` or a pipe. */
  excludeCommands: NONE,
  maxPayloadBytes: 1_048_576,
  /** Patterns for more secrets to mask. They never match the empty text. */
  redactPatterns: NONE,
  memoryEnabled: true,
  contextTokens: 1_200,
  /** Whether the person learns at the start of a session what memory holds. */
  tellsPerson: true,
  recallsPrompts: false,
  recallsEdits: false,
  memoryRetentionDays: 0,
  sessionRetentionDays: 30,
  retentionBatchRows: 500,
  dailyBackups: 2,
  claimTimeoutMinutes: 30,
  /** A `GuardPolicy` as JSON; empty when no guard is on. */
  guards: JSON.stringify(BUILT_IN_GUARDS),
  /** A `RequirementPolicy` as JSON; empty when there are no requirements. */
  requirements: "",
  /** Names of requirements that a mistake switches off, `a, b and 2 more`; empty when there are none. */
  brokenRequirements: "",
  requiredUses: { tools: NONE, edits: false, commands: "" },
  /** Tools whose calls may satisfy a requirement, or end its satisfaction; `*` is any. */
  followedTools: NONE,
  /** Why a configuration file does not count, with its path, line and column; empty when all can be read. */
  unreadable: "",
  /** A `StopPolicy` as JSON; empty when nothing is judged at a stop. */
  stop: "",
  /** A `SubagentPolicy` as JSON; empty when nothing runs at a subagent's stop. */
  subagentStop: "",
  /** A `PromptPolicy` as JSON; empty when nothing is done with prompts. */
  prompts: "",
  /** A `NotificationPolicy` as JSON; empty when nothing is shown. */
  notifications: "",
  /** Paths of files that changed while a session was active: their earlier version stays in force. */
  held: NONE,
  /** How many problems the configuration files have; above 0, `conclaude config validate` names them. */
  problems: 0,
  /** The keys of the first problems, or the path of a file that cannot be read. */
  problemKeys: NONE,
};

/** Tells whether a configuration has guards or requirements of its own, besides the built-in ones. */
export function hasWrittenRules(
  { guards, requirements }: Pick<typeof DEFAULT_HOOK_CONFIG, "guards" | "requirements">,
): boolean {
  return guards !== DEFAULT_HOOK_CONFIG.guards || requirements !== "";
}

/**
 * Returns the configuration files that count for a project, lowest layer first.
 *
 * The project file is the nearest one upwards, `.yaml` before `.yml`, in the folders of `searchedFolders()`, at most
 * 12. The local file lies beside it; without a project file it is the nearest one in the same folders. The user's file
 * is `~/.conclaude/config.yaml` or `.yml`. A file that others could have written is not read, and the search goes on.
 *
 * @param looks The project directory and the folders above it, nearest first.
 * @param user The user's home, what lies in `~/.conclaude`, and the database that knows which folders are trusted.
 * @param without Files that are passed over, as if they were not there.
 * @returns At most one file a layer that counts, and before it the layer's files that are left out; empty when there is
 * none. A file that is there but cannot be read (no permission, not a regular file, a link to nothing, over 1 MiB) is
 * listed with `text: null`, and no other one takes its place.
 */
export function readConfigFiles(
  looks: readonly FolderLook[],
  user: UserPlace,
  without: ReadonlySet<string> = new Set(),
): ConfigFile[] {
  const userFolder = { path: user.dataFolder, names: user.dataNames };
  const userTop = user.home ?? user.dataFolder;
  const ofUser = readFirst("user", userFolder, { top: userTop, by: user, without });
  const files: ConfigFile[] = ofUser ? [ofUser] : [];
  const { folders, top } = searchedFolders(looks, user.home);
  let nearestLocal: ConfigFile | undefined;
  for (const look of folders.slice(0, MAX_FOLDERS)) {
    const found = (["project", "local"] as const)
      .flatMap((layer) => readFirst(layer, look, { top, by: user, without }) ?? []);
    files.push(...found.filter(isLeftOut));
    const [first, second] = found.filter((file) => !isLeftOut(file));
    if (first?.layer === "project") return [...files, first, ...(second ? [second] : [])];
    nearestLocal ??= first;
  }
  return nearestLocal ? [...files, nearestLocal] : files;
}

/** Returns the missing files that would count besides the found ones, or in their place. */
export function missingFiles(
  found: readonly ConfigFile[],
  { looks, user }: { readonly looks: readonly FolderLook[]; readonly user: UserPlace },
): Pick<ConfigFile, "layer" | "path" | "home">[] {
  const home = user.home ?? undefined;
  const countingIn = (layer: ConfigLayer) =>
    found.find((file) => file.layer === layer && !isLeftOut(file));
  const { folders } = searchedFolders(looks, user.home);
  const project = countingIn("project")?.path;
  const last = folders.findIndex(({ path }) => project !== undefined && path === parentOf(project));
  const within = folders.slice(0, last < 0 ? MAX_FOLDERS : last + 1).map(({ path }) => path);
  const named = (layer: ConfigLayer, at: readonly string[]) =>
    at.flatMap((folder) =>
      NAMES[layer].map((name) => ({ layer, path: joinPath(folder, name), home }))
    );
  return [
    ...countingIn("user") ? [] : named("user", [user.dataFolder]),
    ...named("project", within),
    ...countingIn("local") ? [] : named("local", within),
  ].filter(({ path }) => found.every((file) => file.path !== path));
}

/** Tells whether a file is not read because others could have written it. */
export function isLeftOut(
  file: ConfigFile,
): file is ConfigFile & { readonly text: null; readonly distrust: Distrust } {
  return file.text === null && file.distrust !== undefined;
}

/** Tells whether one of the files mentions stops or requirements. */
export function speakOfStops(files: readonly ConfigFile[]): boolean {
  return files.some(({ text }) => text !== null && /\b(?:stop|requirements)\b/.test(text));
}

/** Hashes everything that the parsed configuration depends on; the empty text when there are no files. */
export function hashConfigFiles(files: readonly ConfigFile[]): string {
  if (files.length === 0) return "";
  const facts = files.map((file) => {
    const { layer, path, home = null, text } = file;
    return [layer, path, home, text, "problem" in file ? file.problem : null];
  });
  return fingerprint(JSON.stringify([CONFIG_FORMAT, facts]));
}

/** Reads the file of a layer in a folder. @param how `top`: the topmost folder that has to belong to the user. */
function readFirst(
  layer: ConfigLayer,
  look: Pick<FolderLook, "path" | "names">,
  { top, by, without }: Readonly<{ top: string; by: TrustPlace; without: ReadonlySet<string> }>,
): ConfigFile | undefined {
  const home = by.home ?? undefined;
  for (const name of NAMES[layer]) {
    if (!look.names.includes(name)) continue;
    const path = joinPath(look.path, name);
    if (without.has(path)) continue;
    const distrust = whyDistrusted(path, { top, by });
    if (distrust !== null) {
      return { layer, path, home, text: null, problem: distrust.why, distrust };
    }
    const read = readSmallFile(path);
    if (read !== undefined) return { layer, path, home, text: null, ...read };
  }
  return undefined;
}

/** Why a file does not count, and the command that makes it count. */
export interface Distrust {
  readonly why: string;
  readonly next: readonly string[];
}

/** The user's home, and the database that lists trusted folders; without a database no folder is trusted. */
export type TrustPlace =
  & Pick<Locations, "home">
  & Partial<Pick<Locations, "database" | "databaseFrom">>;

let here: TrustPlace = { home: null };

/** Sets the home and the database by which this process trusts files. */
export function trustBy(place: TrustPlace): void {
  here = place;
}

/** Returns the place that {@linkcode trustBy} has set. Before that no folder is trusted. */
export function trustHere(): TrustPlace {
  return here;
}

interface Search {
  /** The project's folder and those above it, nearest first. */
  readonly folders: readonly FolderLook[];
  /** The topmost folder that has to belong to the user. */
  readonly top: string;
}

/**
 * Returns the folders in which a project's files are searched: up to the root of its repository; outside of a
 * repository up to the home if the project lies below it, else the project's own folder alone. For a worktree or
 * submodule inside of another checkout of the same repository, the search goes up to the root of that checkout.
 *
 * @param looks The project's folder and those above it, as `lookUpwards()` found them.
 */
export function searchedFolders(looks: readonly FolderLook[], home: string | null): Search {
  const at = looks.findIndex(endsSearch);
  if (at >= 0) {
    const outer = looks.findIndex((look, i) => i > at && leadsInto(looks[at]!, look));
    return upTo(looks, Math.max(at, outer));
  }
  const start = looks[0]?.path ?? "";
  const top = home === null || isAt(start, home) ? home : realOr(home);
  if (top === null || !isAt(start, top)) return upTo(looks, 0);
  return { folders: looks.filter(({ path }) => isAt(path, top)), top };
}

function upTo(looks: readonly FolderLook[], last: number): Search {
  return { folders: looks.slice(0, last + 1), top: looks[last]?.path ?? "" };
}

function isAt(path: string, folder: string): boolean {
  return `${path}/`.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** Tells whether a folder is the root of a repository. Like git, this ignores a `.git` that is not a repository. */
function endsSearch({ path, names, gitIsFile }: FolderLook): boolean {
  if (!names.includes(".git")) return false;
  return gitIsFile || isFile(joinPath(path, ".git/HEAD"));
}

/**
 * Returns why a file must not count: the file, its link's target, or a folder up to `top` belongs to another user, or
 * others may write there; null where it may count. @param at `folder`: the folder to trust, by default the file's own.
 */
export function whyDistrusted(
  path: string,
  at: { readonly top: string; readonly folder?: string; readonly by: TrustPlace },
): Distrust | null {
  try {
    const fault = findFault(path, at.top);
    if (fault === null || isTrusted(path, at.by)) return null;
    const { why, mend } = fault;
    return { why, next: mend ?? ["conclaude", "config", "trust", at.folder ?? parentOf(path)] };
  } catch {
    // The file is gone or may not be read: the caller that reads it reports that.
    return null;
  }
}

/** Tells whether a person trusts the folder of a file, or one above it. */
function isTrusted(path: string, { database, databaseFrom }: TrustPlace): boolean {
  // A fallback database in `/tmp` may have been made by others.
  if (database === undefined || databaseFrom === "fallback") return false;
  const folder = realOr(parentOf(path));
  return trustedFolders(database).some((trusted) => isAt(folder, trusted));
}
