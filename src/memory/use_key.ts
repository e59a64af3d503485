/** Tells a tool use from another one with the same id: some gateways count theirs anew in every session. */
import { digestOf } from "./fnv.ts";

/** So much of each field of an input is compared, in characters: a payload may have lost the middle of a long one. */
const COMPARED_CHARS = 500;

/** An id with so many letters and digits in a row is no other's. */
const UNIQUE_ID = /[0-9a-z]{20}/i;

/** A tool use, by what Claude asked for. */
interface AskedUse {
  readonly toolUseId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/**
 * By its id, tool and input, whichever session tells it: a fork repeats what its parent did. What only explains the input
 * (`description`), and flags, may be told once and not another time: they do not count.
 */
export function useKey({ toolUseId, toolName, input }: AskedUse): string {
  const fields = Object.entries(Object(input))
    .filter(([name, value]) => name !== "description" && isTelling(value))
    .map(([name, value]) => [name, headOf(value)])
    .sort();
  return `toolUse ${toolUseId} ${digestOf(JSON.stringify([toolName, ...fields]))}`;
}

/** The same of a capture; null where its payload, JSON, has no input any more. */
export function useKeyOfCapture(
  { toolUseId, toolName, payload }: Omit<AskedUse, "input"> & { readonly payload: string },
): string | null {
  try {
    const input: unknown = Object(JSON.parse(payload)).tool_input;
    return input === undefined ? null : useKey({ toolUseId, toolName, input });
  } catch {
    return null;
  }
}

/** Whether no other tool use has this id, in whatever session. */
export function isUniqueId(toolUseId: string): boolean {
  return UNIQUE_ID.test(toolUseId);
}

function isTelling(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}

function headOf(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replace(/\s+/g, " ").trim().slice(0, COMPARED_CHARS);
}
