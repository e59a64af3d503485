/** Makes texts from the schema: the file of `conclaude config init`, a JSON Schema, and values with their sources. */
import * as z from "zod/mini";
import { type Config, configSchema } from "./config_schema.ts";
import { type ConfigKey, descriptionOf } from "./schema_kit.ts";
import { type ConfigFile, LAYERS } from "./discover.ts";
import { readLayer } from "./layer.ts";
import { type LayerValues, valueAt } from "./yaml_tree.ts";

const HEADER = [
  "Configuration of conclaude. Every key is optional; what is commented out is the default.",
  "To change one: `conclaude config set KEY VALUE`, or take the first `# ` away from its line and",
  "from the lines of its sections. To write rules instead: `conclaude config init --force` with",
];
const LINE_WIDTH = 96;

/** Writes every key with its meaning, commented out at its default. @param presets What each preset does, by name. */
export function configTemplate(presets: Readonly<Record<string, string>>): string {
  const presetLines = Object.entries(presets)
    .flatMap(([name, about]) => wrap(`--preset ${name}: ${about}`, LINE_WIDTH));
  const lines = [...HEADER, ...presetLines].map((line) => `## ${line}`);
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

/** Writes a setting. Its description begins with `##`, so that it stays a comment when a person removes one `#`. */
function entry(depth: number, about: readonly string[], setting: string): string[] {
  const indent = "  ".repeat(depth);
  return [
    ...about.flatMap((text) => wrap(text, LINE_WIDTH - indent.length))
      .map((line) => `## ${indent}${line}`),
    `# ${indent}${setting}`,
  ];
}

/** Describes the keys of the rules in a list or a map, a paragraph each. */
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
 * Returns the JSON Schema (draft 2020-12) of a configuration file: every key is optional and has a description, its
 * default and its range; unknown keys are refused. Like the program, it accepts a key without a value (`database:`).
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

/** The source of a value that no file sets. */
const BUILT_IN = "default";

/**
 * Returns the values of all keys that files name, by section, and for each dotted key its source, a path or `default`;
 * with `effective`, of all other keys, too.
 */
export function mergedConfig(
  files: readonly ConfigFile[],
  { config, effective }: { readonly config: Config; readonly effective: boolean },
) {
  const sourceOfKey = sourcesIn(files, config);
  const values: Record<string, unknown> = {};
  const sources: Record<string, string> = {};
  for (const { key } of configSchema().keys) {
    const source = sourceOfKey(key);
    if (source === BUILT_IN && !effective) continue;
    setValue(values, key, valueAt(config, key.split(".")));
    sources[key] = source;
  }
  return { values, sources };
}

/** Returns a function that finds the file that sets a key, `default` where none does. */
export function sourcesIn(
  files: readonly ConfigFile[],
  { inherit }: Pick<Config, "inherit">,
): (key: string) => string {
  const layers = LAYERS.toReversed().flatMap((layer) =>
    files.filter((file) => file.layer === layer)
  )
    .filter(({ layer }) => inherit || layer !== "user")
    .map((file) => ({ path: file.path, values: readLayer(file).values }));
  return (key) =>
    layers.find(({ values }) => valueAt(values, key.split(".")) !== undefined)?.path ?? BUILT_IN;
}

/** Writes a configuration as YAML, each key with a comment that names its source. */
export function sourcedYaml({ values, sources }: ReturnType<typeof mergedConfig>): string[] {
  const lines: string[] = [];
  const open: string[] = [];
  for (const [key, source] of Object.entries(sources)) {
    const parts = key.split(".");
    for (let depth = 0; depth < parts.length - 1; depth++) {
      if (open[depth] === parts[depth]) continue;
      open.length = depth;
      open.push(parts[depth]!);
      lines.push(`${"  ".repeat(depth)}${parts[depth]}:`);
    }
    open.length = parts.length - 1;
    const value = valueText(valueAt(values, parts));
    lines.push(`${"  ".repeat(parts.length - 1)}${parts.at(-1)}: ${value}  # ${source}`);
  }
  return lines;
}

/** Returns a value as JSON on one line, with blanks where a terminal may break it. */
export function valueText(value: unknown): string {
  return JSON.stringify(value ?? null, null, 1)
    .replace(/(?<=[[{])\n *|\n *(?=[\]}])/g, "").replace(/\n */g, " ");
}

function setValue(root: Record<string, unknown>, key: string, value: unknown): void {
  const parts = key.split(".");
  const last = parts.pop()!;
  let holder = root;
  for (const part of parts) holder = (holder[part] ??= {}) as LayerValues;
  holder[last] = value;
}
