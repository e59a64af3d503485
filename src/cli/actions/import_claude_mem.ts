/** `conclaude import claude-mem FILE`: takes the memory of claude-mem over. */
import type { DatabaseSync } from "node:sqlite";
import { compileRedactPatterns } from "../../secrets/redact.ts";
import { count } from "../../counts.ts";
import { messageOf, UserError } from "../../errors.ts";
import { findRepository, lookUpwards } from "../../git/repository.ts";
import { type MemoryPlace, observationOf } from "../../maintenance/claude_mem_rows.ts";
import { type ArrivingRow, takeRows } from "../../maintenance/import.ts";
import { baseName, isAbsolutePath, joinPath } from "../../paths.ts";
import { isFolder } from "../../project/on_disk.ts";
import { quoteWord } from "../../settings/hooks.ts";
import {
  claudeMemProjects,
  claudeMemRows,
  type ClaudeMemTable,
  claudeMemTables,
  openForeign,
  otherTables,
  seenProjects,
} from "../../store/claude_mem.ts";
import { identifyDatabase } from "../../store/identity.ts";
import { isKnownProject } from "../../store/known_project.ts";
import { type CliContext, typedPath } from "../context.ts";
import { tellLostForgetKey } from "../lost_forget_key.ts";
import { progressLine } from "../terminal.ts";
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

/** The one project that is wanted, and its name in claude-mem. */
interface Wanted extends MemoryPlace {
  readonly name: string;
  /** Whether a person has told the name. */
  readonly isNamed: boolean;
  readonly folder: string;
}

/** What the rows of a table are called, whichever of the two programs it is of. */
const COUNTED = {
  observations: "observations",
  session_summaries: "session_summaries",
  user_prompts: "user_prompts",
  lite_observations: "observations",
  lite_sessions: "session_summaries",
  lite_learnings: "learnings",
} as const satisfies Record<ClaudeMemTable, string>;

/** What was taken over. */
interface Report {
  readonly imported: Record<typeof COUNTED[ClaudeMemTable], number>;
  known: number;
  /** Those among them that belong to another project now. */
  moved: number;
  /** Rows that say nothing, or nothing that may be kept. */
  empty: number;
  forgotten: number;
  /** Rows of projects that are not known here, by the name that they keep. */
  readonly unplaced: Record<string, number>;
  /** Tables that could not be read to their end. */
  readonly damaged: ClaudeMemTable[];
  /** Tables of which nothing is read. */
  readonly notTaken: readonly { readonly name: string; readonly why: string }[];
}

/** Names that are told at most. */
const MAX_NAMES = 8;

/** `conclaude import claude-mem FILE` */
export async function importClaudeMem(
  context: CliContext,
  flags: ClaudeMemFlags,
  file: string,
): Promise<View> {
  const { dryRun } = flags;
  const wanted = wantedProject(context, flags, file);
  const path = typedPath(context, file);
  const source = openSource(path);
  const progress = progressLine(context);
  try {
    const tables = claudeMemTables(source);
    const names = wanted === null ? [] : claudeMemProjects(source, tables);
    if (wanted !== null) checkWanted(names, { wanted, file });
    const { config } = await placeOf(context);
    const mask = await maskerOf(config);
    const rules = compileRedactPatterns(config.redactPatterns);
    const onProgress = (rows: number) => progress.tell(`${count(rows, "row")} …`);
    const work = (db: DatabaseSync): Report => {
      const report: Report = {
        imported: { observations: 0, session_summaries: 0, user_prompts: 0, learnings: 0 },
        known: 0,
        moved: 0,
        empty: 0,
        forgotten: 0,
        unplaced: {},
        damaged: [],
        notTaken: otherTables(source)
          .map((name) => ({ name, why: "it holds nothing that is remembered of the work" })),
      };
      const placeOfName = placing(db, { wanted, names, mask });
      for (const table of tables) {
        const rows = rowsIn(source, table, { report, mask, placeOfName });
        const taken = takeRows(db, rows, { rules, dryRun, onProgress });
        report.imported[COUNTED[table]] += taken.imported.observations;
        report.known += taken.known.observations + taken.replaced + taken.outdated;
        report.moved += taken.replaced;
        report.forgotten += taken.forgotten;
      }
      return report;
    };
    const workInto = (db: DatabaseSync) => {
      const done = work(db);
      tellLostForgetKey(context, db);
      return done;
    };
    const report = dryRun
      ? await lookIntoStore(context, work)
      : workInto((await openKeptStore(context, "import")).db);
    progress.end();
    tellDamage(context, report, path);
    return {
      json: { file, dryRun, ...report },
      text: textOf(report, { file, dryRun, isLite: tables.includes("lite_learnings") }),
      exitCode: report.damaged.length > 0 ? 1 : 0,
    };
  } catch (thrown) {
    if (thrown instanceof Error && /malformed|not a database|corrupt/i.test(thrown.message)) {
      throw cannot(path, `it is damaged: ${messageOf(thrown)}`, thrown);
    }
    throw thrown;
  } finally {
    progress.end();
    source.close();
  }
}

/** The rows of a table that are wanted and say something. */
function* rowsIn(
  source: DatabaseSync,
  table: ClaudeMemTable,
  { report, mask, placeOfName }: {
    readonly report: Report;
    readonly mask: (text: string) => string;
    readonly placeOfName: (name: string) => MemoryPlace | null | undefined;
  },
): Generator<ArrivingRow> {
  const rows = claudeMemRows(source, table);
  let step = rows.next();
  for (; !step.done; step = rows.next()) {
    const place = placeOfName(step.value.project);
    if (place === undefined) continue;
    const row = observationOf(step.value, { mask, place });
    if (row === null) report.empty++;
    else {
      if (place === null) {
        const name = String(row.columns["project"] ?? "");
        report.unplaced[name] = (report.unplaced[name] ?? 0) + 1;
      }
      yield row;
    }
  }
  if (!step.value) report.damaged.push(table);
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
  const isNamed = name !== undefined;
  return { ...placeOfFolder(folder), name: name ?? baseName(folder), isNamed, folder };
}

function placeOfFolder(folder: string): MemoryPlace {
  const repository = findRepository(lookUpwards(folder));
  if (repository === undefined) return { project: folder, root: folder };
  const { commonDir, root } = repository;
  return { project: commonDir, root: topOf(commonDir) ?? root };
}

/** The folder of a repository that is no bare one. */
function topOf(commonDir: string): string | null {
  return commonDir.endsWith("/.git") ? commonDir.slice(0, -"/.git".length) : null;
}

/** Why a file is no database of claude-mem, by what it is. */
const REFUSALS: Readonly<Record<string, string>> = {
  missing: "there is no such file",
  folder: "it is a folder",
  special: "it is no file",
  garbage: "it is no SQLite database",
  ours: "it is a database of conclaude itself",
  older: "it is a database of conclaude itself",
};

/** @throws {UserError} When there is no database of claude-mem. */
function openSource(path: string): DatabaseSync {
  const found = identifyDatabase(path);
  if (found.kind === "damaged") throw cannot(path, `it is damaged: ${found.why}`);
  if (found.kind === "unreadable") throw cannot(path, found.why);
  const refusal = REFUSALS[found.kind];
  if (refusal !== undefined) throw cannot(path, refusal);
  let source: DatabaseSync | undefined;
  try {
    source = openForeign(path);
    if (claudeMemTables(source).length > 0) return source;
    throw new Error("it has none of the tables of claude-mem, as any version known here has them");
  } catch (thrown) {
    source?.close();
    throw cannot(path, messageOf(thrown), thrown);
  }
}

function cannot(path: string, why: string, cause?: unknown): UserError {
  return new UserError(`Cannot take over "${path}"`, {
    why: `${why}; ${why === REFUSALS["missing"] ? "nothing was changed" : "the file is as it was"}`,
    // SQLite has to make files beside a database that is in WAL mode.
    next: /unable to open|readonly/i.test(why)
      ? "Copy it into a folder of your own and take the copy over"
      : "conclaude import claude-mem ~/.claude-mem/claude-mem.db --dry-run",
    cause,
  });
}

/** @throws {UserError} When claude-mem has nothing of the project. */
function checkWanted(
  all: readonly string[],
  { wanted, file }: { readonly wanted: Wanted; readonly file: string },
): void {
  if (namesOf(wanted, all).size > 0) return;
  const names = all.filter((name) => name !== "");
  throw new UserError(`claude-mem has nothing of a project "${wanted.name}"`, {
    why: `${
      names.length === 0 ? "it has no project" : `it has ${listed(names)}`
    }; nothing was changed`,
    next: `conclaude import claude-mem ${quoteWord(file)} --project ${quoteWord(wanted.folder)}` +
      ` --name ${quoteWord(names[0] ?? "NAME")}`,
  });
}

/** Which names of claude-mem, or folders of claude-mem-lite, are of the wanted project. */
function namesOf(wanted: Wanted, names: readonly string[]): ReadonlySet<string> {
  const isWithin = (name: string) => name === wanted.folder || name.startsWith(`${wanted.folder}/`);
  const inFolder = names.filter((name) =>
    !wanted.isNamed && isAbsolutePath(name) && isWithin(name)
  );
  if (inFolder.length > 0) return new Set(inFolder);
  return new Set(names.filter((name) =>
    name === wanted.name ||
    (isAbsolutePath(name) ? baseName(name) === wanted.name : mainName(name) === wanted.name)
  ));
}

/** The project that a worktree belongs to: claude-mem has `website/fix-login` for a worktree of `website`. */
function mainName(name: string): string {
  return name.split("/", 1)[0]!;
}

/** Makes what finds the place of a name: null where nobody knows it, undefined where it is not wanted. */
function placing(
  db: DatabaseSync,
  { wanted, names, mask }: {
    readonly wanted: Wanted | null;
    readonly names: readonly string[];
    readonly mask: (text: string) => string;
  },
): (name: string) => MemoryPlace | null | undefined {
  if (wanted !== null) {
    const meant = namesOf(wanted, names);
    return (name) => meant.has(name) ? wanted : undefined;
  }
  const places = placesByName(db);
  const folders = new Map<string, MemoryPlace | null>();
  return (name) => {
    if (!isAbsolutePath(name)) return places.get(name) ?? places.get(mainName(name)) ?? null;
    const place = folders.get(name) ?? (mask(name) === name ? placeOfPath(db, name) : null);
    folders.set(name, place);
    return place;
  };
}

/** The projects that sessions were seen in, by the names of their folders; only names that one project alone has. */
function placesByName(db: DatabaseSync): ReadonlyMap<string, MemoryPlace | null> {
  const found = new Map<string, MemoryPlace | null>();
  for (const { project, projectDir } of seenProjects(db)) {
    const top = topOf(project);
    const place = { project, root: top ?? projectDir };
    for (const name of new Set([baseName(projectDir), ...(top === null ? [] : [baseName(top)])])) {
      const other = found.get(name);
      found.set(name, other === undefined || other?.project === project ? place : null);
    }
  }
  return found;
}

/** Where a folder belongs that claude-mem-lite names, also one that is there no more. */
function placeOfPath(db: DatabaseSync, path: string): MemoryPlace {
  if (isFolder(path)) return placeOfFolder(path);
  const repository = joinPath(path, ".git");
  return { project: isKnownProject(db, repository) ? repository : path, root: path };
}

function tellDamage(context: CliContext, { damaged }: Report, path: string): void {
  if (damaged.length === 0) return;
  const tables = damaged.map((table) => table.replace(/^lite_/, "")).join(", ");
  context.process.stderr.write(errorText({
    what: `A part of ${tables} in "${path}" cannot be read`,
    why: "pages of the database are damaged; what lies before them was taken over",
    next: "",
  }));
}

function textOf(
  { imported, known, moved, empty, forgotten, unplaced, notTaken }: Report,
  { file, dryRun, isLite }: {
    readonly file: string;
    readonly dryRun: boolean;
    readonly isLite: boolean;
  },
): string {
  const taken = [
    count(imported.observations, "observation"),
    count(imported.session_summaries, "summary", "summaries"),
    isLite ? count(imported.learnings, "learning") : count(imported.user_prompts, "prompt"),
  ];
  const names = Object.entries(unplaced).sort(([, a], [, b]) => b - a)
    .map(([name]) => name === "" ? "no name" : name);
  const line = (n: number, text: () => string) => n === 0 ? [] : [text()];
  return [
    `${dryRun ? "Would take over" : "Took over"} from ${file}: ${taken.join(", ")}.`,
    ...line(known, () => {
      const places = moved === 0
        ? ""
        : `; ${count(moved, "of them has", "of them have")} a place now`;
      return `${count(known, "was", "were")} there already${places}.`;
    }),
    ...line(empty, () => `${count(empty, "says", "say")} nothing that may be kept.`),
    ...line(
      forgotten,
      () =>
        `${
          count(forgotten, "was forgotten here, and stays", "were forgotten here, and stay")
        } away.`,
    ),
    ...line(names.length, () =>
      `Nobody knows here where these projects lie: ${listed(names)}. ` +
      "They keep their names; say it with --project DIR."),
    ...line(
      notTaken.length,
      () =>
        `Not read, since nothing of the work is remembered there: ${
          listed(notTaken.map(({ name }) => name))
        }.`,
    ),
  ].join("\n");
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
