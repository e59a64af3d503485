/** Types of the file look-up: what guards know about the files of a tool use, and how they ask for that. */
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
  | "gitSettings"
  /** Another working tree of the repository. */
  | "trees"
  /** A file that would end the search for the configuration too early. */
  | "search";

/** A protected file, with one absolute path to it. */
export interface OwnFile {
  readonly kind: OwnKind;
  readonly path: string;
}

export interface FileFacts {
  /** The path as a person would write it: relative to the project's folder, else absolute. */
  readonly name: string;
  /** All its normalised paths: relative to the project's folder and absolute, as given and with links followed. */
  readonly spellings: readonly string[];
  readonly real: string;
  /** The protected file that it is or contains; null for none. */
  readonly own: OwnFile | null;
  /** The pattern by which git ignores it; null when it is not ignored, or no rule needs to know. */
  readonly ignored: { readonly pattern: string; readonly where: string } | null;
  readonly exists: boolean;
  readonly becomesFolder: () => boolean;
  readonly isInRoot: boolean;
  /** The first 64 kB; empty where the policy does not protect generated files. */
  readonly head: string;
  /** Reads the whole text; null when it cannot be read as text. */
  readonly text: () => string | null;
  readonly effect: Effect;
  /** The paths of the files below a removed folder; empty where no rule needs them, or there are too many. */
  readonly below: readonly string[];
  readonly isMadeAnew: boolean;
  /** Whether a folder that is copied into the project brings the file. */
  readonly isPart: boolean;
  readonly comesFromGit: boolean;
  /** Whether it lies neither in the project's folder nor directly in one of the folders above. */
  readonly isElsewhere: boolean;
}

/**
 * What happens to a file. `change` may also create it. `remove` removes it with all below it. `fill` puts files of
 * unknown names into a folder. `tamper` matters for protected files only: it changes permissions or a database, or
 * moves the file to a place from which it can be restored.
 */
export type Effect = "change" | "remove" | "fill" | "tamper";

export interface HowToLook {
  readonly effect: FileFacts["effect"];
  /** Set where the command may do anything with the path, so that a folder's contents count as well. */
  readonly isUnknown?: true;
  /** True for a shell pattern, whose matching files are all looked up. */
  readonly isGlob?: boolean;
  /** Whether the path is written as a folder: `b/`. */
  readonly isFolder: boolean;
  /** The source that is copied to the path, or into the path if it is a folder. */
  readonly copied?: Copied & {
    /** The source, absolute, or a pattern; null where only the running command knows it. */
    readonly from: string | null;
    readonly isGlob: boolean;
    /** The name that the copy gets in a folder; empty for none. */
    readonly name: string;
  };
  /** Folders that the command has made earlier, absolute. */
  readonly made?: readonly string[];
  /** Set where the path is the start of a search, whose finds are all looked up. */
  readonly search?: Search;
}

export interface Copied {
  /** Whether a folder is copied with all its contents. */
  readonly isWhole: boolean;
  /** `as`: the content comes to lie at the path; `in`: in a folder there; `either`: `in` if there is a folder. */
  readonly lands: "as" | "in" | "either";
  /** Whether a part of the source may stay behind. */
  readonly leavesSome: boolean;
}

/** An answer before the command runs; `maybe`: only the running command knows. */
export type Answer = "yes" | "maybe" | "no";

export interface Entry {
  /** The path relative to the start of the search; empty for the start itself. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

/** Which entries below a folder a command means. */
export interface Search {
  readonly judge: (entry: Entry) => { readonly isMeant: Answer; readonly goesOn: boolean };
  /** Whether a found folder is changed or removed with everything in it. */
  readonly takesFolders: Answer;
  /** Whether the search starts at the top of the path's repository. */
  readonly fromTop?: boolean;
  /** Whether the start is searched even if it is a folder that tools rebuild. */
  readonly entersNamed?: true;
  /** Whether rules about everything below the start apply as soon as the search may find anything. */
  readonly takesAll?: boolean;
  /** The commit from which git restores files, or null for the index: files that do not differ stay as they are. */
  readonly restoredFrom?: string | null;
  /** Which files git also removes: untracked ones, or untracked and ignored ones. */
  readonly alsoRemoves?: "untracked" | "ignored";
  /** The only files that the search may find besides the start, absolute, links followed; absent for any. */
  readonly among?: readonly string[];
  /**
   * Set where the command names the path itself. `always`: the path counts even if nothing is there, as do new files
   * below it. `if-there`: the word may mean something else than a file, such as a branch.
   */
  readonly named?: "always" | "if-there";
}

export interface LookResult {
  readonly files: readonly FileFacts[];
  /** Files that the command may mean; only the running command knows. */
  readonly perhaps?: readonly FileFacts[];
  /** Sentences that say why the command may mean more files. */
  readonly unknown: readonly string[];
}

export type Look = (path: string, how: HowToLook) => LookResult;

export interface Judge {
  readonly judge: (look: Look) => Verdict;
  /** Returns a look-up with a fresh allowance of files. */
  readonly beginLooking: () => Look;
}
