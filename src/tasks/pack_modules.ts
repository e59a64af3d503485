/**
 * Makes modules of a bundle into what {@linkcode load} loads: scripts, or packed ones. Most of a bundle is never wanted by a
 * hook: that lies compressed in one file.
 */
import { Buffer } from "node:buffer";
import { posix } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import {
  IMPORT,
  LENGTH_BYTES,
  LOAD,
  PACKED,
  type Packed,
  PACKED_FILE,
  type PackedModules,
  SCRIPT,
} from "./load.ts";
import { scriptFile } from "./script_file.ts";

/** What becomes what, and how. */
export interface Packing {
  /** The one that stays a module of the engine's own, by its path from the bundle's folder on, with `/`. */
  readonly main: string;
  /** Those that become scripts. */
  readonly scripts: readonly string[];
  /** Those that are packed. */
  readonly packed: readonly string[];
  /** Writes modules as CommonJS into a folder, at the same paths; all that they import is left as it stands. */
  readonly toCommonJs: (files: readonly string[], outdir: string) => Promise<void>;
}

/** `from"./x.js"`, `import"./x.js"` and `import("./x.js")`, as minified code has them. */
const RELATIVE = /\b(from|import\(?)"(\.\.?\/[^"]+)"/g;
const LAZY_RELATIVE = /\bimport\("(\.\.?\/[^"]+)"\)/g;

/** `import a from"./x.js"`: as CommonJS, it would get all of the other in the place of its default. */
const DEFAULT = /\bimport [\w$]+(?:,\{[^}]*\})?from"\.\.?\/[^"]+"/;

/** Characters below which a packed module is not worth a part of its own. */
const SMALL = 2_000;

/** What a module imports lazily. */
const LAZY = /\bimport(?=\("(?:packed|script|node):)/g;
const REQUIRED = /\brequire\("([^"]+)"\)/g;

/** What stands around a script's own code, strict as modules are; behind it what it requires. */
const SCRIPT_BEGIN = `[(function(module,require,${IMPORT}){"use strict";`;
const SCRIPT_END = "}),";

/** A module as CommonJS. */
interface CommonJs {
  readonly body: string;
  /** Names of what it requires. */
  readonly requires: readonly string[];
}

/**
 * Makes the modules of a bundle's folder into scripts and packed ones, in their place.
 *
 * @throws {Error} When they do not hold together.
 */
export async function packModules(folder: string, packing: Packing): Promise<void> {
  const { scripts, packed, toCommonJs } = packing;
  await linkModules(folder, packing);
  const draft = `${folder}/common_js`;
  await toCommonJs([...scripts, ...packed].map((file) => `${folder}/${file}`), draft);
  const common = new Map<string, CommonJs>();
  for (const file of [...scripts, ...packed]) {
    const body = (await Deno.readTextFile(`${draft}/${file}`)).replace(LAZY, IMPORT);
    const requires = [...new Set([...body.matchAll(REQUIRED)].map(([, other]) => other!))];
    common.set(file, { body, requires });
    await Deno.remove(`${folder}/${file}`);
  }
  await Deno.remove(draft, { recursive: true });
  for (const file of scripts) {
    const { body, requires } = common.get(file)!;
    const source = `${SCRIPT_BEGIN}${body}${SCRIPT_END}${JSON.stringify(requires)}]`;
    const bytes = scriptFile({ source, code: new Uint8Array() });
    await Deno.writeFile(`${folder}/${scriptPath(file)}`, bytes);
  }
  const modules = packed.map((file) => [`${PACKED}${file}`, common.get(file)!] as const);
  await Deno.writeFile(`${folder}/${PACKED_FILE}`, packedFile(modules));
}

/**
 * Makes all modules import each other by the names that {@linkcode load} knows.
 *
 * @throws {Error} When a module imports what is not in the bundle, or the default of another.
 */
async function linkModules(
  folder: string,
  { main, scripts, packed }: Packing,
): Promise<void> {
  const names = new Map([
    ...scripts.map((file) => [file, `${SCRIPT}${scriptPath(file)}`] as const),
    ...packed.map((file) => [file, `${PACKED}${file}`] as const),
  ]);
  for (const file of [main, ...names.keys()]) {
    const nameOf = (path: string) => {
      const name = names.get(resolve(file, path));
      if (name === undefined) throw new Error(`no file ${resolve(file, path)}`);
      return name;
    };
    const code = await Deno.readTextFile(`${folder}/${file}`);
    const [unusable] = DEFAULT.exec(code) ?? [];
    if (unusable !== undefined) throw new Error(`${file}: ${unusable}`);
    const linked = file === main
      ? code.replace(LAZY_RELATIVE, (_, path: string) => `${LOAD}("${nameOf(path)}")`)
      : code.replace(RELATIVE, (_, word, path: string) => `${word}"${nameOf(path)}"`);
    if (linked !== code) await Deno.writeTextFile(`${folder}/${file}`, linked);
  }
}

function packedFile(modules: readonly (readonly [name: string, CommonJs])[]): Uint8Array {
  const index: Record<string, Packed> = {};
  const codes: string[] = [""]; // the first part is that of the small modules
  for (const [name, { body, requires }] of modules) {
    const part = body.length < SMALL ? 0 : codes.push("") - 1;
    const run = `function(module,require,${IMPORT}){${body}}`;
    // In brackets, the engine compiles it where it first reads it.
    codes[part] += `"${name}":${part === 0 ? run : `(${run})`},\n`;
    index[name] = [part, requires];
  }
  const parts = codes.map((code) => compressed(`return{${code}}`));
  let end = 0;
  const ends = parts.map(({ length }) => end += length);
  const beginning = compressed(JSON.stringify({ ends, modules: index } satisfies PackedModules));
  const length = new Uint8Array(LENGTH_BYTES);
  new DataView(length.buffer).setUint32(0, beginning.length, true);
  return Buffer.concat([length, beginning, ...parts]);
}

/** Where a module that becomes a script lies then: the compiler takes every `.js` in the bundle for a module of its own. */
function scriptPath(file: string): string {
  return file.replace(/js$/, "bin");
}

/** A script's source with its own code changed. @param change Gets the code of the module, as CommonJS. */
export function withBody(source: string, change: (body: string) => string): string {
  const end = source.lastIndexOf(SCRIPT_END);
  const body = source.slice(SCRIPT_BEGIN.length, end);
  return `${SCRIPT_BEGIN}${change(body)}${source.slice(end)}`;
}

/**
 * Files with all that they import, and so on.
 *
 * @param code What every file of the bundle holds.
 * @param imports `at-once`: without what they import only when they want it.
 */
export function reached(
  files: readonly string[],
  code: ReadonlyMap<string, string>,
  imports: "at-once" | "ever",
): ReadonlySet<string> {
  const reached = new Set(files);
  for (const file of reached) {
    for (const [, word, path] of code.get(file)!.matchAll(RELATIVE)) {
      if (imports === "ever" || word !== "import(") reached.add(resolve(file, path!));
    }
  }
  return reached;
}

function compressed(text: string): Uint8Array {
  const { BROTLI_PARAM_MODE, BROTLI_MODE_TEXT, BROTLI_PARAM_LGWIN, BROTLI_MAX_WINDOW_BITS } =
    constants;
  return brotliCompressSync(text, {
    params: {
      [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT,
      [BROTLI_PARAM_LGWIN]: BROTLI_MAX_WINDOW_BITS,
    },
  });
}

/** The path from the bundle's folder on that is meant in a module. */
function resolve(file: string, path: string): string {
  return posix.join(posix.dirname(file), path);
}
