/**
 * What the bundle's packed modules are loaded by: the one file of the tasks that is a part of the program.
 *
 * A packed module is a function that is given what it requires, as in Node. What it requires is loaded before it runs,
 * packed or not. Small modules lie several in a part.
 *
 * They are imported as bytes, not read as a file: whether a file of the executable may be read depends on where the runtime
 * says that it is, which is below the folder for temporary files.
 */
import { brotliDecompressSync } from "node:zlib";

/** A packed module: the part that it lies in, and what it requires. */
export type Packed = readonly [part: number, requires: readonly string[]];

/**
 * What the file {@linkcode PACKED_FILE} begins with: its length in bytes, compressed ({@linkcode LENGTH_BYTES}, the lowest
 * first), then its compressed text. The parts lie behind it.
 */
export interface PackedModules {
  /** Where each part ends, in bytes from where the first one begins. A part is the compressed text of its modules. */
  readonly ends: readonly number[];
  /** The modules by their names. */
  readonly modules: Readonly<Record<string, Packed>>;
}

/** How the name of a module of the bundle begins. */
export const HERE = "bundle:";

/** The name of the file, in the bundle's folder. */
export const PACKED_FILE = "packed.bin";

/** Bytes of the length that the file begins with. */
export const LENGTH_BYTES = 4;

/** What a packed module is given in the place of `import()`: {@linkcode load}. */
export const IMPORT = "$import";

// deno-lint-ignore no-explicit-any -- who asks for a module knows what is in it
type Module = any;

const FOLDER = new URL(".", import.meta.url);

type Run = (module: { exports: Module }, require: (name: string) => Module, load: Load) => void;
type Load = (name: string) => Promise<Module>;

const loading = new Map<string, Promise<Module>>();
const parts = new Map<number, Readonly<Record<string, Run>>>();
let opened: Promise<Opened> | undefined;

/** The file, with its beginning read. */
interface Opened extends PackedModules {
  readonly bytes: Uint8Array;
  /** Where the first part begins, in bytes. */
  readonly first: number;
}

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
  const packed = await (opened ??= open());
  if (packed.modules[name] === undefined) {
    return await import(new URL(name.slice(HERE.length), FOLDER).href);
  }
  const [number, requires] = packed.modules[name];
  const part = parts.get(number) ?? unpack(packed, number);
  parts.set(number, part);
  const required = new Map<string, Module>();
  for (const other of requires) required.set(other, await load(other));
  const module = { exports: {} };
  part[name]!(module, (other) => required.get(other), load);
  return module.exports;
}

async function open(): Promise<Opened> {
  const url = new URL(PACKED_FILE, FOLDER).href;
  const { default: bytes }: { default: Uint8Array } = await import(url, {
    with: { type: "bytes" },
  });
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const first = LENGTH_BYTES + length;
  return { ...JSON.parse(textOf(bytes.subarray(LENGTH_BYTES, first))), bytes, first };
}

function unpack({ bytes, first, ends }: Opened, number: number): Readonly<Record<string, Run>> {
  const code = textOf(bytes.subarray(first + (ends[number - 1] ?? 0), first + ends[number]!));
  return new Function(`${code}\n//# sourceURL=${HERE}${number}`)();
}

function textOf(compressed: Uint8Array): string {
  return new TextDecoder().decode(brotliDecompressSync(compressed));
}
