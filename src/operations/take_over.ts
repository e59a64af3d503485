/** Runs imports from files and other programs for several verbs, and words their reports. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../base/counts.ts";
import { compileRedactPatterns } from "../secrets/redact.ts";
import { receiptsWithoutKey } from "../upkeep/store.ts";
import type { ImportOptions } from "../upkeep/transfer/import.ts";
import type { CliContext, Progress } from "./context.ts";
import { lookIntoStore, openStore, type Place } from "./open_store.ts";
import { progressLine } from "./terminal.ts";
import { errorText } from "./verb.ts";

export type NotTaken = Readonly<Record<"name" | "why", string>>;

/** Runs an import on the database. @param options `progressAt`: computes the progress after so many rows. */
export async function takeOver<Result>(
  context: CliContext,
  { dryRun, progressAt = (done) => ({ done }) }: {
    readonly dryRun: boolean;
    readonly progressAt?: (rows: number) => Progress;
  },
  work: (db: DatabaseSync, options: ImportOptions) => Result,
): Promise<Result> {
  using progress = progressLine(context);
  const onProgress = (rows: number) => progress.tell("Taking rows over", progressAt(rows));
  const run = (db: DatabaseSync, { redactPatterns }: Place["config"]) =>
    work(db, { rules: compileRedactPatterns(redactPatterns), dryRun, onProgress });
  if (dryRun) return await lookIntoStore(context, run);
  const { db, place } = await openStore(context, "write", "import");
  const result = run(db, place.config);
  tellLostForgetKey(context, db);
  return result;
}

/** Makes a sentence for each count that is not zero, from its singular, its plural and its end. */
export function sentencesOf(
  counts: readonly (readonly [count: number, one: string, many: string, end: string])[],
): string[] {
  return counts.filter(([n]) => n > 0)
    .map(([n, one, many, end]) => `${count(n, one, many)} ${end}.`);
}

/** Lists below a heading what is not imported; returns no lines if there is nothing. */
export function notTakenLines(heading: string, notTaken: readonly NotTaken[]): string[] {
  const lines = notTaken.map(({ name, why }) => `  ${name}: ${why}`);
  return lines.length === 0 ? [] : [heading, ...lines];
}

export function warnOf(
  { process, globals }: CliContext,
  warnings: readonly (readonly [count: number, what: string, why: string, next: string])[],
): void {
  for (const [n, what, why, next] of warnings) {
    if (n > 0) process.stderr.write(errorText({ what, why, next }, globals));
  }
}

/** Warns if forgotten texts may have come back because the key that recognizes them is lost. */
export function tellLostForgetKey(context: CliContext, db: DatabaseSync): void {
  const { length, 0: newest } = receiptsWithoutKey(db);
  warnOf(context, [[
    length,
    "Prompts and messages that were forgotten may have come back",
    `the key that recognizes those of ${count(length, "receipt")} is lost`,
    `conclaude memory verify ${newest?.id}`,
  ]]);
}
