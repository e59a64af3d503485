/** `conclaude import claude-mem FILE`: takes the memory of claude-mem over. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { baseName, isAbsolutePath, joinPath } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { identifyDatabase, openToLook } from "../../db/database_identity.ts";
import { isKnownProject } from "../../memory/store.ts";
import { compileRedactPatterns } from "../../secrets/redact.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { isFolder } from "../../system/on_disk.ts";
import {
  claudeMemRows,
  type ClaudeMemTable,
  claudeMemTables,
  type MemoryPlace,
  observationOf,
  seenProjects,
} from "../../upkeep/store.ts";
import { type ArrivingRow, takeRows, termsOf } from "../../upkeep/transfer/import.ts";
import { type CliContext, typedPath } from "../context.ts";
import { tellLostForgetKey } from "../lost_forget_key.ts";
import { lookIntoStore, openKeptStore, placeOf } from "../open_store.ts";
import { maskerOf } from "../task_text.ts";
import { progressLine } from "../terminal.ts";
import { usageError } from "../usage.ts";
import { errorText, type View } from "../view.ts";

/** What `import claude-mem` is called with. */
export interface ClaudeMemFlags {
  readonly project?: string;
  readonly name?: string;
  readonly dryRun: boolean;
}

/** What was taken over. */
interface Report {
  readonly imported: Record<string, number>;
  known: number;
  /** Those among them that belong to another project now. */
  moved: number;
  /** Rows that say nothing, or nothing that may be kept. */
  empty: number;
  forgotten: number;
  /** Rows of projects that are not known here, by the name that they keep. */
  readonly unplaced: Record<string, number>;
  /** Tables that could not be read to their end. */
  readonly damaged: string[];
  /** Tables of which nothing is read. */
  readonly notTaken: readonly { readonly name: string; readonly why: string }[];
}

/** Where rows of a name belong: null where nobody knows it, undefined where it is not wanted. */
type PlaceOfName = (name: string) => MemoryPlace | null | undefined;

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
    const { tables, others } = claudeMemTables(source);
    if (tables.length === 0) {
      throw cannot(path, "it has none of the tables of claude-mem, as any known version has them");
    }
    const meant = folder === null ? null : placeOfWanted(folder, { source, tables, file, flags });
    const isLite = tables.some(({ name }) => name === "lite_learnings");
    const last = isLite ? "learnings" : "user_prompts";
    const work = (db: DatabaseSync): Report => {
      const report: Report = {
        imported: { observations: 0, session_summaries: 0, [last]: 0 },
        ...{ known: 0, moved: 0, empty: 0, forgotten: 0, unplaced: {}, damaged: [] },
        notTaken: others.map((name) => ({ name, why: "nothing of the work is remembered there" })),
      };
      const placeOfName = meant ?? placesHere(db, mask);
      for (const table of tables) {
        const rows = rowsIn(source, table, { report, mask, placeOfName });
        const taken = takeRows(db, rows, { rules, dryRun, onProgress });
        report.imported[table.counted]! += taken.imported.observations;
        report.known += taken.known.observations + taken.replaced + taken.outdated;
        report.moved += taken.replaced;
        report.forgotten += taken.forgotten;
      }
      if (!dryRun) tellLostForgetKey(context, db);
      return report;
    };
    const report = dryRun
      ? await lookIntoStore(context, work)
      : work((await openKeptStore(context, "import")).db);
    progress.end();
    if (report.damaged.length > 0) {
      context.process.stderr.write(errorText({
        what: `A part of ${report.damaged.join(", ")} in "${path}" cannot be read`,
        why: "pages of the database are damaged; what lies before them was taken over",
        next: "",
      }));
    }
    return {
      json: { file, dryRun, ...report },
      text: textOf(report, { file, dryRun }),
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
function* rowsIn(source: DatabaseSync, table: ClaudeMemTable, { report, mask, placeOfName }: {
  readonly report: Report;
  readonly mask: (text: string) => string;
  readonly placeOfName: PlaceOfName;
}): Generator<ArrivingRow> {
  const rows = claudeMemRows(source, table);
  let step = rows.next();
  for (; !step.done; step = rows.next()) {
    const place = placeOfName(step.value.project);
    if (place === undefined) continue;
    const columns = observationOf(step.value, { table, mask, place });
    if (columns === null) {
      report.empty++;
      continue;
    }
    const name = String(columns["project"] ?? "");
    if (place === null) report.unplaced[name] = (report.unplaced[name] ?? 0) + 1;
    const text = `${columns["title"]}${columns["text"]}`;
    yield { type: "observation", columns: { ...columns, terms: termsOf(columns) }, line: 0, text };
  }
  if (!step.value) report.damaged.push(table.table);
}

/** The folder of `--project`; null when all projects are wanted. */
function wantedFolder(context: CliContext, { project, name }: ClaudeMemFlags, file: string) {
  const folder = project === undefined ? null : typedPath(context, project);
  if (folder === null ? name === undefined : isFolder(folder)) return folder;
  const command = `conclaude import claude-mem ${quoteWord(file)} --project .`;
  throw folder === null
    ? usageError("Cannot take over a project without knowing where it lies", {
      why: "--name is of use only together with --project",
      next: `${command} --name ${quoteWord(name!)}`,
    })
    : usageError(`There is no folder "${folder}"`, {
      why: "--project names the folder that the project lies in; nothing was changed",
      next: command,
    });
}

/** @throws {UserError} When claude-mem has nothing of the project. */
function placeOfWanted(
  folder: string,
  { source, tables, file, flags }: {
    readonly source: DatabaseSync;
    readonly tables: readonly ClaudeMemTable[];
    readonly file: string;
    readonly flags: ClaudeMemFlags;
  },
): PlaceOfName {
  const name = flags.name ?? baseName(folder);
  const names = new Set(
    tables.flatMap((table) => [...claudeMemRows(source, table)].map(({ project }) => project)),
  );
  const inFolder = [...names].filter((one) =>
    flags.name === undefined && `${one}/`.startsWith(`${folder}/`)
  );
  const called = [...names].filter((one) =>
    one === name || (isAbsolutePath(one) ? baseName(one) : mainName(one)) === name
  );
  const meant = inFolder.length > 0 ? inFolder : called;
  if (meant.length > 0) return (one) => meant.includes(one) ? placeOfFolder(folder) : undefined;
  const known = [...names].filter((one) => one !== "");
  throw new UserError(`claude-mem has nothing of a project "${name}"`, {
    why: `it has ${known.join(", ") || "no project"}; nothing was changed`,
    next: `conclaude import claude-mem ${quoteWord(file)} --project ${quoteWord(folder)}` +
      ` --name ${quoteWord(known[0] ?? "NAME")}`,
  });
}

function placeOfFolder(folder: string): MemoryPlace {
  const repository = findRepository(lookUpwards(folder));
  if (repository === undefined) return { project: folder, root: folder };
  return { project: repository.commonDir, root: topOf(repository.commonDir) ?? repository.root };
}

/** The folder of a repository that is no bare one. */
function topOf(commonDir: string): string | null {
  return commonDir.endsWith("/.git") ? commonDir.slice(0, -"/.git".length) : null;
}

/** The project that a worktree belongs to: claude-mem has `website/fix-login` for a worktree of `website`. */
function mainName(name: string): string {
  return name.split("/", 1)[0]!;
}

/** Finds the place of a name by the projects that sessions were seen in; only names that one project alone has. */
function placesHere(db: DatabaseSync, mask: (text: string) => string): PlaceOfName {
  const places = new Map<string, MemoryPlace | null>();
  for (const { project, projectDir } of seenProjects(db)) {
    const top = topOf(project);
    const place = { project, root: top ?? projectDir };
    for (const name of new Set([baseName(projectDir), baseName(top ?? projectDir)])) {
      const other = places.get(name);
      places.set(name, other === undefined || other?.project === project ? place : null);
    }
  }
  return (name) => {
    if (!isAbsolutePath(name)) return places.get(name) ?? places.get(mainName(name)) ?? null;
    const known = places.get(name);
    if (known !== undefined) return known;
    const place = mask(name) === name ? placeOfPath(db, name) : null;
    places.set(name, place);
    return place;
  };
}

/** The place of a folder that claude-mem-lite names; the folder may be gone. */
function placeOfPath(db: DatabaseSync, path: string): MemoryPlace {
  if (isFolder(path)) return placeOfFolder(path);
  const repository = joinPath(path, ".git");
  return { project: isKnownProject(db, repository) ? repository : path, root: path };
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

/** @throws {UserError} When the file is no database that can be read. */
function openSource(path: string): DatabaseSync {
  const found = identifyDatabase(path);
  const why = found.kind === "damaged"
    ? `it is damaged: ${found.why}`
    : found.kind === "unreadable"
    ? found.why
    : REFUSALS[found.kind];
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

/** The names of what is counted, one and several. */
const NAMES: Readonly<Record<string, readonly [string, string?]>> = {
  observations: ["observation"],
  session_summaries: ["summary", "summaries"],
  user_prompts: ["prompt"],
  learnings: ["learning"],
};

function textOf(
  { imported, known, moved, empty, forgotten, unplaced, notTaken }: Report,
  { file, dryRun }: { readonly file: string; readonly dryRun: boolean },
): string {
  const taken = Object.entries(imported).map(([name, n]) => count(n, ...NAMES[name]!));
  const places = moved === 0 ? "" : `; ${count(moved, "of them has", "of them have")} a place now`;
  const names = Object.keys(unplaced).map((name) => name === "" ? "no name" : name).sort();
  const left = notTaken.map(({ name, why }) => `${name} (${why})`);
  const lines: readonly (readonly [n: number, line: string])[] = [
    [known, `${count(known, "was", "were")} there already${places}.`],
    [empty, `${count(empty, "says", "say")} nothing that may be kept.`],
    [
      forgotten,
      `${count(forgotten, "was forgotten here, and stays", "were forgotten here, and stay")} away.`,
    ],
    [
      names.length,
      `Nobody knows here where these projects lie: ${names.join(", ")}. They keep ` +
      "their names; say it with --project DIR.",
    ],
    [left.length, `Not read: ${left.join(", ")}.`],
  ];
  return [
    `${dryRun ? "Would take over" : "Took over"} from ${file}: ${taken.join(", ")}.`,
    ...lines.flatMap(([n, line]) => n === 0 ? [] : [line]),
  ].join("\n");
}
