import "../config_sections.ts";
import { plain } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { type Examination, examine } from "../../upkeep/doctor/examine.ts";
import type { DoctorPlace } from "../../upkeep/doctor/place.ts";
import { checkLines, databaseFrom, type DatabaseSource } from "../check_text.ts";
import { filesHere } from "../context.ts";
import { hooksPlace, ownProgram } from "../own_program.ts";
import { checksHere, hintsHere } from "../next_command.ts";
import { withProgress } from "../terminal.ts";
import { placeOf } from "../open_store.ts";
import { drainSpool } from "../spool_drain.ts";
import { textFlag, toggle } from "../flags.ts";
import { verb } from "../verb.ts";

const CHOSEN_BY: Readonly<Record<DatabaseSource, string>> = {
  flag: "--db",
  environment: "CONCLAUDE_DB_PATH",
  configuration: "`database.path` of the configuration",
  default: "default",
  fallback: "default, as the home folder cannot be used",
  memory: "`database.enabled: false` of the configuration",
};

export const doctor = verb({
  flags: {
    fix: toggle("Correct what can be corrected without losing anything"),
    settings: textFlag(
      "A settings file to look into as well, for `claude --settings FILE`",
      "file",
    ),
  },
  async run(context, flags) {
    const { config, database } = await placeOf(context);
    const place: DoctorPlace = {
      ...hooksPlace(context, flags.settings),
      environment: context.environment,
      config,
      files: filesHere(context),
      database,
      databaseChosenBy: context.globals.noDb ? "--no-db" : CHOSEN_BY[databaseFrom(context, config)],
      programPath: ownProgram(context.environment).path,
      nowMs: Date.now(),
      drainSpool,
    };
    const examination = await withProgress(context, "Looking", ({ tell }) =>
      examine(place, {
        fix: flags.fix,
        onCheck: (name, progress) => tell(`Looking at ${name}`, progress),
      }));
    const { ok } = examination;
    const fixed = examination.fixed.map((sentence) => hintsHere(sentence, context.globals));
    const checks = checksHere(examination.checks, context.globals);
    return {
      json: { ok, checks, ...(flags.fix && { fixed }) },
      text: [
        ...fixed.map((sentence) => `fixed: ${plain(sentence)}`),
        ...checkLines(checks, context.globals),
        "",
        summary(examination, flags.fix),
      ].join("\n"),
      exitCode: ok ? 0 : 1,
    };
  },
});

/** Sums up the checks. @param isMended Whether `--fix` has already corrected what it can. */
function summary({ checks, fixable }: Examination, isMended: boolean): string {
  const by = Map.groupBy(checks, ({ status }) => status);
  const counts = ([["fail", "problem"], ["warn", "warning"]] as const)
    .flatMap(([status, noun]) => by.has(status) ? [count(by.get(status)!.length, noun)] : [])
    .join(", ");
  if (counts === "") return "Everything is in order.";
  if (isMended || fixable === 0) return `${counts}.`;
  return `${counts}. \`conclaude doctor --fix\` can correct ${fixable} of them.`;
}
