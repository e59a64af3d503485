/** Why a request is refused: the table of codes, and how they are told. */
import { isDatabaseBusy, messageOf, UserError } from "../errors.ts";
import { type Refusal, REFUSALS } from "../orchestration/refusal.ts";

/** Refusals that only a server knows, with their status. */
export const HTTP_ERRORS = {
  INVALID_JSON: 400,
  INVALID_BODY: 400,
  INVALID_URL: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN_HOST: 403,
  FORBIDDEN_ORIGIN: 403,
  PERSON_REQUIRED: 403,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INTERNAL_ERROR: 500,
  DATABASE_BUSY: 503,
  SHUTTING_DOWN: 503,
} as const satisfies Readonly<Record<string, number>>;

/** Every code that an error of the API can have. */
export type ErrorCode = Refusal | keyof typeof HTTP_ERRORS;

/** The status that goes with a code. */
export function statusOf(code: ErrorCode): number {
  return code in HTTP_ERRORS
    ? HTTP_ERRORS[code as keyof typeof HTTP_ERRORS]
    : REFUSALS[code as Refusal].httpStatus;
}

/** A refusal of the server itself. */
export function httpError(
  code: keyof typeof HTTP_ERRORS,
  told: { readonly what: string; readonly why: string; readonly next: string },
): UserError {
  return new UserError(told.what, { why: told.why, next: told.next, reason: code });
}

/** The response for anything that was thrown. Our own faults are told without details; the log has them. */
export function errorResponse(
  thrown: unknown,
  log: (level: "error", message: string) => void,
): Response {
  const { reason, what, why, next, details, exitCode } = asRefusal(thrown, log);
  // A value that makes no sense is nothing but a bad request.
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
    return httpError("DATABASE_BUSY", {
      what: "The database is in use",
      why: "another process writes to it for longer than a request may wait; nothing was changed",
      next: "ask again",
    });
  }
  const message = thrown instanceof Error ? thrown.stack ?? messageOf(thrown) : messageOf(thrown);
  log("error", `a request failed: ${message}`);
  return httpError("INTERNAL_ERROR", {
    what: "Cannot answer the request",
    why: "something went wrong inside; the daemon's log tells what; nothing was changed",
    next: "conclaude daemon logs",
  });
}

function isCode(reason: string): boolean {
  return reason in HTTP_ERRORS || reason in REFUSALS;
}
