/**
 * Finds, reads and replaces whole settings files, so that Claude Code and other programs never see half a file. A link
 * stays a link; its target is replaced.
 */
import { isUserError, messageOf, quietly, UserError } from "../../base/errors.ts";
import { type Mapping, ownValue } from "../../base/mapping.ts";
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
import { faultIn, lineEndOf, type Node, placeOf } from "./json_edit.ts";

export interface SettingsFile {
  readonly path: string;
  /** The file behind all links; the same as `path` when there are none. It need not exist. */
  readonly target: string;
  readonly text: string | undefined;
  /** The file's permission bits; when there is no file, those that it will get. */
  readonly mode: number;
}

/** The command that a person tried; a refusal names it. */
export interface Attempt {
  readonly command: "install-hooks" | "uninstall-hooks";
  readonly path: string;
  /** The flags of the command, repeated to say how to go on. */
  readonly flags: readonly string[];
  /** The part of the file that the command adds or removes. */
  readonly subject: "hooks" | "the MCP server";
}

/** A file cannot be edited without harm. {@linkcode withFreshFile} says which command was tried. */
class Uneditable extends UserError {}

/** Makes the error for a file that cannot be edited. @param todo What a person has to do before the next try. */
export function uneditable(why: string, todo: string): Uneditable {
  return new Uneditable("Cannot edit the file", { why, next: todo });
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
  return quietly(() => readSettings(backupPath(path)).text);
}

/** Replaces a file as {@linkcode replaceSettings}, with a backup of the former text instead of any older backup. */
export function replaceBackedUp(file: SettingsFile, text: string): boolean {
  const target = backupPath(file.path);
  const backup = { target, mode: file.mode };
  orExplain(target, `Cannot write "${target}"`, () => writeSettings(file.text ?? "", backup));
  return replaceSettings(file, text);
}

function writeSettings(
  text: string,
  { target, mode, mayReplace = () => true }: Pick<SettingsFile, "target" | "mode"> & {
    /** Called right before the rename; false keeps the old file. */
    readonly mayReplace?: () => boolean;
  },
): boolean {
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

/**
 * Runs `act` on the file as it is now, again whenever `act` finds that it has changed and returns nothing.
 * @throws UserError When the file cannot be edited; it names the file and says how to go on.
 */
export function withFreshFile<T>(attempt: Attempt, act: (file: SettingsFile) => T | undefined): T {
  const { command, path, flags, subject } = attempt;
  try {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const result = act(readSettings(path));
      if (result !== undefined) return result;
    }
    throw uneditable(
      `other programs changed the file ${MOST_ROUNDS} times while it was being edited`,
      "wait until they are done",
    );
  } catch (thrown) {
    if (!(thrown instanceof Uneditable)) throw thrown;
    const action = command === "install-hooks" ? `add ${subject} to` : `remove ${subject} from`;
    throw new UserError(`Cannot ${action} "${path}"`, {
      why: thrown.why,
      next: `${thrown.next} and run \`${commandLine(command, flags)}\` again; nothing was changed`,
      cause: thrown,
    });
  }
}

/** The part of a JSON text that an edit relies on. */
interface Shape {
  /** The type that the value must have; absent where other types are left alone. */
  readonly type?: "object" | "array";
  /** The values of these keys, each of which may occur once. */
  readonly keys?: Readonly<Record<string, Shape>>;
  /** The items of an array, or the values of an object's other keys, each of which may occur once. */
  readonly others?: Shape;
}

/** Returns the shape of an object in which keys lead to a value. */
export function shapeOf(keys: readonly string[]): Shape {
  return keys.reduceRight<Shape>((inner, key) => ({ type: "object", keys: { [key]: inner } }), {});
}

const once = (...keys: readonly string[]): Readonly<Record<string, Shape>> =>
  Object.fromEntries(keys.map((key) => [key, {}]));
const HANDLER: Shape = { keys: once("type", "command", "args", "timeout", "async") };
const GROUP: Shape = { keys: { ...once("matcher"), hooks: { others: HANDLER } } };
const EVENT: Shape = { type: "array", others: GROUP };

/** Hooks in a settings file. Claude Code ignores events that it does not know. */
export const HOOKS: Shape = {
  type: "object",
  keys: {
    hooks: {
      type: "object",
      keys: Object.fromEntries(KNOWN_EVENTS.map((event) => [event, EVENT])),
      others: { others: GROUP },
    },
  },
};

/**
 * Opens a file of Claude Code for editing: its byte order mark, if it has one, its JSON text, and the object in it.
 * @throws UserError When it is JSON with comments, or has another shape.
 */
export function openFile(text: string, shape: Shape) {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const body = text.slice(mark.length);
  if (body.trim() === "") return { mark, body: `{}${lineEndOf(body)}`, settings: {} as Mapping };
  const fault = faultIn(body);
  if (fault !== null) {
    const { line, column, problem, isComment } = fault;
    throw isComment
      ? uneditable(
        `the file contains JSONC comments, the first on line ${line}, column ${column}; ` +
          "only standard JSON can be edited without losing anything",
        "remove the comments",
      )
      : uneditable(
        `malformed JSON on line ${line}, column ${column}: ${problem}`,
        `correct line ${line}`,
      );
  }
  checkShape(parseTree(body)!, shape, { body, path: "" });
  return { mark, body, settings: JSON.parse(body) as Mapping };
}

function checkShape(
  node: Node,
  { type, keys = {}, others }: Shape,
  { body, path }: { readonly body: string; readonly path: string },
): void {
  if (type !== undefined && node.type !== type) {
    const place = path === "" ? "the top level" : `\`${path}\``;
    const article = node.type === "null" ? "" : /^[aeiou]/.test(node.type) ? "an " : "a ";
    throw uneditable(
      `${place} must be an ${type}, and is ${article}${node.type}`,
      `make ${place} an ${type}`,
    );
  }
  const children = node.children ?? [];
  if (node.type === "array" && others !== undefined) {
    children.forEach((item, i) => checkShape(item, others, { body, path: `${path}[${i}]` }));
  }
  if (node.type !== "object") return;
  for (const [key, twins] of Map.groupBy(children, ({ children }) => children![0]!.value)) {
    const shape = ownValue(keys, key) ?? others;
    if (shape === undefined) continue;
    const inner = path === "" ? key : `${path}.${key}`;
    if (twins.length > 1) {
      const lines = twins.map((twin) => placeOf(body, twin.offset).line).join(" and ");
      throw uneditable(
        `the key \`${inner}\` occurs more than once (lines ${lines}), and only the last one counts`,
        "keep one of them",
      );
    }
    checkShape(twins[0]!.children![1]!, shape, { body, path: inner });
  }
}
