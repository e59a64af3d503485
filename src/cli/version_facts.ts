import { sqliteVersion } from "../store/care.ts";
import { SCHEMA_VERSION } from "../store/database.ts";
import { VERSION } from "../version.ts";

/** What `conclaude --version --json` prints: the program, what it runs on, and the schema that it writes. */
export interface VersionFacts {
  readonly version: string;
  readonly schema: number;
  readonly sqlite: string;
  readonly deno: string;
  /** For example `x86_64-unknown-linux-gnu`. */
  readonly target: string;
}

export function versionFacts(): VersionFacts {
  return {
    version: VERSION,
    schema: SCHEMA_VERSION,
    sqlite: sqliteVersion(),
    deno: Deno.version.deno,
    target: Deno.build.target,
  };
}
