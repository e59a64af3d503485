/** Everything that reads PowerShell, in one object. */
import { inCmdlet, isCmdlet, namesOfCmdlet } from "./cmdlets.ts";
import { fromPowerShell } from "./powershell.ts";

export const POWERSHELL = { fromPowerShell, inCmdlet, isCmdlet, namesOfCmdlet };
