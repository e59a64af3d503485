/** Git in a folder of a test: `await git(folder, "status")`. */
import { cpSync } from "node:fs";
import { dirname, join } from "node:path";

/** A repository that is made once for a test file, and copied from then on: by its branch and files. */
const models = new Map<string, string>();
addEventListener("unload", () => {
  for (const model of models.values()) Deno.removeSync(model, { recursive: true });
});

/** Git starts a process of its own after each commit, which tidies up. */
const NO_UPKEEP = ["-c", "maintenance.auto=false"];

/** Git in a folder, with an author of its own and no configuration of this machine. @returns What it prints. */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  return printed(args, await commandOf(folder, args).output());
}

/** {@linkcode git}, waited for. */
export function gitSync(folder: string, ...args: readonly string[]): string {
  return printed(args, commandOf(folder, args).outputSync());
}

function commandOf(folder: string, args: readonly string[]): Deno.Command {
  return new Deno.Command("git", {
    args: ["-c", "user.name=Ana", "-c", "user.email=ana@example.com", ...NO_UPKEEP, ...args],
    cwd: folder,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
    stdin: "null",
  });
}

function printed(args: readonly string[], output: Deno.CommandOutput): string {
  const text = new TextDecoder();
  if (!output.success) throw new Error(`git ${args.join(" ")}: ${text.decode(output.stderr)}`);
  return text.decode(output.stdout);
}

/**
 * Makes a repository in a folder, which may be there.
 * @param files Texts by path; where there are some, they are its first commit, `Begin`.
 * @param grow What comes after it, done once for all repositories that begin so.
 */
export function makeRepository(
  folder: string,
  { branch = "main", files = {}, grow = () => {} }: {
    readonly branch?: string;
    readonly files?: Readonly<Record<string, string>>;
    readonly grow?: (folder: string) => void;
  } = {},
): void {
  const key = JSON.stringify([branch, files, String(grow)]);
  const model = models.get(key) ?? makeModel(branch, files);
  if (!models.has(key)) grow(model);
  models.set(key, model);
  cpSync(model, folder, { recursive: true });
}

function makeModel(branch: string, files: Readonly<Record<string, string>>): string {
  const folder = Deno.makeTempDirSync({ prefix: "conclaude-repository-" });
  for (const [name, text] of Object.entries(files)) {
    Deno.mkdirSync(dirname(join(folder, name)), { recursive: true });
    Deno.writeTextFileSync(join(folder, name), text);
  }
  gitSync(folder, "init", "-q", "-b", branch, "--template=");
  if (Object.keys(files).length > 0) {
    gitSync(folder, "add", ".");
    gitSync(folder, "commit", "-q", "-m", "Begin");
  }
  return folder;
}
