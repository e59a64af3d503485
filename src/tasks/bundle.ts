/**
 * `deno task bundle`: the program as a few minified files in `dist/bundle`.
 *
 * A hook's start is dominated by what the engine has to read, and by how many files it lies in:
 * - `main.js` chooses the face and reads stdin: all that a Stop needs which must leave at once;
 * - `hook/hot.js` is what every other event runs, in one scope (the bundler's own splitting would make nine files of it,
 *   3 ms a hook);
 * - what a hook seldom wants lies apart, and is loaded when it is wanted;
 * - what is wanted least is packed: the verbs, the parser of configuration files, the daemon and the MCP server with
 *   their libraries.
 */
import { compileAtOnce, withoutEagerRequire, withoutImports } from "./bundled_code.ts";
import {
  APART,
  COLD_MODULES,
  FREQUENT_VERBS,
  HOT_FILE,
  HOT_MODULES,
  INSIDE_COLD,
  outputOf,
  PACKED_MODULES,
  SELDOM_MODULES,
  SELDOM_OF_WHOLE,
  SPLIT_MODULE,
  UNPACKED,
  UNUSED_PACKAGES,
  WHOLE_VERBS,
} from "./bundle_modules.ts";
import { calledFunctions } from "./called_functions.ts";
import { missingNames } from "./linked_names.ts";
import { PACKED, SCRIPT } from "./load.ts";
import { mergeChunks } from "./merge_chunks.ts";
import { packModules, reached, withBody } from "./pack_modules.ts";
import { readScript, scriptFile } from "./script_file.ts";
import { walk } from "./walk.ts";

const OUT = "dist/bundle";
const MAIN = "main.js";
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

/** Makes the imports that were left as they stand name the file that they were bundled into. */
async function linkImports(file: string, toRoot: string): Promise<void> {
  const code = await Deno.readTextFile(file);
  const linked = code.replace(
    /\b(import\(|import|from)"([^"]+)\.ts"/g,
    (_whole, keyword: string, specifier: string) => {
      const ending = specifier.replace(/^(\.\.?\/)+/, "/");
      const matches = APART.filter((path) => `/${path}`.endsWith(`${ending}.ts`));
      if (matches.length !== 1) throw new Error(`${file}: what is "${specifier}.ts"?`);
      return `${keyword}"${toRoot}/${outputOf(matches[0]!)}"`;
    },
  );
  await Deno.writeTextFile(file, linked);
}

/** Makes the engine compile functions of a script, or of the main module, where it first reads them. */
async function compileFileAtOnce(path: string, called: ReadonlySet<string>): Promise<void> {
  if (path.endsWith(".js")) {
    await Deno.writeTextFile(path, compileAtOnce(await Deno.readTextFile(path), called));
    return;
  }
  const { source, code } = readScript(await Deno.readFile(path));
  const eager = withBody(source, (body) => compileAtOnce(body, called));
  await Deno.writeFile(path, scriptFile({ source: eager, code }));
}

/** The modules that are packed, by the names that the rest of the program imports them by. */
async function linkPacked(): Promise<void> {
  for (const [i, [path, names]] of Object.entries(PACKED_MODULES).entries()) {
    const output = outputOf(path);
    const file = `${DRAFT}/${output}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    const up = "../".repeat(output.split("/").length - 1);
    await Deno.writeTextFile(file, `export{${names.join(",")}}from"${up}cli/packed_${i}.js";\n`);
  }
}

/** Packs all that a hook seldom wants, and every verb that is not called in loops; what nothing imports is left out. */
async function packSeldom(): Promise<void> {
  const code = new Map<string, string>();
  for await (const file of walk(DRAFT)) {
    const path = `${DRAFT}/${file}`;
    const text = await Deno.readTextFile(path);
    const isUsed = !UNUSED_PACKAGES.some((name) => text.includes(`from"${name}"`));
    if (!isUsed) await Deno.writeTextFile(path, withoutImports(text, UNUSED_PACKAGES));
    code.set(file, text);
  }
  const missing = missingNames(code);
  if (missing.length > 0) {
    throw new Error(`the bundle does not hold together: ${missing.join(", ")}`);
  }
  const seldom = [...SELDOM_MODULES, ...Object.keys(PACKED_MODULES)].map(outputOf);
  const wanted = [...code.keys()].filter((file) =>
    file.startsWith("cli/")
      ? UNPACKED.some((name) => name.test(file.slice("cli/".length)))
      : !seldom.includes(file)
  );
  const files = [...reached([MAIN], code, "ever")].sort();
  for (const file of code.keys()) {
    if (!files.includes(file)) await Deno.remove(`${DRAFT}/${file}`);
  }
  const stay = reached(wanted, code, "at-once");
  const outside = [PACKED, SCRIPT].map((name) => `--external=${name}*`);
  await packModules(DRAFT, {
    main: MAIN,
    scripts: files.filter((file) => stay.has(file) && file !== MAIN),
    packed: files.filter((file) => !stay.has(file)),
    toCommonJs: (files, outdir) =>
      bundle(["--format=cjs", ...outside, "--outdir", outdir, ...files]),
  });
}

/**
 * The code that begins: `main.ts`, with the face of the hooks in the same scope instead of behind a lazy import, and with
 * what loads all the rest.
 */
async function entryOfMain(): Promise<string> {
  const lazy = 'const { runHook } = await import("./src/hook/run.ts");';
  const [before, after, ...more] = (await Deno.readTextFile("main.ts")).split(lazy);
  if (after === undefined || more.length > 0) throw new Error(`main.ts must hold \`${lazy}\` once`);
  const loader = 'import "./src/tasks/load.ts";';
  const plain = `import { runHook } from "./src/hook/run.ts";\n${loader}\n${before}${after}`;
  return plain.replaceAll('"./src/', '"../../src/');
}

/** Code that holds some modules whole. */
function entryOf(modules: readonly string[]): string {
  return modules.map((path) => `export * from "../../${path}";`).join("\n");
}

/** Bundles code that stands for a file in the draft's folder; all that is not in `inside` stays an import. */
async function bundleCode(
  code: string,
  to: { readonly file: string; readonly inside: readonly string[] },
): Promise<void> {
  const entry = `${DRAFT}/entry.ts`;
  await Deno.writeTextFile(entry, code);
  const outside = APART.filter((path) => !to.inside.includes(path));
  await bundle([...externals(outside), "--output", `${DRAFT}/${to.file}`, entry]);
  await Deno.remove(entry);
}

await Deno.mkdir(DRAFT, { recursive: true });
await bundleCode(await entryOfMain(), { file: MAIN, inside: [] });
await bundleCode(entryOf(HOT_MODULES), { file: HOT_FILE, inside: HOT_MODULES });
for (const path of [...COLD_MODULES, ...INSIDE_COLD]) {
  await bundleCode(entryOf([path]), { file: outputOf(path), inside: [path, ...INSIDE_COLD] });
}
const split = [SPLIT_MODULE, ...Object.keys(PACKED_MODULES)];
const entries = await Promise.all(split.map(async (path, i) => {
  const entry = `${DRAFT}/${i === 0 ? "run" : `packed_${i - 1}`}.ts`;
  await Deno.writeTextFile(entry, entryOf([path]));
  return entry;
}));
await bundle([
  ...externals(APART.filter((path) => !split.includes(path))),
  ...UNUSED_PACKAGES.map((name) => `--external=${name}`),
  "--code-splitting",
  "--outdir",
  `${DRAFT}/cli`,
  ...entries,
]);
for (const entry of entries) await Deno.remove(entry);
await mergeChunks(`${DRAFT}/cli`, {
  into: "run.js",
  alsoOf: FREQUENT_VERBS,
  bundle: (entry, output, outside) =>
    bundle([
      ...externals(APART),
      ...outside.map((file) => `--external=./${file}`),
      "--output",
      output,
      entry,
    ]),
});
for await (const name of walk(`${DRAFT}/cli`)) {
  if (!WHOLE_VERBS.test(name)) continue;
  const file = `${DRAFT}/cli/${name}`;
  const outside = ["run.js", ...SELDOM_OF_WHOLE.map((name) => `${name}-*.js`)];
  await bundle([
    ...externals(APART),
    ...outside.map((name) => `--external=./${name}`),
    "--output",
    `${file}.whole`,
    file,
  ]);
  await Deno.rename(`${file}.whole`, file);
}
for await (const file of walk(DRAFT)) {
  const depth = file.split("/").length - 1;
  await linkImports(`${DRAFT}/${file}`, depth === 0 ? "." : "../".repeat(depth).slice(0, -1));
}
await linkPacked();
await withoutEagerRequire(`${DRAFT}/cli/run.js`);
await packSeldom();
for (const [file, names] of await calledFunctions(`${Deno.cwd()}/${DRAFT}/${MAIN}`)) {
  await compileFileAtOnce(file, names);
}
await Deno.rename(OUT, `${DRAFT}-old`).catch(() => {});
await Deno.rename(DRAFT, OUT);
await Deno.remove(`${DRAFT}-old`, { recursive: true }).catch(() => {});
