/** What a tool said. */
export interface ToolRun {
  readonly success: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the Deno that runs this, to its end, without colours. @param cwd The clone's folder when not given. */
export function runDeno(
  args: readonly string[],
  cwd: string | URL = REPOSITORY,
): Promise<ToolRun> {
  return run(Deno.execPath(), args, cwd);
}

/** Runs a tool in the same way. */
export async function run(
  tool: string,
  args: readonly string[],
  cwd: string | URL = REPOSITORY,
): Promise<ToolRun> {
  const { success, stdout, stderr } = await new Deno.Command(tool, {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { success, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** The clone that the tasks belong to. */
export const REPOSITORY = new URL("../../", import.meta.url);
