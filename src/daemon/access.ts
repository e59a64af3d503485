/** Decides who may ask, by the headers of a request and before anything else. */
import type { DatabaseSync } from "node:sqlite";
import { knowsToken } from "../store/person_proof.ts";
import { httpError } from "./api_error.ts";
import type { Route } from "./route.ts";

/** How a request came in. */
export type Door =
  | { readonly kind: "socket" }
  | { readonly kind: "port"; readonly port: number; readonly token: string };

/**
 * Refuses what a web page sends, under whatever name it reached this machine. The socket is opened by its file's mode
 * alone, the port by the token.
 *
 * @throws {UserError} FORBIDDEN_HOST, FORBIDDEN_ORIGIN
 */
export function checkSource(headers: Headers, door: Door): void {
  const origin = headers.get("origin");
  const hosts = door.kind === "port" ? [`127.0.0.1:${door.port}`, `localhost:${door.port}`] : [];
  if (door.kind === "port" && !hosts.includes((headers.get("host") ?? "").toLowerCase())) {
    throw httpError("FORBIDDEN_HOST", {
      what: "The request is not for this server",
      why: `its Host is not ${hosts.join(" or ")}; nothing was changed`,
      next: "conclaude daemon status",
    });
  }
  if (origin !== null && !hosts.some((host) => origin.toLowerCase() === `http://${host}`)) {
    throw httpError("FORBIDDEN_ORIGIN", {
      what: "The request comes from a foreign page",
      why: "its Origin is not this server; nothing was changed",
      next: "conclaude daemon status",
    });
  }
}

/** @throws {UserError} UNAUTHORIZED when a token is needed and it is not this one. */
export function checkToken(
  headers: Headers,
  door: Door,
  route: Pick<Route, "isOpen"> | null,
): void {
  if (door.kind === "socket" || route?.isOpen === true) return;
  const given = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  if (isSame(given, door.token)) return;
  throw httpError("UNAUTHORIZED", {
    what: "The request has no right to ask",
    why: "its Authorization is not the token of this daemon; nothing was changed",
    next: "send Authorization: Bearer with the token in the daemon's state file",
  });
}

/** The header with a person's token: the daemon's own token lies in a file that agents can read. */
export const PERSON_HEADER = "conclaude-token";

/** @throws {UserError} PERSON_REQUIRED when only a person may ask for a route, and no token of one is shown. */
export async function checkPerson(
  headers: Headers,
  db: DatabaseSync,
  { forPerson, method, path }: Pick<Route, "forPerson" | "method" | "path">,
): Promise<void> {
  if (!forPerson || await knowsToken(db, headers.get(PERSON_HEADER) ?? "")) return;
  throw httpError("PERSON_REQUIRED", {
    what: `Only a person may ask for ${method} ${path}`,
    why: "the request shows no token of a person; nothing was changed",
    next: "send the header Conclaude-Token with what `conclaude token` prints on a terminal",
  });
}

/** Compares two texts in a time that does not tell where they differ. */
function isSame(given: string, token: string): boolean {
  const [one, other] = [given, token].map((text) => new TextEncoder().encode(text)) as [
    Uint8Array,
    Uint8Array,
  ];
  let difference = one.length ^ other.length;
  for (let i = 0; i < other.length; i++) difference |= other[i]! ^ (one[i] ?? 0);
  return difference === 0;
}
