/** What has become of a file since something was observed of it, in words. */

/** Its content has changed, or the file is gone. */
export type Stale = "changed" | "gone";

/** What is said behind the fact; empty where nothing has changed. */
export function staleText(stale: Stale | null): string {
  if (stale === "gone") return " (its file is gone)";
  return stale === "changed" ? " (its file has changed since)" : "";
}
