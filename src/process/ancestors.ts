/** The processes that this one descends from, and whether a person at a terminal is among those who started it. */
import { type ProcessFacts, readEnvironments, readProcesses } from "./identity.ts";

/** A process that this one comes from. */
export interface Ancestor extends ProcessFacts {
  readonly pid: number;
}

/** Processes never nest deeper. The limit ends the walk where the table of processes changes and leads in a circle. */
const MAX_ANCESTORS = 64;

/** The processes that this one comes from, the nearest first; none where the system does not tell. */
export function ancestors(): Ancestor[] {
  return chainFrom(Deno.ppid).found.filter(({ pid }) => pid > 1);
}

/** This process, and how it came to be. */
export interface Lineage {
  /** This process first, then its parent, up to the first one that can be read. */
  readonly processes: readonly Ancestor[];
  /** Why nothing shows that a person at a terminal started it: the rest of a sentence; null when a terminal does. */
  readonly doubt: string | null;
}

/** A lineage, and the environments of its processes: `NAME=value` texts in any order. */
export interface Descent {
  readonly lineage: Lineage;
  readonly environments: string;
}

/** Reads the descent of this process. */
export function readDescent(): Descent {
  const { found, isWhole } = chainFrom(Deno.pid);
  const doubt = isWhole ? doubtOf(found) : "its ancestors cannot be read";
  return {
    lineage: { processes: found, doubt },
    environments: readEnvironments(found.map(({ pid }) => pid)),
  };
}

/**
 * A shell on a terminal leads the session that its commands belong to, and is their ancestor. A process whose leader is
 * not above it was handed to another parent. macOS does not tell the leader: there the topmost process of the terminal
 * must not be handed to the first process.
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
