/** Tests that need something of the machine say so in their name when it is missing, and are skipped. */

import { programCommand } from "../../src/build/program.ts";

type Body = () => void | Promise<void>;

/** How long a test may take before it fails, so that one that waits for ever does not hold up its lane. */
const LIMIT_MIN = 15;

/** A test that runs where `missing` is null; elsewhere it is skipped, with `missing` as the reason in its name. */
export function testWhere(missing: string | null, name: string, body: Body): void {
  if (missing === null) Deno.test(name, () => limited(body));
  else Deno.test({ name: `${name} [skipped: ${missing}]`, ignore: true, fn: body });
}

async function limited(body: Body): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`the test did not end in ${LIMIT_MIN} minutes`)),
    LIMIT_MIN * 60_000,
  );
  try {
    await Promise.race([body(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Null on Linux, macOS and the like; else why not. */
export function needsUnix(): string | null {
  return Deno.build.os === "windows" ? "needs Unix" : null;
}

/** Null on Linux; else why not. */
export function needsLinux(): string | null {
  return Deno.build.os === "linux" ? null : "needs Linux";
}

/** Null where this process is root on Linux; else why not. */
export function needsRoot(): string | null {
  return needsLinux() ?? (Deno.uid() === 0 ? null : "needs root");
}

/** Null where the tools are installed. */
export function needsTools(...names: readonly string[]): string | null {
  const missing = names.filter((name) => !runs(["sh", "-c", `command -v ${name}`]));
  return missing.length === 0 ? null : `needs ${missing.join(", ")}`;
}

/** Null where other users may run the program: its executable, or Deno and the bundle, in folders open to them. */
function needsProgramForOthers(): string | null {
  const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] as const;
  const [program, ...rest] = programCommand();
  const isOpen = runs([...nobody, "test", "-x", program!]) &&
    runs([...nobody, "test", "-r", rest.at(-1) ?? program!]);
  return isOpen ? null : "needs a program that others may run";
}

/** Null where this process may start the program as another user. */
export function needsUsers(): string | null {
  return needsRoot() ?? needsTools("setpriv") ?? needsProgramForOthers();
}

/** Null where a process may have mounts of its own. */
export function needsMounts(): string | null {
  return needsRoot() ?? needsTools("unshare", "nsenter", "mount") ??
    (runs(["unshare", "-m", "true"]) ? null : "needs the right to mount");
}

/** Null when the tests run on a compiled executable. */
export function needsExecutable(): string | null {
  return Deno.env.get("CONCLAUDE_BIN") ? null : "needs CONCLAUDE_BIN";
}

function runs(command: readonly [string, ...string[]]): boolean {
  const [program, ...args] = command;
  try {
    return new Deno.Command(program, { args, stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}
