/** Makes the daemon's refusals and their responses from the tables of error codes. */
import { isDatabaseBusy, messageOf, UserError } from "../base/errors.ts";
import HTTP_ERRORS from "./http_errors.json" with { type: "json" };
import { type Refusal, REFUSALS } from "../work/refusal.ts";

export const API_HELP = "GET /openapi.json";

/** The codes of the server's own refusals, besides the codes of tasks and workflows. */
type HttpError = keyof typeof HTTP_ERRORS;

export type ErrorCode = Refusal | HttpError;

export function statusOf(code: ErrorCode): number {
  return code in HTTP_ERRORS
    ? HTTP_ERRORS[code as HttpError].status
    : REFUSALS[code as Refusal].httpStatus;
}

/** Makes a refusal of the server itself, which has changed nothing. */
export function httpError(code: HttpError, why: string): UserError {
  const { what, next } = HTTP_ERRORS[code];
  return new UserError(what, { why: `${why}; nothing was changed`, next, reason: code });
}

/** Makes the response for a thrown value. Details of internal errors go only to the log. */
export function errorResponse(
  thrown: unknown,
  log: (level: "error", message: string) => void,
): Response {
  const { reason, what, why, next, details, exitCode } = asRefusal(thrown, log);
  // Exit code 2 means an invalid value, which is a bad request.
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
  const code = thrown instanceof UserError ? thrown.reason : null;
  if (code !== null && (code in HTTP_ERRORS || code in REFUSALS)) return thrown as UserError;
  if (isDatabaseBusy(thrown)) {
    log("error", `a request waited too long: ${messageOf(thrown)}`);
    const why = "another process writes to it for longer than a request may wait";
    return httpError("DATABASE_BUSY", why);
  }
  const message = thrown instanceof Error ? thrown.stack ?? messageOf(thrown) : messageOf(thrown);
  log("error", `a request failed: ${message}`);
  return httpError("INTERNAL_ERROR", "something went wrong inside; the daemon's log tells what");
}
