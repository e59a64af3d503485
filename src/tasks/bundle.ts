/**
 * `deno task bundle`: the program as a few minified files in `dist/bundle`.
 *
 * A hook's start is dominated by what the runtime has to load, so there are three kinds of code:
 * - the hot path becomes one small file, `main.js` (the bundler's own splitting would make nine of it, 3 ms a hook);
 * - what a hook seldom wants is bundled apart and loaded when it is (`cold/`);
 * - what is wanted least and weighs most, the parser of configuration files with its libraries, is packed: an executable
 *   reads everything that is embedded in it at every start, 0.1 ms for 50 kB.
 */
import { parse } from "acorn";

/**
 * What a hook loads when it wants it, each in one file with all that it needs: opening a file costs more than reading
 * twice what two of them share. Every other module that a hook can reach goes into `main.js`.
 */
const COLD_MODULES = [
  "src/capture/cap.ts",
  "src/capture/redact.ts",
  "src/config/cached.ts",
  "src/hook/failure.ts",
  "src/hook/other_event.ts",
  "src/hook/session_end.ts",
  "src/hook/session_start.ts",
  "src/hook/stop.ts",
  "src/maintenance/retention.ts",
  "src/spool/drain.ts",
  "src/store/migrate.ts",
];

/** The command line, split so that a verb loads what it shares with the others and its own. */
const SPLIT_MODULE = "src/cli/run.ts";

/** The files of the hot path that load others lazily; in the bundle these stand in the same file from the start. */
const LAZY_FILES = ["main.ts", "src/hook/run.ts"];

/** Cold modules that are packed, and what is imported of them. */
const PACKED_MODULES: Readonly<Record<string, readonly string[]>> = {
  "src/config/parse.ts": ["parseConfig"],
  "src/cli/actions/config.ts": [
    "initConfig",
    "configPath",
    "showConfig",
    "validateConfig",
    "configSchema",
  ],
};

/** All that `main.js` does not hold, save for what is packed. */
const APART = [...COLD_MODULES, SPLIT_MODULE];

const OUT = "dist/bundle";
/** Made beside it, then put in its place: programs may be running from the old one. */
const DRAFT = `dist/bundle-${Deno.pid}`;

async function bundle(args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--minify", "--platform", "deno", ...args],
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`deno bundle failed:\n${new TextDecoder().decode(stderr)}`);
}

/** Flags that leave the imports of these modules as they stand in the source. */
function externals(modules: readonly string[]): string[] {
  return modules.flatMap((path) => {
    const [folder, file] = path.split("/").slice(-2);
    // From another folder, and from beside it; but there is a `run.ts` on the hot path too.
    return file === "run.ts" ? [`*/${folder}/${file}`] : [`*/${folder}/${file}`, `./${file}`];
  }).map((specifier) => `--external=${specifier}`);
}

async function* walk(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* walk(`${folder}/${name}`);
    else yield `${folder}/${name}`;
  }
}

/** Makes the imports that were left as they stand name the file that they were bundled into. */
async function linkColdImports(file: string, toCold: string): Promise<void> {
  const all = [...APART, ...Object.keys(PACKED_MODULES)];
  const code = await Deno.readTextFile(file);
  const linked = code.replace(
    /\b(import\(|import|from)"([^"]+)\.ts"/g,
    (_whole, keyword: string, specifier: string) => {
      const ending = specifier.replace(/^(\.\.?\/)+/, "/");
      const matches = all.filter((path) => `/${path}`.endsWith(`${ending}.ts`));
      if (matches.length !== 1) throw new Error(`${file}: what is "${specifier}.ts"?`);
      return `${keyword}"${toCold}/${outputOf(matches[0]!)}"`;
    },
  );
  await Deno.writeTextFile(file, linked);
}

/** `src/hook/failure.ts` becomes `hook/failure.js`. */
function outputOf(path: string): string {
  return path.replace(/^src\//, "").replace(/\.ts$/, ".js");
}

/** All packed modules in one file, compressed, and beside it a small file for each that unpacks it. */
async function pack(): Promise<void> {
  const paths = Object.keys(PACKED_MODULES);
  const entry = `${DRAFT}/packed.ts`;
  const lines = paths.map((path, i) => `export const load${i} = () => import("../../${path}");`);
  await Deno.writeTextFile(entry, lines.join("\n"));
  await bundle(["--output", `${DRAFT}/packed.js`, entry]);
  const code = await Deno.readFile(`${DRAFT}/packed.js`);
  const stream = new Blob([code]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = (await new Response(stream).bytes()).toBase64();
  await Deno.writeTextFile(
    `${DRAFT}/cold/packed.js`,
    `const packed = Uint8Array.fromBase64("${packed}");
const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
const text = (await new Response(stream).text()).replaceAll("import.meta.url", JSON.stringify(import.meta.url));
const code = new TextEncoder().encode(text).toBase64();
export const { ${
      paths.map((_path, i) => `load${i}`).join(", ")
    } } = await import(\`data:text/javascript;base64,\${code}\`);
`,
  );
  for (const [i, path] of paths.entries()) {
    const names = PACKED_MODULES[path]!.join(", ");
    const up = "../".repeat(path.split("/").length - 2);
    const output = `${DRAFT}/cold/${outputOf(path)}`;
    await Deno.mkdir(output.slice(0, output.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(
      output,
      `import { load${i} } from "${up}packed.js";\nexport const { ${names} } = await load${i}();\n`,
    );
  }
  await Deno.remove(entry);
  await Deno.remove(`${DRAFT}/packed.js`);
}

/**
 * A copy of the source in which the lazy imports of what stands in `main.js` anyway are plain ones, so that the bundler
 * can write all of it as one scope: 1 % of a hook.
 */
async function copyWithPlainImports(to: string): Promise<void> {
  for await (const file of walk("src")) {
    await Deno.mkdir(`${to}/${file.slice(0, file.lastIndexOf("/"))}`, { recursive: true });
    await Deno.copyFile(file, `${to}/${file}`);
  }
  for (const file of LAZY_FILES) {
    const imports: string[] = [];
    const code = await Deno.readTextFile(file);
    const plain = code.replace(/\bimport\("([^"]+)"\)/g, (whole, specifier: string) => {
      const path = new URL(specifier, `file:///${file}`).pathname.slice(1);
      if (APART.includes(path)) return whole;
      const name = `module${imports.length}`;
      imports.push(`import * as ${name} from "${specifier}";`);
      return `Promise.resolve(${name})`;
    });
    await Deno.writeTextFile(`${to}/${file}`, [...imports, plain].join("\n"));
  }
}

/**
 * Puts the functions of a file in brackets, which makes the engine compile each where it first reads it: otherwise it
 * reads a function once to find its end, and a second time when it is called. For files that are run as a whole.
 */
async function compileAtOnce(file: string): Promise<void> {
  const code = await Deno.readTextFile(file);
  let eager = "";
  let at = 0;
  for (const node of parse(code, { ecmaVersion: "latest", sourceType: "module" }).body) {
    if (node.type !== "FunctionDeclaration") continue;
    const { id, start, end } = node;
    const kind = code.slice(start, id.start).trimEnd(); // `function`, `async function`, `function*`
    eager += `${code.slice(at, start)}var ${id.name}=(${kind}${code.slice(id.end, end)});`;
    at = end;
  }
  await Deno.writeTextFile(file, eager + code.slice(at));
}

await Deno.mkdir(DRAFT, { recursive: true });
const sourceCopy = `${DRAFT}/source`;
await copyWithPlainImports(sourceCopy);
const apartFlags = externals([...APART, ...Object.keys(PACKED_MODULES)]);
await bundle([...apartFlags, "--output", `${DRAFT}/main.js`, `${sourceCopy}/main.ts`]);
await Deno.remove(sourceCopy, { recursive: true });
await linkColdImports(`${DRAFT}/main.js`, "./cold");
for (const path of COLD_MODULES) {
  const flags = externals(
    [...APART, ...Object.keys(PACKED_MODULES)].filter((other) => other !== path),
  );
  await bundle([...flags, "--output", `${DRAFT}/cold/${outputOf(path)}`, path]);
}
await bundle([
  ...externals([...COLD_MODULES, ...Object.keys(PACKED_MODULES)]),
  "--code-splitting",
  "--outdir",
  `${DRAFT}/cold/cli`,
  SPLIT_MODULE,
]);
for await (const file of walk(`${DRAFT}/cold`)) {
  await linkColdImports(file, file.split("/").length > 4 ? ".." : ".");
}
await compileAtOnce(`${DRAFT}/main.js`);
for (const path of COLD_MODULES.filter((path) => path.startsWith("src/hook/"))) {
  await compileAtOnce(`${DRAFT}/cold/${outputOf(path)}`);
}
await pack();
await Deno.rename(OUT, `${DRAFT}-old`).catch(() => {});
await Deno.rename(DRAFT, OUT);
await Deno.remove(`${DRAFT}-old`, { recursive: true }).catch(() => {});
