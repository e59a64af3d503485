/** Files without which the guards would not be what they are: their policy, what they remember, and what starts them. */

import type { TextChange } from "./edits.ts";
import { parentOf } from "../paths.ts";
import type { Effect, FileFacts } from "./files.ts";
import { changesHooks } from "./settings_file.ts";

/** The name of the rule that protects them. */
export const PROTECT_RULE = "preToolUse.protectPolicy";

/** The files that say what is guarded, the database that knows what is lifted, and what waits to go into it. */
const POLICY_FILE =
  /(?:^|\/)\.conclaude(?:$|\/(?:config\.ya?ml$|conclaude\.(?:db|log)|(?:spool|notices|backups)(?:$|\/))|(?:\.local)?\.ya?ml$)|^\/tmp\/conclaude(?:\.db|-\d+(?:$|\/))/;

/** A project's own of these: elsewhere, where none is yet, a copy is nobody's policy. */
const PROJECT_POLICY_FILE = /(?:^|\/)\.conclaude(?:\.local)?\.ya?ml$/;

/** Claude Code's own settings: they start the hooks. */
const SETTINGS_FILE = /(?:^|\/)\.claude\/settings(?:\.local)?\.json$/;
const SETTINGS_OR_FOLDER = /(?:^|\/)\.claude(?:$|\/settings(?:\.local)?\.json$)/;

/**
 * What a file is to the guards: their rules and memory, what starts them, what tells the branch of requirements, what
 * would keep their rules from being found.
 */
export type OwnKind = "guards" | "settings" | "program" | "git" | "search";

/** A file that counts now, and one of the ways to it: absolute. */
export interface OwnFile {
  readonly kind: OwnKind;
  readonly path: string;
}

const REASONS: Readonly<Record<OwnKind, string>> = {
  guards: "belongs to the guards",
  settings: "starts the hooks",
  program: "is the program that the hooks start",
  git: "tells which branch is checked out, for which the requirements are kept",
  search: "would end the search for the configuration there, short of the file that counts now",
};

/**
 * Which of the guards' files that count now a path is; of a folder, also which is meant with it: one that lies in it and
 * goes away with it, settings that may arise in it. Null for none.
 */
export function findOwn(
  own: readonly OwnFile[],
  { paths, effect }: { readonly paths: readonly string[]; readonly effect: Effect },
): OwnFile | null {
  const isMeant = (file: OwnFile, path: string) =>
    file.path === path || (concernsBelow(effect) && file.path.startsWith(`${path}/`)) ||
    (effect === "fill" && file.kind === "settings" && parentOf(file.path) === path);
  return own.find((file) => paths.some((path) => isMeant(file, path))) ?? null;
}

/** What a tool makes of a file: its text, where that can be worked out before; `unknown` of a shell command. */
export type Written = TextChange | "unknown";

/**
 * Why only a person may change a file in this way; null when a tool may.
 *
 * Of Claude Code's settings a tool may change all but the hooks, and make them where there are none.
 */
export function whyProtected(
  file: Pick<
    FileFacts,
    "name" | "spellings" | "exists" | "isPart" | "isElsewhere" | "own" | "text" | "effect"
  >,
  written: Written,
): string | null {
  const { name, spellings, own } = file;
  // What comes new with the copy of a folder, by its name alone, is nobody's policy yet.
  const named = file.isPart && !file.exists ? null : namedKind(file, written);
  const kind = named ?? own?.kind ?? null;
  if (kind === null || (kind === "settings" && !writesHooks(file, written))) return null;
  // Of a folder, what lies in it is the reason.
  const isItself = named !== null || own === null || spellings.includes(own.path);
  return `${isItself ? name : own.path} ${REASONS[kind]}`;
}

/** What a file is by its name, wherever it lies. */
function namedKind(
  { spellings, exists, isElsewhere, effect }: Pick<
    FileFacts,
    "spellings" | "exists" | "isElsewhere" | "effect"
  >,
  written: Written,
): OwnKind | null {
  // Nearly no file is one of them, and a search for a word costs nothing beside compiling a pattern.
  const is = (pattern: RegExp, word: string) =>
    spellings.some((spelling) => spelling.includes(word) && pattern.test(spelling));
  if (is(POLICY_FILE, "conclaude")) {
    const isCopy = isElsewhere && !exists && effect === "change" &&
      spellings.every((spelling) => PROJECT_POLICY_FILE.test(spelling));
    return isCopy ? null : "guards";
  }
  // A command that makes the folder anew may bring settings with it.
  const isWhole = effect !== "change" || (written === "unknown" && !exists);
  return is(isWhole ? SETTINGS_OR_FOLDER : SETTINGS_FILE, ".claude") ? "settings" : null;
}

function concernsBelow(effect: Effect): boolean {
  return effect === "remove" || effect === "tamper";
}

function writesHooks({ text }: Pick<FileFacts, "text">, written: Written): boolean {
  if (written === "unknown") return true;
  const before = text();
  const after = written(before);
  return after !== null && changesHooks(before, after);
}
