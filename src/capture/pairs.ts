/** Pairs in parsed JSON: one entry or item is the name of a secret, another one has its value. */
import { maskBelow } from "./near_names.ts";
import { isNoSecret, isOpenName, isSecretName, isValueLike, SAID_NAME } from "./secret_names.ts";

type Entries = readonly (readonly [string, unknown])[];

/** `{"name": "DB_PASSWORD", "value": "…"}`: the name of a secret among those that an object tells. */
export function nameOfPair(entries: Entries): string | undefined {
  const told = textsOf(entries, /^(?:name|key)$/i).filter((name) => /^[\w./:-]{1,96}$/.test(name));
  return told.find(isSecretName) ?? told.find(isOpenName);
}

/** What a field is called where something is entered into it: by who drives a browser, in a form. */
const LABEL = /^(?:label|field|placeholder)$/i;
const ENTERED = /^(?:text|value)$/i;
/** What a tool is told to type into: all of it is what the field is for. */
const TYPED_INTO = /^(?:element|selector|locator)$/i;
/** A longer one is a text of its own. */
const MAX_LABEL = 90;

/** `{"element": "Password textbox", "text": "…"}`: what tells that something was entered into a field for a secret, if so. */
export function secretFieldOf(entries: Entries): "typed" | "labelled" | undefined {
  label ??= new RegExp(SAID_NAME, "i");
  const isSecret = (keys: RegExp) =>
    textsOf(entries, keys).some((text) => text.length <= MAX_LABEL && label!.test(text));
  if (isSecret(TYPED_INTO)) return "typed";
  return isSecret(LABEL) ? "labelled" : undefined;
}
let label: RegExp | undefined;

/** Whether an entry is a secret that was entered into such a field; beside a label it has to look like one. */
export function isEntered(key: string, item: unknown, field: "typed" | "labelled"): boolean {
  if (!ENTERED.test(key) || typeof item !== "string") return false;
  return field === "typed" ? !isNoSecret("", item) : isValueLike(item);
}

function textsOf(entries: Entries, keys: RegExp): string[] {
  return entries.flatMap(([key, item]) => keys.test(key) && typeof item === "string" ? [item] : []);
}

/** An item of a list, masked where the one before may be its name: a flag, a header, a column. */
export function maskPaired(before: unknown, item: unknown): unknown {
  const isPair = typeof before === "string" && typeof item === "string";
  return isPair && /^[\w-]{2,40}$/.test(before) ? maskBelow(before, item) : item;
}
