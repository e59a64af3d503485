/** All that reads PowerShell, loaded in one where a command may hold some. */
import { inCmdlet, isCmdlet, namesOfCmdlet } from "./cmdlets.ts";
import { fromPowerShell } from "./powershell.ts";

export const POWERSHELL = { fromPowerShell, inCmdlet, isCmdlet, namesOfCmdlet };
