/** Runs a script that has to succeed before a merge. */
import { messageOf } from "../errors.ts";
import { endGroup, startWords } from "../process/start.ts";

/** So much of what it said last is told, in characters. */
const MAX_TOLD_CHARS = 500;

/** Runs a script to its end. @returns What is wrong; null when it has succeeded. Never throws. */
export async function runCheck(
  script: string,
  { folder, timeoutMs }: { readonly folder: string; readonly timeoutMs: number },
): Promise<string | null> {
  try {
    const child = startWords(["/bin/sh", "-c", script], {
      folder,
      variables: {},
      stdout: "piped",
      stderr: "piped",
    });
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(() => late.resolve(null), timeoutMs);
    const output = await Promise.race([child.output(), late.promise]);
    clearTimeout(timer);
    if (output === null) {
      await endGroup(child);
      return `it did not end in ${Math.round(timeoutMs / 1000)} seconds`;
    }
    if (output.success) return null;
    const said = [output.stdout, output.stderr]
      .map((bytes) => new TextDecoder().decode(bytes).trim())
      .filter((text) => text !== "").join("\n").slice(-MAX_TOLD_CHARS);
    return `exit code ${output.code}: ${said}`;
  } catch (thrown) {
    return messageOf(thrown);
  }
}
