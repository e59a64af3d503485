/** Shows observations to people and models. */
import { plain } from "../../base/plain.ts";
import { isSuperseded, type ObservedFacts } from "../observe/observation.ts";
import { saysNothingToCommit } from "../observe/open_rank.ts";
import { folderOfProject } from "../project_paths.ts";
import { baseName } from "../../base/paths.ts";
import type { Observation } from "../drain/observations_table.ts";
import { relativeTime } from "../../base/time.ts";

/** Tells whether a failure was mended, or another observation superseded; empty when neither happened. */
export function outcomeWord(
  { kind, outcome, resolvedBy, title }: Pick<
    Observation,
    "kind" | "outcome" | "resolvedBy" | "title"
  >,
): string {
  if (isSuperseded({ kind, resolvedBy })) {
    return resolvedBy === 0 ? "superseded" : `superseded by #${resolvedBy}`;
  }
  if (outcome !== "failure" || kind !== "failure" && kind !== "test") return "";
  if (resolvedBy === null) return saysNothingToCommit(title) ? "" : "not mended";
  return resolvedBy === 0 ? "mended" : `mended by #${resolvedBy}`;
}

/** Returns the name of a project: `shop` for `/work/shop/.git`. */
export function projectName(project: string | null): string {
  if (project === null) return "no project";
  return baseName(folderOfProject(project));
}

/** Returns the line before results that lack the quoted phrases, since no observation holds them. */
export function nowhereLine(quoted: readonly string[]): string {
  return plain(
    `Nothing has ${quoted.map((phrase) => `"${phrase}"`).join(" and ")}; without the quotes:`,
  );
}

/** Returns one line for an observation: number, age, kind, title. */
export function observationLine(
  one: Pick<
    Observation,
    "id" | "kind" | "title" | "outcome" | "resolvedBy" | "createdAtMs" | "repeats" | "author"
  >,
  nowMs: number,
): string {
  const outcome = outcomeWord(one);
  const notes = [
    ...one.repeats > 1 ? [`${one.repeats} times`] : [],
    ...outcome === "" ? [] : [outcome],
  ];
  return plain(
    `#${one.id}  ${
      agoBy(one.author, relativeTime(one.createdAtMs, nowMs))
    }  ${one.kind}  ${one.title}${notes.length === 0 ? "" : `  (${notes.join(", ")})`}`,
  );
}

/** Returns the author and the age, `by bob, 2d ago`; the age alone for this machine. */
export function agoBy(author: string | null, ago: string): string {
  return author === null ? ago : `by ${author}, ${ago}`;
}

/** Returns the facts of an observation by name, without its texts and files. Missing facts are left out. */
export function observationFacts(
  observation: Observation,
  nowMs: number,
): (readonly [name: string, value: string])[] {
  const { facts } = observation;
  const told: readonly (readonly [name: string, value: string | number | null | undefined])[] = [
    ["observation", `#${observation.id} (${observation.uid})`],
    ["kind", observation.kind],
    ["outcome", outcomeWord(observation) || observation.outcome],
    ["by", observation.author],
    ["session", observation.sessionId],
    ["project", observation.project && folderOfProject(observation.project)],
    ["branch", observation.branch],
    [
      "seen",
      `${relativeTime(observation.createdAtMs, nowMs)}, ${minuteOf(observation.createdAtMs)}`,
    ],
    ["times", observation.repeats === 1 ? null : observation.repeats],
    ["command", facts.command],
    ["exit status", facts.exitCode],
    ["commit", facts.commit === undefined ? null : commitText(facts.commit) || null],
    ["symbols", facts.symbols?.join(", ") || null],
    ["mended", facts.mended === undefined ? null : `#${facts.mended}`],
    ["by", facts.by?.map((one) => `#${one}`).join(", ")],
  ];
  return told.flatMap(([name, value]) => value == null ? [] : [[name, plain(String(value))]]);
}

/** Returns a time as text: `2026-03-04 10:15 UTC`. */
function minuteOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function commitText({ hash, subject }: NonNullable<ObservedFacts["commit"]>): string {
  return [hash, subject].filter((part) => part !== null).join(" ");
}
