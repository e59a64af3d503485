/** Opens the socket of the daemon, for this user alone, and a port of this machine. */
import { UserError } from "../base/errors.ts";
import { parentOf } from "../base/paths.ts";
import { makePrivateFolder } from "../system/write_file.ts";
import type { Door } from "./http.ts";
import type { DaemonFiles } from "../system/daemon_files.ts";
import { type HttpServer, isAddrInUse, serve } from "../system/network.ts";
import {
  chmodSync,
  isPermissionDenied,
  lstatSync,
  mkdirSync,
  removeSync,
  renameSync,
} from "../system/files.ts";

export type Handler = (request: Request, door: Door) => Promise<Response>;

export type Server = Pick<HttpServer, "shutdown" | "finished">;

/**
 * Listens on the socket. The socket is made in a private folder and then moved to its place, so that nobody else can
 * open it at any moment. It replaces the socket of a dead daemon.
 *
 * @throws {UserError} When something else than a socket is in its place.
 */
export function listenOnSocket(files: DaemonFiles, handler: Handler): Server {
  const { socket, socketDraft } = files;
  refuseOther(socket);
  makePrivateFolder(parentOf(socket));
  removeFolder(socketDraft);
  mkdirSync(socketDraft, { mode: 0o700 });
  try {
    const path = `${socketDraft}/s`;
    const server = serve(
      { path, onListen: () => {} },
      (request) => handler(request, { kind: "socket" }),
    );
    chmodSync(path, 0o600);
    renameSync(path, socket);
    return server;
  } finally {
    removeFolder(socketDraft);
  }
}

/** @param wanted 0 takes a free port. */
export function listenOnPort(
  wanted: number,
  token: string,
  handler: Handler,
): { readonly server: Server; readonly port: number } {
  const address: { port: number } = { port: wanted };
  try {
    const server = serve(
      { hostname: "127.0.0.1", port: wanted, onListen: () => {} },
      (request) => handler(request, { kind: "port", port: address.port, token }),
    );
    address.port = server.addr.port;
    return { server, port: address.port };
  } catch (thrown) {
    if (
      !isAddrInUse(thrown) &&
      !isPermissionDenied(thrown)
    ) {
      throw thrown;
    }
    throw new UserError(`Cannot listen on port ${wanted}`, {
      why: isAddrInUse(thrown) ? "something else listens there" : "the system does not allow it",
      next: "conclaude daemon run --port 0",
    });
  }
}

/** Removes the socket, if it is one. */
export function removeSocket(path: string): void {
  try {
    if (lstatSync(path).isSocket !== false) removeSync(path);
  } catch {
    // Gone already.
  }
}

function refuseOther(path: string): void {
  try {
    if (lstatSync(path).isSocket) return;
  } catch {
    return;
  }
  throw new UserError(`Cannot listen on "${path}"`, {
    why: "something that is no socket lies there; nothing was changed",
    next: "Move it away, then start the daemon again",
  });
}

function removeFolder(path: string): void {
  try {
    removeSync(path, { recursive: true });
  } catch {
    // It does not exist.
  }
}
