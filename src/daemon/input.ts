/** Reads and checks the input of a request. */
import * as z from "zod/mini";
import { isUserError, UserError } from "../base/errors.ts";
import { refusal } from "../work/refusal.ts";
import { checkPriority, checkTags, checkTitle, checkType } from "../work/task_input.ts";
import { API_HELP, httpError } from "./api_error.ts";
import type { DatabaseSync } from "node:sqlite";
import { eventIdAt, lastEventId, listEvents } from "../work/store.ts";

const MAX_BODY_BYTES = 1024 * 1024;

/** How long a body may take to come, in milliseconds. */
const BODY_MS = 20_000;

/** Checks of single fields, whose refusals say more than that a type is wrong. */
export const BODY_REFUSALS: OwnRefusals = {
  title: (value) => checkTitle(textOf(value)),
  priority: checkPriority,
  type: (value) => checkType(textOf(value)),
  tags: (value) => Array.isArray(value) ? checkTags(value.map(textOf)) : value,
};

type OwnRefusals = Readonly<Record<string, (value: unknown) => unknown>>;

/** Reads a body as JSON; an empty body is an empty object. @throws {UserError} */
export async function readBody(request: Request): Promise<unknown> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return {};
  const [type, ...parameters] = (request.headers.get("content-type") ?? "").toLowerCase().split(";")
    .map((part) => part.trim());
  const isUtf8 = parameters.every((part) =>
    !part.startsWith("charset=") || /^charset="?utf-8"?$/.test(part)
  );
  if (type !== "application/json" || !isUtf8) {
    const why = 'its Content-Type is not "application/json" in UTF-8';
    throw httpError("UNSUPPORTED_MEDIA_TYPE", why);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw httpError("INVALID_JSON", "it is not valid JSON");
  }
}

async function readBytes({ headers, body }: Request): Promise<Uint8Array> {
  const announced = headers.get("content-length");
  if (Number(announced ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  if (announced === "0" || body === null) return new Uint8Array();
  let length = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) throw tooLarge();
      controller.enqueue(chunk as Uint8Array<ArrayBuffer>);
    },
  });
  const signal = AbortSignal.timeout(BODY_MS);
  try {
    return await new Response(body.pipeThrough(limit, { signal })).bytes();
  } catch (thrown) {
    if (isUserError(thrown)) throw thrown;
    if (!signal.aborted) {
      throw httpError("INVALID_BODY", "it breaks off, or is not sent as its headers say");
    }
    throw httpError("REQUEST_TIMEOUT", `it has not come within ${BODY_MS / 1000} seconds`);
  }
}

/** Reads a query as an object of texts. @throws {UserError} INVALID_INPUT when a name occurs twice. */
export function readQuery(text: string): Record<string, string> {
  const pairs = [...new URLSearchParams(text)];
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw invalidInput(twice, "it is given more than once");
  return Object.fromEntries(pairs);
}

/** Checks a query or a body. @param refusals {@linkcode BODY_REFUSALS} @throws {UserError} INVALID_INPUT, … */
export function checked(
  schema: z.ZodMiniType,
  value: unknown,
  refusals: OwnRefusals = {},
): unknown {
  const { success, data, error } = z.safeParse(schema, value);
  if (success) return data;
  const [issue] = error!.issues;
  const [field, ...below] = issue!.path;
  const given = Object(value)[String(field)];
  const ownRefusal = field === undefined || below.length > 1 ? undefined : refusals[String(field)];
  if (ownRefusal !== undefined) inField(String(field), () => ownRefusal(given));
  if (issue!.code === "unrecognized_keys") {
    throw invalidInput(issue!.keys[0]!, "there is no such field");
  }
  const wrong = issue!.path.reduce<unknown>((at, key) => Object(at)[key], value);
  const isMissing = issue!.code === "invalid_type" && wrong === undefined;
  throw invalidInput(issue!.path.join("."), isMissing ? "it is missing" : faultText(issue!));
}

/** Runs a check that the command line shares, and makes its refusal name the field instead of a verb. */
export function inField<Value>(field: string, check: () => Value): Value {
  try {
    return check();
  } catch (thrown) {
    if (!isUserError(thrown) || thrown.reason === null) throw thrown;
    const { what, why, reason, exitCode, details } = thrown;
    const rest = { why, next: API_HELP, reason, exitCode, details: { ...details, path: field } };
    throw new UserError(what, rest);
  }
}

function faultText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_value":
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "invalid_type":
      return `expected ${issue.expected}`;
    case "too_small":
      return `expected at least ${issue.minimum}`;
    case "too_big":
      return `expected at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

export function invalidInput(field: string, why: string) {
  const name = field === "" ? "the body" : `"${field.slice(0, 60)}"`;
  return refusal("INVALID_INPUT", {
    what: `Cannot take ${name}`,
    why: `${why}; nothing was changed`,
    next: API_HELP,
    details: { path: field },
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value) ?? "";
}

function tooLarge() {
  return httpError("BODY_TOO_LARGE", `it is larger than ${MAX_BODY_BYTES} bytes`);
}

/** The least number that counts as a time (in 1973); smaller numbers are ids of events. */
const FIRST_TIME_MS = 100_000_000_000;

/** Returns the event and the time after which a client wants events; without `since` the newest event. */
export function startOf(db: DatabaseSync, since: string | undefined): { id: number; ms: number } {
  if (since === undefined) return { id: lastEventId(db), ms: -Infinity };
  const isNumber = /^\d{1,16}$/.test(since);
  if (isNumber && Number(since) < FIRST_TIME_MS) return { id: Number(since), ms: -Infinity };
  const isTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.test(since);
  const ms = isNumber ? Number(since) : isTime ? Date.parse(since) : NaN;
  if (Number.isNaN(ms)) {
    const why = "expected an event's number, epoch milliseconds or an RFC 3339 time";
    throw invalidInput("since", why);
  }
  return { id: eventIdAt(db, ms), ms };
}

/** Returns {@linkcode startOf} as a time; for a removed event the time of the next one. */
export function startMsOf(db: DatabaseSync, since: string): number {
  const { id, ms } = startOf(db, since);
  if (ms !== -Infinity || id === 0) return ms;
  return listEvents(db, { afterId: id - 1, limit: 1 })[0]?.createdAtMs ?? Infinity;
}
