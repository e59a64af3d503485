/** Why the daemon refuses a request: the table of codes, and the response for each. */
import { isDatabaseBusy, messageOf, UserError } from "../base/errors.ts";
import { type Refusal, REFUSALS } from "../work/refusal.ts";

/** The document that names every input. */
export const API_HELP = "GET /openapi.json";

/** The refusals that only a server has: their HTTP status, what they say, and what to do next. */
const HTTP_ERRORS = {
  INVALID_JSON: [400, "Cannot read the body", API_HELP],
  INVALID_BODY: [400, "Cannot read the body", "send it again"],
  INVALID_URL: [400, "Cannot read the address", API_HELP],
  UNAUTHORIZED: [
    401,
    "The request has no right to ask",
    "send Authorization: Bearer with the token in the daemon's state file",
  ],
  FORBIDDEN_HOST: [403, "The request is not for this server", "conclaude daemon status"],
  FORBIDDEN_ORIGIN: [403, "The request comes from a foreign page", "conclaude daemon status"],
  PERSON_REQUIRED: [
    403,
    "Only a person may ask for this",
    "send the header Conclaude-Token with what `conclaude token` prints on a terminal",
  ],
  READ_ONLY: [403, "This page may only look", "open one that may act with `conclaude ui`"],
  METHOD_NOT_ALLOWED: [405, "The path has no such method", API_HELP],
  REFUSED: [409, "The verb refused", API_HELP],
  REQUEST_TIMEOUT: [408, "Cannot wait for the body", "send it again"],
  BODY_TOO_LARGE: [413, "Cannot take the body", "send less"],
  UNSUPPORTED_MEDIA_TYPE: [
    415,
    "Cannot read the body",
    "send the header Content-Type: application/json",
  ],
  INTERNAL_ERROR: [500, "Cannot answer the request", "conclaude daemon logs"],
  DATABASE_BUSY: [503, "The database is in use", "ask again"],
  SHUTTING_DOWN: [503, "The daemon takes no more requests", "conclaude daemon start"],
} as const satisfies Readonly<Record<string, readonly [number, string, string]>>;

export type ErrorCode = Refusal | keyof typeof HTTP_ERRORS;

export function statusOf(code: ErrorCode): number {
  return code in HTTP_ERRORS
    ? HTTP_ERRORS[code as keyof typeof HTTP_ERRORS][0]
    : REFUSALS[code as Refusal].httpStatus;
}

/** A refusal of the server itself. It has changed nothing. */
export function httpError(code: keyof typeof HTTP_ERRORS, why: string): UserError {
  const [, what, next] = HTTP_ERRORS[code];
  return new UserError(what, { why: `${why}; nothing was changed`, next, reason: code });
}

/** The response for anything that was thrown. Details of our own faults go to the log alone. */
export function errorResponse(
  thrown: unknown,
  log: (level: "error", message: string) => void,
): Response {
  const { reason, what, why, next, details, exitCode } = asRefusal(thrown, log);
  // Exit code 2 is a value that makes no sense: a bad request.
  const status = exitCode === 2 ? 400 : statusOf(reason as ErrorCode);
  return Response.json({ error: { what, why, next, code: reason, ...details } }, {
    status,
    headers: {
      ...status === 401 ? { "www-authenticate": "Bearer" } : {},
      ...status === 503 ? { "retry-after": "1" } : {},
    },
  });
}

function asRefusal(thrown: unknown, log: (level: "error", message: string) => void): UserError {
  if (thrown instanceof UserError && thrown.reason !== null && isCode(thrown.reason)) return thrown;
  if (isDatabaseBusy(thrown)) {
    log("error", `a request waited too long: ${messageOf(thrown)}`);
    return httpError(
      "DATABASE_BUSY",
      "another process writes to it for longer than a request may wait",
    );
  }
  const message = thrown instanceof Error ? thrown.stack ?? messageOf(thrown) : messageOf(thrown);
  log("error", `a request failed: ${message}`);
  return httpError("INTERNAL_ERROR", "something went wrong inside; the daemon's log tells what");
}

function isCode(reason: string): boolean {
  return reason in HTTP_ERRORS || reason in REFUSALS;
}
