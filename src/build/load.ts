/**
 * Loads the bundle's modules; `main.js` holds this code. A module is a function that takes its imports and returns its
 * exports. Each module has its own script. Modules that are usually loaded together also share one script, which has
 * V8's code cache, so that a start compiles next to nothing. An engine that did not make the cache refuses it and
 * compiles the source.
 *
 * An executable without an overlay imports the file of the scripts as bytes, since it may lack the permission to read
 * the file: the runtime shows embedded files below the folder for temporary files.
 */

/** The index of the file of modules, which `main.js` holds. */
export interface Modules extends Overlay {
  /** Whether the file of modules lies in the executable's overlay; else it lies beside `main.js`. */
  readonly isLaid: boolean;
  /**
   * Three numbers for each script, in bytes: its offset, the length of its source and the length of its code cache. The
   * scripts of single modules come first, in the order of the modules' numbers.
   */
  readonly scripts: readonly number[];
  /** The numbers of shared scripts, by the module whose lazy import loads them. */
  readonly together: Readonly<Record<number, readonly number[]>>;
}

/** The variable of `main.js` that holds the index, as JSON since `conclaude --version` never parses it. */
export const MODULES = "$modules";
declare const $modules: string;

/** The name of the file of modules, in the bundle's folder. */
export const MODULES_FILE = "modules.bin";

/** The names under which a module calls {@linkcode require} for `import`, and {@linkcode load} for `import()`. */
export const [REQUIRE, IMPORT] = ["$require", "$import"];

// deno-lint-ignore no-explicit-any -- the caller knows the type of the module that it asks for
type Module = any;
type Name = number | string;
type Run = (required: typeof require, loaded: typeof load) => Module;

let index: Modules;
const loaded = new Map<Name, Module>();
const functions = new Map<Name, Run>();
/** The numbers of the scripts that have run. */
const ran = new Set<number>();
let read: Read | undefined;

/** Gets a module of the bundle by number, or of the runtime by name (`node:…`); the first call runs the module. */
export async function load(name: Name): Promise<Module> {
  index ??= JSON.parse($modules);
  read ??= index.isLaid ? openOverlay(index) : await openModules();
  if (!functions.has(name)) {
    for (const script of index.together[name as number] ?? []) runScript(script);
  }
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
  if (ran.has(number)) return;
  const [start, length, code] = index.scripts.slice(3 * number) as [number, number, number];
  const bytes = read!(start, length + code);
  const source = new TextDecoder().decode(bytes.subarray(0, length));
  const cachedData = code > 0 ? bytes.subarray(length) : undefined;
  const { Script } = process.getBuiltinModule("node:vm");
  const script = new Script(source, { filename: `${MODULES_FILE}/${number}`, cachedData });
  ran.add(number);
  const modules: readonly [number, Run][] = script.runInThisContext();
  for (const [module, run] of modules) if (!functions.has(module)) functions.set(module, run);
}

async function openModules(): Promise<Read> {
  const url = new URL(MODULES_FILE, import.meta.url);
  if (!Deno.build.standalone) return openFile(url).read;
  const file = await import(url.href, { with: { type: "bytes" } });
  return (start, length) => file.default.subarray(start, start + length);
}

/** How a program recognizes and finds its overlay. */
interface Overlay {
  /** The overlay's last {@linkcode ID_BYTES} bytes, which no other program has. */
  readonly id: string;
  /** The length of the overlay before its id, in bytes. */
  readonly bytes: number;
}

/** The length of an overlay's id, a SHA-256 in hexadecimal digits. */
export const ID_BYTES = 64;

/** The size of the number that ends an executable: the length of its embedded part with this number. */
const LENGTH_BYTES = 8;

/** Reads a number of bytes of a file from an offset on. */
type Read = (start: number, bytes: number) => Uint8Array<ArrayBuffer>;

/** Opens the overlay of the running program. @throws {Error} When the executable's file is gone or damaged. */
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

/** Reads the running program's own file, which Linux keeps after another file has replaced it. */
function openReplaced() {
  const { stdout } = new Deno.Command("/bin/cat", { args: [`/proc/${Deno.pid}/exe`] }).outputSync();
  const read: Read = (start, bytes) => stdout.slice(start, start + bytes);
  return { read, size: stdout.length };
}
