/** Workflows that tests work through. */

/** A workflow that lies in `testdata/workflows`, or the steps of one: `workflowText("rounds")`. */
export function workflowText(name: string): string {
  return Deno.readTextFileSync(new URL(`../testdata/workflows/${name}.yaml`, import.meta.url));
}
