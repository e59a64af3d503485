/** Finds the ancestors of this process, and whether a person at a terminal is among those who started it. */
import { type ProcessFacts, readEnvironments, readProcesses } from "./process_identity.ts";

export interface Ancestor extends ProcessFacts {
  readonly pid: number;
}

/** The longest walk: the table of processes may change meanwhile and lead the walk in a circle. */
const MAX_ANCESTORS = 64;

/** Returns the ancestors of this process, the nearest first; none where the system does not tell. */
export function ancestors(): Ancestor[] {
  return chainFrom(Deno.ppid).found.filter(({ pid }) => pid > 1);
}

export interface Lineage {
  /** This process, its parent and so on, as far as they can be read. */
  readonly processes: readonly Ancestor[];
  /** Why probably no person at a terminal has started it, as the rest of a sentence; null when one has. */
  readonly doubt: string | null;
}

/** Where this process comes from; `environments` holds `NAME=value` texts in any order. */
export type Descent = Readonly<{ lineage: Lineage; environments: string }>;

export function readDescent(): Descent {
  const { found, isWhole } = chainFrom(Deno.pid);
  const doubt = isWhole ? doubtOf(found) : "its ancestors cannot be read";
  return {
    lineage: { processes: found, doubt },
    environments: readEnvironments(found.map(({ pid }) => pid)),
  };
}

/**
 * Returns why probably no person has started a process. A shell on a terminal leads the session of its commands and is
 * their ancestor. When the leader is not an ancestor, the process was handed to another parent. macOS does not tell the
 * leader; there the topmost process of the terminal must not be a child of the first process.
 */
function doubtOf(processes: readonly Ancestor[]): string | null {
  const { terminal, leader } = processes[0]!;
  if (terminal === null) return "it has no terminal";
  const isBelow = leader === null
    ? processes.findLast((one) => one.terminal === terminal)!.parent > 1
    : processes.some(({ pid }) => pid === leader);
  return isBelow ? null : "the process that started it is gone";
}

function chainFrom(first: number): { readonly found: Ancestor[]; readonly isWhole: boolean } {
  const found: Ancestor[] = [];
  for (let pid = first; pid > 0; pid = found.at(-1)!.parent) {
    const facts = readProcesses([pid]).get(pid);
    if (facts === undefined || found.length === MAX_ANCESTORS) return { found, isWhole: false };
    found.push({ pid, ...facts });
  }
  return { found, isWhole: found.length > 0 };
}
