/** What has become of a file since something was told of it, in words. */

/** Its content is another one, or it is not there any more. */
export type Stale = "changed" | "gone";

/** What is said of it beside the fact; empty where all is as it was. */
export function staleText(stale: Stale | null): string {
  if (stale === "gone") return " (its file is gone)";
  return stale === "changed" ? " (its file has changed since)" : "";
}
