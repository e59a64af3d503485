/** Talks to the daemon that serves this page, with the token of this tab. */

import { withoutEscapes } from "./format.ts";

/** An error of the daemon, with the texts that the command line shows, too. */
export class Refused extends Error {
  readonly why: string;
  readonly next: string;
  readonly status: number;

  constructor(what: string, { why, next, status }: Pick<Refused, "why" | "next" | "status">) {
    super(what);
    this.why = why;
    this.next = next;
    this.status = status;
  }

  /** The error, the reason and the next step, as one text. */
  get whole(): string {
    const next = this.next === "" ? "" : ` Next: ${this.next}`;
    return `${this.message}${this.why === "" ? "" : `: ${this.why}`}.${next}`;
  }
}

const TOKEN = "conclaude-tab";
const RIGHTS = "conclaude-rights";

/** Returns the rights of this tab; null before it has a token. */
export function rights(): "act" | "read" | null {
  return sessionStorage.getItem(RIGHTS) as "act" | "read" | null;
}

/**
 * Exchanges the code in the address for a token. Removes the code from the address first, so that neither the history
 * nor a copied link holds it.
 */
export async function enter(): Promise<void> {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code === undefined) return;
  history.replaceState(null, "", location.pathname);
  const tab = await ask<{ token: string; rights: string }>("POST", "/page/tabs", { code });
  sessionStorage.setItem(TOKEN, tab.token);
  sessionStorage.setItem(RIGHTS, tab.rights);
}

/** Sends a request to the daemon. @throws {Refused} When the daemon refuses or does not answer. */
export async function ask<Value>(
  method: "GET" | "POST" | "PATCH",
  path: string,
  body?: unknown,
): Promise<Value> {
  const response = await request(path, {
    method,
    ...body === undefined ? {} : { body: JSON.stringify(body) },
  });
  const { ok, status } = response;
  const answer = parse(await whenAnswered(response.text()), status);
  if (ok) return answer as Value;
  const { what = "The daemon refused", why = "", next = "" } = answer?.error ?? {};
  throw new Refused(what, { why, next, status });
}

/** Reads the text of an answer. @throws {Refused} When it is not the daemon's. */
function parse(text: string, status: number) {
  try {
    return text === "" ? {} : JSON.parse(text, readable);
  } catch {
    throw new Refused("The daemon's answer cannot be read", {
      why: `it is no JSON (HTTP ${status})`,
      next: "conclaude daemon status",
      status,
    });
  }
}

function readable(_name: string, value: unknown): unknown {
  return typeof value === "string" ? withoutEscapes(value) : value;
}

/** Adds a query to a path, which may have one already; leaves out undefined and empty values. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${text}`;
}

function request(path: string, init: RequestInit): Promise<Response> {
  return whenAnswered(fetch(`/api${path}`, {
    ...init,
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${sessionStorage.getItem(TOKEN) ?? ""}`,
      ...init.headers,
    },
  }));
}

/** Waits for an answer or its text. @throws {Refused} When the daemon is not there, or goes before it has said all. */
async function whenAnswered<Value>(answer: Promise<Value>): Promise<Value> {
  try {
    return await answer;
  } catch (thrown) {
    throw new Refused("The daemon does not answer", {
      why: String(thrown instanceof Error ? thrown.message : thrown),
      next: "conclaude ui",
      status: 0,
    });
  }
}

/** One message of the stream. */
export interface Piece {
  /** The message's position in the stream, from which a later request can continue. */
  readonly id: string;
  readonly event: "hello" | "gap" | "changed";
  readonly data: {
    readonly sessions?: Readonly<Record<string, number>>;
    readonly parts?: readonly string[];
  };
}

/**
 * Reads the stream until it ends. @param seen Holds the id of the last piece, so that the next call continues there.
 * @throws {Refused}
 */
export async function readStream(
  seen: { id: string | null },
  onPiece: (piece: Piece) => void,
  signal: AbortSignal,
): Promise<void> {
  const headers: Record<string, string> = seen.id === null ? {} : { "last-event-id": seen.id };
  const response = await request("/live", { signal, headers });
  if (!response.ok || response.body === null) {
    throw new Refused("The stream was refused", { why: "", next: "", status: response.status });
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const pieces = text.split("\n\n");
    text = pieces.pop() ?? "";
    for (const piece of pieces) {
      const fields = Object.fromEntries(
        piece.split("\n").map((
          line,
        ) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
      );
      if (fields["data"] === undefined) continue;
      seen.id = fields["id"]!;
      onPiece({
        id: seen.id,
        event: fields["event"] as Piece["event"],
        data: JSON.parse(fields["data"]),
      });
    }
  }
}
