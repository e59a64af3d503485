/** `conclaude import claude-mem FILE`: imports the memory of claude-mem. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { baseName, isAbsolutePath } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { identifyDatabase, openToLook } from "../../db/database_identity.ts";
import { listSessions } from "../../db/sessions.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import { redactText } from "../../secrets/redact.ts";
import { isFolder } from "../../system/on_disk.ts";
import { isDamage } from "../../db/table_copy.ts";
import {
  claudeMemRows,
  type ClaudeMemTable,
  claudeMemTables,
  observationOf,
} from "../../upkeep/transfer/store.ts";
import TABLES from "../../upkeep/transfer/claude_mem.json" with { type: "json" };
import { takeRows } from "../../upkeep/transfer/import.ts";
import { type CliContext, typedPath } from "../context.ts";
import { projectHere } from "../session_lookup.ts";
import { notTakenLines, sentencesOf, takeOver, warnOf } from "../take_over.ts";
import { linesOf } from "../table.ts";
import { usageError } from "../usage.ts";
import { text, textFlag, toggle } from "../flags.ts";
import { verb } from "../verb.ts";

/** Finds the project for a name in claude-mem: null if it is unknown, undefined if its rows are not to be imported. */
type ProjectOfName = (name: string) => string | null | undefined;

export const importClaudeMem = verb({
  person: "import claude-mem",
  args: [text("Its database, such as ~/.claude-mem/claude-mem.db", "file")],
  flags: {
    project: textFlag(
      "Only the project in this folder; claude-mem knows it by the folder's name",
      "dir",
    ),
    name: textFlag(
      "With --project: the name that claude-mem has for it, where it is another one",
      "name",
    ),
    dryRun: toggle("Only say what would be taken over"),
  },
  async run(context, flags, file) {
    const { dryRun } = flags;
    const path = typedPath(context, file);
    try {
      using source = openSource(path);
      const { tables, others } = claudeMemTables(source);
      if (tables.length === 0) {
        throw cannot(
          path,
          "it has none of the tables of claude-mem, as any known version has them",
        );
      }
      const wanted = projectWanted(context, flags, {
        again: `conclaude import claude-mem ${quoteWord(file)} --project `,
        namesThere: () =>
          tables.flatMap((table) => [...claudeMemRows(source, table)].map((row) => row.project)),
      });
      const report = newReport(tables, others);
      await takeOver(context, { dryRun }, (db, options) => {
        const mask = (text: string) => redactText(text, options.rules);
        const projectOf = wanted ?? projectsHere(db, mask);
        for (const table of tables) {
          const rows = function* () {
            const onDamage = () => void report.damaged.push(table.table);
            for (const row of claudeMemRows(source, table, onDamage)) {
              const project = projectOf(row.project);
              if (project === undefined) continue;
              const observation = observationOf(row, table, project, mask);
              if (observation === null) report.empty++;
              if (observation === null) continue;
              const name = String(observation.columns["project"] ?? "");
              if (project === null) report.unplaced[name] = (report.unplaced[name] ?? 0) + 1;
              yield observation;
            }
          };
          const taken = takeRows(db, rows(), options);
          report.imported[table.counted]! += taken.imported.observations;
          report.known += taken.known.observations + taken.replaced + taken.outdated;
          report.moved += taken.replaced;
          report.forgotten += taken.forgotten;
        }
      });
      const what = `A part of ${report.damaged.join(", ")} in "${path}" cannot be read`;
      const why = "pages of the database are damaged; what lies before them was taken over";
      warnOf(context, [[report.damaged.length, what, why, ""]]);
      const text = `${dryRun ? "Would take" : "Took"} over from ${file}: ${textOf(report)}`;
      const exitCode = report.damaged.length === 0 ? 0 : 1;
      return { json: { file, dryRun, ...report }, text, exitCode };
    } catch (thrown) {
      throw isDamage(thrown) ? cannot(path, `it is damaged: ${messageOf(thrown)}`) : thrown;
    }
  },
});

function newReport(tables: readonly ClaudeMemTable[], others: readonly string[]) {
  return {
    imported: Object.fromEntries(tables.map(({ counted }) => [counted, 0])),
    known: 0,
    /** How many of the known rows now belong to another project. */
    moved: 0,
    /** Rows without any text that may be stored. */
    empty: 0,
    forgotten: 0,
    /** Counts of rows whose project is unknown here, by the project's name in claude-mem. */
    unplaced: {} as Record<string, number>,
    damaged: [] as string[],
    notTaken: others.map((name) => ({ name, why: "nothing of the work is remembered there" })),
  };
}

/** Returns the lookup for the chosen project; null for all. @throws {UserError} If claude-mem has no such project. */
function projectWanted(
  context: CliContext,
  { project, name }: { readonly project?: string; readonly name?: string },
  { again, namesThere }: { readonly again: string; readonly namesThere: () => readonly string[] },
): ProjectOfName | null {
  if (project === undefined && name === undefined) return null;
  const folder = typedPath(context, project ?? "");
  if (project === undefined || !isFolder(folder)) {
    const why = "--project names that folder, --name what claude-mem calls the project";
    const what = "Cannot take over a project without the folder that it lies in";
    throw usageError(what, { why, next: `${again}.` });
  }
  const wanted = name ?? baseName(folder);
  const names = [...new Set(namesThere())];
  const chosen = names.filter((one) =>
    name === undefined && isAbsolutePath(one)
      ? `${one}/`.startsWith(`${folder}/`)
      : [one, mainName(one)].includes(wanted)
  );
  if (chosen.length > 0) return (one) => chosen.includes(one) ? projectHere(folder) : undefined;
  const known = names.filter((one) => one !== "");
  throw new UserError(`claude-mem has nothing of a project "${wanted}"`, {
    why: `it has ${known.join(", ") || "no project"}; nothing was changed`,
    next: `${again}${quoteWord(folder)} --name ${quoteWord(known[0] ?? "NAME")}`,
  });
}

/** Returns the project of a worktree: claude-mem calls a worktree of `website` `website/fix-login`. */
function mainName(name: string): string {
  return isAbsolutePath(name) ? baseName(name) : name.split("/", 1)[0]!;
}

/** Finds projects by name among those that sessions here worked in; a name that two projects share finds none. */
function projectsHere(db: DatabaseSync, mask: (text: string) => string): ProjectOfName {
  const projects = new Map<string, string | null>();
  const sessions = listSessions(db, { project: null, status: null, limit: -1 });
  for (const { projectDir, repository } of sessions) {
    if (projectDir === null) continue;
    const project = repository ?? projectDir;
    for (const name of [projectDir, folderOfProject(project)].map(baseName)) {
      projects.set(name, projects.has(name) && projects.get(name) !== project ? null : project);
    }
  }
  return (name) =>
    isAbsolutePath(name) && mask(name) === name
      ? projectHere(name)
      : projects.get(name) ?? projects.get(mainName(name)) ?? null;
}

/** Opens a database of claude-mem. @throws {UserError} If the file is not one. */
function openSource(path: string): DatabaseSync {
  const found = identifyDatabase(path);
  const refused: Readonly<Record<string, string>> = TABLES.refused;
  const why = "why" in found ? `it is ${found.kind}: ${found.why}` : refused[found.kind];
  if (why !== undefined) throw cannot(path, why, found.kind !== "missing");
  return openToLook(path);
}

function cannot(path: string, why: string, isThere = true): UserError {
  return new UserError(`Cannot take over "${path}"`, {
    why: isThere ? `${why}; the file is as it was` : why,
    next: "ls -l ~/.claude-mem*/*.db",
  });
}

function textOf(report: ReturnType<typeof newReport>): string {
  const { imported, known, moved, empty, forgotten, unplaced, notTaken } = report;
  const words: Readonly<Record<string, readonly string[]>> = TABLES.words;
  const taken = Object.entries(imported).map(([name, n]) => count(n, ...words[name] as [string]));
  const places = moved === 0 ? "" : `; ${count(moved, "of them has", "of them have")} a place now`;
  const names = Object.keys(unplaced).map((name) => name || "no name").sort().join(", ");
  return linesOf([
    `${taken.join(", ")}.`,
    sentencesOf([
      [known, "was", "were", `there already${places}`],
      [empty, "says", "say", "nothing that may be kept"],
      [forgotten, "was forgotten here, and stays", "were forgotten here, and stay", "away"],
    ]),
    names !== "" &&
    `Nobody knows here where these projects lie: ${names}. They keep their names; ` +
      "say it with --project DIR.",
    notTakenLines("Not read:", notTaken),
  ]).join("\n");
}
