/** What the guards know of the files that a tool use is about, and how they ask for it. */
import type { Verdict } from "./guard_policy.ts";

/** The kinds of files that the guards protect. */
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
  /** It would keep the rules from being found. */
  | "search";

/** A file that counts now, and one of the ways to it: absolute. */
export interface OwnFile {
  readonly kind: OwnKind;
  readonly path: string;
}

/** A file that a tool is about to change, as far as the rules ask about it. */
export interface FileFacts {
  /** How a person would name it: from the project's folder when it lies there, else absolute. */
  readonly name: string;
  /**
   * Every way to name it: from the project's folder and absolute, as it was given and with all links followed.
   * Normalised: no `.`, no `..`, `/` as the separator.
   */
  readonly spellings: readonly string[];
  /** Absolute, all links followed. */
  readonly real: string;
  /** The one of the guards' files that count now which it is, or which is meant with a folder; null for none. */
  readonly own: OwnFile | null;
  /** What makes git ignore it; null when it does not, or was not asked: only where a rule depends on that. */
  readonly ignored: { readonly pattern: string; readonly where: string } | null;
  /** Whether anything is there now. */
  readonly exists: boolean;
  /** Whether a folder arises there, where nothing is yet. */
  readonly becomesFolder: () => boolean;
  /** Whether it lies directly in the project's folder. */
  readonly isInRoot: boolean;
  /** What it begins with, up to 64 kB; the empty text unless {@linkcode GuardPolicy.protectsGenerated} asks for it. */
  readonly head: string;
  /** All that it holds; null when nothing is there, or nothing that can be read. Read when it is asked for. */
  readonly text: () => string | null;
  readonly effect: Effect;
  /**
   * Of a folder that goes away: the files in it and below, as paths from there, without what tools make anew. Empty
   * where no rule asks, and where there are too many.
   */
  readonly below: readonly string[];
  /** Whether it is a folder that goes away, and that tools make anew. */
  readonly isMadeAnew: boolean;
  /** Whether it arises below the project's folder with a folder that is copied there. */
  readonly isPart: boolean;
  /** Whether git brings it, from what it keeps. */
  readonly comesFromGit: boolean;
  /** Whether it lies neither in the project's folder nor directly in one above that. */
  readonly isElsewhere: boolean;
}

/**
 * What becomes of a file: `change` may also make it; `remove` takes it away, and what lies below it; `fill` puts files
 * into a folder of which nobody knows the names; `tamper` changes who may read it, or what a database holds, or puts it
 * where it can be got back, which only matters to the guards' own files, those in a folder included.
 */
export type Effect = "change" | "remove" | "fill" | "tamper";

/** What is about to happen to the file that is looked up. */
export interface HowToLook {
  readonly effect: FileFacts["effect"];
  /** A pattern of the shell: it comes back as the files that it stands for. */
  readonly isGlob?: boolean;
  /** Nothing comes back where the path does not lie in a folder: `cp a b` makes `b/a` if `b` is one. */
  readonly ifInFolder?: boolean;
  /** Nothing comes back where the path is a folder by then: `cp -r a b` makes `b/a` if `b` is one, else `b` like `a`. */
  readonly ifNoFolder?: boolean;
  /** Whether not that itself is copied which is copied there, but what lies in it. */
  readonly isContents?: boolean;
  /** Whether a part of what is copied may stay behind. */
  readonly leavesSome?: boolean;
  /** True when it would be a folder: `b/`. */
  readonly isFolder: boolean;
  /**
   * What is copied there, absolute: the copy of a folder is a folder. Of a folder that is filled from it, the files come
   * back that arise in it.
   */
  readonly from?: string | null;
  /** The path is a folder; the files in it come back that are named like those that this pattern stands for. */
  readonly namedLike?: string | null;
  /** Folders that will be there by then, absolute. */
  readonly made?: readonly string[];
  /** The path is where a search begins: what it finds comes back. */
  readonly search?: Search;
}

/** `maybe`: only the running command knows. */
export type Answer = "yes" | "maybe" | "no";

/** What a search comes to. */
export interface Entry {
  /** From where the search begins; the empty text for that itself. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link" | "other";
  /** In bytes; null where that cannot be told. Looked up when it is asked for. */
  readonly size: () => number | null;
}

/** Which of the entries of a folder, and of those below, a command means. */
export interface Search {
  /** Whether an entry is meant, and whether the search goes on below it. */
  readonly judge: (
    entry: Entry,
  ) => { readonly isMeant: Answer; readonly goesOn: boolean };
  /** Whether something happens to a folder that is meant as well: it goes, with all that lies in it. */
  readonly takesFolders: Answer;
  /** True: it begins at the top of the repository in which the path lies. */
  readonly fromTop?: boolean;
  /** True: the folder in which it begins is named itself, and looked through also where tools make that anew. */
  readonly entersNamed?: true;
  /** What git takes files back to, a commit or null for the index: what does not differ from it stays as it is. */
  readonly takenFrom?: string | null;
  /** Files that git does not know go away as well, or those that it ignores, too. */
  readonly takes?: "untracked" | "ignored";
  /** The only files that it may mean beside that where it begins, absolute, all links followed; without them, any. */
  readonly among?: readonly string[];
  /**
   * The path is named itself. `always`: where nothing is there, it is meant, and what may come about below it. `if-there`:
   * it may be something else than a file, such as a branch.
   */
  readonly named?: "always" | "if-there";
}

/** The files that are meant. */
export interface Looked {
  readonly files: readonly FileFacts[];
  /** Files of which only the running command knows whether it means them. */
  readonly perhaps?: readonly FileFacts[];
  /** Which others may be meant, one reason each. */
  readonly unknown: readonly string[];
}

/** Looks up what the rules ask about a file. */
export type Look = (
  path: string,
  how: HowToLook,
) => Looked;

/** What judges a tool use. */
export interface Judge {
  /** Judges it, as soon as files can be looked up. */
  readonly judge: (look: Look) => Verdict;
  /** Each time that it is judged, as much may be looked through. */
  readonly beginLooking: () => Look;
}
