/** Opens an address in the person's browser with the system's own tool. */
import type { Environment } from "../environment.ts";
import { startWords } from "./start.ts";

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  windows: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Starts the tool and does not wait for it. @returns False where there is no such tool. */
export function openInBrowser(
  address: string,
  environment: Pick<Environment, "passedOn">,
): boolean {
  const { os } = Deno.build;
  try {
    startWords([...OPENERS[os] ?? ["xdg-open"], address], {
      ...{ folder: os === "windows" ? "C:/" : "/", variables: {}, environment },
      ...{ stdout: "null", stderr: "null" },
    }).unref();
    return true;
  } catch {
    return false;
  }
}
