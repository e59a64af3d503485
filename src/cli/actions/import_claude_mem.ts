/** `conclaude import claude-mem FILE`: takes the memory of claude-mem over. */
import type { DatabaseSync } from "node:sqlite";
import { messageOf, UserError } from "../../errors.ts";
import { findRepository, lookUpwards } from "../../git/repository.ts";
import { baseName, isAbsolutePath, joinPath } from "../../paths.ts";
import { isFolder } from "../../project/files.ts";
import { type ClaudeMemReport, importClaudeMemory } from "../../recall/claude_mem_import.ts";
import { mainName, type MemoryPlace, placesByName } from "../../recall/claude_mem_places.ts";
import { quoteWord } from "../../settings/hooks.ts";
import {
  claudeMemProjects,
  type ClaudeMemTable,
  claudeMemTables,
  openForeign,
} from "../../store/claude_mem.ts";
import { seenProjects } from "../../store/foreign_memory.ts";
import { isKnownProject } from "../../store/known_project.ts";
import { identifyDatabase } from "../../store/identity.ts";
import { type CliContext, typedPath } from "../context.ts";
import { count } from "../../counts.ts";
import { tellLostForgetKey } from "../lost_forget_key.ts";
import { progressLine } from "../progress_line.ts";
import { lookIntoStore, openKeptStore, placeOf } from "../store.ts";
import { maskerOf } from "../task_text.ts";
import { usageError } from "../usage.ts";
import { errorText, type View } from "../view.ts";

/** What `import claude-mem` is called with. */
export interface ClaudeMemFlags {
  readonly project?: string;
  readonly name?: string;
  readonly dryRun: boolean;
}

/** Names that are told at most. */
const MAX_NAMES = 8;

/** `conclaude import claude-mem FILE` */
export async function importClaudeMem(
  context: CliContext,
  flags: ClaudeMemFlags,
  file: string,
): Promise<View> {
  const wanted = wantedProject(context, flags, file);
  const { source, tables, path } = openSource(context, file);
  const progress = progressLine(context);
  try {
    checkWanted(source, { tables, wanted, file });
    const mask = await maskerOf((await placeOf(context)).config);
    const work = (db: DatabaseSync) =>
      importClaudeMemory(db, source, {
        tables,
        mask,
        placeOf: placing(db, {
          wanted,
          names: wanted === null ? [] : claudeMemProjects(source, tables).keys(),
          mask,
        }),
        dryRun: flags.dryRun,
        onProgress: (rows) => progress.tell(`${count(rows, "row")} …`),
      });
    const workInto = (db: DatabaseSync) => {
      const done = work(db);
      tellLostForgetKey(context, db);
      return done;
    };
    const report = flags.dryRun
      ? await lookIntoStore(context, work)
      : workInto((await openKeptStore(context, "import")).db);
    progress.end();
    tellDamage(context, report, path);
    return {
      json: { file, dryRun: flags.dryRun, ...report },
      text: textOf(report, { file, dryRun: flags.dryRun, tables }),
      exitCode: report.damaged.length > 0 ? 1 : 0,
    };
  } catch (thrown) {
    if (thrown instanceof Error && /malformed|not a database|corrupt/i.test(thrown.message)) {
      throw cannot(path, `it is damaged: ${messageOf(thrown)}`, { cause: thrown });
    }
    throw thrown;
  } finally {
    progress.end();
    source.close();
  }
}

/** The one project that is wanted, and its name in claude-mem; null when all are. */
interface Wanted extends MemoryPlace {
  readonly name: string;
  /** Whether a person has told the name. */
  readonly isNamed: boolean;
  readonly folder: string;
}

function wantedProject(
  context: CliContext,
  { project, name }: ClaudeMemFlags,
  file: string,
): Wanted | null {
  if (project === undefined) {
    if (name === undefined) return null;
    throw usageError("Cannot take over a project without knowing where it lies", {
      why: "--name is of use only together with --project",
      next: `conclaude import claude-mem ${quoteWord(file)} --project . --name ${quoteWord(name)}`,
    });
  }
  const folder = typedPath(context, project);
  if (!isFolder(folder)) {
    throw usageError(`There is no folder "${folder}"`, {
      why: "--project names the folder that the project lies in; nothing was changed",
      next: "conclaude import claude-mem --help",
    });
  }
  return {
    ...placeOfFolder(folder),
    name: name ?? baseName(folder),
    isNamed: name !== undefined,
    folder,
  };
}

function placeOfFolder(folder: string): MemoryPlace {
  const repository = findRepository(lookUpwards(folder));
  const top = repository?.commonDir.endsWith("/.git")
    ? repository.commonDir.slice(0, -"/.git".length)
    : repository?.root;
  return { project: repository?.commonDir ?? folder, root: top ?? folder };
}

/** @throws {UserError} When there is no database of claude-mem. */
function openSource(context: CliContext, file: string): {
  readonly source: DatabaseSync;
  readonly tables: readonly ClaudeMemTable[];
  readonly path: string;
} {
  const path = typedPath(context, file);
  const found = identifyDatabase(path);
  if (found.kind === "missing") throw cannot(path, "there is no such file", { isThere: false });
  if (found.kind === "folder") throw cannot(path, "it is a folder");
  if (found.kind === "special") throw cannot(path, "it is no file");
  if (found.kind === "unreadable") throw cannot(path, found.why);
  if (found.kind === "damaged") throw cannot(path, `it is damaged: ${found.why}`);
  if (found.kind === "garbage") throw cannot(path, "it is no SQLite database");
  if (found.kind === "ours" || found.kind === "older") {
    throw cannot(path, "it is a database of conclaude itself");
  }
  let source: DatabaseSync | undefined;
  try {
    source = openForeign(path);
    const tables = claudeMemTables(source);
    if (tables.length === 0) {
      throw new Error(
        "it has none of the tables of claude-mem, as any version known here has them",
      );
    }
    return { source, tables, path };
  } catch (thrown) {
    source?.close();
    throw cannot(path, messageOf(thrown), { cause: thrown });
  }
}

function cannot(
  path: string,
  why: string,
  { cause, isThere = true }: { readonly cause?: unknown; readonly isThere?: boolean } = {},
): UserError {
  return new UserError(`Cannot take over "${path}"`, {
    why: `${why}; ${isThere ? "the file is as it was" : "nothing was changed"}`,
    // SQLite has to make files beside a database that is in WAL mode.
    next: /unable to open|readonly/i.test(why)
      ? "Copy it into a folder of your own and take the copy over"
      : "conclaude import claude-mem ~/.claude-mem/claude-mem.db --dry-run",
    cause,
  });
}

/** @throws {UserError} When claude-mem has nothing of the project. */
function checkWanted(
  source: DatabaseSync,
  { tables, wanted, file }: {
    readonly tables: readonly ClaudeMemTable[];
    readonly wanted: Wanted | null;
    readonly file: string;
  },
): void {
  if (wanted === null) return;
  const counts = claudeMemProjects(source, tables);
  if (namesOf(wanted, counts.keys()).size > 0) return;
  const names = [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name)
    .filter((name) => name !== "");
  throw new UserError(`claude-mem has nothing of a project "${wanted.name}"`, {
    why: `${
      names.length === 0 ? "it has no project" : `it has ${listed(names)}`
    }; nothing was changed`,
    next: `conclaude import claude-mem ${quoteWord(file)} --project ${quoteWord(wanted.folder)}` +
      ` --name ${quoteWord(names[0] ?? "NAME")}`,
  });
}

/** Which names of claude-mem, or folders of claude-mem-lite, are of the wanted project. */
function namesOf(wanted: Wanted, names: Iterable<string>): ReadonlySet<string> {
  const all = [...names];
  const isWithin = (name: string) => name === wanted.folder || name.startsWith(`${wanted.folder}/`);
  const inFolder = wanted.isNamed
    ? []
    : all.filter((name) => isAbsolutePath(name) && isWithin(name));
  if (inFolder.length > 0) return new Set(inFolder);
  return new Set(
    all.filter((name) =>
      isAbsolutePath(name)
        ? name === wanted.name || baseName(name) === wanted.name
        : name === wanted.name || name.startsWith(`${wanted.name}/`)
    ),
  );
}

function placing(
  db: DatabaseSync,
  { wanted, names, mask }: {
    readonly wanted: Wanted | null;
    readonly names: Iterable<string>;
    readonly mask: (text: string) => string;
  },
): (name: string) => MemoryPlace | null | undefined {
  if (wanted !== null) {
    const meant = namesOf(wanted, names);
    return (name) => meant.has(name) ? wanted : undefined;
  }
  const places = placesByName(seenProjects(db));
  const folders = new Map<string, MemoryPlace | null>();
  return (name) => {
    if (!isAbsolutePath(name)) return places.get(name) ?? places.get(mainName(name)) ?? null;
    const place = folders.get(name) ?? (mask(name) === name ? placeOfPath(db, name) : null);
    folders.set(name, place);
    return place;
  };
}

/** Where a folder belongs that claude-mem-lite names, also one that is there no more. */
function placeOfPath(db: DatabaseSync, path: string): MemoryPlace {
  if (isFolder(path)) return placeOfFolder(path);
  const repository = joinPath(path, ".git");
  return { project: isKnownProject(db, repository) ? repository : path, root: path };
}

function tellDamage(context: CliContext, { damaged }: ClaudeMemReport, path: string): void {
  if (damaged.length === 0) return;
  context.process.stderr.write(errorText({
    what: `A part of ${
      damaged.map((table) => table.replace(/^lite_/, "")).join(", ")
    } in "${path}" cannot be read`,
    why: "pages of the database are damaged; what lies before them was taken over",
    next: "",
  }));
}

function textOf(
  { imported, known, moved, empty, forgotten, unplaced }: ClaudeMemReport,
  { file, dryRun, tables }: Pick<ClaudeMemFlags, "dryRun"> & {
    readonly file: string;
    readonly tables: readonly ClaudeMemTable[];
  },
): string {
  const { observations, session_summaries, user_prompts, learnings } = imported;
  const taken = [
    count(observations, "observation"),
    count(session_summaries, "summary", "summaries"),
    tables.includes("lite_learnings")
      ? count(learnings, "learning")
      : count(user_prompts, "prompt"),
  ];
  const names = Object.entries(unplaced).sort(([, a], [, b]) => b - a)
    .map(([name]) => name === "" ? "no name" : name);
  return [
    `${dryRun ? "Would take over" : "Took over"} from ${file}: ${taken.join(", ")}.`,
    ...(known === 0 ? [] : [
      `${count(known, "was", "were")} there already${
        moved === 0 ? "" : `; ${count(moved, "of them has", "of them have")} a place now`
      }.`,
    ]),
    ...(empty === 0 ? [] : [`${count(empty, "says", "say")} nothing that may be kept.`]),
    ...(forgotten === 0 ? [] : [
      `${count(forgotten, "was forgotten here, and stays", "were forgotten here, and stay")} away.`,
    ]),
    ...(names.length === 0 ? [] : [
      `Nobody knows here where these projects lie: ${
        listed(names)
      }. They keep their names; say it with --project DIR.`,
    ]),
  ].join("\n");
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
