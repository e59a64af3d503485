import { UserError } from "../base/errors.ts";
import type { Arguments } from "./tool_call.ts";

/** The JSON Schema of one argument, as far as our tools need it. */
export type ArgumentSchema =
  & { readonly description?: string }
  & (
    /** An empty text is refused unless `minLength` is 0. */
    | { readonly type: "string"; readonly enum?: readonly string[]; readonly minLength?: 0 }
    | { readonly type: "integer"; readonly minimum: number; readonly maximum?: number }
    | { readonly type: "boolean" }
  );

/** The JSON Schema of all arguments of a tool. */
export interface InputSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, ArgumentSchema>>;
  readonly required?: readonly string[];
}

/**
 * Checks the arguments of a call. Models also write numbers and booleans as texts, and `#12` for a number that an answer
 * showed so. Null counts as left out.
 *
 * @throws {UserError} It names the wrong argument and what it may be.
 */
export function readArguments(
  tool: string,
  given: Readonly<Record<string, unknown>>,
  { properties, required = [] }: InputSchema,
): Arguments {
  const wrong = (why: string) =>
    new UserError(`Cannot call ${tool}`, { why, next: `Call it with ${shapeOf(properties)}` });
  const read: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue;
    const schema = Object.hasOwn(properties, name) ? properties[name]! : null;
    if (schema === null) throw wrong(`it has no argument "${name}"`);
    const known = valueOf(value, schema);
    if (known === null) throw wrong(`"${name}" must be ${wanted(schema)}`);
    read[name] = known;
  }
  const missing = required.find((name) => !Object.hasOwn(read, name));
  if (missing !== undefined) throw wrong(`"${missing}" is missing`);
  return read;
}

function valueOf(value: unknown, schema: ArgumentSchema): string | number | boolean | null {
  if (schema.type === "boolean") {
    return ["true", "false"].includes(String(value)) ? String(value) === "true" : null;
  }
  if (schema.type === "string") {
    if (typeof value !== "string") return null;
    if (value.trim() === "" && schema.minLength !== 0) return null;
    return schema.enum === undefined || schema.enum.includes(value) ? value : null;
  }
  const n = typeof value === "string" && /^#?\d{1,15}$/.test(value.trim())
    ? Number(value.trim().replace("#", ""))
    : value;
  const { minimum, maximum = Number.MAX_SAFE_INTEGER } = schema;
  return typeof n === "number" && Number.isSafeInteger(n) && n >= minimum && n <= maximum
    ? n
    : null;
}

function wanted(schema: ArgumentSchema): string {
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "string") {
    if (schema.enum !== undefined) return `one of ${schema.enum.join(", ")}`;
    return schema.minLength === 0 ? "a text" : "a text that is not empty";
  }
  return schema.maximum === undefined
    ? `a whole number, at least ${schema.minimum}`
    : `a whole number from ${schema.minimum} to ${schema.maximum}`;
}

function shapeOf(properties: InputSchema["properties"]): string {
  const names = Object.entries(properties).map(([name, { type }]) => `${name}: ${type}`);
  return names.length === 0 ? "no arguments" : names.join(", ");
}
