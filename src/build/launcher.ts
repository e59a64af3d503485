/**
 * A small script in the executable's place, for where the executable cannot be made: it runs the bundle of this clone
 * with the Deno that wrote it, with the executable's permissions, and without the network.
 */
import type { System } from "../cli/permissions.ts";
import { quoteWord } from "../settings/hooks.ts";
import { runFlags } from "./program.ts";

/** Tells our launcher from anybody else's script. */
export const LAUNCHER_MARK = "conclaude launcher, written by `deno task install`";

/** The absolute paths of the two files that a launcher needs to stay where they are. */
interface LauncherParts {
  readonly deno: string;
  readonly bundle: string;
}

/** The files to put on the PATH: one script, and on Windows a second one for shells that are not POSIX. */
export function launcherFiles(
  system: System,
  parts: LauncherParts,
): { readonly name: string; readonly text: string }[] {
  if (system !== "windows") return [{ name: "conclaude", text: posixLauncher(system, parts) }];
  // Claude Code runs hooks in Git Bash there, which wants forward slashes.
  const slashed = (path: string) => path.replaceAll("\\", "/");
  const forBash = { deno: slashed(parts.deno), bundle: slashed(parts.bundle) };
  return [
    { name: "conclaude", text: posixLauncher(system, forBash) },
    { name: "conclaude.cmd", text: windowsLauncher(parts) },
  ];
}

function posixLauncher(system: System, { deno, bundle }: LauncherParts): string {
  return `#!/bin/sh
# ${LAUNCHER_MARK}.
deno=${quoteWord(deno)}
bundle=${quoteWord(bundle)}
if [ ! -x "$deno" ] || [ ! -f "$bundle" ]; then
  echo "conclaude: $deno or $bundle is gone; run \\\`deno task install\\\` in the clone again" >&2
  exit 1
fi
export DENO_NO_UPDATE_CHECK=1
exec "$deno" run ${runFlags(system).map(quoteWord).join(" ")} "$bundle" "$@"
`;
}

function windowsLauncher({ deno, bundle }: LauncherParts): string {
  const word = (text: string) => `"${text.replaceAll("%", "%%")}"`;
  return `@echo off
rem ${LAUNCHER_MARK}.
setlocal
set DENO_NO_UPDATE_CHECK=1
${word(deno)} run ${runFlags("windows").map(word).join(" ")} ${word(bundle)} %*
`.replaceAll("\n", "\r\n");
}
