import { askToStop, findDaemon, isWrittenDown, type KnownDaemon } from "../../daemon/client.ts";
import { type DaemonFiles, daemonFiles, realDatabase } from "../../process/daemon_files.ts";
import { undecidedCoven } from "../../engine/coven_place.ts";
import { UserError } from "../../errors.ts";
import { parentOf } from "../../paths.ts";
import { askToLeave } from "../../process/start.ts";
import { startAlone } from "../../process/start_alone.ts";
import { isLocked } from "../../store/process_lock.ts";
import type { CliContext } from "../context.ts";
import { stateView } from "../daemon_view.ts";
import { ownProgram } from "../program.ts";
import { openAt, type Place, placeOf } from "../store.ts";
import type { View } from "../view.ts";

/** How long is waited until a daemon answers, or is gone, in milliseconds. */
const START_MS = 10_000;
const STOP_MS = 12_000;
const PAUSE_MS = 50;

/** The database that a daemon is about, and where its files are. */
async function daemonPlace(context: CliContext) {
  const { globals, locations } = context;
  const place = await placeOf(context);
  if (place.database === ":memory:") {
    throw new UserError("There can be no daemon", {
      why: globals.noDb
        ? "with `--no-db` there is no database that it could serve"
        : "the database is switched off (`database.enabled: false` in the configuration)",
      next: globals.noDb ? "give the command again without `--no-db`" : "conclaude config path",
    });
  }
  const privateFolder = parentOf(locations.spoolFolders.at(-1)!);
  const database = realDatabase(place.database);
  return { ...place, database, privateFolder, files: daemonFiles(database, privateFolder) };
}

/** What cannot be served is told before a lock and a log are made. @throws {UserError} When it cannot be opened. */
async function tryDatabase(place: Place): Promise<void> {
  (await openAt(place, place.database)).db.close();
}

/** `conclaude daemon run` */
export async function runHere(
  context: CliContext,
  flags: { readonly port?: number; readonly quiet: boolean },
): Promise<View> {
  const place = await daemonPlace(context);
  const { config, database, privateFolder } = place;
  await tryDatabase(place);
  const { runDaemon } = await import("../../daemon/run.ts");
  const exitCode = await runDaemon({
    database,
    locations: context.locations,
    folder: context.cwd,
    privateFolder,
    busyTimeoutMs: config.busyTimeoutMs,
    port: flags.port ?? null,
    say: flags.quiet ? () => {} : (line) => context.process.stderr.write(`${line}\n`),
  });
  return { json: undefined, text: "", exitCode };
}

/** `conclaude daemon start` */
export async function startDaemon(
  context: CliContext,
  flags: { readonly port?: number },
): Promise<View> {
  const place = await daemonPlace(context);
  const { database, files } = place;
  const before = await findDaemon(files);
  const oldState = undecidedCoven(context.cwd, database);
  const tell = { database, oldState, globals: context.globals };
  if (before.kind === "running") {
    giveUpNetwork();
    checkPort(before.state, flags.port);
    return stateView(before, { ...tell, started: false });
  }
  await tryDatabase(place);
  const logged = readText(files.log);
  const { words } = ownProgram(context.environment);
  const port = flags.port === undefined ? [] : ["--port", String(flags.port)];
  Deno.mkdirSync(parentOf(files.log), { recursive: true, mode: 0o700 });
  const child = startAlone([...words, "--db", database, "daemon", "run", "--quiet", ...port], {
    log: files.log,
    folder: context.cwd,
    environment: context.environment,
  });
  let hasLeft = false;
  child.status.then(() => hasLeft = true);
  for (const endMs = Date.now() + START_MS; Date.now() < endMs;) {
    const isOver = hasLeft;
    const found = await findDaemon(files);
    if (found.kind === "running" && found.answers && isWrittenDown(files, found.state)) {
      giveUpNetwork();
      const started = found.state.pid === child.pid;
      if (!started) {
        // Somebody else has started one at the same moment; ours still waits for the lock, and may not get it later.
        if (!hasLeft) await askToLeave(child.pid);
        checkPort(found.state, flags.port);
      }
      return stateView(found, { ...tell, started });
    }
    if (isOver && found.kind === "none") break;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  giveUpNetwork();
  const now = readText(files.log);
  const said = lastSaid(now.startsWith(logged) ? now.slice(logged.length) : now);
  throw new UserError("The daemon does not answer", {
    why: (hasLeft ? "it has left again" : `it said nothing for ${START_MS / 1000} s`) +
      (said === "" ? "" : `; the last that it logged: ${said}`),
    next: "conclaude daemon logs",
  });
}

/** The last line of a log; an error with its reason. */
function lastSaid(log: string): string {
  const lines = log.trimEnd().split("\n");
  return lines.slice(lines.findLastIndex((line) => !line.startsWith(" ")))
    .filter((line) => !/^ +next:/.test(line))
    .map((line) => line.replace(/^ +(why: +)?/, ""))
    .join(": ");
}

/** A daemon keeps the doors that it was started with. @throws {UserError} When it does not listen on a wanted port. */
function checkPort({ pid, port }: KnownDaemon, wanted: number | undefined): void {
  if (wanted === undefined || (wanted === 0 ? port !== null : port === wanted)) return;
  throw new UserError(
    wanted === 0 ? "The daemon listens on no port" : `The daemon does not listen on port ${wanted}`,
    {
      why: `it is running already (process ${pid}), ${
        port === null ? "without a port" : `on port ${port}`
      }; nothing was changed`,
      next: `conclaude daemon stop && conclaude daemon start --port ${wanted}`,
    },
  );
}

/** `conclaude daemon stop` */
export async function stopDaemon(context: CliContext): Promise<View> {
  const { files } = await daemonPlace(context);
  let found = await findDaemon(files);
  if (found.kind === "none") {
    giveUpNetwork();
    return { json: { stopped: false, running: false }, text: "The daemon is not running." };
  }
  let isTold = false;
  let pid: number | null = null;
  for (const endMs = Date.now() + STOP_MS; Date.now() < endMs;) {
    if (!isTold) found = await findDaemon(files);
    if (found.kind === "none" || !isLocked(files.lock)) {
      giveUpNetwork();
      return { json: { stopped: true, running: false }, text: "The daemon has stopped." };
    }
    if (found.kind === "running") {
      pid = found.state.pid;
      if (!isTold && !await askToStop(files)) await askToLeave(pid);
      isTold = true;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  giveUpNetwork();
  throw new UserError("The daemon does not stop", {
    why: `it still holds its lock after ${STOP_MS / 1000} s`,
    next: pid === null ? "conclaude daemon status" : `kill -9 ${pid}`,
  });
}

/** Nothing more is asked of the daemon, and nobody else may be. */
function giveUpNetwork(): void {
  Deno.permissions.revokeSync({ name: "net" });
}

/** `conclaude daemon status` */
export async function showStatus(context: CliContext): Promise<View> {
  const { database, files } = await daemonPlace(context);
  const found = await findDaemon(files);
  giveUpNetwork();
  const oldState = undecidedCoven(context.cwd, database);
  return stateView(found, { database, oldState, globals: context.globals });
}

/** How often the log is looked at, in milliseconds. */
const FOLLOW_MS = 250;

/** `conclaude daemon logs` */
export async function showLogs(
  context: CliContext,
  { lines, follow }: { readonly lines: number; readonly follow: boolean },
): Promise<View> {
  giveUpNetwork();
  const { files } = await daemonPlace(context);
  const whole = [readText(`${files.log}.1`), readText(files.log)].join("");
  const last = lines === 0
    ? []
    : whole.trimEnd().split("\n").slice(-lines).filter((line) => line !== "");
  if (follow) return await followLog(context, files, last);
  return {
    json: { file: files.log, lines: last },
    text: whole === "" ? "The daemon has logged nothing yet." : last.join("\n"),
  };
}

/** Prints what is added until the program is ended; a log that was begun anew is read from its start. */
async function followLog(
  { process }: CliContext,
  { log }: DaemonFiles,
  last: readonly string[],
): Promise<never> {
  for (const line of last) process.stdout.write(`${line}\n`);
  for (let seen = readText(log).length;;) {
    await new Promise((resolve) => setTimeout(resolve, FOLLOW_MS));
    const text = readText(log);
    if (text.length < seen) seen = 0;
    if (text.length > seen) process.stdout.write(text.slice(seen));
    seen = text.length;
  }
}

function readText(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}
