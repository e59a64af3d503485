/**
 * What the bundle's packed modules are loaded by: the one file of the tasks that is a part of the program.
 *
 * A packed module is a function that is given what it requires, as in Node. What it requires is loaded before it runs,
 * packed or not. Small modules lie several in a part.
 *
 * The file of packed modules: the length of the index in four bytes (big-endian), the index as JSON, the parts; each
 * compressed on its own. (Brotli would save a tenth of the file, and cost every verb in it 3 ms.)
 */
import { inflateRawSync } from "node:zlib";

/** A packed module: the part that it lies in, and what it requires. */
export type Packed = readonly [part: number, requires: readonly string[]];

/** What lies in the file: the lengths of the parts in bytes, and the modules by their names. */
export interface PackedIndex {
  readonly parts: readonly number[];
  readonly modules: Readonly<Record<string, Packed>>;
}

/** How the name of a module of the bundle begins. */
export const HERE = "bundle:";

/** The name of the file, in the bundle's folder. */
export const PACKED_FILE = "packed.bin";

/** What a packed module is given in the place of `import()`: {@linkcode load}. */
export const IMPORT = "$import";

// deno-lint-ignore no-explicit-any -- who asks for a module knows what is in it
type Module = any;

const FOLDER = new URL(".", import.meta.url);
const HEADER_BYTES = 4;

type Run = (module: { exports: Module }, require: (name: string) => Module, load: Load) => void;
type Load = (name: string) => Promise<Module>;

const loading = new Map<string, Promise<Module>>();
const parts = new Map<number, Readonly<Record<string, Run>>>();
let opened: { readonly index: PackedIndex; readonly start: number } | undefined;

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
  const { modules } = (opened ??= withFile(readIndex)).index;
  const packed = modules[name];
  if (packed === undefined) return await import(new URL(name.slice(HERE.length), FOLDER).href);
  const [number, requires] = packed;
  const part = parts.get(number) ?? withFile((file) => readPart(file, number));
  parts.set(number, part);
  const required = new Map<string, Module>();
  for (const other of requires) required.set(other, await load(other));
  const module = { exports: {} };
  part[name]!(module, (other) => required.get(other), load);
  return module.exports;
}

function withFile<T>(use: (file: Deno.FsFile) => T): T {
  using file = Deno.openSync(new URL(PACKED_FILE, FOLDER));
  return use(file);
}

function readIndex(file: Deno.FsFile): { index: PackedIndex; start: number } {
  const length = new DataView(read(file, 0, HEADER_BYTES).buffer).getUint32(0);
  const index = JSON.parse(unpack(file, HEADER_BYTES, length)) as PackedIndex;
  return { index, start: HEADER_BYTES + length };
}

function readPart(file: Deno.FsFile, number: number): Readonly<Record<string, Run>> {
  const { index, start } = opened!;
  const before = index.parts.slice(0, number).reduce((sum, length) => sum + length, start);
  const code = unpack(file, before, index.parts[number]!);
  return new Function(`${code}\n//# sourceURL=${HERE}${number}`)();
}

function unpack(file: Deno.FsFile, start: number, length: number): string {
  return new TextDecoder().decode(inflateRawSync(read(file, start, length)));
}

function read(file: Deno.FsFile, start: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  file.seekSync(start, Deno.SeekMode.Start);
  for (let at = 0; at < length;) {
    const count = file.readSync(bytes.subarray(at));
    if (count === null) throw new Error(`${PACKED_FILE} ends too early`);
    at += count;
  }
  return bytes;
}
