/** `conclaude import FILE`: imports an export. The files of other programs are imported elsewhere. */
import type { ByteSource } from "../../base/byte_lines.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { count, sumOf } from "../../base/counts.ts";
import { EXPORTED_TABLES } from "../../upkeep/transfer/exported_tables.ts";
import { importLines, type ImportReport, openExport } from "../../upkeep/transfer/import.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { type CliContext, type Progress, typedPath } from "../context.ts";
import { sentencesOf, takeOver, warnOf } from "../take_over.ts";
import { identifyDatabase } from "../../db/database_identity.ts";
import { openSync } from "../../system/files.ts";
import { fileSize } from "../../system/on_disk.ts";
import { text, toggle } from "../flags.ts";
import { group, lazyFrom, verb } from "../verb.ts";

/** The kinds of files that `identifyDatabase()` counts as databases; a person may mistake one for an export. */
const DATABASES = ["ours", "older", "newer", "foreign", "damaged"];

const file = verb({
  person: "import",
  args: [text("An export, or - for stdin", "file")],
  flags: { dryRun: toggle("Only say what would be taken over") },
  async run(context, { dryRun }, file) {
    using source = sourceOf(context, file);
    const lines = openExport(source);
    const how = { dryRun, progressAt: source.progress };
    const report = await takeOver(context, how, (db, options) => importLines(db, lines, options));
    tellTrouble(context, report, file);
    const isBad = report.damaged > 0 || report.cutShort || report.missing > 0;
    const text = `${dryRun ? "Would import" : "Imported"} from ${file}: ${textOf(report)}`;
    return { json: { file, dryRun, ...report }, text, exitCode: isBad ? 1 : 0 };
  },
});

const claudeMem = lazyFrom(() => import("./import_claude_mem_verbs.ts"));
const transcripts = lazyFrom(() => import("./reconcile_verbs.ts"));

export const importVerb = group({
  file,
  claudeMem: claudeMem("importClaudeMem"),
  transcripts: transcripts("importTranscripts"),
}, "file");

/** Opens an export. @throws {UserError} If it cannot be read or is a database. */
function sourceOf(context: CliContext, file: string) {
  if (file === "-") {
    return counted({ readSync: (to) => context.environment.stdin.readSync(to), close() {} });
  }
  const path = typedPath(context, file);
  const cannot = (why: string, next = "conclaude import --help", cause?: unknown) =>
    new UserError(`Cannot import "${path}"`, { why: `${why}; nothing was changed`, next, cause });
  const { kind } = identifyDatabase(path);
  if (kind === "folder") throw cannot("it is a folder");
  if (DATABASES.includes(kind)) {
    const why =
      "it is a database, not an export: a copy of conclaude's own is restored, that of claude-mem taken over";
    throw cannot(why, `conclaude import claude-mem ${quoteWord(file)}`);
  }
  try {
    return counted(openSync(path), fileSize(path));
  } catch (thrown) {
    throw cannot(messageOf(thrown), undefined, thrown);
  }
}

/** Counts the bytes that are read. @param of The size in bytes; undefined if it is unknown. */
function counted(source: ByteSource & { readonly close: () => void }, of?: number) {
  let done = 0;
  return {
    readSync(buffer: Uint8Array) {
      const read = source.readSync(buffer);
      done += read ?? 0;
      return read;
    },
    [Symbol.dispose]: () => source.close(),
    progress: (): Progress => ({ done, inBytes: true, ...of !== undefined && { of } }),
  };
}

/** Reports on stderr what could not be imported, and that rows forgotten elsewhere may come back here. */
function tellTrouble(context: CliContext, report: ImportReport, file: string): void {
  const { damaged, damagedLines, cutShort, missing, forgottenElsewhere } = report;
  for (const { line, why } of damagedLines) {
    context.process.stderr.write(`line ${line}: ${why}\n`);
  }
  const wrong = `${count(damaged, "line")} of ${file} cannot be taken over`;
  const gone = `${count(missing, "line is", "lines are")} missing in ${file}`;
  const receipts = count(forgottenElsewhere, "receipt of it is", "receipts of it are");
  const again = "Export it again where it comes from: conclaude export --output conclaude.jsonl";
  warnOf(context, [
    [damaged, wrong, "they are not as an export has them; all the others were read", again],
    [
      Number(cutShort),
      `The export ${file} was cut short`,
      "its last line is missing; what is there was read",
      again,
    ],
    [
      cutShort ? 0 : missing,
      gone,
      "its last line tells of more; what is there was read",
      again,
    ],
    [
      forgottenElsewhere,
      "What was forgotten where the export was made is not kept away here",
      `${receipts} in that database alone: transcripts and older exports may bring it here`,
      "conclaude memory forget --help",
    ],
  ]);
}

function textOf(report: ImportReport): string {
  const { known, replaced, outdated, forgotten, unattached, detachedTasks } = report;
  const parts = EXPORTED_TABLES.flatMap(({ count: name, words }) => {
    const [one, many] = words ?? [name.replace(/s$/, ""), name];
    return report.imported[name] === 0 ? [] : [count(report.imported[name], one!, many)];
  });
  return [
    `${parts.join(", ") || "nothing new"}.`,
    ...sentencesOf([
      [sumOf(known), "row was", "rows were", "there already"],
      [replaced, "row was", "rows were", "older here, and replaced"],
      [outdated, "row was", "rows were", "left out: a newer version is here"],
      [
        forgotten,
        "row was forgotten here, and stays",
        "rows were forgotten here, and stay",
        "away",
      ],
      [unattached, "row was", "rows were", "left out, of tasks or workflows that are not there"],
      [detachedTasks, "task has", "tasks have", "no parent any more: it is not in the export"],
    ]),
  ].join("\n");
}
