import { count } from "../../counts.ts";
import { plain } from "../../capture/plain.ts";
import { readConfigFiles } from "../../config/discover.ts";
import { parseConfig } from "../../config/parse.ts";
import { messageOf } from "../../errors.ts";
import { shortened } from "../../memory/text.ts";
import { isAbsolutePath, joinPath, parentOf } from "../../paths.ts";
import { findOnPath, isBareName, whyNotRun } from "../../process/executable.ts";
import { drainLockPath } from "../../store/process_lock.ts";
import { dayStartMs } from "../../recall/summarizer.ts";
import {
  forbiddingLimit,
  foundSummarizer,
  type SummarizedConfig,
  type SummarizerSettings,
} from "../../recall/summarizer_settings.ts";
import { commandLine } from "../../settings/hooks.ts";
import { damagedPayloads } from "../../store/damaged_payloads.ts";
import { type MemoryHealth, memoryHealth } from "../../store/memory_health.ts";
import { lastRuns, summarizerUse, usedUp } from "../../store/summarizer_runs.ts";
import { type Finding, ok, warn } from "../check.ts";
import { lookAtSettings } from "./settings_look.ts";
import { askDatabase, type DoctorPlace } from "./place.ts";
import { whyUnwritable } from "./writable.ts";

/** A capture is worked in at the end of a turn; one that waits longer than this is not, in milliseconds. */
const OVERDUE_MS = 3_600_000;
/** Longest reason that is told, in characters. */
const MAX_REASON_CHARS = 160;
/** So many runs of the summarizer that all failed say that it does not work. */
const FAILED_RUNS = 3;

/** What keeps captures from becoming memory, and summaries from being rewritten. */
export function lookAtMemory(place: DoctorPlace): Finding[] {
  if (!place.config.memoryEnabled) return [ok("off (`memory.enabled` is false)")];
  const health = askDatabase(place, (db) => memoryHealth(db, place.nowMs - OVERDUE_MS));
  if (health === undefined) return [];
  const faults = [
    ...givenUp(health, place),
    ...suspects(health),
    ...overdue(health, place),
    ...lockFaults(place),
    ...summarizerFaults(place),
  ];
  if (faults.length > 0) return faults;
  return [
    ok(`${count(health.observations, "observation")}, ${count(health.waiting, "capture")} waiting`),
  ];
}

function givenUp({ givenUp, reasons }: MemoryHealth, place: DoctorPlace): Finding[] {
  if (givenUp === 0) return [];
  const damaged = askDatabase(place, (db) => damagedPayloads(db, { status: "error" }).length) ?? 0;
  const told = reasons.map(({ reason, count }) =>
    `${plain(shortened(reason, MAX_REASON_CHARS))}${givenUp === 1 ? "" : ` (${count})`}`
  );
  return [warn(
    `${count(givenUp, "capture was", "captures were")} given up after errors: ${told.join("; ")}`,
    // Another try brings back what can be read alone.
    damaged === givenUp ? "conclaude queue prune --unreadable" : "conclaude queue retry --all",
  )];
}

/** What a hook has no time for may be done by hand. */
function suspects({ suspects }: MemoryHealth): Finding[] {
  if (suspects.length === 0) return [];
  const told = suspects.map(({ id, toolName, rawBytes, attempts }) =>
    `${id} (${plain(toolName)}, ${Math.ceil(rawBytes / 1000)} kB, ${
      count(attempts, "try", "tries")
    })`
  );
  return [warn(
    `drains ended before they were done with ${
      told.join(", ")
    }; it is taken alone, and is given up after the fifth`,
    "conclaude queue drain",
  )];
}

/** Hooks run, and nothing works in what they keep. */
function overdue({ overdue, hooksRan }: MemoryHealth, place: DoctorPlace): Finding[] {
  if (overdue === 0 || !hooksRan) return [];
  const what = `${count(overdue, "capture has", "captures have")} waited for more than an hour`;
  const hasDrain = lookAtSettings(place)
    .some(({ entries, wrapped }) => [...entries, ...wrapped].some(({ role }) => role === "drain"));
  return [
    hasDrain
      ? warn(
        `${what}, although hooks run: the drain beside Stop does not work them in`,
        "conclaude queue drain",
      )
      : warn(
        `${what}, although hooks run: no hook for the drain (\`conclaude hook Drain\`) is installed`,
        commandLine("install-hooks"),
      ),
  ];
}

/** Without the file of its lock no drain begins. */
function lockFaults({ database }: DoctorPlace): Finding[] {
  const path = drainLockPath(database);
  const why = whyNoLock(path);
  if (why === null) return [];
  return [warn(
    `captures cannot be worked in: the file of the lock, ${path}, cannot be used: ${why}`,
    `make it writable, or remove it`,
  )];
}

function whyNoLock(path: string): string | null {
  try {
    Deno.openSync(path, { read: true, write: true }).close();
    return null;
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound
      ? whyUnwritable(parentOf(path))
      : messageOf(thrown);
  }
}

function summarizerFaults(place: DoctorPlace): Finding[] {
  const { locations, nowMs, database } = place;
  const found = foundSummarizer(parseConfig<SummarizedConfig>(readConfigFiles([], locations)));
  if (found.kind === "none") return [];
  if (found.kind === "faulty") {
    return [
      warn(
        plain(`the summarizer is off, by a mistake: ${found.problem}`),
        "conclaude config validate",
      ),
    ];
  }
  const { settings } = found.summarizer;
  const missing = whyMissing(settings, place);
  if (missing !== null) {
    return [warn(
      `the summarizer cannot run: ${missing}`,
      `correct memory.summarizer.command in ${joinPath(locations.dataFolder, "config.yaml")}`,
    )];
  }
  const ledger = askDatabase({ database }, (db) => ({
    last: lastRuns(db, nowMs, FAILED_RUNS),
    today: summarizerUse(db, dayStartMs(nowMs)),
  }));
  if (ledger === undefined) return [];
  const { last, today } = ledger;
  const isBroken = last.length === FAILED_RUNS && last.every(({ status }) => status === "failed");
  // Who allows nothing has not used it up.
  const used = forbiddingLimit(settings) !== null ? null : usedUp(today, {
    maxRuns: settings.maxRunsPerDay,
    maxTokens: settings.maxTokensPerDay,
  }, 1);
  return [
    ...isBroken
      ? [warn(
        `the summarizer has failed ${FAILED_RUNS} times in a row: ${
          plain(shortened(last[0]?.reason ?? "", MAX_REASON_CHARS))
        }`,
        "conclaude memory stats",
      )]
      : [],
    ...used === null ? [] : [warn(
      `the summarizer has used up the ${used} of today (${count(today.runs, "run")}, ${
        count(today.tokens, "token")
      }); it goes on ` +
        "after midnight UTC",
      "conclaude memory stats",
    )],
  ];
}

/** What a shell does by itself, or what more than a program begins with: of `bash`, and of the shells that may be in its place. */
const SHELL_WORDS: ReadonlySet<string> = new Set(
  (". : [ [[ ( { ! if for while until case select function coproc time alias bg bind break builtin caller cd command compgen " +
    "complete compopt continue declare dirs disown echo enable env eval exec exit export false fc fg getopts hash help history " +
    "jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend " +
    "test times trap true type typeset ulimit umask unalias unset wait").split(" "),
);

/** Why the program that a command begins with cannot be found; null when it can, or when nobody can tell without a shell. */
function whyMissing({ command }: SummarizerSettings, place: DoctorPlace): string | null {
  const [, first = ""] = /^\s*((?:~\/)?[\w.\/+-]+)(?=\s|$)/.exec(command) ?? [];
  if (first === "" || SHELL_WORDS.has(first)) return null;
  const { home } = place.locations;
  if (first.startsWith("~/")) return home === null ? null : whyNotRun(home + first.slice(1));
  if (isAbsolutePath(first)) return whyNotRun(first);
  if (!isBareName(first) || findOnPath(first, place.searchPath).length > 0) return null;
  return `${first} is not on the PATH`;
}
