/** Finds the files that `patch`, `git apply` and `git am` change, from the patches that they read. */
import { type Change, marked, type ShellCommand } from "./shell_command.ts";
import { gitCall } from "./git_call.ts";
import { split } from "./operands.ts";
import { type Argument, literal, OPEN, placeOf } from "./word.ts";
import { WRITERS } from "./writes.ts";

const NOTHING = "/dev/null";

export interface PatchGround {
  /** Returns the text of a file; null when it is unknown. */
  readonly textOf: (file: Argument, folder: string | null) => string | null;
  readonly topOf: (folder: string) => string;
}

/**
 * Returns the changes of `git apply`, `git am`, and of `patch` where it names no file itself (see `writers.json`). Git's
 * own patches name files from the repository's top; `am` takes no others.
 */
export function changesOfPatches(
  { program, words, args, redirects, input, folder }: ShellCommand,
  ground: PatchGround,
): Change[] {
  const git = gitCall(words);
  if (!(git === null ? /^patch$/ : /^(?:apply|am)$/).test(git?.verb ?? program)) return [];
  const { never, ...patch } = WRITERS.find("patch")!;
  const { operands, options, has, values } = git ?? split(args, patch);
  const onlyLooks = git === null
    ? operands.length > 0 || options.some((text) => never!.test(text))
    : has("--abort --quit") || (has("--check --stat --numstat --summary") && !has("--apply"));
  if (onlyLooks) return [];
  const [named, goesTo, prefix] = git === null
    ? [values("-i --input").slice(-1), values("-d --directory").at(-1), undefined]
    : [operands, git.folder, values("--directory").at(-1)];
  const at = goesTo ? placeOf(goesTo, folder) : folder;
  const read = redirects.findLast(({ operator }) => operator === "<")?.target;
  // `-`, or no patch, means the standard input.
  return (named.length === 0 ? [literal("-")] : named).flatMap((file) => {
    const text = file.text !== "-" || file.isOpen
      ? ground.textOf(file, at)
      : input ?? (read === undefined ? null : ground.textOf(read, folder));
    const written = values("-p --strip").at(-1)?.text ?? "";
    const strip = /^\d+$/.test(written) ? Number(written) : git === null ? null : 1;
    const names = text === null || at === null || prefix?.isOpen
      ? null
      : namesIn(text, { strip, isReversed: has("-R --reverse") });
    if (names === null || names.size === 0) return marked([OPEN], "change");
    const isFromTop = git !== null && (git.verb === "am" || /^diff --git /m.test(text!));
    const base = placeOf(prefix ?? literal("."), isFromTop ? ground.topOf(at!) : at);
    return Array.from(names, ([name, effect]) => ({ word: literal(`${base}/${name}`), effect }));
  });
}

const PAIR = /^--- ([^\t\r\n]+).*\r?\n\+\+\+ ([^\t\r\n]+)/gm;
const RENAMED = /^(?:rename (?:from|to)|copy to) (.+)/gm;

/**
 * Finds the files that a patch names, with what it does to them; null where a name cannot be read.
 * @param strip How many folders are taken off each name; null keeps only the last part of the name.
 */
function namesIn(
  patch: string,
  { strip, isReversed }: { readonly strip: number | null; readonly isReversed: boolean },
): ReadonlyMap<string, "change" | "remove"> | null {
  const found = new Map<string, "change" | "remove">();
  const add = (given: string, off: number | null, effect: "change" | "remove") => {
    const name = given.trim();
    const path = name.split("/").slice(off ?? -1).join("/");
    if (name !== NOTHING && path !== "") found.set(path, effect);
  };
  for (const part of patch.split(/^(?=diff --git )/m)) {
    const pairs = [...part.matchAll(PAIR)];
    const renamed = [...part.matchAll(RENAMED)];
    // A part without names changes a mode, is binary, or has a name in quotes.
    const isPlain = pairs.length + renamed.length > 0 || !part.startsWith("diff --git ");
    if (!isPlain || [...pairs, ...renamed].some((names) => /"/.test(names.join("")))) return null;
    // These names lack the folder that `-p1` takes off.
    const off = strip === null ? null : Math.max(strip - 1, 0);
    for (const [, name] of renamed) add(name!, off, "change");
    for (const [, before, after] of pairs) {
      const [old, now] = isReversed ? [after!, before!] : [before!, after!];
      add(old, strip, now.trim() === NOTHING ? "remove" : "change");
      add(now, strip, "change");
    }
  }
  return found;
}
