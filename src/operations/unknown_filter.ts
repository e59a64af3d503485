/** Finds the filters of a search that match nothing at all, and proposes known values. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../base/counts.ts";
import { baseName, isAbsolutePath } from "../base/paths.ts";
import { folderOfProject } from "../memory/project_paths.ts";
import { projectName } from "../memory/search/observation_view.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import {
  isKnownBranch,
  isKnownFile,
  isKnownProject,
  knownBranches,
  knownProjects,
  newestOfPaths,
  observedPaths,
} from "../memory/store.ts";
import { nearestWords } from "../base/likeness.ts";
import { spooledFiles } from "../db/spool.ts";
import { countAllWaiting } from "../db/queue_work.ts";
import type { CliContext } from "./context.ts";
import type { View } from "./view.ts";

/** A filter that matches nothing in memory. */
export interface UnknownFilter {
  readonly flag: "project" | "branch" | "file";
  readonly value: string;
  /** Known values, the likeliest first; empty if there are none. */
  readonly known: readonly string[];
}

const NAMED = 3;
const MAX_FILES = 20_000;
const MAX_NEAR = 50;

/** The filters of a search: the typed value and the value that it stands for; null for a filter that is not set. */
export interface TypedFilters {
  readonly project: { readonly typed: string; readonly meant: string } | null;
  readonly branch: string | null;
  readonly file: { readonly typed: string; readonly meant: string } | null;
}

/** Pairs a typed value with the value that it stands for; null if the filter is not set. */
export function typedFilter(typed: string | undefined, meant: string | null) {
  return typed === undefined || meant === null ? null : { typed, meant };
}

/** Returns the filters whose value occurs nowhere in memory. */
export function unknownFilters(
  db: DatabaseSync,
  { project, branch, file }: TypedFilters,
): UnknownFilter[] {
  const within = project?.meant ?? null;
  if (project !== null && !isKnownProject(db, project.meant)) {
    const folders = knownProjects(db).map(folderOfProject);
    const near = nearOf(baseName(project.typed), folders, projectName);
    return [{ flag: "project", value: project.typed, known: nearOrNewest(near, folders) }];
  }
  const unknown: UnknownFilter[] = [];
  if (branch !== null && !isKnownBranch(db, branch, within)) {
    const branches = knownBranches(db, within);
    const near = nearOf(branch, branches, (name) => name);
    unknown.push({ flag: "branch", value: branch, known: nearOrNewest(near, branches) });
  }
  if (file !== null && !isKnownFile(db, file.meant)) {
    const near = nearOf(baseName(file.meant), observedPaths(db, MAX_FILES), baseName);
    const areWhole = isAbsolutePath(file.meant);
    const how = { project: within, areWhole, limit: NAMED };
    const known = newestOfPaths(db, near.slice(0, MAX_NEAR), how);
    unknown.push({ flag: "file", value: file.typed, known });
  }
  return unknown;
}

/** Returns the items whose names resemble the typed text; case does not matter. */
function nearOf(
  typed: string,
  all: readonly string[],
  nameOf: (one: string) => string,
): readonly string[] {
  const lower = (one: string) => nameOf(one).toLowerCase();
  const near = new Set(nearestWords(typed, [...new Set(all.map(lower))]));
  return all.filter((one) => near.has(lower(one)));
}

function nearOrNewest(near: readonly string[], all: readonly string[]): readonly string[] {
  return (near.length > 0 ? near : all).slice(0, NAMED);
}

/** Words unknown filters for people. @param command The command before the flag: `conclaude memory search uploads`. */
export function unknownText(unknown: readonly UnknownFilter[], command: string): string[] {
  return unknown.flatMap(({ flag, value, known }) => {
    const none = `Nothing at all is known of the ${flag} "${value}"`;
    if (known.length === 0) return [`${none}.`];
    return [
      `${none}; known: ${known.join(", ")}.`,
      `  next: ${command} --${flag} ${quoteWord(known[0]!)}`,
    ];
  });
}

/** Shows that a search found nothing, and names filters that match nothing at all. */
export function nothingFound(
  db: DatabaseSync,
  context: CliContext,
  { flags, words, project, file, database }: {
    readonly database: string;
    readonly flags: Partial<Readonly<Record<"project" | "branch" | "file", string>>>;
    readonly words: readonly string[];
    readonly project: string | null;
    readonly file: string | null;
  },
): View {
  const unknown = unknownFilters(db, {
    project: typedFilter(flags.project, project),
    branch: flags.branch ?? null,
    file: typedFilter(flags.file, file),
  });
  const command = `conclaude memory search ${quoteWord(words.join(" "))}`;
  const spooled = spooledFiles({ database, folders: context.locations.spoolFolders }).length;
  const waiting = countAllWaiting(db) + spooled;
  return {
    json: {
      results: [],
      quotedNowhere: [],
      ...unknown.length > 0 && { unknown },
      ...waiting > 0 && { waiting },
    },
    text: [
      "Nothing is remembered that matches.",
      ...unknownText(unknown, command),
      ...waiting === 0 ? [] : [
        `${count(waiting, "capture is", "captures are")} not worked in yet: conclaude queue drain`,
      ],
    ],
  };
}
