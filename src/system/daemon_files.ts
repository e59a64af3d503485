/** Names the files that a daemon puts beside its database. */
import { fingerprint } from "../base/ids.ts";
import { joinPath, parentOf } from "../base/paths.ts";

export interface DaemonFiles {
  /** The daemon holds a lock on this file as long as it lives. */
  readonly lock: string;
  /** Names the process that holds the lock and how to reach it; valid only while the lock is held. */
  readonly state: string;
  readonly log: string;
  /** The port of the page, and hashes of what its tabs show. */
  readonly page: string;
  readonly socket: string;
  /** The private folder in which the daemon makes the socket before it moves it into place. */
  readonly socketDraft: string;
}

/** The longest path of a socket, in bytes; systems allow 104 to 108. */
const MAX_SOCKET_BYTES = 100;

/** The ending that is replaced: `conclaude.db` gives `conclaude.sock`. Other names stay whole, so that no two clash. */
const ENDING = ".db";

/** Names the files of a database's daemon. @param privateFolder Holds the socket where its usual path is too long. */
export function daemonFiles(database: string, privateFolder: string): DaemonFiles {
  const base = database.endsWith(ENDING) ? database.slice(0, -ENDING.length) : `${database}.daemon`;
  const beside = socketIn(parentOf(base), `${base}.sock`);
  const isShort = [beside.socket, joinPath(beside.socketDraft, "s")]
    .every((path) => new TextEncoder().encode(path).length <= MAX_SOCKET_BYTES);
  return {
    lock: `${base}.lock`,
    state: `${base}.daemon.json`,
    log: `${base}.daemon.log`,
    page: `${base}.page.json`,
    ...isShort
      ? beside
      : socketIn(privateFolder, joinPath(privateFolder, `${fingerprint(database)}.sock`)),
  };
}

function socketIn(folder: string, socket: string): Pick<DaemonFiles, "socket" | "socketDraft"> {
  return { socket, socketDraft: joinPath(folder, `.s-${fingerprint(socket).slice(0, 6)}`) };
}
