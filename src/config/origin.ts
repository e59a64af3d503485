/** The merged configuration with the file that each value comes from, for `conclaude config show`. */
import { type Config, configSchema } from "./config_schema.ts";
import type { ConfigFile, ConfigLayer } from "./discover.ts";
import { readLayer } from "./layer.ts";
import { isMapping, type LayerValues } from "./yaml_tree.ts";

/** The source of a value that no file names. */
const BUILT_IN = "default";

/** Values by section, and their sources by dotted key. */
export interface MergedConfig {
  readonly values: Readonly<Record<string, unknown>>;
  /** The path of the file, or `default`; only for keys in `values`. */
  readonly sources: Readonly<Record<string, string>>;
}

/** The layer that has the last word first. */
const ORDER: readonly ConfigLayer[] = ["local", "project", "user"];

/**
 * Tells of each key which file its value comes from.
 *
 * @param options `config`: the merged configuration; `effective`: also the keys that no file names.
 */
export function mergedConfig(
  files: readonly ConfigFile[],
  options: { readonly config: Config; readonly effective: boolean },
): MergedConfig {
  const { config, effective } = options;
  const layers = ORDER.flatMap((layer) => files.filter((file) => file.layer === layer))
    .filter(({ layer }) => config.inherit || layer !== "user")
    .map((file) => ({ path: file.path, values: readLayer(file).values }));
  const values: Record<string, unknown> = {};
  const sources: Record<string, string> = {};
  for (const { key } of configSchema().keys) {
    const source = layers.find((layer) => valueAt(layer.values, key) !== undefined)?.path;
    if (source === undefined && !effective) continue;
    put(values, key, valueAt(config, key));
    sources[key] = source ?? BUILT_IN;
  }
  return { values, sources };
}

/** Writes it as YAML, each key with a comment that names its source. */
export function sourcedYaml({ values, sources }: MergedConfig): string[] {
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
    const value = JSON.stringify(valueAt(values, key));
    lines.push(`${"  ".repeat(parts.length - 1)}${parts.at(-1)}: ${value}  # ${source}`);
  }
  return lines;
}

function valueAt(root: Readonly<Record<string, unknown>>, key: string): unknown {
  let value: unknown = root;
  for (const part of key.split(".")) {
    if (!isMapping(value)) return undefined;
    value = Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}

function put(root: Record<string, unknown>, key: string, value: unknown): void {
  const parts = key.split(".");
  const last = parts.pop()!;
  let holder = root;
  for (const part of parts) holder = (holder[part] ??= {}) as LayerValues;
  holder[last] = value;
}
