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
  /** How a person would name it: from the project's folder, else absolute. */
  readonly name: string;
  /** All its paths, tidied: from the project's folder and absolute, as given and with links followed. */
  readonly spellings: readonly string[];
  readonly real: string;
  /** The protected file that it is or holds; null for none. */
  readonly own: OwnFile | null;
  /** The pattern by which git ignores it; null when it is not ignored, or no rule asks. */
  readonly ignored: { readonly pattern: string; readonly where: string } | null;
  readonly exists: boolean;
  readonly becomesFolder: () => boolean;
  readonly isInRoot: boolean;
  /** The first 64 kB; empty where the policy does not protect generated files. */
  readonly head: string;
  /** Reads the whole text; null when there is none. */
  readonly text: () => string | null;
  readonly effect: Effect;
  /** The paths of the files below a removed folder. Empty where no rule asks, or there are too many. */
  readonly below: readonly string[];
  readonly isMadeAnew: boolean;
  /** Whether it comes with a folder that is copied into the project. */
  readonly isPart: boolean;
  readonly comesFromGit: boolean;
  /** Whether it lies neither in the project's folder nor directly in a folder above it. */
  readonly isElsewhere: boolean;
}

/**
 * What happens to a file. `change` may also make it. `remove` removes it with all below it. `fill` puts files of
 * unknown names into a folder. `tamper` counts for protected files only: it changes permissions or a database, or
 * moves the file to where it can be got back.
 */
export type Effect = "change" | "remove" | "fill" | "tamper";

export interface HowToLook {
  readonly effect: FileFacts["effect"];
  /** The command may do anything with the path: what lies in a folder counts as well. */
  readonly isUnknown?: true;
  /** True for a pattern of the shell: all files that match are looked up. */
  readonly isGlob?: boolean;
  /** Whether the path is written as a folder: `b/`. */
  readonly isFolder: boolean;
  /** What is copied to the path, or into it if it is a folder. */
  readonly copied?: Copied & {
    /** The source, absolute, or a pattern; null where only the running command knows it. */
    readonly from: string | null;
    readonly isGlob: boolean;
    /** The name that it gets in a folder; empty for none. */
    readonly name: string;
  };
  /** Folders that the command made before, absolute. */
  readonly made?: readonly string[];
  /** The path is where a search begins. The files that it finds are looked up. */
  readonly search?: Search;
}

export interface Copied {
  /** Whether a folder is copied with all that it holds. */
  readonly isWhole: boolean;
  /** `as`: its content comes to lie at the path; `in`: it lies in a folder there; `either`: that, if there is a folder. */
  readonly lands: "as" | "in" | "either";
  /** Whether a part of it may stay behind. */
  readonly leavesSome: boolean;
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
  /** Whether a folder that is found is changed or removed with everything in it. */
  readonly takesFolders: Answer;
  /** Whether the search starts at the top of the path's repository. */
  readonly fromTop?: boolean;
  /** Whether the start is searched even if tools make that folder again. */
  readonly entersNamed?: true;
  /** Whether a rule about all that lies at the start is met as soon as anything may be found. */
  readonly takesAll?: boolean;
  /** Git takes files back to this commit, or to the index for null: files that do not differ stay as they are. */
  readonly takenFrom?: string | null;
  /** Whether git also removes the files that it does not know, or those that it ignores as well. */
  readonly takes?: "untracked" | "ignored";
  /** The only files that may be found beside the start, absolute, links followed; absent for any. */
  readonly among?: readonly string[];
  /**
   * The path itself is named. `always`: it counts even if nothing is there, as does what may be made below it.
   * `if-there`: it may mean something else than a file, such as a branch.
   */
  readonly named?: "always" | "if-there";
}

export interface Looked {
  readonly files: readonly FileFacts[];
  /** Files that may be meant: only the running command knows. */
  readonly perhaps?: readonly FileFacts[];
  /** Why more files may be meant. */
  readonly unknown: readonly string[];
}

export type Look = (path: string, how: HowToLook) => Looked;

export interface Judge {
  readonly judge: (look: Look) => Verdict;
  /** Starts to look up files with a new allowance. */
  readonly beginLooking: () => Look;
}
