/** A call of a tool: its type, the project that it is about, and the check of its arguments. */
import { UserError } from "../base/errors.ts";
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import { folderOfProject } from "../memory/project_paths.ts";
import { type Observation, readObservations } from "../memory/store.ts";
import type { CliContext } from "../operations/context.ts";
import type { DatabaseSync } from "node:sqlite";
import { ownValue } from "../base/mapping.ts";

export type Arguments = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Call {
  readonly db: DatabaseSync;
  readonly database: string;
  readonly folder: string;
  readonly project: Project;
  readonly sessionId: string | null;
  readonly redactPatterns: readonly string[];
  readonly nowMs: number;
  readonly args: Arguments;
}

/** The project that answers are about. Each call looks it up anew, since a folder may become a repository. */
export interface Project {
  /** The common git directory; outside a repository, the folder. */
  readonly key: string;
  /** The folder that stored paths are relative to. */
  readonly root: string;
  /** The project's name in answers. It shows a model at once if the server was started in another project. */
  readonly folder: string;
  /** The user's home; null when there is none. */
  readonly home: string | null;
}

export function projectAround(
  { cwd: folder, locations: { home } }: Pick<CliContext, "cwd" | "locations">,
): Project {
  const repository = findRepository(lookUpwards(folder));
  const key = repository?.commonDir ?? folder;
  return { key, root: repository?.root ?? folder, folder: folderOfProject(key), home };
}

/** Returns the observation that `id` names. @throws {UserError} If none has this id, or it is another project's. */
export function observationOf({ db, project, args }: Call): Observation {
  const id = Number(args["id"]);
  const [observation] = readObservations(db, [id]);
  if (observation === undefined) {
    throw new UserError(`Cannot find the observation #${id}`, {
      why: "no observation has this number",
      next: "find it with `recall`",
    });
  }
  if (args["everywhere"] !== true && observation.project !== project.key) {
    throw new UserError(`Cannot tell of the observation #${id}`, {
      why: "it is of another project",
      next: "Call it again with `everywhere: true` if that is meant",
    });
  }
  return observation;
}

export function folderOf({ project }: Pick<Observation, "project">): string {
  return project === null ? "no project" : folderOfProject(project);
}

/** The JSON Schema of one argument, as far as our tools need it. */
type ArgumentSchema =
  & { readonly description?: string }
  & (
    /** An empty text is refused unless `minLength` is 0. */
    | { readonly type: "string"; readonly enum?: readonly string[]; readonly minLength?: 0 }
    | { readonly type: "integer"; readonly minimum: number; readonly maximum?: number }
    | { readonly type: "boolean" }
  );

export interface InputSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, ArgumentSchema>>;
  readonly required?: readonly string[];
}

/**
 * Checks the arguments of a call and converts them. Models also write numbers and booleans as texts, and `#12` where an
 * answer showed it. Null counts as left out.
 * @throws {UserError} The error names the wrong argument and its allowed values.
 */
export function readArguments(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  { properties, required = [] }: InputSchema,
): Arguments {
  const refusal = (why: string) =>
    new UserError(`Cannot call ${tool}`, { why, next: `Call it with ${signatureOf(properties)}` });
  const read: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value === null || value === undefined) continue;
    const schema = ownValue(properties, name) ?? null;
    if (schema === null) throw refusal(`it has no argument "${name}"`);
    const known = valueOf(value, schema);
    if (known === null) throw refusal(`"${name}" must be ${allowedValues(schema)}`);
    read[name] = known;
  }
  const missing = required.find((name) => !Object.hasOwn(read, name));
  if (missing !== undefined) throw refusal(`"${missing}" is missing`);
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

function allowedValues(schema: ArgumentSchema): string {
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "string") {
    if (schema.enum !== undefined) return `one of ${schema.enum.join(", ")}`;
    return schema.minLength === 0 ? "a text" : "a text that is not empty";
  }
  return schema.maximum === undefined
    ? `a whole number, at least ${schema.minimum}`
    : `a whole number from ${schema.minimum} to ${schema.maximum}`;
}

function signatureOf(properties: InputSchema["properties"]): string {
  const names = Object.entries(properties).map(([name, { type }]) => `${name}: ${type}`);
  return names.length === 0 ? "no arguments" : names.join(", ");
}
