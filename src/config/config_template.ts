/** The texts that are made from the schema: the file of `conclaude config init`, and a JSON Schema. */
import * as z from "zod/mini";
import { configSchema } from "./config_schema.ts";
import { type ConfigKey, descriptionOf } from "./schema_kit.ts";

const HEADER = [
  "Configuration of conclaude. Every key is optional; what is commented out is the default.",
  "To change one, take the first `# ` away from its line and from the lines of its sections.",
];
const LINE_WIDTH = 96;

/**
 * Writes every key with its meaning, commented out at its default. As it is, the text is an empty configuration; with
 * the first `# ` of each line taken away, it says exactly the defaults.
 *
 * @param options.schemaPath A local file with the JSON Schema, for the language server of editors.
 */
export function configTemplate(options: { readonly schemaPath?: string } = {}): string {
  const lines = HEADER.map((line) => `## ${line}`);
  if (options.schemaPath !== undefined) {
    lines.unshift(`# yaml-language-server: $schema=${options.schemaPath}`);
  }
  const sections = new Map(configSchema().sections.map((section) => [section.key, section]));
  const opened = new Set<string>();
  for (const { key, default: fallback, description, range } of configSchema().keys) {
    const parts = key.split(".");
    for (let depth = 1; depth < parts.length; depth++) {
      const name = parts.slice(0, depth).join(".");
      if (opened.has(name)) continue;
      opened.add(name);
      const about = sections.get(name)?.description ?? "";
      lines.push(
        ...(depth === 1 ? [""] : []),
        ...entry(depth - 1, [about], `${parts[depth - 1]}:`),
      );
    }
    const limits = range ? ` From ${range[0]} to ${range[1]}.` : "";
    const value = JSON.stringify(fallback);
    const depth = parts.length - 1;
    if (depth === 0) lines.push("");
    lines.push(
      ...entry(depth, [description + limits, ...itemsOf(key)], `${parts[depth]}: ${value}`),
    );
  }
  return lines.join("\n") + "\n";
}

/** Prose begins with two number signs, so that it stays a comment when one is taken away. */
function entry(depth: number, about: readonly string[], setting: string): string[] {
  const indent = "  ".repeat(depth);
  return [
    ...about.flatMap((text) => wrap(text, LINE_WIDTH - indent.length))
      .map((line) => `## ${indent}${line}`),
    `# ${indent}${setting}`,
  ];
}

/** The keys of the rules in a list or a map, a paragraph each. */
function itemsOf(key: string): string[] {
  const inside = [`${key}[].`, `${key}.<`];
  return configSchema().itemKeys.filter((item) =>
    inside.some((start) => item.key.startsWith(start))
  )
    .map(({ key: name, type, range, default: fallback, description }) =>
      `- ${name.slice(key.length).replace(/^(?:\.<name>)?(?:\[\])?\./, "")} (${type}${
        rangeText(range)
      }): ${description}${fallback === null ? "" : ` Default: ${JSON.stringify(fallback)}.`}`
    );
}

function rangeText(range: ConfigKey["range"]): string {
  return range === undefined ? "" : ` from ${range[0]} to ${range[1]}`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * The schema of a configuration file, draft 2020-12: every key is optional and has a description, its default and its
 * range; unknown keys are refused. A key without a value (`database:` alone) is accepted, as the program does.
 */
export function configJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(configSchema().schema, {
    target: "draft-2020-12",
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      // Where upper and lower case count the same, the schema offers the usual spelling.
      const { def } = zodSchema._zod;
      if (def.type === "pipe") Object.assign(jsonSchema, { enum: [...def.out._zod.values ?? []] });
      const description = descriptionOf(zodSchema);
      if (description === undefined) return;
      jsonSchema.description = description;
      // JSON Schema allows several types; the type of zod's field does not.
      const { type } = jsonSchema;
      if (type !== undefined) Object.assign(jsonSchema, { type: [type, "null"] });
    },
  });
  const { $schema, ...rest } = schema;
  return { $schema, title: "Configuration of conclaude", ...rest };
}
