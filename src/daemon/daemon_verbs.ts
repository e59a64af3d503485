import { setTimeout as pause } from "node:timers/promises";
import * as client from "./client.ts";
import { undecidedCoven } from "../work/coven.ts";
import { UserError } from "../base/errors.ts";
import { parentOf } from "../base/paths.ts";
import type { DaemonFiles } from "../system/daemon_files.ts";
import { realPath } from "../system/real_paths.ts";
import { askToLeave, startAlone } from "../system/process/start.ts";
import { isLocked } from "../db/process_lock.ts";
import { VERSION } from "../base/version.ts";
import type { CliContext } from "../operations/context.ts";
import { daemonFilesOf } from "../operations/daemon_here.ts";
import { number, numberFlag, switchOn, toggle, usually } from "../operations/flags.ts";
import { ownProgram } from "../operations/own_program.ts";
import { keptPlace, openAt, openStore, type Place } from "../operations/open_store.ts";
import { group, print, verb, type View } from "../operations/verb.ts";
import { mkdirSync } from "../system/files.ts";
import { readText } from "../system/on_disk.ts";
import { revokeNetwork } from "../system/network.ts";
import { makeToken, revokeToken } from "../policy/store.ts";
import { openInBrowser } from "../system/process/desktop.ts";

const PORT = numberFlag(
  0,
  65_535,
  "Answer on this port of this machine too, with a token; 0 takes a free one",
);

const run = verb({
  flags: { port: PORT },
  async run(context, flags) {
    const place = await daemonPlace(context);
    await tryDatabase(context, place);
    const { runDaemon } = await import("./run.ts");
    const exitCode = await runDaemon(context, place, flags.port ?? null);
    return { json: undefined, text: "", exitCode };
  },
});

const start = verb({
  flags: { port: PORT },
  async run(context, flags) {
    const place = await daemonPlace(context);
    const { found, started } = await startDaemon(context, place, flags.port);
    revokeNetwork();
    if (!started) checkPort(found.state, flags.port);
    return stateView(context, found, { database: place.database, started });
  },
});

/** Starts the daemon if none runs, and waits for it. @throws {UserError} When it does not answer in time. */
async function startDaemon(
  context: CliContext,
  place: DaemonPlace,
  wanted: number | undefined,
): Promise<{ readonly found: RunningDaemon; readonly started: boolean }> {
  const { database, files } = place;
  const before = await client.findDaemon(files);
  if (before.kind === "running") return { found: before, started: false };
  await tryDatabase(context, place);
  const logged = readText(files.log) ?? "";
  const { words } = ownProgram(context.environment);
  const port = wanted === undefined ? [] : ["--port", String(wanted)];
  mkdirSync(parentOf(files.log), { recursive: true, mode: 0o700 });
  const child = startAlone([...words, "--db", database, "daemon", "run", "--quiet", ...port], {
    log: files.log,
    folder: context.cwd,
    environment: context.environment,
  });
  let hasLeft = false;
  child.status.then(() => hasLeft = true);
  for (const endMs = Date.now() + START_MS; Date.now() < endMs;) {
    const isOver = hasLeft;
    const found = await client.findDaemon(files);
    if (found.kind === "running" && found.answers && client.isWrittenDown(files, found.state)) {
      const started = found.state.pid === child.pid;
      // Another command started a daemon at the same moment, so ours waits for the lock and must end.
      if (!started && !hasLeft) await askToLeave(child.pid);
      return { found, started };
    }
    if (isOver && found.kind === "none") break;
    await pause(PAUSE_MS);
  }
  const now = readText(files.log) ?? "";
  const last = lastMessage(now.startsWith(logged) ? now.slice(logged.length) : now);
  throw new UserError("The daemon does not answer", {
    why: (hasLeft ? "it has left again" : `it said nothing for ${START_MS / 1000} s`) +
      (last === "" ? "" : `; the last that it logged: ${last}`),
    next: "conclaude daemon logs",
  });
}

type DaemonPlace = Awaited<ReturnType<typeof daemonPlace>>;
type RunningDaemon = Extract<client.FoundDaemon, { readonly kind: "running" }>;

/** Returns the daemon's port; starts the daemon if none runs, and restarts one without a port, whose agents go on. */
export async function daemonOnPort(context: CliContext, place: DaemonPlace): Promise<number> {
  const { found } = await startDaemon(context, place, 0);
  if (found.state.port !== null) return found.state.port;
  await stopDaemon(place.files);
  const anew = await startDaemon(context, place, 0);
  return anew.found.state.port!;
}

const stop = verb({
  async run(context) {
    const { files } = await daemonPlace(context);
    const wasRunning = await stopDaemon(files).finally(revokeNetwork);
    return {
      json: { stopped: wasRunning, running: false },
      text: wasRunning ? "The daemon has stopped." : "The daemon is not running.",
    };
  },
});

/** Stops the daemon and waits for its end. @returns Whether one ran. @throws {UserError} If it does not stop. */
async function stopDaemon(files: DaemonFiles): Promise<boolean> {
  let found = await client.findDaemon(files);
  const wasRunning = found.kind !== "none";
  let pid: number | null = null;
  for (const endMs = Date.now() + STOP_MS; Date.now() < endMs;) {
    if (found.kind === "none" || (wasRunning && !isLocked(files.lock))) return wasRunning;
    if (found.kind === "running" && pid === null) {
      pid = found.state.pid;
      if (!await client.askToStop(files)) await askToLeave(pid);
    }
    await pause(PAUSE_MS);
    if (pid === null) found = await client.findDaemon(files);
  }
  throw new UserError("The daemon does not stop", {
    why: `it still holds its lock after ${STOP_MS / 1000} s`,
    next: pid === null ? "conclaude daemon status" : `kill -9 ${pid}`,
  });
}

const status = verb({
  async run(context) {
    const { database, files } = await daemonPlace(context);
    const found = await client.findDaemon(files);
    revokeNetwork();
    return stateView(context, found, { database });
  },
});

const logs = verb({
  flags: {
    lines: usually("50", number(0, 100_000, "How many of the last lines")),
    follow: toggle("Go on with what is written from now on"),
  },
  async run(context, { lines, follow }) {
    revokeNetwork();
    const { files } = await daemonPlace(context);
    const whole = [readText(`${files.log}.1`), readText(files.log)].join("");
    const last = lines === 0
      ? []
      : whole.trimEnd().split("\n").slice(-lines).filter((line) => line !== "");
    if (follow) {
      if (last.length > 0) print(context, last.join("\n"));
      // It goes on until the program ends, and reads a log that became shorter from its start.
      for (let seen = (readText(files.log) ?? "").length;;) {
        await pause(FOLLOW_MS);
        const text = readText(files.log) ?? "";
        if (text.length < seen) seen = 0;
        if (text.length > seen) print(context, text.slice(seen).replace(/\n$/, ""));
        seen = text.length;
      }
    }
    return {
      json: { file: files.log, lines: last },
      text: whole === "" ? "The daemon has logged nothing yet." : last.join("\n"),
    };
  },
});

export const daemon = group({ run, start, stop, status, logs });

const START_MS = 10_000;
const STOP_MS = 12_000;
const PAUSE_MS = 50;
const FOLLOW_MS = 250;

/** Returns the database that a daemon serves, and the paths of the daemon's files. */
export async function daemonPlace(context: CliContext) {
  const place = await keptPlace(context, "serve a database");
  return { ...place, database: realPath(place.database), files: daemonFilesOf(context, place) };
}

/** Opens the database once, before a lock and a log are made. @throws {UserError} When it cannot be opened. */
async function tryDatabase(context: CliContext, place: Place): Promise<void> {
  (await openAt(context, place, place.database)).db.close();
}

/** Returns the last message of a log; for an error also the reason below it. */
function lastMessage(log: string): string {
  const last = log.trimEnd().split(/\n(?! )/).at(-1)!;
  return last.replace(/\n +next:.*/g, "").replace(/\n +(?:why: +)?/g, ": ");
}

/** Checks the port of a running daemon. @throws {UserError} When the daemon does not listen on the wanted port. */
function checkPort({ pid, port }: client.KnownDaemon, wanted: number | undefined): void {
  if (wanted === undefined || (wanted === 0 ? port !== null : port === wanted)) return;
  const what = wanted === 0
    ? "The daemon listens on no port"
    : `The daemon does not listen on port ${wanted}`;
  const where = port === null ? "without a port" : `on port ${port}`;
  throw new UserError(what, {
    why: `it is running already (process ${pid}), ${where}; nothing was changed`,
    next: `conclaude daemon stop && conclaude daemon start --port ${wanted}`,
  });
}

/** Shows a daemon, and unmigrated state of coven's daemon. @param started Whether this command started it. */
function stateView(
  { cwd }: CliContext,
  found: client.FoundDaemon,
  { database, started }: { readonly database: string; readonly started?: boolean },
): View {
  const oldState = undecidedCoven(cwd, database);
  const old = oldState === null ? {} : { oldState: oldState.folder };
  const notice = oldState === null ? [] : [oldState.notice];
  const view = (json: object, ...lines: readonly string[]): View => ({
    json: { ...json, ...old },
    text: [...lines, ...notice],
  });
  if (found.kind === "none") {
    const line =
      `The daemon of ${database} is not running. Start it with \`conclaude daemon start\`.`;
    return view({ running: false, database }, line);
  }
  if (found.kind === "silent") {
    const nothing = { pid: null, socket: null, port: null, startedAtMs: null };
    const line = `The daemon of ${database} is just starting or stopping.`;
    return view({ running: true, answers: false, database, ...nothing }, line);
  }
  const { state, answers } = found;
  const what = started ? "has started" : started === false ? "is running already" : "is running";
  const other = state.version === VERSION
    ? ""
    : `, but this program is ${VERSION}: stop it and start it again`;
  const more = started === undefined ? {} : { started };
  return view(
    { running: true, answers, ...more, database, ...state, programVersion: VERSION },
    `The daemon of ${database} ${what}.`,
    `  process: ${state.pid}, since ${new Date(state.startedAtMs).toISOString()}`,
    `  socket:  ${state.socket ?? "none"}`,
    ...state.port === null ? [] : [`  port:    127.0.0.1:${state.port}`],
    `  version: ${state.version}${other}`,
    ...answers ? [] : ["  It does not answer: see `conclaude daemon logs`."],
  );
}

export const ui = verb({
  flags: { open: toggle("Open the browser", true), readOnly: switchOn("The page may only look") },
  person: "ui",
  async run(context, { open, readOnly }) {
    const place = await daemonPlace(context);
    const port = await daemonOnPort(context, place);
    const { db } = await openStore(context, "write", "open the page");
    const proof = await makeToken(db, Date.now());
    const answer = await client.askDaemon(place.files, {
      method: "POST",
      path: "/page/codes",
      headers: { "conclaude-token": proof },
      body: { readOnly },
    });
    await revokeToken(db, proof);
    const code = Object(answer?.body).code;
    if (answer?.status !== 201 || typeof code !== "string") {
      throw new UserError("Cannot open the page", {
        why: String(Object(Object(answer?.body).error).why ?? "the daemon gave no code"),
        next: "conclaude daemon logs",
      });
    }
    const address = `http://127.0.0.1:${port}/#code=${code}`;
    const isOpened = open && openInBrowser(address, context.environment);
    return {
      json: { address, opened: isOpened, readOnly },
      text: (isOpened ? "Your browser opens the page. If it does not, open" : "Open") +
        ` this address within a minute; it works once:\n${address}`,
    };
  },
});
