/** Sockets and HTTP on this machine. */

export const { createHttpClient, serve } = Deno;

export type HttpServer = Deno.HttpServer;

/** Gives up the permission to open any socket, for the rest of this process. */
export function revokeNetwork(): void {
  Deno.permissions.revokeSync({ name: "net" });
}

export function isAddrInUse(error: unknown): error is Error {
  return error instanceof Deno.errors.AddrInUse;
}
