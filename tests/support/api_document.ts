/** Holds answers of the daemon to what its own document says of them. */
import { Ajv2020 } from "ajv";
import type { Reply } from "./daemon.ts";

/** The parts of an OpenAPI document that tests look at. */
export interface ApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** A method of a path. */
export interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: { readonly "application/json": { readonly schema: object } };
  };
  readonly responses: Readonly<
    Record<string, {
      readonly description: string;
      readonly content?: Readonly<Record<string, { readonly schema: object }>>;
    }>
  >;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: object;
}

/** Tells what is wrong with an answer, by the document; null when nothing is. */
export type Judge = (method: string, path: string, reply: Reply) => string | null;

/** Makes a judge from a document. @param path of the judge is as the document has it: `/tasks/{id}`. */
export function judgeBy(document: ApiDocument): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema(document, "api");
  const pointer = (...parts: readonly string[]) =>
    parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join(
      "/",
    );
  return (method, path, reply) => {
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) return "the document does not know the operation";
    const response = operation.responses[String(reply.status)];
    if (response === undefined) return `the document does not know status ${reply.status}`;
    if (response.content === undefined) return reply.text === "" ? null : "there is a body";
    const type = (reply.headers.get("content-type") ?? "").split(";")[0]!;
    if (response.content[type] === undefined) return `the document does not know ${type}`;
    if (type !== "application/json") return null;
    const place = pointer(
      "paths",
      path,
      method.toLowerCase(),
      "responses",
      String(reply.status),
      "content",
      type,
      "schema",
    );
    const validate = ajv.getSchema(`api#/${place}`)!;
    return validate(reply.body)
      ? null
      : `${ajv.errorsText(validate.errors)}: ${reply.text.slice(0, 300)}`;
  };
}
