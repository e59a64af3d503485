/**
 * Packs modules of a bundle: an executable reads all that is embedded in it at every start, 0.14 ms for 100 kB, and most
 * of it is never wanted by a hook. Packed modules lie compressed in one file, from which `unpack.ts` loads them.
 */
import { Buffer } from "node:buffer";
import { posix } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import {
  HERE,
  IMPORT,
  LENGTH_BYTES,
  type Packed,
  PACKED_FILE,
  type PackedModules,
} from "./unpack.ts";

/** What is packed, and how. */
export interface Packing {
  /** Paths of the modules from the bundle's folder on, with `/`. */
  readonly files: readonly string[];
  /** Writes modules as CommonJS into a folder, at the same paths; all that they import is left as it stands. */
  readonly toCommonJs: (files: readonly string[], outdir: string) => Promise<void>;
}

/** `from"./x.js"`, `import"./x.js"` and `import("./x.js")`, as minified code has them. */
const RELATIVE = /\b(from|import\(?)"(\.\.?\/[^"]+)"/g;
const LAZY_RELATIVE = /\bimport\("(\.\.?\/[^"]+)"\)/g;

/** Characters below which a module is not worth a part of its own. */
const SMALL = 2_000;

/** What a packed module imports lazily. */
const LAZY = /\bimport(?=\("(?:bundle|node):)/g;
const REQUIRED = /\brequire\("([^"]+)"\)/g;

/**
 * Packs modules of a bundle that has its `unpack.js` already.
 *
 * @param folder The bundle's folder.
 * @param others The modules that stay: none imports a packed one but lazily.
 * @throws {Error} When a packed module imports what is not in the bundle.
 */
export async function packModules(
  folder: string,
  others: readonly string[],
  { files, toCommonJs }: Packing,
): Promise<void> {
  for (const file of files) {
    const code = await Deno.readTextFile(`${folder}/${file}`);
    await Deno.writeTextFile(
      `${folder}/${file}`,
      code.replace(RELATIVE, (_, word, path) => {
        const other = resolve(file, path);
        if (!files.includes(other) && !others.includes(other)) throw new Error(`no file ${other}`);
        return `${word}"${HERE}${other}"`;
      }),
    );
  }
  for (const file of others) await unpackLazily(`${folder}/${file}`, file, files);
  const draft = `${folder}/packed`;
  await toCommonJs(files.map((file) => `${folder}/${file}`), draft);
  const modules: Record<string, Packed> = {};
  const codes: string[] = [""]; // the first part is that of the small modules
  for (const file of files) {
    const name = `${HERE}${file}`;
    const code = await Deno.readTextFile(`${draft}/${file}`);
    const requires = new Set([...code.matchAll(REQUIRED)].map(([, other]) => other!));
    const part = code.length < SMALL ? 0 : codes.push("") - 1;
    const body = `function(module,require,${IMPORT}){${code.replace(LAZY, IMPORT)}}`;
    // In brackets, the engine compiles it where it first reads it.
    codes[part] += `"${name}":${part === 0 ? body : `(${body})`},\n`;
    modules[name] = [part, [...requires]];
    await Deno.remove(`${folder}/${file}`);
  }
  await Deno.remove(draft, { recursive: true });
  const parts = codes.map((code) => compressed(`return{${code}}`));
  let end = 0;
  const ends = parts.map(({ length }) => end += length);
  const beginning = compressed(JSON.stringify({ ends, modules } satisfies PackedModules));
  const length = new Uint8Array(LENGTH_BYTES);
  new DataView(length.buffer).setUint32(0, beginning.length, true);
  await Deno.writeFile(`${folder}/${PACKED_FILE}`, Buffer.concat([length, beginning, ...parts]));
}

/** Files with all that they import at once, and so on. @param code What every file of the bundle holds. */
export function reachedAtOnce(
  files: readonly string[],
  code: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const reached = new Set(files);
  for (const file of reached) {
    for (const [, word, path] of code.get(file)!.matchAll(RELATIVE)) {
      if (word !== "import(") reached.add(resolve(file, path!));
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

/** Makes a module that stays load packed ones from where they are. */
async function unpackLazily(
  path: string,
  file: string,
  packed: readonly string[],
): Promise<void> {
  const up = posix.relative(posix.dirname(file), "unpack.js");
  const unpack = up.startsWith(".") ? up : `./${up}`;
  const code = await Deno.readTextFile(path);
  const linked = code.replace(LAZY_RELATIVE, (whole, other: string) => {
    const name = resolve(file, other);
    if (!packed.includes(name)) return whole;
    return `import("${unpack}").then(({load:l})=>l("${HERE}${name}"))`;
  });
  if (linked !== code) await Deno.writeTextFile(path, linked);
}
