/** Parses a shell command and finds the files that its words stand for. Loaded for shell commands alone. */
import { type BashUse, type BashUses, judgeBash, readUses } from "../guard/bash.ts";
import type { GuardPolicy } from "../guard/guard_policy.ts";
import { TooMuchWork } from "../guard/shell/budget.ts";
import { readPowerShellWith } from "../guard/shell/languages.ts";
import type { Judge } from "../guard/types.ts";
import { isFolder, readText } from "../project/on_disk.ts";
import type { Ground } from "./file_lookup.ts";
import { MAX_VISITS } from "./folder_lookup.ts";
import { lookAtFiles, topOf } from "./shell_lookup.ts";

/** Longer patches are not read, in bytes. */
const MAX_TEXT_BYTES = 1_048_576;

const DISK = { readText: (path: string) => readText(path, MAX_TEXT_BYTES), topOf };

/** Makes the judge of a shell command. */
export async function judgerOfShell(
  policy: GuardPolicy,
  use: BashUse,
  ground: Ground,
): Promise<Judge> {
  await loadLanguage(use);
  const wantsBelow = policy.uneditable.length > 0;
  return {
    judge: (look) => judgeBash(policy, { ...use, isFolder, disk: DISK }, look),
    beginLooking: () => {
      const at = {
        ...ground,
        heads: ground.heads === null ? null : { ...ground.heads },
        wantsBelow,
        visits: { left: MAX_VISITS },
      };
      return (path, how) => {
        if (at.visits.left < 0) throw new TooMuchWork();
        return lookAtFiles(path, how, at);
      };
    },
  };
}

/** What a shell command would start and change, for the requirements. */
export async function readShellUse(
  command: string,
  around: Pick<BashUse, "tool" | "folder" | "home" | "gitAliases">,
): Promise<BashUses> {
  await loadLanguage({ ...around, command });
  return readUses(command, { ...around, disk: DISK });
}

/** Loads the reader of PowerShell where a command may start it; its name may be broken by quotes. */
async function loadLanguage({ tool, command }: Pick<BashUse, "tool" | "command">): Promise<void> {
  if (tool !== "PowerShell" && !/pwsh|powershell/i.test(command.replace(/['"\\]/g, ""))) return;
  const { POWERSHELL } = await import("../guard/shell/powershell_reader.ts");
  readPowerShellWith(POWERSHELL);
}
