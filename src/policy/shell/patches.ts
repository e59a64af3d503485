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

interface PatchCall {
  /** The patches; `-`, or no patch, means the standard input. */
  readonly files: readonly Argument[];
  /** The folder that `-C` or `-d` names. */
  readonly goesTo: Argument | undefined;
  /** The folder that is put before each name. */
  readonly prefix: Argument | undefined;
  /** How many folders are taken off each name; null keeps only the last part of the name. */
  readonly strip: number | null;
  readonly isReversed: boolean;
  /** Git's verb; null for `patch`. Git's own patches name files from the repository's top; `am` takes no others. */
  readonly ofGit: string | null;
}

export function changesOfPatches(command: ShellCommand, ground: PatchGround): Change[] {
  const { redirects, input, folder } = command;
  const call = callOf(command);
  if (call === null) return [];
  const { goesTo, prefix = literal("."), ofGit } = call;
  const at = goesTo === undefined ? folder : placeOf(goesTo, folder);
  const read = redirects.findLast(({ operator }) => operator === "<")?.target;
  const files = call.files.length === 0 ? [literal("-")] : call.files;
  return files.flatMap((file) => {
    const text = file.text !== "-" || file.isOpen
      ? ground.textOf(file, at)
      : input ?? (read === undefined ? null : ground.textOf(read, folder));
    const names = text === null || at === null || prefix.isOpen ? null : namesIn(text, call);
    if (names === null || names.length === 0) return marked([OPEN], "change");
    const isFromTop = ofGit === "am" || (ofGit === "apply" && /^diff --git /m.test(text!));
    const base = placeOf(prefix, isFromTop ? ground.topOf(at!) : at);
    return names.map(({ name, effect }): Change => ({
      word: literal(`${base}/${name}`),
      effect,
    }));
  });
}

/** Reads a call that changes files; null for `patch FILE`, which names the file itself (see `writers.json`). */
function callOf({ program, words, args }: ShellCommand): PatchCall | null {
  const git = gitCall(words);
  const name = git?.verb ?? program;
  if (!(git === null ? /^patch$/ : /^(?:apply|am)$/).test(name)) return null;
  const { never, ...patch } = WRITERS.find("patch")!;
  const { operands, options, has, values } = git ?? split(args, patch);
  const onlyLooks = git === null
    ? operands.length > 0 || options.some((text) => never!.test(text))
    : has("--abort --quit") || (has("--check --stat --numstat --summary") && !has("--apply"));
  if (onlyLooks) return null;
  const strip = values("-p --strip").at(-1)?.text ?? "";
  return {
    files: git === null ? values("-i --input").slice(-1) : operands,
    goesTo: git === null ? values("-d --directory").at(-1) : git.folder ?? undefined,
    prefix: git === null ? undefined : values("--directory").at(-1),
    strip: /^\d+$/.test(strip) ? Number(strip) : git === null ? null : 1,
    isReversed: has("-R --reverse"),
    ofGit: git === null ? null : git.verb,
  };
}

interface PatchedFile {
  readonly name: string;
  readonly effect: "change" | "remove";
}

const PAIR = /^--- ([^\t\r\n]+).*\r?\n\+\+\+ ([^\t\r\n]+)/gm;
const RENAMED = /^(?:rename (?:from|to)|copy to) (.+)/gm;

/** Finds the files that a patch names; null where a name cannot be read. */
function namesIn(
  patch: string,
  { strip, isReversed }: Pick<PatchCall, "strip" | "isReversed">,
): PatchedFile[] | null {
  const found = new Map<string, PatchedFile["effect"]>();
  const add = (given: string, off: number | null, effect: PatchedFile["effect"]) => {
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
    for (const [, name] of renamed) {
      add(name!, strip === null ? null : Math.max(strip - 1, 0), "change");
    }
    for (const [, before, after] of pairs) {
      const [old, now] = isReversed ? [after!, before!] : [before!, after!];
      add(old, strip, now.trim() === NOTHING ? "remove" : "change");
      add(now, strip, "change");
    }
  }
  return Array.from(found, ([name, effect]) => ({ name, effect }));
}
