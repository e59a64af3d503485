/**
 * `deno task install [--dir DIR]`: puts `conclaude` into `~/.local/bin`. It is the executable where that can be made,
 * else a launcher that runs the bundle of this clone; what it is, and why, is said.
 */
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { thisSystem } from "../cli/permissions.ts";
import { messageOf, UserError } from "../errors.ts";
import { VERSION } from "../version.ts";
import { compileProgram, NO_RUNTIME, RUNTIME_ADVICE } from "./compile.ts";
import { launcherFiles } from "./launcher.ts";
import { type Placed, placeExecutable, placeProgram } from "./place_file.ts";
import { REPOSITORY } from "./run_deno.ts";
import { runTask } from "./run_task.ts";

async function install(folder: string): Promise<void> {
  const compiled = await compileProgram();
  try {
    if (compiled.kind === "made") await installExecutable(folder, compiled.path);
    else await installLauncher(folder, compiled.why);
  } catch (thrown) {
    throw asUserError(thrown, folder);
  }
  tellAboutPath(folder);
}

async function installExecutable(folder: string, executable: string): Promise<void> {
  await tryOut(executable);
  const path = join(folder, thisSystem() === "windows" ? "conclaude.exe" : "conclaude");
  tellAboutPlace(path, await placeExecutable(path, { copyOf: executable, version: VERSION }));
  console.log("  It is one executable: it needs neither this clone nor Deno.");
}

/** An executable with a runtime of another version or machine (`DENORT_BIN`) can be made, but does not start. */
async function tryOut(executable: string): Promise<void> {
  const { stdout, stderr } = await new Deno.Command(resolve(executable), {
    args: ["--version"],
    env: { NO_COLOR: "1" },
  })
    .output();
  const decoder = new TextDecoder();
  if (decoder.decode(stdout).trim() === VERSION) return;
  const [said = ""] = decoder.decode(stderr).trim().split("\n");
  throw new UserError("Cannot install the executable", {
    why: `it was made, but does not start as conclaude ${VERSION}: ${said}`,
    next:
      `Set DENORT_BIN to denort ${Deno.version.deno} for this machine, or leave it out: \`unset DENORT_BIN\``,
  });
}

async function installLauncher(folder: string, why: string): Promise<void> {
  const deno = Deno.execPath();
  const bundle = fileURLToPath(new URL("dist/bundle/main.js", REPOSITORY));
  for (const { name, text } of launcherFiles(thisSystem(), { deno, bundle })) {
    const path = join(folder, name);
    tellAboutPlace(path, await placeProgram(path, { text }));
  }
  console.log(
    [
      `  It is a launcher, not an executable of its own. ${NO_RUNTIME}:`,
      `    ${why}`,
      "  It works from any folder and without a network, as long as these stay where they are:",
      `    ${deno}`,
      `    ${bundle}`,
      `  ${RUNTIME_ADVICE}`,
      "  Then run `deno task install` again.",
    ].join("\n"),
  );
}

function tellAboutPlace(path: string, placed: Placed): void {
  switch (placed.before) {
    case "nothing":
      console.log(`Installed ${path}`);
      break;
    case "ours":
      console.log(`Updated ${path}`);
      break;
    case "foreign":
      console.log(`Installed ${path}`);
      console.log(`  Another program's file had this name; it is now ${placed.movedTo}`);
  }
}

function tellAboutPath(folder: string): void {
  const folders = (Deno.env.get("PATH") ?? "").split(delimiter).filter((part) => part !== "");
  if (folders.some((part) => resolve(part) === folder)) {
    console.log(`${folder} is on your PATH. Next: conclaude install-hooks`);
    return;
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

function asUserError(thrown: unknown, folder: string): UserError {
  if (thrown instanceof UserError) return thrown;
  return new UserError(`Cannot install conclaude into "${folder}"`, {
    why: messageOf(thrown),
    next: "Correct that, or use another folder: `deno task install --dir ~/bin`",
    cause: thrown,
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { dir: { type: "string" } } });
  await install(resolve(Deno.env.get("INIT_CWD") ?? ".", values.dir ?? defaultFolder()));
}

if (import.meta.main) await runTask(main);
