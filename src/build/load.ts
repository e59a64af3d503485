/**
 * Loads the bundle's modules; `main.js` holds this code. A module is a function that takes its imports and returns its
 * exports. Each module has its own script. Modules that are usually loaded together also share one script, which has V8's
 * code cache, so that a start compiles next to nothing. An engine that did not make the cache refuses it and compiles the
 * source.
 *
 * An executable without an overlay imports the file of the scripts as bytes: whether an embedded file may be read depends on
 * where the runtime says that it is, which is below the folder for temporary files.
 */

/** The index of the file of modules, which `main.js` holds. */
export interface Modules extends Overlay {
  /** Whether the file lies in the executable's overlay; else it lies beside `main.js`. */
  readonly isLaid: boolean;
  /**
   * Three numbers of bytes for each script: its offset, the length of its source and the length of its code cache. The
   * scripts of single modules come first, in the order of the modules' numbers.
   */
  readonly scripts: readonly number[];
  /** Scripts of several modules, by the module whose lazy import loads them. */
  readonly together: Readonly<Record<number, number>>;
}

/** The variable of `main.js` that holds the index as JSON: `conclaude --version` never reads it. */
export const MODULES = "$modules";
declare const $modules: string;

/** The name of the file of modules, in the bundle's folder. */
export const MODULES_FILE = "modules.bin";

/** The names that a module has for {@linkcode require} and {@linkcode load}, in the place of `import` and `import()`. */
export const [REQUIRE, IMPORT] = ["$require", "$import"];

// deno-lint-ignore no-explicit-any -- the caller knows the type of the module that it asks for
type Module = any;
type Name = number | string;
type Run = (required: typeof require, loaded: typeof load) => Module;

let known: Modules;
const loaded = new Map<Name, Module>();
const functions = new Map<Name, Run>();
let read: Read | undefined;

/** Gets a module of the bundle by number, or of the runtime by name (`node:…`); the first call runs the module. */
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

/** How a program finds its overlay. */
interface Overlay {
  /** The program's last {@linkcode ID_BYTES} bytes, which no other program has. */
  readonly id: string;
  /** The length of what lies before the id, in bytes. */
  readonly bytes: number;
}

/** Bytes of an overlay's id, a SHA-256 in hexadecimal digits. */
export const ID_BYTES = 64;

/** The executable ends with the length of what is embedded, this number of bytes of it included: 64 bits, the lowest first. */
const LENGTH_BYTES = 8;

/** Reads the bytes of a file between two offsets. */
type Read = (start: number, bytes: number) => Uint8Array<ArrayBuffer>;

/**
 * Opens the overlay of the running program.
 *
 * @throws {Error} When the executable's file is gone or damaged.
 */
function openOverlay({ id, bytes }: Overlay): Read {
  for (const open of [() => openFile(Deno.execPath()), openReplaced]) {
    try {
      const { read, size } = open();
      const end = embeddedStart(read, size) - ID_BYTES;
      const isOurs = new TextDecoder().decode(read(end, ID_BYTES)) === id;
      if (isOurs) return (start, length) => read(end - bytes + start, length);
    } catch {
      // The file cannot be read, or is not one of our programs.
    }
  }
  throw new Error(
    `${Deno.execPath()} was replaced while it started, or is damaged: start it again, else install it anew`,
  );
}

/** Finds the offset of the embedded part in an executable. In any other file the number means nothing. */
export function embeddedStart(read: Read, size: number): number {
  const length = read(size - LENGTH_BYTES, LENGTH_BYTES);
  return size - Number(new DataView(length.buffer, length.byteOffset).getBigUint64(0, true));
}

/** Opens a file and keeps it open, so that later reads see the same file even after another has replaced it. */
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

/** Linux still gives the whole file of a running program after another file has replaced it. */
function openReplaced() {
  const { stdout } = new Deno.Command("/bin/cat", { args: [`/proc/${Deno.pid}/exe`] }).outputSync();
  const read: Read = (start, bytes) => stdout.slice(start, start + bytes);
  return { read, size: stdout.length };
}
