/**
 * `deno task bundle`: the program as a few minified files in `dist/bundle`.
 *
 * A hook's start is dominated by how many files and how much code the runtime has to load, so the hot path becomes one
 * small file (`main.js`), and what is seldom wanted is bundled apart and loaded when it is (`cold/`). The bundler's own
 * splitting would give the hot path nine files instead, which costs about 3 ms a hook.
 */

/** Modules that `main.js` loads only when they are wanted. Every other one that a hook can reach goes into `main.js`. */
const COLD_MODULES = [
  "src/cli/run.ts",
  "src/capture/cap.ts",
  "src/capture/redact.ts",
  "src/config/cached.ts",
  "src/hook/failure.ts",
  "src/hook/session_start.ts",
  "src/maintenance/retention.ts",
  "src/spool/drain.ts",
  "src/store/migrate.ts",
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

/** How a cold module is named where it is imported: from another folder, and from beside it. */
function specifiersOf(path: string): string[] {
  const [folder, file] = path.split("/").slice(-2);
  // There is a `run.ts` on the hot path too.
  return file === "run.ts" ? [`*/${folder}/${file}`] : [`*/${folder}/${file}`, `./${file}`];
}

/** The imports that were left as they stand in the source now name the file that they were bundled into. */
function linkColdImports(code: string): string {
  return code.replace(/\bimport\("([^"]+)\.ts"\)/g, (_whole, specifier: string) => {
    const ending = specifier.replace(/^(\.\.?\/)+/, "/");
    const matches = COLD_MODULES.filter((path) => `/${path}`.endsWith(`${ending}.ts`));
    if (matches.length !== 1) {
      throw new Error(`no cold module, or several, for import("${specifier}.ts")`);
    }
    return `import("./cold/${matches[0]!.replace(/^src\//, "").replace(/\.ts$/, ".js")}")`;
  });
}

await bundle([
  ...COLD_MODULES.flatMap(specifiersOf).map((specifier) => `--external=${specifier}`),
  "--output",
  `${DRAFT}/main.js`,
  "main.ts",
]);
await bundle(["--code-splitting", "--outdir", `${DRAFT}/cold`, ...COLD_MODULES]);
await Deno.writeTextFile(
  `${DRAFT}/main.js`,
  linkColdImports(await Deno.readTextFile(`${DRAFT}/main.js`)),
);
await Deno.rename(OUT, `${DRAFT}-old`).catch(() => {});
await Deno.rename(DRAFT, OUT);
await Deno.remove(`${DRAFT}-old`, { recursive: true }).catch(() => {});
