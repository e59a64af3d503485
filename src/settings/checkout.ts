import { joinPath, parentOf } from "../paths.ts";
import { isInOurFolder } from "./own_handler.ts";

/** `dist/bundle/main.js` lies two folders below the `deno.json` of its clone, `main.ts` lies beside it. */
const FOLDERS_UP = 3;

/**
 * Whether a `main.ts` or `main.js` is conclaude's: its folders say so, or the `deno.json` of the clone that it lies in
 * does. Somebody else's script, and one that is gone from a folder of any other name, is not.
 */
export function isConclaudeScript(script: string): boolean {
  if (isInOurFolder(script)) return true;
  let folder = parentOf(script);
  for (let level = 0; level < FOLDERS_UP; level++) {
    if (nameIn(joinPath(folder, "deno.json")) === "conclaude") return true;
    folder = parentOf(folder);
  }
  return false;
}

function nameIn(denoJson: string): unknown {
  try {
    return JSON.parse(Deno.readTextFileSync(denoJson))?.name;
  } catch {
    return undefined;
  }
}
