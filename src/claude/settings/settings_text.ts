/** Opens the text of a file of Claude Code for editing, or refuses it and says why. */
import { parseTree } from "jsonc-parser";
import { KNOWN_EVENTS } from "./hooks.ts";
import { lineEndOf, type Node, placeOf, readJson, valueAt } from "./json_edit.ts";
import { type Attempt, refusal } from "./settings_file.ts";

/** The two parts of a settings file: a byte order mark or nothing, and a JSON object. */
export interface SettingsText {
  readonly mark: string;
  readonly body: string;
}

/**
 * Opens a settings file for editing, as `openObject()` does.
 *
 * @throws UserError Also when `hooks` is no object, a known event in it is no array, or a key that matters stands twice.
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

/** @throws UserError When a node is of another type. @param context `path`: where it is, to begin a sentence. */
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

/**
 * Refuses an object in which one of `keys` stands twice: only the last counts for Claude Code, so an edit to the first
 * would do nothing.
 *
 * @param context `path`: what leads to the object, with a `.` at its end. @throws UserError
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
