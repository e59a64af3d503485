/** The configuration as a JSON Schema, for editors and for `conclaude config schema`. */
import * as z from "zod/mini";
import { configSchema } from "./schema.ts";
import { descriptionOf } from "./schema_kit.ts";

/** A JSON Schema document, or a part of one. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * The schema of a configuration file, draft 2020-12: every key optional, with description, default and range; a key that
 * is not named is refused. A key or section without a value (`database:` alone) is accepted, as the program does.
 */
export function configJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(configSchema, {
    target: "draft-2020-12",
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      // A word that may stand in any case is offered as it is usually written.
      const { def } = zodSchema._zod;
      if (def.type === "pipe") Object.assign(jsonSchema, { enum: [...def.out._zod.values ?? []] });
      const description = descriptionOf(zodSchema);
      if (description === undefined) return;
      jsonSchema.description = description;
      // JSON Schema allows several types, zod's own type of the field does not.
      const { type } = jsonSchema;
      if (type !== undefined) Object.assign(jsonSchema, { type: [type, "null"] });
    },
  });
  const { $schema, ...rest } = schema;
  return { $schema, title: "Configuration of conclaude", ...rest };
}
