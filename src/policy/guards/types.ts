/** What the guards know of the files that a tool use is about, and how they ask for it. */
import type { Verdict } from "./guard_policy.ts";

export type OwnKind =
  | "guards"
  | "agents"
  | "settings"
  | "managed"
  | "mods"
  | "skills"
  | "modules"
  | "program"
  | "git"
  /** A file that would end the search for the rules. */
  | "search";

/** A protected file, with one absolute path to it. */
export interface OwnFile {
  readonly kind: OwnKind;
  readonly path: string;
}

/** What the rules ask about a file. */
export interface FileFacts {
  /** How a person would name it: from the project's folder, else absolute. */
  readonly name: string;
  /** All its normalised paths: from the project's folder and absolute, as given and with links followed. */
  readonly spellings: readonly string[];
  readonly real: string;
  /** The protected file that it is or that it holds; null for none. */
  readonly own: OwnFile | null;
  /** The pattern by which git ignores it; null when it is not ignored, or no rule asks. */
  readonly ignored: { readonly pattern: string; readonly where: string } | null;
  readonly exists: boolean;
  /** Whether the path will be a folder. */
  readonly becomesFolder: () => boolean;
  readonly isInRoot: boolean;
  /** Its first 64 kB; empty unless {@linkcode GuardPolicy.protectsGenerated} asks for it. */
  readonly head: string;
  /** Its whole text, read when it is asked for; null when there is none. */
  readonly text: () => string | null;
  readonly effect: Effect;
  /** Of a removed folder: the files below it, as paths from there. Empty where no rule asks, or there are too many. */
  readonly below: readonly string[];
  readonly isMadeAnew: boolean;
  /** Whether it comes with a folder that is copied into the project. */
  readonly isPart: boolean;
  readonly comesFromGit: boolean;
  /** Whether it lies neither in the project's folder nor directly in a folder above. */
  readonly isElsewhere: boolean;
}

/**
 * What happens to a file: `change` may also make it; `remove` removes it with all below it; `fill` puts files of unknown
 * names into a folder; `tamper` changes who may read it, what a database holds, or moves it where it can be got back.
 * `tamper` only matters to protected files, those in a folder included.
 */
export type Effect = "change" | "remove" | "fill" | "tamper";

export interface HowToLook {
  readonly effect: FileFacts["effect"];
  /** It is a pattern of the shell: look up the files that match. */
  readonly isGlob?: boolean;
  /** Only where the path lies in a folder: `cp a b` makes `b/a` if `b` is one. */
  readonly ifInFolder?: boolean;
  /** Only where the path is no folder: `cp -r a b` makes `b/a` if `b` is one, else `b` like `a`. */
  readonly ifNoFolder?: boolean;
  /** Whether the content of the source is copied, and not the source itself. */
  readonly isContents?: boolean;
  /** Whether a part of the source may not be copied. */
  readonly leavesSome?: boolean;
  /** True for a path that means a folder: `b/`. */
  readonly isFolder: boolean;
  /** The source that is copied there, absolute. With a folder, its files are looked up as well. */
  readonly from?: string | null;
  /** The path is a folder: look up the files in it that are named like the matches of this pattern. */
  readonly namedLike?: string | null;
  /** Folders that the command has made before, absolute. */
  readonly made?: readonly string[];
  /** The path is the start of a search: look up what it finds. */
  readonly search?: Search;
}

/** `maybe`: only the running command knows. */
export type Answer = "yes" | "maybe" | "no";

export interface Entry {
  /** From the start of the search; empty for the start itself. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

/** Which entries below a folder a command means. */
export interface Search {
  readonly judge: (entry: Entry) => { readonly isMeant: Answer; readonly goesOn: boolean };
  /** Whether a folder that is found is removed or changed with all that lies in it. */
  readonly takesFolders: Answer;
  /** True: the search starts at the top of the path's repository. */
  readonly fromTop?: boolean;
  /** True: the start is searched even if tools make it anew. */
  readonly entersNamed?: true;
  /** The commit, or null for the index, to which git takes files back: files that do not differ stay as they are. */
  readonly takenFrom?: string | null;
  /** Whether files that git does not know are removed as well, or also those that it ignores. */
  readonly takes?: "untracked" | "ignored";
  /** The only files that may be found beside the start, absolute, links followed; any when absent. */
  readonly among?: readonly string[];
  /**
   * The path is named itself. `always`: it counts even if nothing is there, and so does what may be made below it.
   * `if-there`: it may be something else than a file, such as a branch.
   */
  readonly named?: "always" | "if-there";
}

export interface Looked {
  readonly files: readonly FileFacts[];
  /** Files of which only the running command knows whether they are meant. */
  readonly perhaps?: readonly FileFacts[];
  /** Why further files may be meant, a reason each. */
  readonly unknown: readonly string[];
}

export type Look = (path: string, how: HowToLook) => Looked;

export interface Judge {
  readonly judge: (look: Look) => Verdict;
  /** Starts a look-up with a fresh allowance. */
  readonly beginLooking: () => Look;
}
