/** Reads the script of the project that a command runs: from package.json, a Makefile, or a file of the shell. */
import { resolvePath } from "../../base/paths.ts";
import { isShell } from "./interpreters.ts";
import { split, type ValuedOptions } from "./operands.ts";
import ROWS from "./project_scripts.json" with { type: "json" };
import { rowsByName } from "./rows.ts";
import { listedScript } from "./script_listing.ts";
import type { ShellCommand } from "./shell_command.ts";
import { placeOf } from "./word.ts";
import { ownValue } from "../../base/mapping.ts";

export interface ProjectScript {
  /** The name for people: `"build" of package.json`. */
  readonly shown: string;
  readonly text: string;
  /** The folder in which it runs; null when unknown. */
  readonly folder: string | null;
}

interface Manager extends ValuedOptions {
  /** The file that lists the scripts, and the key under which they stand in the file. */
  readonly file: string;
  readonly key: string;
  /** Verbs whose next word is a script. */
  readonly verbs: string;
  /** Verbs that are scripts themselves, with their names; `any` for every other verb. */
  readonly own: "any" | Readonly<Record<string, string>>;
  /** The options that name the folder. */
  readonly folder: string;
}

const MANAGERS = rowsByName<Manager>(ROWS as readonly (Manager & { readonly names: string })[]);
const MAKE = { valued: "CfIjloW", valuedLong: "file directory" };
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];
/** The length up to which scripts in files are read. */
const MAX_CHARS = 65_536;

type ReadText = (path: string) => string | null;

/** Returns the script that a command runs; null where it runs none, or where the file cannot be read. */
export function projectScript(
  command: ShellCommand,
  readText: ReadText = () => null,
): ProjectScript | null {
  const { program, args, folder: here } = command;
  if (/^g?make$/.test(program)) return recipesOf(command, readText);
  const manager = MANAGERS.find(program);
  if (manager === undefined) return fileOfShell(command, readText);
  const { file, key, verbs, own } = manager;
  const { operands: [verb, named], values } = split(args, manager);
  const [at] = values(manager.folder);
  const folder = at === undefined ? here : placeOf(at, here);
  const text = verb?.text ?? "";
  const name = verbs.split(" ").includes(text)
    ? named?.text
    : own === "any"
    ? text
    : ownValue(own, text);
  if (name === undefined || folder === null) return null;
  const script = listedScript(name, { from: folder, file, key }, readText);
  return script && { shown: `"${name}" of ${file}`, ...script };
}

/** Reads the script in a file that a shell runs; null where there is none. */
function fileOfShell(command: ShellCommand, readText: ReadText): ProjectScript | null {
  const { program, words, folder, starts } = command;
  if (!isShell(program) && !words[0]?.text.includes("/")) return null;
  const [file] = starts
    .flatMap((inner) => inner.kind === "file" && isShell(inner.program) ? [inner.file] : []);
  const path = file === undefined ? null : placeOf(file, folder);
  const text = path === null ? null : readText(path);
  // A file of another language says so in its first line.
  const isOther = text === null || text.length > MAX_CHARS || /^#!(?!.*sh\b)|\0/.test(text);
  return isOther ? null : { shown: `"${file!.text}"`, text, folder };
}

const isAssigned = (word: string) => word.includes("=");

/** Writes the Makefile's variables, then the recipes of the wanted targets, each after a call for what it needs. */
function recipesOf(command: ShellCommand, readText: ReadText): ProjectScript | null {
  const { operands, values } = split(command.args, MAKE);
  const [at] = values("-C --directory");
  const folder = at === undefined ? command.folder : placeOf(at, command.folder);
  const given = values("-f --file").map(({ text }) => text);
  const read = (file: string) => folder && readText(resolvePath(file, { folder }));
  const file = (given.length > 0 ? given : MAKEFILES).find((one) => read(one) !== null);
  if (file === undefined) return null;
  const targets = new Map<string, string[]>();
  const assigned = [`MAKE="make -f ${file}"`];
  let open: string[] = [];
  for (const line of read(file)!.replaceAll("\\\n", " ").split("\n")) {
    const [, variable, value] = /^(\w+)\s*[:?+]*=\s*(.*)$/.exec(line) ?? [];
    const [, names, needs = ""] = /^([^\s:#=][^:=#]*)::?(?!=)\s*([^=;|#]*)/.exec(line) ?? [];
    if (variable !== undefined) assigned.push(`${variable}="${value}"`);
    // Each line of a recipe has a shell of its own.
    else if (line.startsWith("\t")) open.push(`(${line.replace(/^\t[-@+\s]*/, "")}\n)`);
    else if (names !== undefined) {
      open = needs === "" ? [] : [`$MAKE ${needs}`];
      for (const name of names.trim().split(/\s+/)) targets.set(name, open);
    }
  }
  const words = operands.map(({ text }) => text);
  assigned.push(...words.filter(isAssigned).map((word) => word.replace(/=(.*)$/s, '="$1"')));
  const named = words.filter((word) => !isAssigned(word));
  const wanted = named.length > 0 ? named : [...targets.keys()].slice(0, 1);
  const lines = wanted.flatMap((name) => targets.get(name) ?? []);
  // `$(X)` is a variable of make, `$(shell x)` a command, `$$` a sign of the shell.
  const text = [...assigned, ...lines].join("\n")
    .replace(/\$\((\w+)\)/g, "$$$1").replaceAll("$(shell ", "$(").replaceAll("$$", "$");
  return lines.length === 0 ? null : { shown: `"${wanted.join(" ")}" of ${file}`, text, folder };
}
