/**
 * `deno task bundle`: makes two files of the program in `dist/bundle`. `main.js` chooses the entry and holds the loader
 * (`load.ts`). `modules.bin` holds the rest, split at lazy imports, so that a hook loads only what it runs.
 */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { type Identifier, parse } from "acorn";
import { IMPORT, REQUIRE } from "./load.ts";
import { type Bundle, scriptOf, writeBundle } from "./modules_file.ts";
import { BUNDLE } from "./program.ts";
import { REPOSITORY, runDeno } from "./run_deno.ts";

/** The file of the page. A bundle puts the scripts and the style into it; the source says that there is no page. */
const PAGE = "web/page.ts";

/** Rooms whose files are no modules of the bundle: the page has its own script, and `main.js` holds the loader. */
const OTHER_ROOMS = ["build", "web"];

/** Finds the lazy import of a face, such as the command line, in `main.ts`. */
const FACE = /\bimport\("\.\/src\/([^"]+)\.ts"\)/g;

/** Finds the name of another module in minified code. */
const IMPORTED = /"(\.[^"]+\.js)"/g;

/** Finds a lazy import in minified code. */
const LAZY = /\bimport\("([^"]+)"\)/g;

/** Reads the parts of the page. @param folder Holds the bundled scripts. */
async function pageParts(folder: string) {
  const style = await Deno.readTextFile(new URL("src/web/page.css", REPOSITORY));
  return {
    script: await Deno.readTextFile(`${folder}/page.js`),
    plot: await Deno.readTextFile(`${folder}/plot.js`),
    style: style.replace(/\s*\n\s*/g, ""),
  };
}

function filesBelow(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return paths.map((path) => path.replaceAll("\\", "/")).sort();
}

/** Makes the bundle beside the old one, which programs may be running, and swaps the two at the end. */
export async function bundleProgram(): Promise<Bundle> {
  const bundle = await splitProgram();
  const draft = `${BUNDLE}-${Deno.pid}`;
  await writeBundle(draft, bundle);
  await Deno.rename(BUNDLE, `${draft}-old`).catch(() => {});
  await Deno.rename(draft, BUNDLE);
  await Deno.remove(`${draft}-old`, { recursive: true }).catch(() => {});
  return bundle;
}

export async function splitProgram(): Promise<Bundle> {
  const folder = await Deno.makeTempDir({ prefix: "conclaude-bundle-" });
  const source = new URL("src", REPOSITORY).href;
  const write = (file: string, code: string) => Deno.writeTextFile(`${folder}/${file}`, code);
  const bundle = async (...args: readonly string[]) => {
    const all = ["bundle", "--quiet", "--minify", ...args];
    const { success, stderr } = await runDeno(all);
    if (!success) throw new Error(`deno bundle failed:\n${stderr}`);
  };
  try {
    for (const [script, entry] of [["page.js", "main.tsx"], ["plot.js", "plot.ts"]]) {
      const output = ["--output", `${folder}/${script}`];
      await bundle("--platform", "browser", ...output, `${source}/web/${entry}`);
    }
    // Every file is an entry and so gets its own module; a process loads only the modules that it uses.
    const entries = filesBelow(fileURLToPath(source))
      .filter((path) => path.endsWith(".ts") && !OTHER_ROOMS.includes(path.split("/")[0]!));
    const output = ["--platform", "deno", "--code-splitting", "--outdir", `${folder}/split`];
    await bundle(...output, ...entries.map((path) => `${source}/${path}`));
    const page = JSON.stringify(await pageParts(folder));
    await Deno.mkdir(`${folder}/split/web`);
    await write(`split/${PAGE.replace(/ts$/, "js")}`, `var page=${page};export{page};`);
    const main = await Deno.readTextFile(new URL("main.ts", REPOSITORY));
    const read = (file: string) => Deno.readTextFileSync(`${folder}/split/${file}`);
    const made = filesBelow(`${folder}/split`).filter((path) => path.endsWith(".js"));
    // The bundler moves an entry that others import into a chunk, and no module imports the entry itself.
    const imported = new Set([
      ...Array.from(main.matchAll(FACE), ([, path]) => `${path}.js`),
      ...made.flatMap((file) =>
        Array.from(read(file).matchAll(IMPORTED), ([, from]) => join(dirname(file), from!))
      ),
    ]);
    const files = made.filter((file) => imported.has(file));
    const numberOf = (file: string) => {
      const number = files.indexOf(file);
      if (number < 0) throw new Error(`no module ${file}`);
      return number;
    };
    const codes = files.map(read);
    const asModule = (code: string, number: number) => {
      const at = (from: string) => numberOf(join(dirname(files[number]!), from));
      const nameOf = (from: string) => from.startsWith(".") ? String(at(from)) : `"${from}"`;
      const mustRun = (from: string) => from.startsWith(".") && hasEffect(codes[at(from)]!);
      return scriptOf(number, asFunction(code, nameOf, mustRun));
    };
    const loading = main.replace(FACE, (_, path) => `load(${numberOf(`${path}.js`)})`)
      .replaceAll('"./src/', `"${source}/`);
    await write("main.ts", `import { load } from "${source}/build/load.ts";\n${loading}`);
    await bundle("--platform", "deno", "--output", `${folder}/main.js`, `${folder}/main.ts`);
    return {
      main: await Deno.readTextFile(`${folder}/main.js`),
      modules: codes.map(asModule),
      groups: [],
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Tells whether loading a module has an effect: the module does more than import, and exports nothing. */
function hasEffect(module: string): boolean {
  return !/\bexport *\{/.test(module) && module.replace(/\bimport[^;(]*;/g, "").trim() !== "";
}

/**
 * Turns a module's code into a function: it takes the module's imports and returns its exports.
 * @param nameOf Gives the name by which `load.ts` knows a module.
 * @param mustRun Tells whether a module runs even when no name is imported from it.
 * @throws {Error} When the bundler's output has another form than this function expects.
 */
export function asFunction(
  module: string,
  nameOf: (from: string) => string,
  mustRun: (from: string) => boolean,
): string {
  // The bundler makes a CommonJS module load `node:module` at once, which takes as long as a whole verb.
  const code = module.replace(/import\{createRequire as [\w$]+\} ?from ?"node:module";/, "")
    .replace(/=[\w$]+\(import\.meta\.url\)/, "=name=>process.getBuiltinModule(name)");
  const exported: string[] = [];
  let body = "", at = 0;
  for (const node of parse(code, { ecmaVersion: "latest", sourceType: "module" }).body) {
    if (node.type !== "ImportDeclaration" && node.type !== "ExportNamedDeclaration") continue;
    body += code.slice(at, node.start);
    at = node.end;
    if (node.type === "ExportNamedDeclaration") {
      if (node.source || node.declaration) throw new Error(code.slice(node.start, node.end));
      for (const it of node.specifiers) exported.push(`${nameIn(it.exported)}:${nameIn(it.local)}`);
      continue;
    }
    const from = String(node.source.value);
    const names: string[] = [], targets: string[] = [];
    for (const it of node.specifiers) {
      if (it.type === "ImportSpecifier") names.push(`${nameIn(it.imported)}:${it.local.name}`);
      // Only a module of the runtime gives its whole self to a default import.
      else if (from.startsWith(".")) throw new Error(code.slice(node.start, node.end));
      else targets.push(it.local.name);
    }
    if (names.length > 0) targets.push(`{${names.join()}}`);
    const required = `${REQUIRE}(${nameOf(from)});`;
    body += targets.map((target) => `var ${target}=${required}`).join("") ||
      (mustRun(from) ? required : "");
  }
  // The engine reads ASCII faster. Other characters stand only in strings and patterns, where an escape means the same.
  const escaped = (it: string) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`;
  body = (body + code.slice(at)).replace(/[^\0-\x7f]/g, escaped)
    .replace(LAZY, (_, from) => `${IMPORT}(${nameOf(from)})`);
  const script = `"use strict";${body}\nreturn{${exported.join()}}`;
  new Function(script); // throws when syntax of modules is left
  return script;
}

function nameIn(word: { readonly type: string }): string {
  return (word as Identifier).name;
}

if (import.meta.main) await bundleProgram();
