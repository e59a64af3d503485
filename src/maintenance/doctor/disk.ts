import { parentOf } from "../../paths.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { fail, type Finding, ok, warn } from "../check.ts";
import { recentLog } from "./log.ts";
import type { DoctorPlace } from "./place.ts";
import { nearestFolder } from "./writable.ts";

const MEGABYTE = 1_000_000;
/** Below this a day of hooks may not find room. */
const LITTLE_BYTES = 200 * MEGABYTE;
/** Below this a single event may not. */
const NO_BYTES = 0.5 * MEGABYTE;

const ROOM = "`conclaude retention run` removes old sessions";

/** Whether there is room for what hooks write. */
export async function lookAtDisk(place: DoctorPlace): Promise<Finding[]> {
  if (place.database === ":memory:") return [];
  const folder = nearestFolder(parentOf(place.database));
  const free = await freeBytes(folder);
  if (free === null) return refusedForRoom(place, folder);
  const room = `${Math.round(free / MEGABYTE)} MB free for ${folder}`;
  if (free >= LITTLE_BYTES) return [ok(room)];
  return free < NO_BYTES
    ? [fail(`the disk is full: ${room}; ${ROOM}`, look(folder))]
    : [warn(`the disk is nearly full: ${room}; ${ROOM}`, look(folder))];
}

/** Where the system does not tell, the log does: hooks write there why the database took nothing. */
function refusedForRoom({ locations, nowMs }: DoctorPlace, folder: string): Finding[] {
  const refusal = recentLog(locations, nowMs)
    .filter(({ message }) => /disk is full|no space left/i.test(message)).at(-1);
  if (refusal === undefined) return [ok("no write was refused for lack of room")];
  return [
    fail(`the disk was full at ${new Date(refusal.atMs).toISOString()}; ${ROOM}`, look(folder)),
  ];
}

async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { statfsSync } = await import("node:fs");
    const { bavail, bsize, blocks } = statfsSync(folder);
    return blocks === 0 ? null : bavail * bsize;
  } catch {
    return null;
  }
}

function look(folder: string): string {
  return `df -h ${quoteWord(folder)}`;
}
