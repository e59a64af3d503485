/** Checks whether captures become memory, and whether the summarizer works. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { messageOf } from "../../base/errors.ts";
import { parentOf } from "../../base/paths.ts";
import { plain } from "../../base/plain.ts";
import { readConfigFiles } from "../../config/discover.ts";
import { parseConfig } from "../../config/parse.ts";
import { damagedPayloads } from "../../db/payloads.ts";
import { drainLockPath } from "../../db/process_lock.ts";
import {
  forbiddingLimit,
  foundSummarizer,
  type SummarizedConfig,
} from "../../memory/drain/summarizer_settings.ts";
import { dayStartMs, lastRuns, memoryHealth, summarizerUse, usedUp } from "../../memory/store.ts";
import { shortened } from "../../memory/text.ts";
import { isNotFound, openSync } from "../../system/files.ts";
import { type Finding, ok, warn } from "../care/check.ts";
import type { DoctorPlace } from "./place.ts";
import { whyUnwritable } from "../../system/write_access.ts";

/** The time in milliseconds after which a waiting capture is overdue; a drain runs at the end of each turn. */
const OVERDUE_MS = 3_600_000;
/** The greatest length of a reason in a message. */
const MAX_REASON_CHARS = 160;
/** After so many failed runs in a row the summarizer counts as broken. */
const FAILED_RUNS = 3;

/** Checks whether drains work captures into memory, and whether the summarizer runs. */
export function askAboutMemory(db: DatabaseSync, place: DoctorPlace): Finding[] {
  if (!place.config.memoryEnabled) return [ok("off (`memory.enabled` is false)")];
  const health = memoryHealth(db, place.nowMs - OVERDUE_MS);
  const { givenUp, reasons, suspects, overdue, hooksRan, observations, waiting } = health;
  const faults: Finding[] = [];
  if (givenUp > 0) {
    const list = reasons.map(({ reason, count }) =>
      `${plain(shortened(reason, MAX_REASON_CHARS))}${givenUp === 1 ? "" : ` (${count})`}`
    );
    // A retry helps only captures with a readable payload.
    const isUnreadable = damagedPayloads(db, { status: "error" }).length === givenUp;
    faults.push(warn(
      `${count(givenUp, "capture was", "captures were")} given up after errors: ${list.join("; ")}`,
      isUnreadable ? "conclaude queue prune --unreadable" : "conclaude queue retry --all",
    ));
  }
  if (suspects.length > 0) {
    const list = suspects.map(({ id, toolName, rawBytes, attempts }) => {
      const tries = count(attempts, "try", "tries");
      return `${id} (${plain(toolName)}, ${Math.ceil(rawBytes / 1000)} kB, ${tries})`;
    });
    // A drain by hand has more time than a hook.
    faults.push(warn(
      `drains ended before they were done with ${list.join(", ")}; ` +
        "each is taken alone, and is given up after the fifth try",
      "conclaude queue drain",
    ));
  }
  if (overdue > 0 && hooksRan) {
    faults.push(warn(
      `${
        count(overdue, "capture has", "captures have")
      } waited for more than an hour, although hooks run: the drain ` +
        "beside Stop is not installed, or does not work them in",
      "conclaude queue drain",
    ));
  }
  faults.push(...lockFaults(place), ...summarizerFaults(db, place));
  return faults.length > 0
    ? faults
    : [ok(`${count(observations, "observation")}, ${count(waiting, "capture")} waiting`)];
}

/** Checks whether the lock file can be opened, which a drain must lock before it begins. */
function lockFaults({ database }: DoctorPlace): Finding[] {
  const path = drainLockPath(database);
  try {
    openSync(path, { read: true, write: true }).close();
    return [];
  } catch (thrown) {
    const why = isNotFound(thrown) ? whyUnwritable(parentOf(path)) : messageOf(thrown);
    return why === null ? [] : [warn(
      `captures cannot be worked in: the file of the lock, ${path}, cannot be used: ${why}`,
      "make it writable, or remove it",
    )];
  }
}

function summarizerFaults(db: DatabaseSync, place: DoctorPlace): Finding[] {
  const { locations, nowMs } = place;
  const found = foundSummarizer(parseConfig<SummarizedConfig>(readConfigFiles([], locations)));
  if (found.kind === "none") return [];
  if (found.kind === "faulty") {
    const message = plain(`the summarizer is off, by a mistake: ${found.problem}`);
    return [warn(message, "conclaude config validate")];
  }
  const { settings } = found.summarizer;
  const last = lastRuns(db, nowMs, FAILED_RUNS);
  const today = summarizerUse(db, dayStartMs(nowMs));
  const isBroken = last.length === FAILED_RUNS && last.every(({ status }) => status === "failed");
  // A limit of 0 forbids the summarizer, so it cannot be used up.
  const used = forbiddingLimit(settings) !== null ? null : usedUp(today, settings, 1);
  const reason = plain(shortened(last[0]?.reason ?? "", MAX_REASON_CHARS));
  const runs = `${count(today.runs, "run")}, ${count(today.tokens, "token")}`;
  return [
    ...isBroken ? [`the summarizer has failed ${FAILED_RUNS} times in a row: ${reason}`] : [],
    ...used === null ? [] : [
      `the summarizer has used up the ${used} of today (${runs}); it goes on after midnight UTC`,
    ],
  ].map((message) => warn(message, "conclaude memory stats"));
}
