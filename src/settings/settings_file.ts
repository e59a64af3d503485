/**
 * Settings files on disk: where they are, reading them, and replacing them whole.
 *
 * A file is written beside its place under a name of its own, flushed, and renamed, so that Claude Code and other
 * programs see the old text or the new one and never half of it. Links are followed: the link stays, its target is
 * replaced.
 */
import { isUserError, messageOf, UserError } from "../errors.ts";
import { isAbsolutePath, joinPath, parentOf, resolvePath } from "../paths.ts";
import { writeWhole } from "../project/write_file.ts";
import { commandLine, quoteWord } from "./hooks.ts";

/** Which of Claude Code's settings files: the user's own, the project's shared one, or the project's private one. */
export type SettingsScope = "user" | "project" | "local";

/** Where settings are looked for. */
export interface SettingsPlace {
  readonly scope: SettingsScope;
  /** A file that was named outright; the scope then counts for nothing. A relative path starts at `cwd`. */
  readonly settings?: string | undefined;
  readonly projectDir: string;
  /** The working directory; the project directory when it is not given. */
  readonly cwd?: string | undefined;
  readonly home: string | undefined;
  /** `CLAUDE_CONFIG_DIR`, which replaces `~/.claude`. */
  readonly configDir?: string | undefined;
}

/** A settings file as it was when it was read. */
export interface SettingsFile {
  /** The path as it was asked for, perhaps a link. */
  readonly path: string;
  /** The file behind all links; the same as `path` when there are none. It need not exist. */
  readonly target: string;
  /** `undefined` when there is no file. */
  readonly text: string | undefined;
  /** Permission bits for whatever takes its place: its own, or 0600 when there is no file. */
  readonly mode: number;
}

/** Which file is edited; only for the words of a refusal. */
export interface Target {
  readonly path: string;
  /** The flags that led the command to it, and what else it was told: repeated in the way on. */
  readonly flags?: readonly string[] | undefined;
}

/** Who wants to edit which file. */
export interface Attempt extends Target {
  readonly command: "install-hooks" | "uninstall-hooks";
  /** What is put in or taken out, in the words of a refusal; `hooks` when not given. */
  readonly subject?: string | undefined;
}

const NEW_FILE_MODE = 0o600;
const MOST_LINKS = 40;

/**
 * The absolute path of a settings file.
 *
 * @throws UserError When the user's settings are asked for and there is neither a home nor a configuration folder.
 */
export function settingsPath(place: SettingsPlace): string {
  const { scope, projectDir, home, configDir } = place;
  const cwd = place.cwd ?? projectDir;
  if (place.settings) return resolvePath(place.settings, { folder: cwd, home });
  if (scope === "project") return joinPath(joinPath(projectDir, ".claude"), "settings.json");
  if (scope === "local") return joinPath(joinPath(projectDir, ".claude"), "settings.local.json");
  const folder = configDir || (home && joinPath(home, ".claude"));
  if (!folder) {
    throw new UserError("Cannot find the user's settings file", {
      why: "neither CLAUDE_CONFIG_DIR nor HOME is set",
      next: "Use `--settings FILE` to name the file",
    });
  }
  return joinPath(resolvePath(folder, { folder: cwd, home }), "settings.json");
}

/** Claude Code's settings files for a project, the one that has the last word first; without a user's where none is known. */
export function settingsPaths(
  place: Pick<SettingsPlace, "projectDir" | "home" | "configDir">,
): string[] {
  const isUserKnown = Boolean(place.home || place.configDir);
  const scopes: readonly SettingsScope[] = [
    "local",
    "project",
    ...isUserKnown ? ["user"] as const : [],
  ];
  return [...new Set(scopes.map((scope) => settingsPath({ scope, ...place })))];
}

/** The flags that lead a command to the same file again, from the same folder; none for the user's own settings. */
export function placeFlags(place: SettingsPlace): string[] {
  if (place.settings) return ["--settings", settingsPath(place)];
  return place.scope === "user" ? [] : ["--scope", place.scope];
}

/**
 * Reads a settings file through all links. A byte order mark is kept.
 *
 * @throws UserError When there is something that is no file, cannot be read, or is not UTF-8.
 */
export function readSettings(path: string): SettingsFile {
  return orExplain(path, `Cannot read "${path}"`, () => {
    const target = followLinks(path);
    try {
      const info = Deno.statSync(target);
      if (!info.isFile) throw new Error("it is not a regular file");
      const bytes = Deno.readFileSync(target);
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      return { path, target, text, mode: (info.mode ?? NEW_FILE_MODE) & 0o777 };
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
      return { path, target, text: undefined, mode: NEW_FILE_MODE };
    }
  });
}

/**
 * Puts `text` in the place of a file that was read before, and makes its folder where that is missing. `undefined`
 * removes the file.
 *
 * @returns False, with nothing written, when the file has changed since it was read.
 * @throws UserError When it cannot be written.
 */
export function replaceSettings(file: SettingsFile, text: string | undefined): boolean {
  return orExplain(file.path, `Cannot write "${file.path}"`, () => {
    const isUnchanged = () => {
      const now = readSettings(file.path);
      return now.text === file.text && now.target === file.target;
    };
    if (text !== undefined) return writeSettings(text, { ...file, isWelcome: isUnchanged });
    if (!isUnchanged()) return false;
    Deno.removeSync(file.target);
    return true;
  });
}

/** Where the state before an installation is kept: beside the settings file, or beside the link to it. */
export function backupPath(path: string): string {
  return `${path}.conclaude-backup`;
}

/**
 * The text of the backup.
 *
 * @returns `undefined` when there is none, and when it cannot be read: a backup is never needed to go on.
 */
export function readBackup(path: string): string | undefined {
  try {
    return readSettings(backupPath(path)).text;
  } catch (thrown) {
    if (isUserError(thrown)) return undefined;
    throw thrown;
  }
}

/**
 * Keeps the text of a file that was read, with its mode, in place of any older backup.
 *
 * @throws UserError When it cannot be written.
 */
export function writeBackup(file: SettingsFile): void {
  const target = backupPath(file.path);
  orExplain(
    target,
    `Cannot write "${target}"`,
    () => writeSettings(file.text ?? "", { ...file, target }),
  );
}

/**
 * {@linkcode replaceSettings} with a backup of what was there. When the file cannot be replaced, what was kept before is
 * kept again; when it has changed, whoever changed it may count on the backup.
 *
 * @throws UserError When either cannot be written.
 */
export function replaceBackedUp(file: SettingsFile, text: string): boolean {
  const former = readFormer(backupPath(file.path));
  writeBackup(file);
  try {
    return replaceSettings(file, text);
  } catch (thrown) {
    undoBackup(file.path, former);
    throw thrown;
  }
}

/** Removes the backup; nothing happens when there is none or when it cannot be removed. */
export function dropBackup(path: string): void {
  try {
    Deno.removeSync(backupPath(path));
  } catch {
    // A backup that stays does no harm: it is replaced by the next installation.
  }
}

/** The path behind all links. The end of a dangling link is a place where a file may be made. */
function followLinks(path: string): string {
  let target = path;
  for (let links = 0; links < MOST_LINKS; links++) {
    try {
      const next = Deno.readLinkSync(target);
      target = isAbsolutePath(next) ? next : joinPath(parentOf(target), next);
    } catch {
      return target;
    }
  }
  throw new Error("too many levels of symbolic links");
}

/** The backup before this one; `undefined` when there is none, or none that can be read. */
function readFormer(path: string): SettingsFile | undefined {
  try {
    const former = readSettings(path);
    return former.text === undefined ? undefined : former;
  } catch {
    return undefined;
  }
}

function undoBackup(path: string, former: SettingsFile | undefined): void {
  if (former?.text === undefined) return dropBackup(path);
  try {
    writeSettings(former.text, { target: backupPath(path), mode: former.mode });
  } catch {
    // The error that led here is the one to tell.
  }
}

function writeSettings(
  text: string,
  options: {
    readonly target: string;
    readonly mode: number;
    /** Asked when everything is ready for the rename; by default the file is welcome. */
    readonly isWelcome?: () => boolean;
  },
): boolean {
  const { target, mode, isWelcome = () => true } = options;
  Deno.mkdirSync(parentOf(target), { recursive: true, mode: NEW_FOLDER_MODE });
  return writeWhole(target, text, {
    mode,
    prepare: (draft) => {
      keepOwner(draft, { target, mode });
      return isWelcome();
    },
  });
}

/** Undoes what the umask took from the mode, and lets root edit another user's file without taking it away. */
function keepOwner(
  draft: string,
  options: { readonly target: string; readonly mode: number },
): void {
  if (Deno.build.os === "windows") return;
  Deno.chmodSync(draft, options.mode);
  try {
    const { uid, gid } = Deno.statSync(options.target);
    if (uid !== null && gid !== null && uid !== Deno.uid()) Deno.chownSync(draft, uid, gid);
  } catch {
    // There is no file whose owner could be kept, or it is not ours to give away.
  }
}

function orExplain<T>(path: string, what: string, act: () => T): T {
  try {
    return act();
  } catch (thrown) {
    if (isUserError(thrown)) throw thrown;
    throw new UserError(what, {
      why: `${messageOf(thrown)}; nothing was changed`,
      next: `ls -l ${quoteWord(path)}`,
      cause: thrown,
    });
  }
}

/** A refusal that names the file in its first line and says in its last how to go on. */
export function refusal(
  attempt: Attempt,
  details: { readonly why: string; readonly todo: string; readonly cause?: unknown },
): UserError {
  const { command, path, subject = "hooks" } = attempt;
  const action = command === "install-hooks" ? `add ${subject} to` : `remove ${subject} from`;
  const again = commandLine(attempt.command, attempt.flags);
  return new UserError(`Cannot ${action} "${path}"`, {
    why: details.why,
    next: `${details.todo} and run \`${again}\` again; nothing was changed`,
    cause: details.cause,
  });
}

/** Only their owner looks into folders that an installation makes: Claude Code keeps what people have typed beside its settings. */
const NEW_FOLDER_MODE = 0o700;

/** Removes the folder of a settings file that is gone, where an installation has made it, as far as its mode tells, and nothing is in it. */
export function removeMadeFolder(settings: string): void {
  const folder = parentOf(settings);
  try {
    const { isDirectory, mode } = Deno.lstatSync(folder);
    const isMade = Deno.build.os === "windows" || ((mode ?? 0) & 0o777) === NEW_FOLDER_MODE;
    if (isDirectory && isMade) Deno.removeSync(folder);
  } catch {
    // Something else is in it, so it stays.
  }
}

/** How often a file that another program changes meanwhile is read again. */
const MOST_ROUNDS = 20;

/**
 * Runs `act` on the file as it is now, again whenever `act` finds that it has changed and returns nothing.
 *
 * @throws UserError As `act`, and when other programs do not stop changing the file.
 */
export function withFreshFile<T>(
  attempt: Attempt,
  act: (file: SettingsFile) => T | undefined,
): T {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const done = act(readSettings(attempt.path));
    if (done !== undefined) return done;
  }
  throw refusal(attempt, {
    why: `other programs changed the file ${MOST_ROUNDS} times while it was being edited`,
    todo: "wait until they are done",
  });
}
