/** `conclaude import FILE`: takes an export back. */
import type { ByteSource } from "../../byte_lines.ts";
import type { DatabaseSync } from "node:sqlite";
import { compileRedactPatterns } from "../../secrets/redact.ts";
import { messageOf, UserError } from "../../errors.ts";
import { count } from "../../counts.ts";
import { type CountName, noCounts } from "../../store/exported_tables.ts";
import { importLines, type ImportReport, linesOfExport } from "../../maintenance/import.ts";
import { linesOf } from "../../maintenance/import_lines.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { type CliContext, typedPath } from "../context.ts";
import { tellLostForgetKey } from "../lost_forget_key.ts";
import { nextHere } from "../next_command.ts";
import { progressLine } from "../terminal.ts";
import { lookIntoStore, openKeptStore, placeOf } from "../store.ts";
import { errorText, type View } from "../view.ts";

/** Beginnings of files that people may take for an export. */
const SQLITE = "SQLite format 3";

/** `conclaude import file FILE` */
export async function importFile(
  context: CliContext,
  { dryRun }: { readonly dryRun: boolean },
  file: string,
): Promise<View> {
  const source = sourceOf(context, file);
  const progress = progressLine(context);
  try {
    const { config } = await placeOf(context);
    const options = {
      rules: compileRedactPatterns(config.redactPatterns),
      dryRun,
      onProgress: (rows: number) => progress.tell(`${count(rows, "row")} …`),
    };
    const lines = linesOfExport(linesOf(source));
    const importInto = (db: DatabaseSync) => {
      const done = importLines(db, lines, options);
      tellLostForgetKey(context, db);
      return done;
    };
    const report = dryRun
      ? await lookIntoStore(context, (db) => importLines(db, lines, options))
      : importInto((await openKeptStore(context, "import")).db);
    progress.end();
    tellTrouble(context, report, file);
    tellForgotten(context, report);
    const isBad = report.damaged > 0 || report.cutShort || report.missing > 0;
    return {
      json: { file, dryRun, ...report },
      text: textOf(report, { file, dryRun }),
      exitCode: isBad ? 1 : 0,
    };
  } finally {
    progress.end();
    source.close();
  }
}

/** @throws {UserError} When it cannot be read, or is a database. */
function sourceOf(
  context: CliContext,
  file: string,
): ByteSource & { readonly close: () => void } {
  // The runtime lets nobody open the second one by its name.
  if (file === "-" || file === "/dev/stdin") {
    return { readSync: (buffer) => context.environment.stdin.readSync(buffer), close: () => {} };
  }
  const path = typedPath(context, file);
  const cannot = (why: string, next: string, cause?: unknown) =>
    new UserError(`Cannot import "${path}"`, { why: `${why}; nothing was changed`, next, cause });
  let opened: Deno.FsFile;
  try {
    opened = Deno.openSync(path);
    if (opened.statSync().isDirectory) {
      opened.close();
      throw new Error("it is a folder");
    }
  } catch (thrown) {
    throw cannot(messageOf(thrown), "conclaude import --help", thrown);
  }
  const first = new Uint8Array(SQLITE.length);
  const length = opened.statSync().isFile ? opened.readSync(first) ?? 0 : 0;
  if (length > 0) opened.seekSync(0, Deno.SeekMode.Start);
  if (new TextDecoder().decode(first) === SQLITE) {
    opened.close();
    throw cannot(
      "it is a database, not an export: a copy of conclaude's own is restored, that of claude-mem taken over",
      `conclaude import claude-mem ${quoteWord(file)}`,
    );
  }
  return { readSync: (buffer) => opened.readSync(buffer), close: () => opened.close() };
}

/** What was not taken over, on stderr. */
function tellTrouble(context: CliContext, report: ImportReport, file: string): void {
  const { damaged, damagedLines, cutShort, missing } = report;
  const tell = (what: string, why: string) => {
    const next = "Export it again where it comes from: conclaude export --output conclaude.jsonl";
    context.process.stderr.write(errorText({ what, why, next }));
  };
  for (const { line, why } of damagedLines) {
    context.process.stderr.write(`line ${line}: ${why}\n`);
  }
  if (damaged > 0) {
    tell(
      `${damaged} ${damaged === 1 ? "line" : "lines"} of ${file} cannot be taken over`,
      "they are not as an export has them; all the others were read",
    );
  }
  if (cutShort) {
    tell(`The export ${file} was cut short`, "its last line is missing; what is there was read");
  } else if (missing > 0) {
    tell(
      `${count(missing, "line is", "lines are")} missing in ${file}`,
      "its last line tells of more; what is there was read",
    );
  }
}

/** What was forgotten elsewhere is not known here, on stderr. */
function tellForgotten(context: CliContext, { forgottenElsewhere }: ImportReport): void {
  if (forgottenElsewhere === 0) return;
  context.process.stderr.write(errorText({
    what: "What was forgotten where the export was made is not kept away here",
    why: `${
      count(forgottenElsewhere, "receipt of it is", "receipts of it are")
    } in that database alone: transcripts and older exports may bring it here`,
    next: nextHere("conclaude memory forget --help", context.globals),
  }));
}

function textOf(
  { imported, known, replaced, outdated, unattached, forgotten, detachedTasks }: ImportReport,
  { file, dryRun }: { readonly file: string; readonly dryRun: boolean },
): string {
  const names = Object.keys(noCounts()) as CountName[];
  const parts = names.filter((name) => imported[name] > 0)
    .map((name) => {
      const [one, many] = LABELS[name] ?? [name.replace(/s$/, ""), name];
      return count(imported[name], one, many);
    });
  const knownRows = names.reduce((sum, name) => sum + known[name], 0);
  return [
    `${dryRun ? "Would import" : "Imported"} from ${file}: ${parts.join(", ") || "nothing new"}.`,
    ...(knownRows === 0 ? [] : [`${count(knownRows, "row was", "rows were")} there already.`]),
    ...(replaced === 0
      ? []
      : [`${count(replaced, "row was", "rows were")} older here, and replaced.`]),
    ...(outdated === 0
      ? []
      : [`${count(outdated, "row was", "rows were")} left out: a newer version is here.`]),
    ...(forgotten === 0 ? [] : [
      `${
        count(forgotten, "row was forgotten here, and stays", "rows were forgotten here, and stay")
      } away.`,
    ]),
    ...(unattached === 0 ? [] : [
      `${
        count(unattached, "row was", "rows were")
      } left out, of tasks or workflows that are not there.`,
    ]),
    ...(detachedTasks === 0 ? [] : [
      `${
        count(detachedTasks, "task has", "tasks have")
      } no parent any more: it is not in the export.`,
    ]),
  ].join("\n");
}

/** Counts that people know by other words. */
const LABELS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  executions: ["audit row", "audit rows"],
  taskTags: ["tag of a task", "tags of tasks"],
  taskDependencies: ["dependency of a task", "dependencies of tasks"],
  taskChanges: ["change of a task", "changes of tasks"],
  workflowSteps: ["step of a workflow", "steps of workflows"],
  summaryRequests: ["summary to be written", "summaries to be written"],
};
