/** Causes of a failure that lie outside of the code: what mends them is known from no diff. */

/** A cause, and how an error tells of it. */
interface OutsideCause {
  readonly name: string;
  readonly pattern: RegExp;
  readonly example: string;
  /** An error much like it whose cause lies in the code. */
  readonly counterexample: string;
}

/** What an error says of each. */
export const OUTSIDE_CAUSES: readonly OutsideCause[] = [
  {
    name: "port",
    pattern:
      /\bEADDRINUSE\b|address (?:is )?already in use|port \S+ (?:is )?(?:already )?(?:in use|allocated)/i,
    example: "Error: listen EADDRINUSE: address already in use :::3000",
    counterexample: "TypeError: port must be a number",
  },
  {
    name: "service",
    pattern:
      /\bECONNREFUSED\b|connection refused|could not connect|failed to connect|cannot connect to|no such host|\bENOTFOUND\b|could not translate host name|name or service not known/i,
    example: 'connection to server at "localhost", port 5432 failed: Connection refused',
    counterexample: "AssertionError: expected the connection to be closed",
  },
  {
    name: "variable",
    pattern:
      /\b[A-Z][A-Z0-9_]{3,} (?:is |must be |was )?(?:not set|unset|required|missing)\b|environment variable|unbound variable/,
    example: "Error: DATABASE_URL is not set",
    counterexample: "error: unused variable `total`",
  },
  {
    name: "version",
    pattern:
      /unsupported engine|requires? (?:node|python|go|ruby|java|rustc|php)\b|(?:node|python|go|ruby|java|rustc|php)(?:\.js)? (?:version )?(?:>=|v?\d[\d.]* is (?:not supported|too old|required))|wrong architecture|was compiled against a different/i,
    example: "error: package x requires rustc 1.80 or newer",
    counterexample: "error: expected version 2 of the header, got 3",
  },
  {
    name: "program or package",
    pattern:
      /command not found|No module named|ModuleNotFoundError|Cannot find (?:module|package) ['"](?![./@~#])|error while loading shared libraries|ERESOLVE|externally-managed-environment/i,
    example: "bash: protoc: command not found",
    counterexample: "Cannot find module './parser'",
  },
];

/** Whether an error tells of a cause outside of the code. */
export function liesOutside(error: string): boolean {
  return OUTSIDE_CAUSES.some(({ pattern }) => pattern.test(error));
}
