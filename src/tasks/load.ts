/**
 * What the bundle's modules are loaded by: the one file of the tasks that is a part of the program, inside its `main.js`.
 *
 * - A **script** is what hooks and frequent verbs run, a file of its own. Behind its source may lie what the engine has made
 *   of it before (V8's code cache), so that a start has next to nothing to compile. Another engine than the one that made
 *   it refuses that part, and compiles the source.
 * - **Packed** modules are wanted seldom. They lie compressed in one file, small ones several in a part.
 *
 * Both are functions that are given what they require, as in Node: it is loaded before they run. Where the executable has no
 * overlay their files are imported as bytes, not read: whether an embedded file may be read depends on where the runtime
 * says that it is, which is below the folder for temporary files.
 */
import vm from "node:vm";
import { type Overlay, readOverlay } from "./overlay.ts";
import { readScript } from "./script_file.ts";

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

/** How the name of a script begins. */
export const SCRIPT = "script:";

/** How the name of a packed module begins. */
export const PACKED = "packed:";

/** The name of the file of packed modules, in the bundle's folder. */
export const PACKED_FILE = "packed.bin";

/** Bytes of the length that the file begins with. */
export const LENGTH_BYTES = 4;

/** What a script or packed module is given in the place of `import()`: {@linkcode load}. */
export const IMPORT = "$import";

/** What {@linkcode load} is called by `main.js`: a name of the whole program. */
export const LOAD = "$load";

// deno-lint-ignore no-explicit-any -- who asks for a module knows what is in it
type Module = any;

declare const $overlay: Overlay | undefined;

const FOLDER = new URL(".", import.meta.url);

type Run = (module: { exports: Module }, require: (name: string) => Module, load: Load) => void;
type Load = (name: string) => Promise<Module>;

const loading = new Map<string, Promise<Module>>();
const parts = new Map<number, Readonly<Record<string, Run>>>();
let opened: Promise<Opened> | undefined;

/** The file of packed modules, with its beginning read. */
interface Opened extends PackedModules {
  readonly bytes: Uint8Array;
  /** Where the first part begins, in bytes. */
  readonly first: number;
}

/**
 * A module of the bundle, or of the runtime; run once, when it is first asked for.
 *
 * @param name `script:` or `packed:` and its path from the bundle's folder on, or `node:…`.
 */
export function load(name: string): Promise<Module> {
  const module = loading.get(name) ?? loadAnew(name);
  loading.set(name, module);
  return module;
}

Object.defineProperty(globalThis, LOAD, { value: load });

async function loadAnew(name: string): Promise<Module> {
  if (name.startsWith(SCRIPT)) return await runScript(name.slice(SCRIPT.length));
  if (name.startsWith(PACKED)) return await runPacked(name);
  return process.getBuiltinModule(name);
}

function urlOf(path: string): string {
  return new URL(path, FOLDER).href;
}

async function runScript(path: string): Promise<Module> {
  const { source, code } = readScript(readLaid(path) ?? await importBytes(path));
  const cachedData = code.length > 0 ? code : undefined;
  const script = new vm.Script(source, { filename: urlOf(path), cachedData });
  const [run, requires]: [Run, string[]] = script.runInThisContext();
  return await runModule(run, requires);
}

async function runPacked(name: string): Promise<Module> {
  const packed = await (opened ??= open());
  const [number, requires] = packed.modules[name]!;
  const part = parts.get(number) ?? unpack(packed, number);
  parts.set(number, part);
  return await runModule(part[name]!, requires);
}

async function runModule(run: Run, requires: readonly string[]): Promise<Module> {
  const required = new Map<string, Module>();
  for (const other of requires) required.set(other, await load(other));
  const module = { exports: {} };
  run(module, (other) => required.get(other), load);
  return module.exports;
}

function readLaid(path: string): Uint8Array | undefined {
  return typeof $overlay === "undefined" ? undefined : readOverlay($overlay, path);
}

async function importBytes(path: string): Promise<Uint8Array> {
  const { default: bytes }: { default: Uint8Array } = await import(urlOf(path), {
    with: { type: "bytes" },
  });
  return bytes;
}

async function open(): Promise<Opened> {
  const bytes = readLaid(PACKED_FILE) ?? await importBytes(PACKED_FILE);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const first = LENGTH_BYTES + length;
  return { ...JSON.parse(textOf(bytes.subarray(LENGTH_BYTES, first))), bytes, first };
}

function unpack({ bytes, first, ends }: Opened, number: number): Readonly<Record<string, Run>> {
  const code = textOf(bytes.subarray(first + (ends[number - 1] ?? 0), first + ends[number]!));
  return new Function(`${code}\n//# sourceURL=${PACKED}${number}`)();
}

function textOf(compressed: Uint8Array): string {
  const { brotliDecompressSync } = process.getBuiltinModule("node:zlib");
  return new TextDecoder().decode(brotliDecompressSync(compressed));
}
