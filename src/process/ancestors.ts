import { type ProcessFacts, readProcesses } from "./identity.ts";

/** A process that this one comes from. */
export interface Ancestor extends ProcessFacts {
  readonly pid: number;
}

/** Nobody nests deeper; a table of processes that changes meanwhile must not lead in a circle. */
const MAX_ANCESTORS = 64;

/** The processes that this one comes from, the nearest first; none where the system does not tell. */
export function ancestors(): Ancestor[] {
  const found: Ancestor[] = [];
  for (let pid = Deno.ppid; pid > 1 && found.length < MAX_ANCESTORS;) {
    const facts = readProcesses([pid]).get(pid);
    if (facts === undefined) break;
    found.push({ pid, ...facts });
    pid = facts.parent;
  }
  return found;
}
