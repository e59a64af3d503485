/**
 * The loader of the bundle's modules: a part of the program, inside its `main.js`. A module is a function that gets what it
 * imports and returns what it exports. Each lies in a script of its own; what is usually loaded together lies in another one
 * as well, with what the engine has made of it before (V8's code cache), so that a start compiles next to nothing. Another
 * engine than the one that made the code refuses it and compiles the source.
 *
 * An executable without an overlay imports the file of the scripts as bytes: whether an embedded file may be read depends on
 * where the runtime says that it is, which is below the folder for temporary files.
 */

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

/** The facts by which a program finds its overlay. */
interface Overlay {
  /** Its last {@linkcode ID_BYTES} bytes: no other program has the same. */
  readonly id: string;
  /** The length of what lies before the id, in bytes. */
  readonly bytes: number;
}

/** Bytes of an overlay's id, a SHA-256 in hexadecimal digits. */
export const ID_BYTES = 64;

/** The executable ends with the length of what is embedded, this number of bytes of it included: 64 bits, the lowest first. */
const LENGTH_BYTES = 8;

/** Bytes of a file from one place to another. */
type Read = (start: number, bytes: number) => Uint8Array<ArrayBuffer>;

/**
 * Opens the overlay of the very program that runs.
 *
 * @throws {Error} When the executable's file is not there any more, or damaged.
 */
function openOverlay({ id, bytes }: Overlay): Read {
  for (const open of [() => openFile(Deno.execPath()), openReplaced]) {
    try {
      const { read, size } = open();
      const end = embeddedStart(read, size) - ID_BYTES;
      const isOurs = new TextDecoder().decode(read(end, ID_BYTES)) === id;
      if (isOurs) return (start, length) => read(end - bytes + start, length);
    } catch {
      // It cannot be read, or is no program of ours.
    }
  }
  throw new Error(
    `${Deno.execPath()} was replaced while it started, or is damaged: start it again, else install it anew`,
  );
}

/** The place in an executable's file at which the embedded part begins; any number in a file that is none. */
export function embeddedStart(read: Read, size: number): number {
  const length = read(size - LENGTH_BYTES, LENGTH_BYTES);
  return size - Number(new DataView(length.buffer, length.byteOffset).getBigUint64(0, true));
}

/** Opens a file. It stays open: what is read later is of the same file, even when another has taken its place. */
function openFile(path: string | URL) {
  const file = Deno.openSync(path);
  const read: Read = (start, bytes) => {
    file.seekSync(start, Deno.SeekMode.Start);
    const all = new Uint8Array(bytes);
    for (let at = 0; at < bytes;) {
      const count = file.readSync(all.subarray(at));
      if (count === null) throw new Error("the file ends too early");
      at += count;
    }
    return all;
  };
  return { read, size: file.seekSync(0, Deno.SeekMode.End) };
}

/** When another program has taken the place of this one since it was started, the system still has the whole file. */
function openReplaced() {
  const { stdout } = new Deno.Command("/bin/cat", { args: [`/proc/${Deno.pid}/exe`] }).outputSync();
  const read: Read = (start, bytes) => stdout.slice(start, start + bytes);
  return { read, size: stdout.length };
}
