/** Finds the files that a shell command means by names, patterns, searches and copied folders. */
import { readWildcard } from "../../base/wildcard.ts";
import type { Entry, FileFacts, HowToLook, Judge, LookResult, Search } from "../guards/types.ts";
import { baseName, fromFolder, joinPath, parentOf, withParents } from "../../base/paths.ts";
import { expandPattern } from "../../system/expand_pattern.ts";
import { entriesOf, exists, isFolder, kindAt, kindOf, readText } from "../../system/on_disk.ts";
import {
  type Allowance,
  factsOf,
  fullPath,
  type Ground,
  isBelow,
  isMade,
  type Place,
  spellingsInside,
} from "./file_lookup.ts";
import { type BashUse, type BashUses, judgeBash, readUses } from "../guards/bash.ts";
import type { GuardPolicy } from "../guards/guard_policy.ts";
import { MAX_TEXT_BYTES } from "../shell/script_listing.ts";
import { onlyLooks } from "../shell/unexplained.ts";
import { TooMuchWork } from "../shell/word.ts";
import { readPowerShellWith } from "../shell/wrappers.ts";
import WORDS from "../guards/words.json" with { type: "json" };

/** Folders whose content tools rebuild, so that to remove one loses nothing. */
const MADE_ANEW: ReadonlySet<string> = new Set([...WORDS.built, ".git", "tmp", ".tmp"]);

/** How many entries of a removed folder are looked at; each costs 2 µs or more. */
const MAX_ENTRIES = 5_000;
/** How many entries a search looks at; it may go through a whole project. */
const MAX_SEARCHED = 20_000;
/** How many entries of folders one tool use may look at. */
const MAX_VISITS = 120_000;

interface ShellGround extends Ground {
  /** Whether a rule needs to know the files of a removed folder. */
  readonly wantsBelow: boolean;
  /** How many more entries of folders may be looked at. */
  readonly visits: Allowance;
}

type Copying = HowToLook & { readonly copied: NonNullable<HowToLook["copied"]> };

/** The files that a command means by one path. */
class FilesOfPath implements LookResult {
  readonly files: FileFacts[] = [];
  readonly perhaps: FileFacts[] = [];
  readonly unknown: string[] = [];
  readonly #ground: ShellGround;

  constructor(ground: ShellGround) {
    this.#ground = ground;
  }

  lookUp(path: string, given: HowToLook): this {
    const full = fullPath(path, this.#ground);
    const how = given.isUnknown && isFolder(full) ? { ...given, effect: "fill" as const } : given;
    if (how.search !== undefined) return this.#search(full, how.search, how);
    for (const place of this.#placesOf(full, how)) {
      if (how.copied === undefined) this.#add(place, how);
      else this.#copyTo(place.path, { ...how, copied: how.copied });
    }
    const deep = how.isGlob ? deepSearch(full, how.effect) : null;
    return deep === null ? this : this.#search(deep.from, deep.search, { ...how, isGlob: false });
  }

  /** Looks up one file, and with a removed folder the files in it. */
  #add(place: Place, how: HowToLook, into = this.files): void {
    const { heads, wantsBelow } = this.#ground;
    const facts = factsOf(place, how, this.#ground);
    if (heads !== null && heads.left < 0) {
      this.unknown.push("it changes more files than can be read");
    }
    if (how.effect !== "remove" || place.isListed) return void into.push(facts);
    const { real } = facts;
    const name = this.#nameOf(place.path, real);
    const below = wantsBelow ? this.#filesBelow(real, name) : [];
    const isAnew = isMadeAnew(name) && isRealFolder(real);
    into.push({ ...facts, below: below ?? [], isMadeAnew: isAnew });
    if (below === null) this.unknown.push(tooMany(name));
  }

  /** Looks up a destination, and the files that come to lie there or in it. */
  #copyTo(path: string, how: Copying): void {
    const { paths, visits } = this.#ground;
    const { from, isGlob, isWhole, lands, name: known } = how.copied;
    const isThere = isMade(path, how) || (paths.isThere(path) && isFolder(path));
    const isInside = isThere ? lands !== "as" : lands === "in";
    const { paths: sources, isAll } = isGlob
      ? expandPattern(from!, visits)
      : { paths: [from], isAll: true };
    if (sources.length === 0) this.unknown.push(`which files ${from} will stand for is not known`);
    else if (!isAll) this.unknown.push(tooManyMatch(from!));
    this.#add({ path, from }, how);
    // The pattern may later match files of any name.
    if (sources.length === 0) this.#add({ path, from: null }, { ...how, effect: "fill" });
    const inner = { ...how, isFolder: false };
    for (const from of sources) {
      const name = isGlob ? baseName(from!) : known;
      if (isInside && name === "") continue;
      const place = { path: isInside ? joinPath(path, name) : path, from };
      if (isThere && isInside) this.#add(place, inner);
      if (isWhole && (isThere || (from !== null && !isGlob))) this.#fill(place, inner);
    }
  }

  /** Looks up the destination of a copied folder, with all files that the copy brings. */
  #fill(place: Place, { copied, ...given }: Copying): void {
    const { root, paths } = this.#ground;
    const { path, from } = place;
    const how = { ...given, effect: "fill" } as const;
    const needed = from === null ? "none" : this.#neededBelow(path);
    if (from === null || needed === "none") return this.#add(place, how);
    const isFile = (at: string) => paths.isThere(at) && !isFolder(at);
    if (isFile(path) || isFile(parentOf(path))) return;
    // A link is copied as a link, unless the command copies the content of the folder.
    const isContents = copied.lands === "as";
    const source = isContents ? paths.real(from) : from;
    if (exists(source) && !isRealFolder(source)) return;
    const below = this.#filesBelow(source, "");
    // A folder that tools rebuild stands for its new files.
    if (!below?.length || needed === "there") this.#add(place, how);
    const name = fromFolder(root, from) || from;
    if (below === null && needed === "all") this.unknown.push(tooMany(name));
    // The command itself may fill the folder before it copies it.
    if (below?.length === 0 && isContents) {
      this.unknown.push(`what will lie in ${name} is not known`);
    }
    const as = { ...how, effect: "change", isFolder: false } as const;
    for (const at of below?.map((name) => joinPath(path, name)) ?? []) {
      if (needed !== "all" && !exists(at)) continue;
      const part = { path: at, from: null, isPart: true };
      this.#add(part, as, copied.leavesSome ? this.perhaps : this.files);
    }
  }

  /** Tells which files in a new folder rules need to know: all, only those that exist already, or none. */
  #neededBelow(folder: string): "all" | "there" | "none" {
    const { root, own, paths } = this.#ground;
    const [inside] = spellingsInside({ path: folder, real: paths.real(folder) }, this.#ground);
    if (inside !== undefined) return isMadeAnew(inside) ? "there" : "all";
    const mayHold = (path: string | null) => path !== null && isBelow(path, folder);
    return mayHold(root) || own().some(({ path }) => mayHold(path) || isBelow(folder, path))
      ? "all"
      : "none";
  }

  #search(path: string, search: Search, how: HowToLook): this {
    const { paths } = this.#ground;
    for (const { path: start } of this.#placesOf(search.fromTop ? topOf(path) : path, how)) {
      // Only git names a path that does not exist.
      const whole = { path: start, from: null, comesFromGit: true };
      if (search.named === "always" && !how.isGlob && !exists(start)) {
        this.#add(whole, how);
        this.#add(whole, { ...how, effect: "fill" });
        continue;
      }
      const real = paths.real(start);
      const folder = how.isFolder ? real : start;
      const name = this.#nameOf(start, real);
      const { sure, perhaps, isAll } = this.#find(search, { folder, real, name });
      for (const [entries, into] of [[sure, this.files], [perhaps, this.perhaps]] as const) {
        for (const [below, kind] of entries) {
          const isListed = below !== "" && kind === "file";
          const at = below === "" ? start : joinPath(start, below);
          this.#add({ path: at, from: null, isListed }, how, into);
        }
      }
      if (search.takesAll && perhaps.size > 0) this.#add(whole, { ...how, effect: "fill" });
      if (!isAll) this.unknown.push(tooMany(name));
    }
    return this;
  }

  /**
   * Runs a search: of the files in `among` if that is set, else of all below the folder and the guards' own files.
   * @returns `sure` holds the entries that the command surely means, `perhaps` those about which only the running command
   * decides, both by path relative to the start of the search, empty for the start itself.
   */
  #find(
    search: Search,
    { folder, real, name }: Readonly<Record<"folder" | "real" | "name", string>>,
  ) {
    const own = this.#ground.own().flatMap(({ path }) => fromFolder(folder, path) || []);
    const among = search.among?.flatMap((path) => fromFolder(real, path) || []);
    const sure = new Map<string, Entry["kind"]>();
    const perhaps = new Map<string, Entry["kind"]>();
    const visit = (entry: Entry | null) => {
      if (entry === null) return false;
      const { isMeant, goesOn } = search.judge(entry);
      const answers = [isMeant, entry.kind === "folder" ? search.takesFolders : "yes"];
      if (!answers.includes("no")) {
        (answers.includes("maybe") ? perhaps : sure).set(entry.path, entry.kind);
      }
      return goesOn && entry.kind === "folder";
    };
    if (!visit(entryAt(folder, ""))) return { sure, perhaps, isAll: true };
    if (among !== undefined) {
      const counts = (below: string) => own.includes(below) || !isMadeAnew(joinPath(name, below));
      const tried = among.filter(counts);
      for (const below of tried.slice(0, MAX_SEARCHED)) visit(entryAt(folder, below));
      return { sure, perhaps, isAll: tried.length <= MAX_SEARCHED };
    }
    const isAll = this.#walk(folder, search.entersNamed ? "" : name, { visit, max: MAX_SEARCHED });
    const goesOn = (above: string) => {
      const entry = entryAt(folder, above);
      return entry?.kind === "folder" && search.judge(entry).goesOn;
    };
    for (const below of own) {
      const entry = entryAt(folder, below);
      if (entry !== null && foldersAbove(below).every(goesOn)) visit(entry);
    }
    return { sure, perhaps, isAll };
  }

  /** Lists the files below a folder, relative to it; none below a folder that tools rebuild; null for too many. */
  #filesBelow(path: string, name: string): string[] | null {
    if (!isRealFolder(path)) return [];
    const files: string[] = [];
    const visit = ({ path, kind }: Entry) => {
      if (kind !== "folder") files.push(path);
      return kind === "folder";
    };
    return this.#walk(path, name, { visit, max: MAX_ENTRIES }) ? files : null;
  }

  /** Visits the entries below a folder; enters folders for which `visit` returns true. Returns false for too many. */
  #walk(
    root: string,
    name: string,
    { visit, max }: { readonly visit: (entry: Entry) => boolean; readonly max: number },
  ): boolean {
    if (isMadeAnew(name)) return true;
    const folders = [""];
    let entries = 0;
    // The list grows during the loop.
    for (const folder of folders) {
      const listed = entriesOf(joinPath(root, folder));
      if (listed === null) return false;
      for (const entry of listed) {
        if (++entries > max || --this.#ground.visits.left < 0) return false;
        const path = joinPath(folder, entry.name);
        if (visit({ path, kind: kindOf(entry) }) && !MADE_ANEW.has(entry.name)) folders.push(path);
      }
    }
    return true;
  }

  /** Returns the path relative to the project's folder; empty for the project's folder and the folders above. */
  #nameOf(path: string, real: string): string {
    const { root, paths } = this.#ground;
    const [inside] = spellingsInside({ path, real }, this.#ground);
    return inside ?? (root !== null && isBelow(paths.real(root), real) ? "" : path);
  }

  #placesOf(path: string, { effect, isGlob }: HowToLook): readonly Place[] {
    if (!isGlob) return [{ path, from: null }];
    const { paths, isAll } = expandPattern(path, this.#ground.visits);
    if (!isAll) this.unknown.push(tooManyMatch(path));
    // If no file matches a pattern, the shell takes it as a name, so a file of that name may be made.
    const left = effect === "change" || effect === "fill" ? [path] : [];
    return (paths.length === 0 ? left : paths).map((one) => ({ path: one, from: null }));
  }
}

function tooMany(name: string): string {
  return `${name || "the project's folder"} holds more files than can be looked through`;
}

function tooManyMatch(pattern: string): string {
  return `${pattern} stands for more files than can be looked up`;
}

/** Tells whether a path names a folder that tools rebuild, or leads through one. */
function isMadeAnew(name: string): boolean {
  return name.split("/").some((part) => MADE_ANEW.has(part));
}

/** Tells whether a path is a folder itself, and no link to one. */
function isRealFolder(path: string): boolean {
  return kindAt(path) === "folder";
}

function entryAt(root: string, path: string): Entry | null {
  const kind = kindAt(path === "" ? root : joinPath(root, path));
  return kind === null ? null : { path, kind };
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join("/"));
}

/** Returns the top of the repository that a folder lies in; outside of any repository, the folder itself. */
function topOf(folder: string): string {
  // The root of the disk counts as no repository.
  return withParents(folder).slice(0, -1).find(isTop) ?? folder;
}

function isTop(folder: string): boolean {
  return exists(joinPath(folder, ".git"));
}

/**
 * Returns the search that a pattern with `**` stands for, if the shell reads it as folders of any depth; only the
 * running shell knows whether it does. Null for a pattern without `**`.
 */
function deepSearch(
  path: string,
  effect: string,
): { readonly from: string; readonly search: Search } | null {
  if (!/\/\*\*(?:\/|$)/.test(path)) return null;
  const from = path.slice(0, path.slice(0, path.search(/[*?[]/)).lastIndexOf("/")) || "/";
  const pattern = path.slice(from === "/" ? 1 : from.length + 1).replace(/(?:\*\*\/)+/g, "*");
  const matches = readWildcard(pattern);
  return matches === null ? null : {
    from,
    search: {
      takesFolders: effect === "remove" ? "yes" : "no",
      judge: ({ path }) => ({
        isMeant: matches(path) ? "maybe" : "no",
        goesOn: !/(?:^|\/)\./.test(path),
      }),
    },
  };
}

const DISK = { isTop, topOf, readText: (path: string) => readText(path, MAX_TEXT_BYTES) };

export async function judgerOfShell(
  policy: GuardPolicy,
  use: BashUse,
  ground: Ground,
): Promise<Judge> {
  await loadLanguage(use);
  const wantsBelow = policy.rules.some(({ about }) => about === "change");
  return {
    judge: (look) => judgeBash(policy, { ...use, disk: DISK }, look),
    beginLooking: () => {
      const heads = ground.heads && { ...ground.heads };
      const at = { ...ground, heads, wantsBelow, visits: { left: MAX_VISITS } };
      return (path, how) => {
        if (at.visits.left < 0) throw new TooMuchWork();
        return new FilesOfPath(at).lookUp(path, how);
      };
    },
  };
}

export async function readShellUse(
  command: string,
  { tool = "Bash", ...around }: Pick<BashUse, "folder" | "home" | "gitAliases"> & {
    readonly tool?: string;
  },
): Promise<BashUses> {
  await loadLanguage({ tool, command });
  return readUses(command, { ...around, tool, disk: DISK });
}

/**
 * Reads what a command runs, as far as its words tell. `acting`: those of the commands that do not only look at something.
 * `isPlain`: whether there are none, and nothing unknown runs. `pushes`: whether git pushes, and its words say what.
 */
export async function readCommand(
  command: string,
  at: Pick<BashUse, "folder" | "home">,
): Promise<{
  readonly commands: readonly (readonly string[])[];
  readonly acting: readonly (readonly string[])[];
  readonly isPlain: boolean;
  readonly pushes: boolean;
}> {
  const { steps, untold } = await readShellUse(command, at);
  const commands = steps.flatMap((step) => step.commands);
  const acting = commands.filter((words) => !onlyLooks(words));
  const isPlain = command.trim() !== "" && untold.commands.length === 0 && acting.length === 0;
  return { commands, acting, isPlain, pushes: steps.some((step) => step.pushesPlainly) };
}

/** Loads the reader of PowerShell where a command may start it. Quotes may stand in the program's name. */
async function loadLanguage({ tool, command }: Pick<BashUse, "tool" | "command">): Promise<void> {
  if (tool !== "PowerShell" && !/pwsh|powershell/i.test(command.replace(/['"\\]/g, ""))) return;
  const { POWERSHELL } = await import("../shell/powershell.ts");
  readPowerShellWith(POWERSHELL);
}
