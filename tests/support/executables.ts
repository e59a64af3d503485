import { join } from "node:path";
import { thisSystem } from "../../src/system/permissions.ts";
import { compileFile as compile, compileProgram } from "../../src/build/compile.ts";
import { compileFlags } from "../../src/build/program.ts";
import { REPOSITORY } from "./process.ts";

/** Makes an executable from npm alone, where Deno's own runtime cannot be downloaded. */
const OFFLINE_COMPILER = join(REPOSITORY, "..", "shared", "tools", "offline-compile.sh");

/** The program, and those that do nothing. */
export interface Executables {
  readonly program: string;
  /** Compiled without any flag. */
  readonly empty: string;
  /** Compiled with the program's own flags, which are part of what makes it fast. */
  readonly emptyWithFlags: string;
  /** Which runtime is in all of them. */
  readonly runtime: string;
}

/**
 * Bundles the program and compiles it. @param path The executable to write.
 *
 * @throws {Error} When it would be slower than what is released: nobody should measure such a one by mistake.
 */
export async function compileBundle(path: string): Promise<void> {
  const onSlower = (notice: string) => {
    throw new Error(notice);
  };
  await compileProgram({ output: path, compiler: await compiler(), onSlower });
}

/** Compiles one file. @param flags The program's own when not given. */
export async function compileFile(
  main: string,
  path: string,
  flags: readonly string[] = compileFlags(thisSystem()),
): Promise<void> {
  await compile(main, path, { flags, compiler: await compiler() });
}

/** Compiles all of them, into a folder. */
export async function makeExecutables(folder: string): Promise<Executables> {
  const name = (base: string) => join(folder, Deno.build.os === "windows" ? `${base}.exe` : base);
  const [program, empty, emptyWithFlags, versions] = ["conclaude", "empty", "flags", "versions"]
    .map(name) as [string, string, string, string];
  await compileBundle(program);
  const emptyMain = join(folder, "empty.js");
  await Deno.writeTextFile(emptyMain, "export {};\n");
  await compileFile(emptyMain, empty, []);
  await compileFile(emptyMain, emptyWithFlags);
  const versionsMain = join(folder, "versions.js");
  await Deno.writeTextFile(versionsMain, VERSIONS_PROGRAM);
  await compileFile(versionsMain, versions);
  const { stdout } = await new Deno.Command(versions).output();
  return { program, empty, emptyWithFlags, runtime: new TextDecoder().decode(stdout).trim() };
}

const VERSIONS_PROGRAM = `
import { DatabaseSync } from "node:sqlite";
const { v } = new DatabaseSync(":memory:").prepare("SELECT sqlite_version() AS v").get();
console.log("Deno " + Deno.version.deno + ", V8 " + Deno.version.v8 + ", SQLite " + v);
`;

/**
 * Lays programs into the system's cache as a start after a reboot would find them: copied, and read from the disk, front to
 * back. As its writer left it there, one copy of a program can start a tenth slower than another, so that every series of
 * measurements begins with this.
 */
export async function copyAnew(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await Deno.copyFile(path, `${path}-copy`);
    await Deno.rename(`${path}-copy`, path);
    using file = await Deno.open(path);
    await file.sync();
    // GNU's dd asks the system to forget the file; another dd refuses, and the copy has to do.
    await new Deno.Command("dd", {
      args: [`if=${path}`, "iflag=nocache", "count=0"],
      stdout: "null",
      stderr: "null",
    }).output().catch(() => {});
    await file.readable.pipeTo(new WritableStream());
  }
}

async function compiler(): Promise<string | undefined> {
  return await Deno.stat(OFFLINE_COMPILER).then(() => OFFLINE_COMPILER, () => undefined);
}
