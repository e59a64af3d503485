/** A part of what an agent has written, for programs that come again for the rest. */
import { type OutputLine, readOutput } from "./output.ts";

/** Lines as they are told, and where to go on. */
export interface OutputPage {
  readonly lines: readonly Omit<OutputLine, "next">[];
  /** The number of the last of them; where there are none, never more than that of the last line that there is. */
  readonly lastSeq: number;
  /** Whether there are lines after them. */
  readonly more: boolean;
}

/** Reads the kept lines of an agent after a number, at most so many. */
export function readOutputPage(
  path: string,
  { since, limit }: { readonly since: number; readonly limit: number },
): OutputPage {
  const all = readOutput(path, { since: 0, limit: Infinity });
  const found = all.filter(({ seq }) => seq > since);
  const lines = found.slice(0, limit).map(({ next: _, ...line }) => line);
  return {
    lines,
    lastSeq: lines.at(-1)?.seq ?? Math.min(since, all.at(-1)?.seq ?? 0),
    more: found.length > limit,
  };
}
