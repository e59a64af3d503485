/** Writes into a database as another process does that knows nothing of a daemon. */
import { join } from "node:path";
import { finished, REPOSITORY } from "./process.ts";

const WRITER = `
const { openDatabase } = await import(Deno.args[0] + "/src/db/database.ts");
const { transaction } = await import(Deno.args[0] + "/src/db/transaction.ts");
const { createTask } = await import(Deno.args[0] + "/src/work/task_life_table.ts");
const db = await openDatabase(Deno.args[1], { busyTimeoutMs: 8000 });
for (let n = 0; n < Number(Deno.args[2]); n++) {
  const task = { title: Deno.args[3], body: "", type: "task", priority: 2, parentId: null, tags: [], dependsOn: [],
    workflow: null, projectDir: null, repository: null, isQueued: false };
  transaction(db, () => createTask(db, task, { by: "outside", atMs: Date.now() }));
}
`;

/** Makes tasks, one transaction and one event each. */
export async function writeFromOutside(
  database: string,
  { count, title = "outside" }: { readonly count: number; readonly title?: string },
): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "-q", `--config=${join(REPOSITORY, "deno.json")}`, "-"],
      ...[`file://${REPOSITORY}`, database, String(count), title],
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const { code, stderr } = await finished(child, WRITER);
  if (code !== 0) throw new Error(stderr);
}
