import assert from "node:assert/strict";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { runVerb, runVerbJson } from "../support/verb.ts";

Deno.test("export writes JSON Lines to stdout, with --json nothing besides", async () => {
  using temp = await tempDatabase();
  saveEvent(temp.db, { capture: {} });
  const place = { home: temp.folder, database: temp.path };
  for (const args of [["export"], ["export", "--json"]]) {
    const { code, stdout, stderr } = await runVerb(args, place);
    assert.equal(code, 0);
    assert.equal(stderr, "");
    const types = stdout.trimEnd().split("\n").map((line) => JSON.parse(line).type);
    assert.deepEqual(types, ["meta", "session", "execution", "capture", "end"]);
  }
});

Deno.test("export --output writes a file for the user alone, and replaces it as a whole", async () => {
  using temp = await tempDatabase();
  saveEvent(temp.db, { capture: {}, counters: ["edits"] });
  const place = { home: temp.folder, database: temp.path };
  const path = `${temp.folder}/out.jsonl`;
  Deno.writeTextFileSync(path, "old", { mode: 0o644 });
  Deno.symlinkSync(path, `${temp.folder}/link.jsonl`);
  const report = await runVerbJson(["export", "--output", "link.jsonl"], place);
  assert.deepEqual(report, {
    output: "link.jsonl",
    sessions: 1,
    executions: 1,
    captures: 1,
    counters: 1,
    requirements: 0,
    observations: 0,
    tasks: 0,
    taskTags: 0,
    taskDependencies: 0,
    taskChanges: 0,
    agents: 0,
    workflows: 0,
    workflowSteps: 0,
    questions: 0,
    events: 0,
    summaryRequests: 0,
    damaged: 0,
    unreadable: 0,
  });
  assert.ok(Deno.lstatSync(`${temp.folder}/link.jsonl`).isSymlink);
  assert.equal(Deno.readTextFileSync(path).trimEnd().split("\n").length, 6);
  if (Deno.build.os !== "windows") assert.equal(Deno.statSync(path).mode! & 0o777, 0o600);
  assert.deepEqual(namesOfDrafts(temp.folder), []);
});

Deno.test("export --output into a folder that is not there says so and leaves nothing behind", async () => {
  using temp = await tempDatabase();
  const place = { home: temp.folder, database: temp.path };
  const cases = [["no/such/out.jsonl", "mkdir -p \\S+/no/such"], [".", "ls -ld \\S+"]] as const;
  for (const [name, next] of cases) {
    const { code, stderr } = await runVerb(["export", "--output", name], place);
    assert.equal(code, 1);
    assert.match(stderr, /^Cannot write ".*"\n {2}why: .*\n {2}next: .*\n$/);
    assert.match(stderr, new RegExp(`next: ${next}\n$`));
    assert.match(stderr, /why: .*; nothing was changed\n/);
  }
  assert.deepEqual(namesOfDrafts(temp.folder), []);
});

Deno.test("export --output to a pipe writes to it and does not take its place", async () => {
  if (Deno.build.os === "windows") return;
  using temp = await tempDatabase();
  saveEvent(temp.db);
  // A pipe of our own: code that fails here must not be able to replace a device of the machine.
  const pipe = `${temp.folder}/pipe`;
  assert.ok((await new Deno.Command("mkfifo", { args: [pipe] }).output()).success);
  const reader = new Deno.Command("cat", { args: [pipe], stdout: "piped" }).spawn();
  const place = { home: temp.folder, database: temp.path };
  const { code } = await runVerb(["export", "--output", pipe], place);
  const stillThere = Deno.statSync(pipe).isFifo;
  if (!stillThere) reader.kill("SIGKILL");
  const { stdout } = await reader.output();
  assert.ok(stillThere);
  assert.equal(code, 0);
  assert.equal(new TextDecoder().decode(stdout).trimEnd().split("\n").length, 4);
});

Deno.test("export with a damaged payload writes the rest and exits with 1", async () => {
  using temp = await tempDatabase();
  saveEvent(temp.db, { atMs: 1, capture: {} });
  saveEvent(temp.db, { atMs: 2, capture: {} });
  temp.db.exec("UPDATE pending_queue SET payload = '{broken' WHERE created_at_ms = 1");
  const { code, stdout, stderr } = await runVerb(["export"], {
    home: temp.folder,
    database: temp.path,
  });
  assert.equal(code, 1);
  assert.match(stderr, /^1 payloads are damaged/);
  assert.equal(JSON.parse(stdout.trimEnd().split("\n").at(-1)!).captures, 2);
});

function namesOfDrafts(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
    name.endsWith(".tmp")
  );
}
