/**
 * The loader of the bundle's modules: a part of the program, inside its `main.js`. A module is a function that gets what it
 * imports and returns what it exports. Each lies in a script of its own; what is usually loaded together lies in another one
 * as well, with what the engine has made of it before (V8's code cache), so that a start compiles next to nothing. Another
 * engine than the one that made the code refuses it and compiles the source.
 *
 * An executable without an overlay imports the file of the scripts as bytes: whether an embedded file may be read depends on
 * where the runtime says that it is, which is below the folder for temporary files.
 */
import { openFile, openOverlay, type Overlay, type Read } from "./overlay.ts";

/** The index of the file of modules, which `main.js` holds. */
export interface Modules extends Overlay {
  /** The file lies in the executable's overlay, and not beside `main.js`. */
  readonly isLaid: boolean;
  /**
   * Three numbers for each script: where it begins, and the lengths of its source and of its code cache, in bytes. Those of
   * one module come first, in the order of their numbers.
   */
  readonly scripts: readonly number[];
  /** Scripts of several modules, by the module that is loaded lazily with all of them. */
  readonly together: Readonly<Record<number, number>>;
}

/** The variable of `main.js` that holds the index as JSON: `conclaude --version` never reads it. */
export const MODULES = "$modules";
declare const $modules: string;

/** The name of the file of modules, in the bundle's folder. */
export const MODULES_FILE = "modules.bin";

/** The names that a module has for {@linkcode require} and {@linkcode load}, in the place of `import` and `import()`. */
export const [REQUIRE, IMPORT] = ["$require", "$import"];

// deno-lint-ignore no-explicit-any -- who asks for a module knows what is in it
type Module = any;
type Name = number | string;
type Run = (required: typeof require, loaded: typeof load) => Module;

let known: Modules;
const loaded = new Map<Name, Module>();
const functions = new Map<Name, Run>();
let read: Read | undefined;

/** A module of the bundle by its number, or of the runtime by its name (`node:…`); it is run when it is first asked for. */
export async function load(name: Name): Promise<Module> {
  known ??= JSON.parse($modules);
  read ??= known.isLaid ? openOverlay(known) : await openModules();
  const script = known.together[name as number];
  if (script !== undefined && !functions.has(name)) runScript(script);
  return require(name);
}

function require(name: Name): Module {
  if (typeof name === "string") return process.getBuiltinModule(name);
  if (loaded.has(name)) return loaded.get(name);
  if (!functions.has(name)) runScript(name);
  loaded.set(name, functions.get(name)!(require, load));
  return loaded.get(name);
}

function runScript(number: number): void {
  const [start, length, code] = known.scripts.slice(3 * number) as [number, number, number];
  const bytes = read!(start, length + code);
  const source = new TextDecoder().decode(bytes.subarray(0, length));
  const cachedData = code > 0 ? bytes.subarray(length) : undefined;
  const { Script } = process.getBuiltinModule("node:vm");
  const script = new Script(source, { filename: `${MODULES_FILE}/${number}`, cachedData });
  const modules: readonly [number, Run][] = script.runInThisContext();
  for (const [module, run] of modules) if (!functions.has(module)) functions.set(module, run);
}

async function openModules(): Promise<Read> {
  const url = new URL(MODULES_FILE, import.meta.url);
  if (!Deno.build.standalone) return openFile(url).read;
  const file = await import(url.href, { with: { type: "bytes" } });
  return (start, length) => file.default.subarray(start, start + length);
}
