import { isSameFile } from "../process/executable.ts";
import { isConclaudeScript } from "./checkout.ts";
import type { Program } from "./hooks.ts";
import type { Ownership } from "./own_handler.ts";

/** Who asks which hooks are conclaude's. */
export interface Asker {
  /** The program that hooks shall start. */
  readonly program?: Program | undefined;
  /** The executable that this process is; null or nothing when it runs from source. */
  readonly executable?: string | null | undefined;
}

/**
 * Ownership with everything that this machine can tell. Sameness counts for this very executable alone: any other
 * program may be one of many names for one file (`busybox`, the shims of a version manager), most of them foreign.
 */
export function ownershipHere({ program, executable }: Asker): Ownership {
  return {
    program,
    isOurScript: isConclaudeScript,
    isThisExecutable: (path) => executable != null && isSameFile(path, executable),
  };
}
