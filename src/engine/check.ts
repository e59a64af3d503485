/** Runs a script that has to succeed before a merge. */
import { count } from "../counts.ts";
import { messageOf } from "../errors.ts";
import { runWords } from "../process/run_words.ts";

/** So much of what it said last is told, in characters. */
const MAX_TOLD_CHARS = 500;

/** Runs a script to its end. @returns What is wrong; null when it has succeeded. Never throws. */
export async function runCheck(
  script: string,
  { folder, timeoutMs }: { readonly folder: string; readonly timeoutMs: number },
): Promise<string | null> {
  try {
    const end = await runWords(["/bin/sh", "-c", script], { folder, timeoutMs });
    if (end === null) return `it did not end in ${count(Math.round(timeoutMs / 1000), "second")}`;
    if (end.code === 0) return null;
    const said = [end.stdout, end.stderr].map((text) => text.trim())
      .filter((text) => text !== "").join("\n").slice(-MAX_TOLD_CHARS);
    return `exit code ${end.code}: ${said}`;
  } catch (thrown) {
    return messageOf(thrown);
  }
}
