/** `conclaude import claude-mem FILE`: takes the memory of claude-mem over. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { baseName, isAbsolutePath } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { identifyDatabase, openToLook } from "../../db/database_identity.ts";
import { listSessions } from "../../db/sessions.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import { compileRedactPatterns } from "../../secrets/redact.ts";
import { isFolder } from "../../system/on_disk.ts";
import {
  claudeMemRows,
  type ClaudeMemTable,
  claudeMemTables,
  isDamage,
  observationOf,
} from "../../upkeep/store.ts";
import TABLES from "../../upkeep/transfer/claude_mem.json" with { type: "json" };
import { type ArrivingRow, takeRows, termsOf } from "../../upkeep/transfer/import.ts";
import { type CliContext, typedPath } from "../context.ts";
import { tellLostForgetKey } from "../lost_forget_key.ts";
import { lookIntoStore, openKeptStore, placeOf } from "../open_store.ts";
import { projectHere } from "../session_lookup.ts";
import { maskerOf } from "../task_text.ts";
import { progressLine } from "../terminal.ts";
import { usageError } from "../usage.ts";
import { errorText, type View } from "../view.ts";

type ClaudeMemFlags = Readonly<{ project?: string; name?: string; dryRun: boolean }>;

/** The project that rows of a name belong to: null where nobody knows it, undefined where it is not wanted. */
type ProjectOfName = (name: string) => string | null | undefined;

/** What was taken over. */
function newReport(counted: readonly string[], others: readonly string[]) {
  return {
    imported: Object.fromEntries(counted.map((name) => [name, 0])),
    known: 0,
    /** Those among them that belong to another project now. */
    moved: 0,
    /** Rows that say nothing, or nothing that may be kept. */
    empty: 0,
    forgotten: 0,
    /** Rows of projects that are not known here, by the name that they keep. */
    unplaced: {} as Record<string, number>,
    /** Tables that could not be read to their end. */
    damaged: [] as string[],
    notTaken: others.map((name) => ({ name, why: "nothing of the work is remembered there" })),
  };
}

/** `conclaude import claude-mem FILE` */
export async function importClaudeMem(
  context: CliContext,
  flags: ClaudeMemFlags,
  file: string,
): Promise<View> {
  const { dryRun } = flags;
  const folder = wantedFolder(context, flags, file);
  const path = typedPath(context, file);
  const progress = progressLine(context);
  const { config } = await placeOf(context);
  const mask = await maskerOf(config);
  const rules = compileRedactPatterns(config.redactPatterns);
  const onProgress = (rows: number) => progress.tell(`${count(rows, "row")} …`);
  const source = openSource(path);
  try {
    const { tables, counted, others } = claudeMemTables(source);
    if (tables.length === 0) {
      throw cannot(path, "it has none of the tables of claude-mem, as any known version has them");
    }
    const wanted = folder === null ? null : projectWanted(folder, { source, tables, file, flags });
    const report = newReport(counted, others);
    /** The rows of a table that are wanted and say something. */
    const rowsOf = function* (
      table: ClaudeMemTable,
      projectOf: ProjectOfName,
    ): Generator<ArrivingRow> {
      const rows = claudeMemRows(source, table);
      let step = rows.next();
      for (; !step.done; step = rows.next()) {
        const project = projectOf(step.value.project);
        if (project === undefined) continue;
        const columns = observationOf(step.value, table, { mask, project });
        if (columns === null) {
          report.empty++;
          continue;
        }
        const name = String(columns["project"] ?? "");
        if (project === null) report.unplaced[name] = (report.unplaced[name] ?? 0) + 1;
        const text = `${columns["title"]}${columns["text"]}`;
        const row = { ...columns, terms: termsOf(columns) };
        yield { type: "observation", columns: row, line: 0, text };
      }
      if (!step.value) report.damaged.push(table.table);
    };
    const work = (db: DatabaseSync) => {
      const projectOf = wanted ?? projectsHere(db, mask);
      for (const table of tables) {
        const taken = takeRows(db, rowsOf(table, projectOf), { rules, dryRun, onProgress });
        report.imported[table.counted]! += taken.imported.observations;
        report.known += taken.known.observations + taken.replaced + taken.outdated;
        report.moved += taken.replaced;
        report.forgotten += taken.forgotten;
      }
      if (!dryRun) tellLostForgetKey(context, db);
    };
    if (dryRun) await lookIntoStore(context, work);
    else work((await openKeptStore(context, "import")).db);
    progress.end();
    const isDamaged = report.damaged.length > 0;
    if (isDamaged) {
      const what = `A part of ${report.damaged.join(", ")} in "${path}" cannot be read`;
      const why = "pages of the database are damaged; what lies before them was taken over";
      context.process.stderr.write(errorText({ what, why, next: "" }));
    }
    return {
      json: { file, dryRun, ...report },
      text: `${dryRun ? "Would take" : "Took"} over from ${file}: ${textOf(report)}`,
      exitCode: isDamaged ? 1 : 0,
    };
  } catch (thrown) {
    throw isDamage(thrown) ? cannot(path, `it is damaged: ${messageOf(thrown)}`, thrown) : thrown;
  } finally {
    progress.end();
    source.close();
  }
}

/** The folder of `--project`; null when all projects are wanted. */
function wantedFolder(context: CliContext, { project, name }: ClaudeMemFlags, file: string) {
  const folder = project === undefined ? null : typedPath(context, project);
  if (folder === null ? name === undefined : isFolder(folder)) return folder;
  const what = folder === null
    ? "Cannot take over a project without knowing where it lies"
    : `There is no folder "${folder}"`;
  throw usageError(what, {
    why: "--project names the folder that the project lies in, --name what claude-mem calls it",
    next: `conclaude import claude-mem ${quoteWord(file)} --project .`,
  });
}

/** @throws {UserError} When claude-mem has nothing of the project. */
function projectWanted(folder: string, { source, tables, file, flags }: {
  readonly source: DatabaseSync;
  readonly tables: readonly ClaudeMemTable[];
  readonly file: string;
  readonly flags: ClaudeMemFlags;
}): ProjectOfName {
  const name = flags.name ?? baseName(folder);
  const rows = tables.flatMap((table) => [...claudeMemRows(source, table)]);
  const names = [...new Set(rows.map(({ project }) => project))];
  const meant = names.filter((one) =>
    flags.name === undefined && isAbsolutePath(one)
      ? `${one}/`.startsWith(`${folder}/`)
      : [one, mainName(one)].includes(name)
  );
  if (meant.length > 0) return (one) => meant.includes(one) ? projectHere(folder) : undefined;
  const known = names.filter((one) => one !== "");
  throw new UserError(`claude-mem has nothing of a project "${name}"`, {
    why: `it has ${known.join(", ") || "no project"}; nothing was changed`,
    next: `conclaude import claude-mem ${quoteWord(file)} --project ${quoteWord(folder)}` +
      ` --name ${quoteWord(known[0] ?? "NAME")}`,
  });
}

/** The project that a worktree belongs to: claude-mem has `website/fix-login` for a worktree of `website`. */
function mainName(name: string): string {
  return isAbsolutePath(name) ? baseName(name) : name.split("/", 1)[0]!;
}

/** Finds the project of a name among those that sessions were seen in; only names that one project alone has. */
function projectsHere(db: DatabaseSync, mask: (text: string) => string): ProjectOfName {
  const projects = new Map<string, string | null>();
  for (const session of listSessions(db, { project: null, status: null, limit: -1 })) {
    const { projectDir } = session;
    if (projectDir === null) continue;
    const project = session.repository ?? projectDir;
    for (const name of [baseName(projectDir), baseName(folderOfProject(project))]) {
      projects.set(name, projects.has(name) && projects.get(name) !== project ? null : project);
    }
  }
  return (name) => {
    if (isAbsolutePath(name) && !projects.has(name)) {
      projects.set(name, mask(name) === name ? projectHere(name) : null);
    }
    return projects.get(name) ?? projects.get(mainName(name)) ?? null;
  };
}

/** @throws {UserError} When the file is no database that can be read. */
function openSource(path: string): DatabaseSync {
  const found = identifyDatabase(path);
  const refused: Readonly<Record<string, string>> = TABLES.refused;
  const why = "why" in found ? `it is ${found.kind}: ${found.why}` : refused[found.kind];
  if (why !== undefined) throw cannot(path, why);
  try {
    return openToLook(path);
  } catch (thrown) {
    throw cannot(path, messageOf(thrown), thrown);
  }
}

function cannot(path: string, why: string, cause?: unknown): UserError {
  return new UserError(`Cannot take over "${path}"`, {
    why: `${why}; the file is as it was`,
    // SQLite has to make files beside a database that is in WAL mode.
    next: /unable to open|readonly/i.test(why)
      ? "Copy it into a folder of your own and take the copy over"
      : "conclaude import claude-mem ~/.claude-mem/claude-mem.db --dry-run",
    cause,
  });
}

function textOf(report: ReturnType<typeof newReport>): string {
  const { imported, known, moved, empty, forgotten, unplaced, notTaken } = report;
  const words: Readonly<Record<string, readonly string[]>> = TABLES.words;
  const taken = Object.entries(imported).map(([name, n]) => count(n, ...words[name] as [string]));
  const places = moved === 0 ? "" : `; ${count(moved, "of them has", "of them have")} a place now`;
  const names = Object.keys(unplaced).map((name) => name || "no name").sort().join(", ");
  const left = notTaken.map(({ name, why }) => `${name} (${why})`).join(", ");
  const gone = count(forgotten, "was forgotten here, and stays", "were forgotten here, and stay");
  const nowhere = `Nobody knows here where these projects lie: ${names}. They keep their names; ` +
    "say it with --project DIR.";
  return [
    `${taken.join(", ")}.`,
    ...known === 0 ? [] : [`${count(known, "was", "were")} there already${places}.`],
    ...empty === 0 ? [] : [`${count(empty, "says", "say")} nothing that may be kept.`],
    ...forgotten === 0 ? [] : [`${gone} away.`],
    ...names === "" ? [] : [nowhere],
    ...left === "" ? [] : [`Not read: ${left}.`],
  ].join("\n");
}
