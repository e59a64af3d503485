/**
 * Finds, reads and replaces whole settings files, so that Claude Code and other programs never see half a file. A link
 * stays a link; its target is replaced.
 */
import { isUserError, messageOf, UserError } from "../../base/errors.ts";
import { parentOf } from "../../base/paths.ts";
import { IS_WINDOWS } from "../../system/process/executable.ts";
import { removeSync } from "../../system/files.ts";
import { realPath } from "../../system/real_paths.ts";
import {
  folderMode,
  keepOwner,
  makeFolder,
  readFile,
  removeQuietly,
  writeWhole,
} from "../../system/write_file.ts";
import { commandLine, quoteWord } from "./hooks.ts";
import { KNOWN_EVENTS } from "./lanes.ts";
import { parseTree } from "jsonc-parser";
import { isManagedFile } from "./settings_place.ts";
import { faultIn, lineEndOf, type Node, placeOf, valueAt } from "./json_edit.ts";

export interface SettingsFile {
  readonly path: string;
  /** The file behind all links; the same as `path` when there are none. It need not exist. */
  readonly target: string;
  readonly text: string | undefined;
  /** The file's permission bits, or 0600 when there is no file. */
  readonly mode: number;
}

export interface Target {
  readonly path: string;
  /** The flags of the command, repeated when a refusal says how to go on. */
  readonly flags?: readonly string[] | undefined;
}

export interface Attempt extends Target {
  readonly command: "install-hooks" | "uninstall-hooks";
  /** The subject of the edit in a refusal; by default `hooks`. */
  readonly subject?: string | undefined;
}

const NEW_FILE_MODE = 0o600;
/** Every user's Claude Code reads the policy of the machine. */
const SHARED_FILE_MODE = 0o644;

/** Reads a settings file through all links. @throws UserError When it is not a file, or not UTF-8. */
export function readSettings(path: string): SettingsFile {
  return orExplain(path, `Cannot read "${path}"`, () => {
    const target = realPath(path);
    const found = readFile(target);
    const newMode = isManagedFile(path) ? SHARED_FILE_MODE : NEW_FILE_MODE;
    if (found === null) return { path, target, text: undefined, mode: newMode };
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(found.bytes);
    return { path, target, text, mode: found.mode ?? NEW_FILE_MODE };
  });
}

/** Replaces or makes a file, or removes it (`undefined`). @returns False when it has changed since it was read. */
export function replaceSettings(file: SettingsFile, text: string | undefined): boolean {
  return orExplain(file.path, `Cannot write "${file.path}"`, () => {
    const isUnchanged = () => {
      const now = readSettings(file.path);
      return now.text === file.text && now.target === file.target;
    };
    if (text !== undefined) return writeSettings(text, { ...file, mayReplace: isUnchanged });
    if (!isUnchanged()) return false;
    removeSync(file.target);
    return true;
  });
}

/** Returns the path of the backup: beside the settings file, or beside the link to it. */
export function backupPath(path: string): string {
  return `${path}.conclaude-backup`;
}

/** Returns the text of the backup; `undefined` when there is none, or it cannot be read: nothing depends on it. */
export function readBackup(path: string): string | undefined {
  try {
    return readSettings(backupPath(path)).text;
  } catch (thrown) {
    if (isUserError(thrown)) return undefined;
    throw thrown;
  }
}

/** Replaces a file as {@linkcode replaceSettings}, with a backup of the former text instead of any older backup. */
export function replaceBackedUp(file: SettingsFile, text: string): boolean {
  const target = backupPath(file.path);
  orExplain(
    target,
    `Cannot write "${target}"`,
    () => writeSettings(file.text ?? "", { ...file, target }),
  );
  return replaceSettings(file, text);
}

/** Removes the backup. One that stays does no harm: the next installation replaces it. */
export function dropSettingsBackup(path: string): void {
  removeQuietly(backupPath(path));
}

function writeSettings(
  text: string,
  options: {
    readonly target: string;
    readonly mode: number;
    /** Called right before the rename; false keeps the old file. */
    readonly mayReplace?: () => boolean;
  },
): boolean {
  const { target, mode, mayReplace = () => true } = options;
  makeFolder(parentOf(target), mode === SHARED_FILE_MODE ? 0o755 : NEW_FOLDER_MODE);
  return writeWhole(target, text, {
    mode,
    prepare: (draft) => {
      keepOwner(draft, { target, mode });
      return mayReplace();
    },
  });
}

function orExplain<T>(path: string, what: string, act: () => T): T {
  try {
    return act();
  } catch (thrown) {
    if (isUserError(thrown)) throw thrown;
    throw new UserError(what, {
      why: `${messageOf(thrown)}; nothing was changed`,
      next: isManagedFile(path)
        ? "sudo conclaude install-hooks --managed"
        : `ls -l ${quoteWord(path)}`,
      cause: thrown,
    });
  }
}

/** Returns a refusal whose first line names the file, and whose last line says how to go on. */
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

/** Claude Code keeps people's prompts beside its settings, so only the owner may read a new folder. */
const NEW_FOLDER_MODE = 0o700;

/** Removes an empty settings folder that, by its mode, an installation has made. */
export function removeMadeFolder(settings: string): void {
  const folder = parentOf(settings);
  const mode = folderMode(folder);
  // A folder that holds something else stays.
  if (mode === NEW_FOLDER_MODE || (IS_WINDOWS && mode !== null)) removeQuietly(folder);
}

/** How often a file that another program changes meanwhile is read again. */
const MOST_ROUNDS = 20;

/** Runs `act` on the file as it is now, again whenever `act` finds that it has changed and returns nothing. */
export function withFreshFile<T>(attempt: Attempt, act: (file: SettingsFile) => T | undefined): T {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const result = act(readSettings(attempt.path));
    if (result !== undefined) return result;
  }
  throw refusal(attempt, {
    why: `other programs changed the file ${MOST_ROUNDS} times while it was being edited`,
    todo: "wait until they are done",
  });
}

/** The two parts of a settings file: a byte order mark or nothing, and a JSON object. */
interface SettingsText {
  readonly mark: string;
  readonly body: string;
}

/** Opens a file as {@linkcode openObject}; also refuses `hooks` of a wrong shape and keys that stand twice. */
export function openSettings(text: string, attempt: Attempt): SettingsText {
  const opened = openObject(text, attempt);
  checkShape(opened.body, attempt);
  return opened;
}

/** Opens a file of Claude Code for editing. @throws UserError When it is JSON with comments, or no object. */
export function openObject(text: string, attempt: Attempt): SettingsText {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const body = text.slice(mark.length);
  if (body.trim() === "") return { mark, body: `{}${lineEndOf(body)}` };
  const fault = faultIn(body);
  if (fault !== null) {
    const { line, column, problem, isComment } = fault;
    throw refusal(attempt, {
      why: isComment
        ? `the file contains JSONC comments, the first on line ${line}, column ${column}; ` +
          "only standard JSON can be edited without losing anything"
        : `malformed JSON on line ${line}, column ${column}: ${problem}`,
      todo: isComment ? "remove the comments" : `correct line ${line}`,
    });
  }
  mustBe("object", { node: parseTree(body)!, path: "the top level", attempt });
  return { mark, body };
}

function checkShape(body: string, attempt: Attempt): void {
  const root = parseTree(body);
  if (root === undefined) return;
  const check = (object: Node, path: string, keys: readonly string[]) =>
    refuseTwins(body, { object, path, keys, attempt });
  check(root, "", ["hooks"]);
  const hooks = valueAt(root, "hooks");
  if (hooks === undefined) return;
  mustBe("object", { node: hooks, path: "`hooks`", attempt });
  check(hooks, "hooks.", KNOWN_EVENTS);
  for (const event of KNOWN_EVENTS) {
    const groups = valueAt(hooks, event);
    if (groups === undefined) continue;
    mustBe("array", { node: groups, path: `\`hooks.${event}\``, attempt });
    for (const [index, group] of (groups.children ?? []).entries()) {
      const path = `hooks.${event}[${index}]`;
      check(group, `${path}.`, ["matcher", "hooks"]);
      for (const [place, handler] of (valueAt(group, "hooks")?.children ?? []).entries()) {
        const keys = ["type", "command", "args", "timeout", "async"];
        check(handler, `${path}.hooks[${place}].`, keys);
      }
    }
  }
}

/** Checks a node. @throws UserError When its type is another. @param context `path`: its place, to begin a sentence. */
export function mustBe(
  type: "object" | "array",
  context: { readonly node: Node; readonly path: string; readonly attempt: Attempt },
): void {
  const { node, path, attempt } = context;
  if (node.type === type) return;
  const article = /^[aeiou]/.test(node.type) ? "an" : "a";
  throw refusal(attempt, {
    why: `${path} must be an ${type}, and is ${
      node.type === "null" ? "null" : `${article} ${node.type}`
    }`,
    todo: `make ${path} an ${type}`,
  });
}

/** Refuses an object in which a key stands twice: only the last counts for Claude Code. */
export function refuseTwins(
  body: string,
  context: {
    readonly object: Node;
    readonly keys: readonly string[];
    readonly path: string;
    readonly attempt: Attempt;
  },
): void {
  const properties = context.object.type === "object" ? context.object.children ?? [] : [];
  for (const key of context.keys) {
    const twins = properties.filter(({ children }) => children?.[0]?.value === key);
    if (twins.length < 2) continue;
    const lines = twins.map((twin) => placeOf(body, twin.offset).line).join(" and ");
    throw refusal(context.attempt, {
      why: `the key \`${context.path}${key}\` occurs more than once (lines ${lines}), ` +
        "and only the last one counts",
      todo: "keep one of them",
    });
  }
}
