/** Finds the files that a shell command means by names, patterns, searches and copied folders. */
import { readWildcard } from "../../base/wildcard.ts";
import type { HowToLook, Judge, LookResult, Search } from "../guards/types.ts";
import { baseName, joinPath, parentOf, withParents } from "../../base/paths.ts";
import { expandPattern } from "../../system/expand_pattern.ts";
import { exists, isFolder, readText } from "../../system/on_disk.ts";
import {
  type Allowance,
  factsOf,
  filesBelow,
  findIn,
  fromFolder,
  fullPath,
  type Ground,
  isBelow,
  isMade,
  isMadeAnew,
  isRealFolder,
  MAX_VISITS,
  type Place,
  spellingsInside,
} from "./file_lookup.ts";
import { type BashUse, type BashUses, judgeBash, readUses } from "../guards/bash.ts";
import type { GuardPolicy } from "../guards/guard_policy.ts";
import { TooMuchWork } from "../shell/word.ts";
import { readPowerShellWith } from "../shell/wrappers.ts";

export interface ShellGround extends Ground {
  /** Whether a rule needs to know the files of a removed folder. */
  readonly wantsBelow: boolean;
  /** How many more entries of folders may be looked at. */
  readonly visits: Allowance;
}

export function lookAtFiles(path: string, how: HowToLook, ground: ShellGround): LookResult {
  const full = fullPath(path, ground);
  if (how.isUnknown && isFolder(full)) how = { ...how, effect: "fill" };
  if (how.search !== undefined) return lookFor(full, { ...how, search: how.search }, ground);
  const { places, unknown } = placesOf(full, how, ground);
  const results = places.map((place) =>
    how.copied === undefined
      ? lookAtAll([place], how, ground)
      : copiedTo(place.path, { ...how, copied: how.copied }, ground)
  );
  const deep = how.isGlob ? deepSearch(full, how.effect) : null;
  if (deep !== null) {
    results.push(lookFor(deep.from, { ...how, isGlob: false, search: deep.search }, ground));
  }
  return joined(results, unknown);
}

type Copying = HowToLook & { readonly copied: NonNullable<HowToLook["copied"]> };

/** Looks up a destination, and the files that come to lie there or in it. */
function copiedTo(path: string, how: Copying, ground: ShellGround): LookResult {
  const { from, isGlob, isWhole, lands, name: known } = how.copied;
  const isThere = isMade(path, how) || (ground.paths.isThere(path) && isFolder(path));
  const isInside = isThere ? lands !== "as" : lands === "in";
  const itself = lookAtAll([{ path, from }], how, ground);
  const { paths: sources, isAll } = isGlob
    ? expandPattern(from!, ground.visits)
    : { paths: [from], isAll: true };
  if (sources.length === 0) {
    // The pattern may later match files of any name.
    const filled = lookAtAll([{ path, from: null }], { ...how, effect: "fill" }, ground);
    return joined([itself, filled], [`which files ${from} will stand for is not known`]);
  }
  const inner = { ...how, isFolder: false };
  const copies = sources.flatMap((from) => {
    const name = isGlob ? baseName(from!) : known;
    if (isInside && name === "") return [];
    const place = { path: isInside ? joinPath(path, name) : path, from };
    const isWalked = isWhole && (isThere || (from !== null && !isGlob));
    return [
      ...isThere && isInside ? [lookAtAll([place], inner, ground)] : [],
      ...isWalked ? [filledFrom(place, inner, ground)] : [],
    ];
  });
  const unknown = isAll ? [] : [`${from} stands for more files than can be looked up`];
  return joined([itself, ...copies], unknown);
}

function joined(results: readonly LookResult[], unknown: readonly string[] = []): LookResult {
  return {
    files: results.flatMap(({ files }) => files),
    perhaps: results.flatMap(({ perhaps = [] }) => perhaps),
    unknown: [...unknown, ...results.flatMap(({ unknown }) => unknown)],
  };
}

/** Looks up the destination of a copied folder, with all files that the copy brings. */
function filledFrom(place: Place, { copied, ...given }: Copying, ground: ShellGround): LookResult {
  const { path, from } = place;
  const how = { ...given, effect: "fill" } as const;
  const isContents = copied.lands === "as";
  const needed = from === null ? "none" : neededBelow(path, ground);
  if (from === null || needed === "none") return lookAtAll([place], how, ground);
  const isFile = (at: string) => ground.paths.isThere(at) && !isFolder(at);
  if (isFile(path) || isFile(parentOf(path))) return { files: [], unknown: [] };
  // A link is copied as a link, unless the command copies the content of the folder.
  const source = isContents ? ground.paths.real(from) : from;
  if (exists(source) && !isRealFolder(source)) return { files: [], unknown: [] };
  const below = filesBelow(source, "", ground.visits);
  const itself = lookAtAll([place], how, ground);
  if (below === null || below.length === 0) {
    const name = fromFolder(ground.root, from) || from;
    // The command itself may fill the folder before it copies it.
    const doubts = below === null && needed === "all"
      ? [tooMany(name)]
      : below !== null && isContents
      ? [`what will lie in ${name} is not known`]
      : [];
    return { files: itself.files, unknown: [...itself.unknown, ...doubts] };
  }
  const arising = below.map((name) => joinPath(path, name))
    .filter((at) => needed === "all" || exists(at))
    .map((path): Place => ({ path, from: null, isPart: true }));
  // A folder that tools rebuild stands for its new files.
  const whole = needed === "there" ? itself.files : [];
  const as = { ...how, effect: "change", isFolder: false } as const;
  const { files, unknown } = lookAtAll(arising, as, ground);
  return {
    files: copied.leavesSome ? whole : [...whole, ...files],
    perhaps: copied.leavesSome ? files : [],
    unknown,
  };
}

/** Tells which files in a new folder rules need to know: all, only those that exist already, or none. */
function neededBelow(folder: string, ground: ShellGround): "all" | "there" | "none" {
  const { root, own, paths } = ground;
  const [inside] = spellingsInside({ path: folder, real: paths.real(folder) }, ground);
  if (inside !== undefined) return isMadeAnew(inside) ? "there" : "all";
  const mayHold = (path: string | null) => path !== null && isBelow(path, folder);
  return mayHold(root) || own().some(({ path }) => mayHold(path) || isBelow(folder, path))
    ? "all"
    : "none";
}

function lookAtAll(places: readonly Place[], how: HowToLook, ground: ShellGround): LookResult {
  return joined(places.map((place) => lookAt(place, how, ground)));
}

function lookFor(
  path: string,
  { search, ...how }: HowToLook & { readonly search: Search },
  ground: ShellGround,
): LookResult {
  const { places, unknown } = placesOf(search.fromTop ? topOf(path) : path, how, ground);
  const look = (places: readonly Place[], effect = how.effect) =>
    lookAtAll(places, { ...how, effect }, ground);
  const results = places.map(({ path: start }): LookResult => {
    if (search.named === "always" && !how.isGlob && !exists(start)) {
      // Only git names a path that does not exist.
      const place = { path: start, from: null, comesFromGit: true };
      return joined([look([place]), look([place], "fill")]);
    }
    const folder = how.isFolder ? ground.paths.real(start) : start;
    const real = ground.paths.real(start);
    const name = nameFrom({ path: start, real }, ground);
    const { sure, perhaps, isAll } = findIn(folder, name, {
      search,
      own: ground.own().flatMap(({ path }) => fromFolder(folder, path) || []),
      among: search.among?.flatMap((path) => fromFolder(real, path) || []) ?? null,
      visits: ground.visits,
    });
    const [found, unsure] = [sure, perhaps].map((entries) =>
      look(Array.from(entries, ([below, kind]): Place => ({
        path: below === "" ? start : joinPath(start, below),
        from: null,
        isListed: below !== "" && kind === "file",
      })))
    );
    const whole = search.takesAll && perhaps.size > 0
      ? look([{ path: start, from: null, comesFromGit: true }], "fill").files
      : [];
    return {
      files: [...found!.files, ...whole],
      perhaps: unsure!.files,
      unknown: [...found!.unknown, ...unsure!.unknown, ...isAll ? [] : [tooMany(name)]],
    };
  });
  return joined(results, unknown);
}

/** Returns the path relative to the project's folder; empty for the project's folder and the folders above. */
function nameFrom(
  { path, real }: { readonly path: string; readonly real: string },
  ground: ShellGround,
): string {
  const { root, paths } = ground;
  const [inside] = spellingsInside({ path, real }, ground);
  if (inside !== undefined) return inside;
  return root !== null && isBelow(paths.real(root), real) ? "" : path;
}

/** Returns the top of the repository that a folder lies in; outside of any repository, the folder itself. */
function topOf(folder: string): string {
  // The root of the disk counts as no repository.
  return withParents(folder).slice(0, -1).find(isTop) ?? folder;
}

function isTop(folder: string): boolean {
  return exists(joinPath(folder, ".git"));
}

function tooMany(name: string): string {
  return `${name || "the project's folder"} holds more files than can be looked through`;
}

function placesOf(
  path: string,
  { effect, isGlob }: HowToLook,
  { visits }: ShellGround,
): { readonly places: readonly Place[]; readonly unknown: readonly string[] } {
  if (!isGlob) return { places: [{ path, from: null }], unknown: [] };
  const { paths, isAll } = expandPattern(path, visits);
  // If no file matches a pattern, the shell takes it as a name, so a file of that name may be made.
  const left = effect === "change" || effect === "fill" ? [path] : [];
  return {
    places: (paths.length === 0 ? left : paths).map((one) => ({ path: one, from: null })),
    unknown: isAll ? [] : [`${path} stands for more files than can be looked up`],
  };
}

/** Looks up one file, and with a removed folder the files in it. */
function lookAt(place: Place, how: HowToLook, ground: ShellGround): LookResult {
  const facts = factsOf(place, how, ground);
  const isUnread = ground.heads !== null && ground.heads.left < 0;
  const unknown = isUnread ? ["it changes more files than can be read"] : [];
  if (how.effect !== "remove" || place.isListed) return { files: [facts], unknown };
  const { real } = facts;
  const name = nameFrom({ path: place.path, real }, ground);
  const below = ground.wantsBelow ? filesBelow(real, name, ground.visits) : [];
  const whole = { below: below ?? [], isMadeAnew: isMadeAnew(name) && isRealFolder(real) };
  return {
    files: [{ ...facts, ...whole }],
    unknown: below === null ? [...unknown, tooMany(name)] : unknown,
  };
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

/** The size up to which patches and scripts are read, in bytes. */
const MAX_TEXT_BYTES = 1_048_576;

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
      const at = {
        ...ground,
        heads: ground.heads === null ? null : { ...ground.heads },
        wantsBelow,
        visits: { left: MAX_VISITS },
      };
      return (path, how) => {
        if (at.visits.left < 0) throw new TooMuchWork();
        return lookAtFiles(path, how, at);
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

/** Loads the reader of PowerShell where a command may start it. Quotes may stand in the program's name. */
async function loadLanguage({ tool, command }: Pick<BashUse, "tool" | "command">): Promise<void> {
  if (tool !== "PowerShell" && !/pwsh|powershell/i.test(command.replace(/['"\\]/g, ""))) return;
  const { POWERSHELL } = await import("../shell/powershell.ts");
  readPowerShellWith(POWERSHELL);
}
