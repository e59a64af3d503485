/** What a run of Deno's own tools said. */
export interface DenoRun {
  readonly success: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the Deno that runs this, to its end, without colours. @param cwd The clone's folder when not given. */
export async function runDeno(
  args: readonly string[],
  cwd: string | URL = REPOSITORY,
): Promise<DenoRun> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
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
