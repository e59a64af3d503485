/** What reads PowerShell. Most commands hold none, and it takes as long to load as a plain command takes to judge. */
import type { POWERSHELL } from "./powershell_reader.ts";

type PowerShell = typeof POWERSHELL;

let reader: PowerShell | null = null;

/** Reads PowerShell from now on. */
export function readPowerShellWith(loaded: PowerShell): void {
  reader = loaded;
}

/** What reads PowerShell; null where nobody has loaded it. */
export function powerShell(): PowerShell | null {
  return reader;
}
