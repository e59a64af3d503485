/**
 * `deno task bundle`: the program as a few minified files in `dist/bundle`.
 *
 * A hook's start is dominated by what the engine has to read, and by how many files it lies in:
 * - `main.js` chooses the face and reads stdin: all that a Stop needs which must leave at once;
 * - `hook/hot.js` is what every other event runs, in one scope (the bundler's own splitting would make nine files of it,
 *   3 ms a hook);
 * - what a hook seldom wants lies apart, and is loaded when it is wanted;
 * - what is wanted least and weighs most, the parser of configuration files, the daemon and the MCP server with their
 *   libraries, is packed: an executable reads everything that is embedded in it at every start, 0.1 ms for 50 kB.
 */
import { compileAtOnce, withoutEagerRequire, withoutImports } from "./bundled_code.ts";
import { calledFunctions } from "./called_functions.ts";
import { mergeChunks } from "./merge_chunks.ts";

/** What every event runs, and what most of them do: a tool use that is kept. */
const HOT_MODULES = ["src/hook/work.ts", "src/hook/post_tool_use.ts"];
const HOT_FILE = "hook/hot.js";

/**
 * What a hook loads when it wants it, each in one file with all that it needs: opening a file costs more than reading
 * twice what two of them share.
 */
const COLD_MODULES = [
  "src/capture/cap.ts",
  "src/capture/exclusion.ts",
  "src/capture/redact.ts",
  "src/config/cached.ts",
  "src/config/last_policy.ts",
  "src/gate/with_git.ts",
  "src/git/configured_aliases.ts",
  "src/gate/unarmed.ts",
  "src/gate/tool_requirements.ts",
  "src/gate/root_additions.ts",
  "src/gate/shell_use.ts",
  "src/hook/after_use.ts",
  "src/hook/stop_drain.ts",
  "src/hook/failure.ts",
  "src/hook/notification.ts",
  "src/hook/other_event.ts",
  "src/hook/pre_tool_use.ts",
  "src/hook/prompt_expansion.ts",
  "src/hook/recall.ts",
  "src/hook/reminder.ts",
  "src/hook/prompt_rules.ts",
  "src/hook/session_end.ts",
  "src/hook/session_requirements.ts",
  "src/hook/session_start.ts",
  "src/hook/stop.ts",
  "src/hook/stop_judged.ts",
  "src/hook/stop_requirements.ts",
  "src/hook/stop_guards.ts",
  "src/hook/subagent_stop.ts",
  "src/hook/user_prompt_submit.ts",
  "src/maintenance/doctor/mending.ts",
  "src/maintenance/memory_retention.ts",
  "src/maintenance/retention.ts",
  "src/spool/drain.ts",
  "src/store/migrate.ts",
  "src/store/session_agents.ts",
  "src/store/shorten_log.ts",
];

/** Apart from what every event runs, but a part of each of the others that want it: it is small. */
const INSIDE_COLD = ["src/hook/told.ts"];

/** The command line, split so that a verb loads what it shares with the others and its own. */
const SPLIT_MODULE = "src/cli/run.ts";

/** The verbs that agents call in their loops, by the names of their files: they are to open few. */
const FREQUENT_VERBS = /^task(?:_ready|_list|_work)?-/;

/** A verb that a person and Claude use often, and that would open a dozen files: it is one, with a copy of what it shares. */
const WHOLE_VERBS = /^memory_search-/;

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
  "src/cli/actions/req_files.ts": [
    "initRequirements",
    "enableRequirements",
    "disableRequirements",
  ],
  "src/daemon/run.ts": ["runDaemon"],
  "src/mcp/run.ts": ["runMcp"],
  "src/cli/actions/req_import_policy.ts": ["planPolicy", "writePolicy"],
  "src/cli/actions/migrate_state.ts": ["migrate"],
  "src/cli/actions/reconcile.ts": ["reconcile"],
  "src/cli/actions/import_file.ts": ["importFile"],
  "src/cli/actions/import_transcripts.ts": ["importTranscripts"],
  "src/cli/actions/import_claude_mem.ts": ["importClaudeMem"],
  "src/cli/actions/memory_eval.ts": ["evaluate"],
  "src/cli/actions/memory_forget.ts": ["forgetMemory", "verifyForgotten"],
};

/**
 * Half of what the library for MCP brings along: it checks what a server asks of a person and what its tools answer in a
 * structure of their own, by JSON Schema. Our server does neither, and gives the library another checker.
 */
const UNUSED_PACKAGES = ["ajv", "ajv-formats"];

/** All that `main.js` does not hold. */
const APART = [
  ...HOT_MODULES,
  ...COLD_MODULES,
  ...INSIDE_COLD,
  SPLIT_MODULE,
  ...Object.keys(PACKED_MODULES),
];

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

/** `src/hook/failure.ts` becomes `hook/failure.js`. */
function outputOf(path: string): string {
  if (HOT_MODULES.includes(path)) return HOT_FILE;
  return path.replace(/^src\//, "").replace(/\.ts$/, ".js");
}

/** All packed modules in one file, compressed, and beside it a small file for each that unpacks it. */
async function pack(): Promise<void> {
  const paths = Object.keys(PACKED_MODULES);
  const entry = `${DRAFT}/packed.ts`;
  const lines = paths.map((path, i) => `export const load${i} = () => import("../../${path}");`);
  await Deno.writeTextFile(entry, lines.join("\n"));
  const unused = UNUSED_PACKAGES.map((name) => `--external=${name}`);
  await bundle([...unused, "--output", `${DRAFT}/packed.js`, entry]);
  const code = withoutImports(await Deno.readTextFile(`${DRAFT}/packed.js`), UNUSED_PACKAGES);
  const stream = new Blob([code]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = (await new Response(stream).bytes()).toBase64();
  await Deno.writeTextFile(
    `${DRAFT}/packed.js`,
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
    const output = `${DRAFT}/${outputOf(path)}`;
    await Deno.mkdir(output.slice(0, output.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(
      output,
      `import { load${i} } from "${up}packed.js";\nexport const { ${names} } = await load${i}();\n`,
    );
  }
  await Deno.remove(entry);
}

/** The code that begins: `main.ts`, with the face of the hooks in the same scope instead of behind a lazy import. */
async function entryOfMain(): Promise<string> {
  const lazy = 'const { runHook } = await import("./src/hook/run.ts");';
  const [before, after, ...more] = (await Deno.readTextFile("main.ts")).split(lazy);
  if (after === undefined || more.length > 0) throw new Error(`main.ts must hold \`${lazy}\` once`);
  const plain = `import { runHook } from "./src/hook/run.ts";\n${before}${after}`;
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
await bundleCode(await entryOfMain(), { file: "main.js", inside: [] });
await bundleCode(entryOf(HOT_MODULES), { file: HOT_FILE, inside: HOT_MODULES });
for (const path of [...COLD_MODULES, ...INSIDE_COLD]) {
  await bundleCode(entryOf([path]), { file: outputOf(path), inside: [path, ...INSIDE_COLD] });
}
await bundle([
  ...externals(APART.filter((path) => path !== SPLIT_MODULE)),
  "--code-splitting",
  "--outdir",
  `${DRAFT}/cli`,
  SPLIT_MODULE,
]);
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
for await (const file of walk(`${DRAFT}/cli`)) {
  if (!WHOLE_VERBS.test(file.slice(file.lastIndexOf("/") + 1))) continue;
  await bundle([...externals(APART), "--external=./run.js", "--output", `${file}.whole`, file]);
  await Deno.rename(`${file}.whole`, file);
}
for await (const file of walk(DRAFT)) {
  const depth = file.split("/").length - DRAFT.split("/").length - 1;
  await linkImports(file, depth === 0 ? "." : "../".repeat(depth).slice(0, -1));
}
await pack();
await withoutEagerRequire(`${DRAFT}/cli/run.js`);
for (const [file, names] of await calledFunctions(`${DRAFT}/main.js`)) {
  await compileAtOnce(file, names);
}
await Deno.rename(OUT, `${DRAFT}-old`).catch(() => {});
await Deno.rename(DRAFT, OUT);
await Deno.remove(`${DRAFT}-old`, { recursive: true }).catch(() => {});
