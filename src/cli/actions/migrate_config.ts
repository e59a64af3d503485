/** What `conclaude migrate` makes of the older daemon's configuration: keys of the project's own file. */
import "../../config_sections.ts";
import { readLayer } from "../../config/layer.ts";
import { isMapping } from "../../config/yaml_tree.ts";
import { configSchema } from "../../config/config_schema.ts";
import { type Plain, readYaml } from "../../config/yaml_tree.ts";
import type { ConfigEntry, NotTaken } from "../../orchestration/coven/old_config.ts";
import { type ConfigTarget, documentOf, isSame, targetOf, withEntries } from "../config_target.ts";
import type { CliContext } from "../context.ts";

/** What is to be done about the configuration file. */
export interface ConfigPlan {
  readonly target: ConfigTarget;
  /** Null when nothing is to be written. */
  readonly text: string | null;
  readonly added: readonly ConfigEntry[];
  /** Keys that the file has already: dotted names. */
  readonly kept: readonly string[];
  readonly notTaken: readonly NotTaken[];
}

const HEAD = " How the daemon works through tasks: `conclaude config schema` knows every key.";

/**
 * Plans the file; nothing is written.
 *
 * @param root The folder of the project. @throws {UserError} When the file that is there cannot be changed.
 */
export function planConfig(
  context: CliContext,
  { root, entries }: { readonly root: string; readonly entries: readonly ConfigEntry[] },
): ConfigPlan {
  const target = targetOf({ ...context, cwd: root }, "project");
  const [present, usual] = [readYaml(target.text).root ?? {}, configSchema().schema.parse({})];
  const notTaken: NotTaken[] = [];
  const kept: string[] = [];
  const added = entries.filter(({ path, value }) => {
    const name = path.join(".");
    if (valueAt(present, path) !== undefined) kept.push(name);
    else if (isSame(valueAt(usual, path), value)) {
      notTaken.push({ name, why: "it is the default here" });
    } else return true;
    return false;
  });
  const refused = refusedOf(added);
  notTaken.push(...refused.map(({ path }) => ({
    name: path.join("."),
    why: "its value is not allowed here",
  })));
  const usable = added.filter((entry) => !refused.includes(entry));
  return {
    target,
    text: usable.length === 0
      ? null
      : withEntries(target, documentOf(target), { added: usable, head: HEAD }),
    added: usable,
    kept,
    notTaken,
  };
}

/** The values that our configuration would not read as they are meant. */
function refusedOf(entries: readonly ConfigEntry[]): ConfigEntry[] {
  return entries.filter(({ path, value }) => {
    const text = JSON.stringify(path.reduceRight<Plain>((inner, key) => ({ [key]: inner }), value));
    const { values } = readLayer({ layer: "project", path: "", text });
    return !isSame(valueAt(values, path), value);
  });
}

function valueAt(values: unknown, path: readonly string[]): Plain | undefined {
  return path.reduce<unknown>(
    (at, key) => isMapping(at as Plain) ? (at as Record<string, unknown>)[key] : undefined,
    values,
  ) as Plain | undefined;
}
