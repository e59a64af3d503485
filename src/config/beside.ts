/** Configuration files that count for nothing because another one stands beside them. */
import { exists } from "../project/exists.ts";
import type { ConfigFile } from "./discover.ts";

/** A file that is not read, and the one that counts in its place. */
export interface PassedOver {
  readonly path: string;
  readonly counts: string;
}

/** The `.yml` files beside a `.yaml` that counts. @param files As `readConfigFiles()` found them. */
export function passedOver(files: readonly ConfigFile[]): PassedOver[] {
  return files
    .filter(({ layer, path }) => layer !== "local" && path.endsWith(".yaml"))
    .map(({ path }) => ({ path: path.replace(/\.yaml$/, ".yml"), counts: path }))
    .filter(({ path }) => exists(path));
}
