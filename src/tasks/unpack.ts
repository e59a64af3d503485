/**
 * What the bundle's packed modules are loaded by: the one file of the tasks that is a part of the program.
 *
 * A packed module is a function that is given what it requires, as in Node. What it requires is loaded before it runs,
 * packed or not. Small modules lie several in a part.
 *
 * They lie in a module of the bundle as texts in Base64: a file of bytes would be a quarter smaller, but whether it may be
 * read depends on where the runtime says that the executable's files are, which is below the folder for temporary files.
 */
import { inflateRawSync } from "node:zlib";

/** A packed module: the part that it lies in, and what it requires. */
export type Packed = readonly [part: number, requires: readonly string[]];

/** What the module {@linkcode PACKED_FILE} gives out. */
export interface PackedModules {
  /** Texts of several modules, each compressed on its own, in Base64. */
  readonly parts: readonly string[];
  /** The modules by their names. */
  readonly modules: Readonly<Record<string, Packed>>;
}

/** How the name of a module of the bundle begins. */
export const HERE = "bundle:";

/** The name of the file, in the bundle's folder. */
export const PACKED_FILE = "packed.js";

/** What a packed module is given in the place of `import()`: {@linkcode load}. */
export const IMPORT = "$import";

// deno-lint-ignore no-explicit-any -- who asks for a module knows what is in it
type Module = any;

const FOLDER = new URL(".", import.meta.url);

type Run = (module: { exports: Module }, require: (name: string) => Module, load: Load) => void;
type Load = (name: string) => Promise<Module>;

const loading = new Map<string, Promise<Module>>();
const parts = new Map<number, Readonly<Record<string, Run>>>();

/**
 * A module of the bundle, or of the runtime; run once, when it is first asked for.
 *
 * @param name `bundle:` and its path from the bundle's folder on, or `node:…`.
 */
export function load(name: string): Promise<Module> {
  const module = loading.get(name) ?? loadAnew(name);
  loading.set(name, module);
  return module;
}

async function loadAnew(name: string): Promise<Module> {
  if (!name.startsWith(HERE)) return process.getBuiltinModule(name);
  const packed: PackedModules = await import(new URL(PACKED_FILE, FOLDER).href);
  if (packed.modules[name] === undefined) {
    return await import(new URL(name.slice(HERE.length), FOLDER).href);
  }
  const [number, requires] = packed.modules[name];
  const part = parts.get(number) ?? unpack(packed.parts[number]!, number);
  parts.set(number, part);
  const required = new Map<string, Module>();
  for (const other of requires) required.set(other, await load(other));
  const module = { exports: {} };
  part[name]!(module, (other) => required.get(other), load);
  return module.exports;
}

function unpack(part: string, number: number): Readonly<Record<string, Run>> {
  const code = new TextDecoder().decode(inflateRawSync(Uint8Array.fromBase64(part)));
  return new Function(`${code}\n//# sourceURL=${HERE}${number}`)();
}
