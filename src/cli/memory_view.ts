/** How observations are shown to people. */
import { plain } from "../capture/plain.ts";
import type { Observation } from "../store/observations.ts";
import { relativeTime } from "../time.ts";

/** What has become of something, in a word; empty where there is nothing to say. */
export function outcomeWord(
  { outcome, resolvedBy }: Pick<Observation, "outcome" | "resolvedBy">,
): string {
  if (outcome !== "failure") return "";
  return resolvedBy === null ? "open" : `mended by #${resolvedBy}`;
}

/** One line for an observation: number, age, kind, title. */
export function observationLine(
  one: Pick<
    Observation,
    "id" | "kind" | "title" | "outcome" | "resolvedBy" | "createdAtMs" | "repeats"
  >,
  nowMs: number,
): string {
  const outcome = outcomeWord(one);
  const notes = [
    ...one.repeats > 1 ? [`${one.repeats} times`] : [],
    ...outcome === "" ? [] : [outcome],
  ];
  return plain(
    `#${one.id}  ${relativeTime(one.createdAtMs, nowMs)}  ${one.kind}  ${one.title}${
      notes.length === 0 ? "" : `  (${notes.join(", ")})`
    }`,
  );
}

/** A text of several lines, none of which can take over the terminal. */
export function plainText(text: string): string {
  return text.split("\n").map(plain).join("\n");
}
