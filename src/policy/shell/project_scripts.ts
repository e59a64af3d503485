/** Scripts of the project that a command runs by their names: of package.json, of a Makefile. */
import { quietly } from "../../base/errors.ts";
import { joinPath } from "../../base/paths.ts";
import { programName, split } from "./operands.ts";
import type { Argument } from "./word.ts";

export interface ProjectScript {
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

const RUNNING = new Set(["run", "run-script", "rum", "urn"]);
/** Verbs that are scripts themselves. */
const BY_VERB: Readonly<Record<string, string>> = {
  test: "test",
  t: "test",
  tst: "test",
  start: "start",
  stop: "stop",
  restart: "restart",
};
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];

/** The script that a command runs; null where it runs none, or where the file cannot be read. */
export function projectScript(
  [program, ...rest]: readonly Argument[],
  folder: string | null,
  readText: (path: string) => string | null,
): ProjectScript | null {
  if (program === undefined || folder === null) return null;
  const name = programName(program.text);
  if (/^g?make$/.test(name)) return recipeOf(rest, folder, readText);
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(name)) return null;
  const { operands: [verb, named] } = split(rest, { valued: "wCF", valuedLong: VALUED });
  const script = RUNNING.has(verb?.text ?? "")
    ? named?.text
    : BY_VERB[verb?.text ?? ""] ?? (name === "npm" ? undefined : verb?.text);
  if (script === undefined) return null;
  const file = "package.json";
  const read = quietly(() => JSON.parse(readText(joinPath(folder, file)) ?? ""));
  const scripts: Readonly<Record<string, unknown>> = Object(Object(read).scripts);
  const parts = [`pre${script}`, script, `post${script}`].map((key) => scripts[key]);
  if (typeof parts[1] !== "string") return null;
  return { name: script, file, text: parts.filter((part) => typeof part === "string").join("\n") };
}

/** The options of `make` that take a value. */
export const MAKE = { valued: "CfIjloW", valuedLong: "file" };
const VALUED = "workspace prefix filter dir cwd";

function recipeOf(
  rest: readonly Argument[],
  folder: string,
  readText: (path: string) => string | null,
): ProjectScript | null {
  const { operands, values } = split(rest, MAKE);
  const [given] = values("-f --file");
  const file = given?.text ?? MAKEFILES.find((one) => readText(joinPath(folder, one)) !== null);
  const text = file === undefined ? null : readText(joinPath(folder, file));
  if (file === undefined || text === null) return null;
  const targets = operands.map(({ text }) => text).filter((word) => !word.includes("="));
  const recipes = new Map<string, string[]>();
  let open: string[] | undefined;
  for (const line of text.split("\n")) {
    const [, names] = /^([^\s:#=][^:=#]*):(?!=)/.exec(line) ?? [];
    if (names !== undefined) {
      open = [];
      for (const name of names.trim().split(/\s+/)) recipes.set(name, open);
    } else if (line.startsWith("\t")) open?.push(line.replace(/^\t[-@+\s]*/, ""));
  }
  const wanted = targets.length > 0 ? targets : [...recipes.keys()].slice(0, 1);
  const lines = wanted.flatMap((target) => recipes.get(target) ?? []);
  // `$(X)` is a variable of make, `$$` a sign of the shell.
  const script = lines.join("\n").replace(
    /\$\$|\$\((\w+)\)/g,
    (_, name) => name ? `$${name}` : "$",
  );
  return lines.length === 0 ? null : { name: wanted.join(" "), file, text: script };
}
