/** The reader of PowerShell, loaded on demand: most commands hold none. */
import type { POWERSHELL } from "./powershell_reader.ts";

type PowerShell = typeof POWERSHELL;

let reader: PowerShell | null = null;

/** Reads PowerShell from now on. */
export function readPowerShellWith(loaded: PowerShell): void {
  reader = loaded;
}

/** The reader of PowerShell; null where nobody has loaded it. */
export function powerShell(): PowerShell | null {
  return reader;
}
