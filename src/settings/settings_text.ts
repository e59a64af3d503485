/**
 * A settings file as text that is safe to edit, or a refusal that says why it is not.
 */
import { parseTree } from "jsonc-parser";
import { UserError } from "../errors.ts";
import { commandLine, KNOWN_EVENTS } from "./hooks.ts";
import { lineEndOf, type Node, placeOf, readJson } from "./json_text.ts";

/** Which file is edited; only for the words of a refusal. */
export interface Target {
  /** The settings file. */
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

/** The two parts of a settings file: a byte order mark or nothing, and a JSON object. */
export interface SettingsText {
  readonly mark: string;
  readonly body: string;
}

/**
 * Opens a settings file for editing, as `openObject()` does.
 *
 * @throws UserError As that, and when the text has not the shape that hooks need: `hooks` an object, each known event
 * in that an array, and no key twice on the way.
 */
export function openSettings(text: string, attempt: Attempt): SettingsText {
  const opened = openObject(text, attempt);
  checkShape(opened.body, attempt);
  return opened;
}

/**
 * Opens a file of Claude Code for editing. A blank text stands for an empty object, since an empty file sets nothing.
 *
 * @throws UserError When the text is JSON with comments, is no JSON, or is no object.
 */
export function openObject(text: string, attempt: Attempt): SettingsText {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const body = text.slice(mark.length);
  if (body.trim() === "") return { mark, body: `{}${lineEndOf(body)}` };
  const reading = readJson(body);
  if (reading.kind === "comments") {
    const { line, column } = reading;
    throw refusal(attempt, {
      why: `the file contains JSONC comments, the first on line ${line}, column ${column}; ` +
        "only standard JSON can be edited without losing anything",
      todo: "remove the comments",
    });
  }
  if (reading.kind === "malformed") {
    const { line, column, problem } = reading;
    throw refusal(attempt, {
      why: `malformed JSON on line ${line}, column ${column}: ${problem}`,
      todo: `correct line ${line}`,
    });
  }
  mustBe("object", { node: reading.root, path: "the top level", attempt });
  return { mark, body };
}

/** A refusal with the file named in its first line and the way on in its last. */
export function refusal(
  attempt: Attempt,
  details: { readonly why: string; readonly todo: string; readonly cause?: unknown },
): UserError {
  const { command, path, subject = "hooks" } = attempt;
  const action = command === "install-hooks" ? `add ${subject} to` : `remove ${subject} from`;
  return new UserError(`Cannot ${action} "${path}"`, {
    why: details.why,
    next: `${details.todo} and run \`${
      commandLine(attempt.command, attempt.flags)
    }\` again; nothing was changed`,
    cause: details.cause,
  });
}

/** The value of a key of an object node; `undefined` when the node is no object or has no such key. */
export function valueAt(object: Node | undefined, key: string): Node | undefined {
  return propertyAt(object, key)?.children?.[1];
}

/** The whole `"key": value` of an object node. */
export function propertyAt(object: Node | undefined, key: string): Node | undefined {
  return propertiesOf(object).find((property) => keyOf(property) === key);
}

/** The keys of an object node in the file's order, repetitions included. */
export function keysOf(object: Node | undefined): string[] {
  return propertiesOf(object).map(keyOf);
}

function propertiesOf(node: Node | undefined): readonly Node[] {
  return node?.type === "object" ? node.children ?? [] : [];
}

function keyOf(property: Node): string {
  return String(property.children?.[0]?.value);
}

function checkShape(body: string, attempt: Attempt): void {
  const root = parseTree(body);
  if (root === undefined) return;
  refuseTwins(body, { object: root, keys: ["hooks"], path: "", attempt });
  const hooks = valueAt(root, "hooks");
  if (hooks === undefined) return;
  mustBe("object", { node: hooks, path: "`hooks`", attempt });
  refuseTwins(body, { object: hooks, keys: KNOWN_EVENTS, path: "hooks.", attempt });
  for (const event of KNOWN_EVENTS) {
    const groups = valueAt(hooks, event);
    if (groups === undefined) continue;
    mustBe("array", { node: groups, path: `\`hooks.${event}\``, attempt });
    for (const [index, group] of (groups.children ?? []).entries()) {
      const path = `hooks.${event}[${index}]`;
      refuseTwins(body, {
        object: group,
        keys: ["matcher", "hooks"],
        path: `${path}.`,
        attempt,
      });
      for (const [place, handler] of (valueAt(group, "hooks")?.children ?? []).entries()) {
        const keys = ["type", "command", "args", "timeout", "async"];
        refuseTwins(body, { object: handler, keys, path: `${path}.hooks[${place}].`, attempt });
      }
    }
  }
}

/** @throws UserError When a node is of another type. @param context `path`: where it is, to begin a sentence. */
export function mustBe(
  type: "object" | "array",
  context: { readonly node: Node; readonly path: string; readonly attempt: Attempt },
): void {
  const { node, path, attempt } = context;
  if (node.type === type) return;
  throw refusal(attempt, {
    why: `${path} must be an ${type}, and is ${
      node.type === "null" ? "null" : withArticle(node.type)
    }`,
    todo: `make ${path} an ${type}`,
  });
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/**
 * Of two equal keys only the last counts for Claude Code, and an edit to the other would do nothing.
 *
 * @param context `path`: what leads to the object, with a `.` at its end. @throws UserError When one of `keys` occurs twice.
 */
export function refuseTwins(
  body: string,
  context: {
    readonly object: Node;
    readonly keys: readonly string[];
    readonly path: string;
    readonly attempt: Attempt;
  },
): void {
  for (const key of context.keys) {
    const twins = propertiesOf(context.object).filter((property) => keyOf(property) === key);
    if (twins.length < 2) continue;
    const lines = twins.map((twin) => placeOf(body, twin.offset).line).join(" and ");
    throw refusal(context.attempt, {
      why: `the key \`${context.path}${key}\` occurs more than once (lines ${lines}), ` +
        "and only the last one counts",
      todo: "keep one of them",
    });
  }
}
