import { join } from "node:path";
import { thisSystem } from "../../src/cli/permissions.ts";
import { compileFlags } from "../../src/tasks/flags.ts";
import { runDeno } from "../../src/tasks/run_deno.ts";
import { REPOSITORY } from "./program.ts";

/** Makes an executable from npm alone, where Deno's own runtime cannot be downloaded. */
const OFFLINE_COMPILER = join(REPOSITORY, "..", "shared", "tools", "offline-compile.sh");

/** The program, and one that does nothing, made in the same way. */
export interface Executables {
  readonly program: string;
  readonly empty: string;
  /** Which runtime is in both. */
  readonly runtime: string;
}

/** Bundles the program and compiles it. @param path The executable to write. */
export async function compileBundle(path: string): Promise<void> {
  const bundled = await runDeno(["task", "--quiet", "bundle"]);
  if (!bundled.success) throw new Error(bundled.stderr);
  await compile(join(REPOSITORY, "dist", "bundle", "main.js"), path);
}

/** Compiles both, into a folder. */
export async function makeExecutables(folder: string): Promise<Executables> {
  const name = (base: string) => join(folder, Deno.build.os === "windows" ? `${base}.exe` : base);
  const [program, empty, versions] = [name("conclaude"), name("empty"), name("versions")];
  await compileBundle(program);
  const emptyMain = join(folder, "empty.js");
  await Deno.writeTextFile(emptyMain, "export {};\n");
  await compile(emptyMain, empty);
  const versionsMain = join(folder, "versions.js");
  await Deno.writeTextFile(versionsMain, VERSIONS_PROGRAM);
  await compile(versionsMain, versions);
  const { stdout } = await new Deno.Command(versions).output();
  return { program, empty, runtime: new TextDecoder().decode(stdout).trim() };
}

const VERSIONS_PROGRAM = `
import { DatabaseSync } from "node:sqlite";
const { v } = new DatabaseSync(":memory:").prepare("SELECT sqlite_version() AS v").get();
console.log("Deno " + Deno.version.deno + ", V8 " + Deno.version.v8 + ", SQLite " + v);
`;

async function compile(main: string, output: string): Promise<void> {
  const flags = compileFlags(thisSystem());
  if (await exists(OFFLINE_COMPILER)) {
    const { success, stderr } = await new Deno.Command("bash", {
      args: [OFFLINE_COMPILER, main, output, ...flags],
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return;
  }
  const compiled = await runDeno([
    "compile",
    "--no-config",
    "--no-lock",
    "--no-check",
    ...flags,
    "--output",
    output,
    main,
  ]);
  if (!compiled.success) throw new Error(compiled.stderr);
}

function exists(path: string): Promise<boolean> {
  return Deno.stat(path).then(() => true, () => false);
}
