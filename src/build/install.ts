/**
 * `deno task install [--dir DIR]`: puts `conclaude` into `~/.local/bin`: the executable when this machine can compile
 * it, else a launcher that runs the bundle of this clone. The output says which, and why.
 */
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { thisSystem } from "../system/permissions.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { VERSION } from "../base/version.ts";
import { compileProgram, NO_RUNTIME, NoRuntime, RUNTIME_ADVICE } from "./compile.ts";
import { launcherFiles, type Placed, placeExecutable, placeProgram } from "./place_file.ts";
import { bundleCommand } from "./program.ts";
import { run, runTask } from "./run_deno.ts";

async function installExecutable(folder: string, executable: string): Promise<void> {
  const { stdout, stderr } = await run(resolve(executable), ["--version"]);
  if (stdout.trim() !== VERSION) {
    // A `DENORT_BIN` of another version or machine compiles, but the executable does not start.
    const [firstLine = ""] = stderr.trim().split("\n");
    throw new UserError("Cannot install the executable", {
      why: `it was made, but does not start as conclaude ${VERSION}: ${firstLine}`,
      next:
        `Set DENORT_BIN to denort ${Deno.version.deno} for this machine, or leave it out: \`unset DENORT_BIN\``,
    });
  }
  const path = join(folder, thisSystem() === "windows" ? "conclaude.exe" : "conclaude");
  tellAboutPlace(path, await placeExecutable(path, { copyOf: executable, version: VERSION }));
  console.log("  It is one executable: it needs neither this clone nor Deno.");
}

async function installLauncher(folder: string, why: string): Promise<void> {
  const [deno] = bundleCommand();
  const bundle = bundleCommand().at(-1)!;
  for (const { name, text } of launcherFiles(thisSystem(), { deno, bundle })) {
    const path = join(folder, name);
    tellAboutPlace(path, await placeProgram(path, { text }));
  }
  console.log(`  It is a launcher, not an executable of its own. ${NO_RUNTIME}:
    ${why}
  It works from any folder and without a network, as long as these stay where they are:
    ${deno}
    ${bundle}
  ${RUNTIME_ADVICE}
  Then run \`deno task install\` again.`);
}

function tellAboutPlace(path: string, placed: Placed): void {
  console.log(`${placed.before === "ours" ? "Updated" : "Installed"} ${path}`);
  if (placed.before !== "foreign") return;
  console.log(`  Another program's file had this name; it is now ${placed.movedTo}`);
}

function tellAboutPath(folder: string): void {
  const folders = (Deno.env.get("PATH") ?? "").split(delimiter).filter((part) => part !== "");
  if (folders.some((part) => resolve(part) === folder)) {
    return console.log(`${folder} is on your PATH. Next: conclaude install-hooks`);
  }
  console.log(`${folder} is not on your PATH. Next: ${join(folder, "conclaude")} install-hooks`);
  if (thisSystem() !== "windows") {
    console.log(`  To put it there, add to your shell's profile: export PATH="${folder}:$PATH"`);
  }
}

function defaultFolder(): string {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  if (home) return join(home, ".local", "bin");
  throw new UserError("Cannot install conclaude", {
    why: "HOME is not set, so there is no ~/.local/bin",
    next: "deno task install --dir /usr/local/bin",
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { dir: { type: "string" } } });
  const folder = resolve(Deno.env.get("INIT_CWD") ?? ".", values.dir ?? defaultFolder());
  const compiled = await compileProgram().catch((thrown) => {
    if (thrown instanceof NoRuntime) return thrown;
    throw thrown;
  });
  try {
    if (compiled instanceof NoRuntime) await installLauncher(folder, compiled.report);
    else await installExecutable(folder, compiled);
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    const why = messageOf(cause);
    const next = "Correct that, or use another folder: `deno task install --dir ~/bin`";
    throw new UserError(`Cannot install conclaude into "${folder}"`, { why, next, cause });
  }
  tellAboutPath(folder);
}

if (import.meta.main) await runTask(main);
