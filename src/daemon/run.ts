/** Runs a daemon: takes the lock, opens the database, starts the engine, and answers requests until it must stop. */
import "../operations/config_sections.ts";
import { setTimeout as pause } from "node:timers/promises";
import { THIS_PROCESS } from "../system/environment.ts";
import { Engine } from "../work/engine/engine.ts";
import { Settings } from "../work/engine/engine_settings.ts";
import * as background from "./background_work.ts";
import { undecidedCoven } from "../work/coven.ts";
import { showNotification } from "../system/process/desktop.ts";
import { messageOf, quietly, UserError } from "../base/errors.ts";
import { appendLog } from "../system/log.ts";
import { removeQuietly } from "../system/write_file.ts";
import { lookAtSqlite } from "../upkeep/doctor/program_and_project.ts";
import { readProcesses } from "../system/process/process_identity.ts";
import { onEndingSignals } from "../system/process/start.ts";
import { checkpoint, openDatabase } from "../db/database.ts";
import { toldSinceMs } from "../work/store.ts";
import { takeLock } from "../db/process_lock.ts";
import { VERSION } from "../base/version.ts";
import { findDaemon, type FoundDaemon, keepState, readState, whoAnswers } from "./client.ts";
import { isSamePlace, watchPlaces } from "./database_watch.ts";
import { EventHub } from "./event_hub.ts";
import type { DaemonFiles } from "../system/daemon_files.ts";
import type { CliContext } from "../operations/context.ts";
import type { Place } from "../operations/open_store.ts";
import { createHandler, type Handler, listenOnPort, listenOnSocket, type Server } from "./http.ts";
import { Metrics } from "./metrics.ts";
import { PageRights, secretText } from "./page_rights.ts";
import type { Daemon } from "./route.ts";
import { ROUTES } from "./routes.ts";

/** The size of the write-ahead log, in pages, at which SQLite moves it into the database. */
const LOG_PAGES = 1_000;

const STOP_MS = 10_000;

/** How long the last answers may take while the daemon stops, in milliseconds. */
const LAST_ANSWERS_MS = 3_000;

/**
 * Runs the daemon of a database until it is told to stop. Logs to a file and to stderr.
 * @param port A port beside the socket; 0 takes a free one, null none.
 * @returns The exit status: 0 after a request to stop, 1 after a failure or if it could not stop in time.
 * @throws {UserError} When another daemon runs, or the database cannot be opened.
 */
export async function runDaemon(
  { locations, cwd: folder, globals }: CliContext,
  { database, config, files }: Place & { readonly files: DaemonFiles },
  port: number | null,
): Promise<number> {
  const lock = takeLock(files.lock);
  if (lock === null) throw lockedByOther(await findDaemon(files));
  // A daemon whose lock was removed goes on until it notices.
  const other = await whoAnswers(files);
  if (other !== null) {
    lock.release();
    throw lockedByOther({ kind: "running", answers: true, state: other });
  }
  // Nobody must mistake the file of a killed daemon for this daemon's.
  removeQuietly(files.state);
  const log: Daemon["log"] = (level, message) => {
    appendLog([files.log], { level, message, atMs: Date.now() });
    if (!globals.quiet) console.error(`${level}: ${message}`);
  };
  const warn = (message: string) => log("warn", message);
  const db = await openDatabase(database, { busyTimeoutMs: config.busyTimeoutMs });
  // `openDatabase()` leaves this to processes that write much.
  db.exec(`PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
  const sqlite = lookAtSqlite();
  const warnings = sqlite.status === "ok" ? [] : [sqlite.message];
  const oldState = undecidedCoven(folder, database);
  for (const warning of [...warnings, ...oldState === null ? [] : [oldState.notice]]) warn(warning);

  const stopping = Promise.withResolvers<{ readonly code: number; readonly why: string }>();
  let isStopping = false;
  const stop = (code: number, why: string) => {
    isStopping = true;
    stopping.resolve({ code, why });
  };
  const settings = new Settings<background.DaemonConfig>({ locations, folder, warn });
  const common = { db, database, settings, locations, log };
  const metrics = new Metrics();
  const hub = new EventHub(db, {
    problem: (thrown) => log("error", `cannot read events: ${messageOf(thrown)}`),
    onNews: () => [engine, memory, team].forEach((one) => one.wake()),
    isBusy: () => engine.isBusy,
  });
  const changed = () => hub.changed();
  const removes = (rows: number) => {
    metrics.add("retention_removals", rows);
    changed();
  };
  const engine: Engine = new Engine({
    ...common,
    changed,
    count: (name, by) => metrics.add(name, by),
    removeOld: (signal) => background.removeOld(common, { signal, removes }),
    notify: (title, body) => showNotification({ title, body, isUrgent: false }, THIS_PROCESS),
  });
  const summaries = background.summaryWork(common);
  const memory = background.memoryWork(common, summaries);
  const team = background.teamWork(common);
  hub.start();
  const rights = new PageRights(files.page);
  const token = secretText();
  const processMark = readProcesses([Deno.pid]).get(Deno.pid)?.mark ?? null;
  const state = {
    pid: Deno.pid,
    processMark,
    startedAtMs: Date.now(),
    token,
    version: VERSION,
    socket: null as string | null,
    port: null as number | null,
  };
  const daemon: Daemon = {
    db,
    engine,
    hub,
    metrics,
    state,
    database,
    folder,
    locations,
    rights,
    warnings,
    log,
    lasting: (nowMs) => settings.lastingOf(undefined, nowMs),
    toldSinceMs: (nowMs) => toldSinceMs(settings.own(nowMs).store.eventRetentionHours, nowMs),
    redact: (text) => settings.maskOf(undefined)(text),
    // The timer lets the response be sent first.
    stop: (why) => void setTimeout(() => stop(0, why), 0),
  };
  const handler: Handler = createHandler(daemon, { routes: ROUTES, isStopping: () => isStopping });
  const servers = listen(state, { port, files, handler, rights });
  const { socket } = state;
  const ownSocket = socket === null ? null : Deno.statSync(socket);
  for (const { finished } of servers) {
    // The daemon cannot listen again, since it gives up the network right below.
    finished.catch((thrown) => stop(1, `it cannot listen any more: ${messageOf(thrown)}`));
  }
  // From here on this process cannot open connections; open servers go on listening.
  Deno.permissions.revokeSync({ name: "net" });
  await engine.start();
  memory.start();
  team.start();
  const places = [["the database", database], ["its lock", files.lock]] as const;
  const unwatch = watchPlaces(socket === null ? places : [...places, ["its socket", socket]], {
    gone: (why) => stop(1, why),
    // If the disk is full, the next look tries again.
    fine: () =>
      void quietly(() => {
        if (keepState(files.state, state) === "kept") return;
        warn(`${files.state} was removed or changed: written anew`);
      }),
  });
  using _hearing = onEndingSignals((signal) => stop(0, `it got ${signal}`));
  keepState(files.state, state);
  const where = state.port === null ? "" : ` and 127.0.0.1:${state.port}`;
  log("info", `conclaude ${VERSION} serves ${database} on ${socket ?? "no socket"}${where}`);

  const { code, why } = await stopping.promise;
  log(code === 0 ? "info" : "error", `stopping: ${why}`);
  const deadline = setTimeout(() => {
    log("error", `not everything ended within ${STOP_MS / 1000} s; leaving all the same`);
    Deno.exit(1);
  }, STOP_MS);
  unwatch();
  hub.close();
  await Promise.race([
    Promise.all(servers.map((server) => server.shutdown())),
    pause(LAST_ANSWERS_MS),
  ]);
  await Promise.all([engine, memory, summaries, team].map((one) => one.stop()));
  // The socket and the file may belong to a later daemon by now.
  if (ownSocket !== null && isSamePlace(socket!, ownSocket)) removeQuietly(socket!);
  if (readState(files.state)?.token === token) removeQuietly(files.state);
  try {
    if (code === 0) checkpoint(db, "TRUNCATE");
    db.close();
  } catch (thrown) {
    warn(`cannot close the database: ${messageOf(thrown)}`);
  }
  clearTimeout(deadline);
  log("info", "stopped");
  lock.release();
  return code;
}

/** Opens the socket, and a port if it is wanted, open tabs need it, or there are no sockets; sets both in `state`. */
function listen(
  state: { socket: string | null; port: number | null; readonly token: string },
  { port: given, files, handler, rights }: {
    readonly port: number | null;
    readonly files: DaemonFiles;
    readonly handler: Handler;
    readonly rights: PageRights;
  },
): Server[] {
  const hasSockets = Deno.build.os !== "windows";
  const wanted = given ?? (!hasSockets || rights.hasTabs(Date.now()) ? 0 : null);
  const servers: Server[] = [];
  if (wanted !== null) {
    // If any port will do, the last one comes first, since open tabs know it.
    const former = wanted === 0 ? rights.port : null;
    const on = (port: number) => listenOnPort(port, state.token, handler);
    const { server, port } = (former && quietly(() => on(former))) || on(wanted);
    servers.push(server);
    state.port = port;
    rights.servedOn(port);
  }
  if (hasSockets) {
    servers.push(listenOnSocket(files, handler));
    state.socket = files.socket;
  }
  return servers;
}

function lockedByOther(found: FoundDaemon): UserError {
  const who = found.kind !== "running"
    ? "a daemon that is just starting or stopping holds it"
    : `the daemon with process id ${found.state.pid} has held it since ${
      new Date(found.state.startedAtMs).toISOString()
    }`;
  return new UserError("Database locked by another process", {
    why: `${who}; a database has one daemon, and it was left alone`,
    next: "conclaude daemon stop",
  });
}
