/** Opens what the daemon listens on: a socket for this user alone, and a port of this machine where it is wanted. */
import { UserError } from "../errors.ts";
import { parentOf } from "../paths.ts";
import { makePrivateFolder } from "../project/write_file.ts";
import type { Door } from "./http.ts";
import type { DaemonFiles } from "../process/daemon_files.ts";

/** Answers a request that came in through a door. */
export type Handler = (request: Request, door: Door) => Promise<Response>;

/** A server that listens. */
export type Server = Pick<Deno.HttpServer, "shutdown" | "finished">;

/**
 * Listens on the socket. It is made in a folder that is this user's alone and then put in its place, so that there is
 * no moment in which others could open it; what lies there of a dead daemon is replaced.
 *
 * @throws {UserError} When something that is no socket lies there.
 */
export function listenOnSocket(files: DaemonFiles, handler: Handler): Server {
  const { socket, socketDraft } = files;
  refuseOther(socket);
  makePrivateFolder(parentOf(socket));
  removeFolder(socketDraft);
  Deno.mkdirSync(socketDraft, { mode: 0o700 });
  try {
    const path = `${socketDraft}/s`;
    const server = Deno.serve(
      { path, onListen: () => {} },
      (request) => handler(request, { kind: "socket" }),
    );
    Deno.chmodSync(path, 0o600);
    Deno.renameSync(path, socket);
    return server;
  } finally {
    removeFolder(socketDraft);
  }
}

/** Listens on a port of this machine alone. @param wanted 0 takes a free one. */
export function listenOnPort(
  wanted: number,
  token: string,
  handler: Handler,
): { readonly server: Server; readonly port: number } {
  const address: { port: number } = { port: wanted };
  try {
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: wanted, onListen: () => {} },
      (request) => handler(request, { kind: "port", port: address.port, token }),
    );
    address.port = server.addr.port;
    return { server, port: address.port };
  } catch (thrown) {
    if (
      !(thrown instanceof Deno.errors.AddrInUse) &&
      !(thrown instanceof Deno.errors.PermissionDenied)
    ) {
      throw thrown;
    }
    throw new UserError(`Cannot listen on port ${wanted}`, {
      why: thrown instanceof Deno.errors.AddrInUse
        ? "something else listens there"
        : "the system does not allow it",
      next: "conclaude daemon run --port 0",
    });
  }
}

/** Takes the socket away, if it is one. */
export function removeSocket(path: string): void {
  try {
    if (Deno.lstatSync(path).isSocket !== false) Deno.removeSync(path);
  } catch {
    // Gone already.
  }
}

function refuseOther(path: string): void {
  try {
    if (Deno.lstatSync(path).isSocket) return;
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
    Deno.removeSync(path, { recursive: true });
  } catch {
    // Never made.
  }
}
