/** What is open, what the next session is told, and lists of what is remembered. */
import assert from "node:assert/strict";
import { testWith } from "../support/fixtures.ts";
import { change } from "../support/on_home.ts";
import { jsonOf } from "../support/program.ts";
import { FIRST, type Workplace, workplace } from "../support/told_sessions.ts";

const test = testWith(workplace);

test("memory open lists failures, todos, tasks and questions of this project, and no others", async (at) => {
  assert.match((await at.verb("memory", "open")).stdout, /^Nothing is open in .*app\.\n$/);
  await at.work();
  await at.todos({ "Mend the lint": "pending", "Mend the login": "completed" });
  await at.said("One is left.");
  await at.verb("task", "create", "--title", `Tell ${"the customers ".repeat(20)}`);
  const asked = await at.verb("task", "create", "Ask the supplier", "--json");
  const { task: { id } } = jsonOf(asked) as { readonly task: { readonly id: string } };
  await at.verb("task", "claim", id);
  await at.verb("task", "block", id, "--reason", "they are closed");
  await at.send("Elicitation", { mcp_server_name: "shop", message: "Which shop?" });
  const { stdout } = await at.verb("memory", "open");
  for (const line of stdout.split("\n").slice(1)) assert.ok(line.length <= 80, line);
  assert.match(stdout, /^Failed, and left open\n {2}#\d+ just now {2}`npm run lint` failed/m);
  assert.match(stdout, /^Left to do\n {2}just now {2}Mend the lint\n\n/m);
  assert.match(stdout, /^Tasks \(`conclaude task show ID`\)\n {2}\w{8} open {2}Tell the/m);
  assert.match(stdout, /^ {2}\w{8} blocked {2}Ask the supplier$/m);
  assert.match(stdout, /^Questions .*\n {2}q-\S+ just now {2}shop: Which shop\?$/m);
  const open = jsonOf(await at.verb("memory", "open", "--json")) as Record<string, unknown[]>;
  assert.deepEqual(
    ["failures", "todos", "tasks", "workflows", "questions"].map((kind) => open[kind]!.length),
    [1, 1, 2, 0, 1],
  );
  change(
    at,
    `INSERT INTO workflows (id, task_id, name, definition, status, claim_token, project_dir,
                            repository, created_at_ms, updated_at_ms)
     SELECT 'workflow-1a2b3c4d', id, 'release', '{}', 'pending_merge', 1, project_dir, repository, 1, 1
       FROM tasks
      WHERE status = 'open'`,
  );
  assert.match(
    (await at.verb("memory", "open")).stdout,
    /^Workflows .*\n {2}1a2b3c4d Tell the \S.*….*omers {2}pending merge {2}release$/m,
  );
  const elsewhere = await at.verb("memory", "open", "--project", at.path);
  assert.match(elsewhere.stdout, /^Nothing is open in /);
});

/** The ages in a context vary with the moment that it is made. */
const ageless = (text: string) => text.replace(/ (?:just now|\d+[mh] ago)/g, " now");

async function contextOf(at: Workplace, ...args: string[]) {
  const shown = jsonOf(await at.verb("memory", "context", ...args, "--json"));
  return shown as {
    readonly text: string;
    readonly tokens: number;
    readonly lines: readonly { readonly text: string; readonly tokens: number; why: string }[];
    readonly leftOut: readonly unknown[];
  };
}

test("memory context shows to the letter what the next session is told, with the price and reason of each line", async (at) => {
  assert.match((await at.verb("memory", "context")).stdout, /^Nothing is remembered of /);
  await at.work();
  const shown = await contextOf(at);
  const told = await at.start();
  assert.ok(told.includes("npm run lint"));
  assert.equal(ageless(shown.text), ageless(told));
  assert.equal(shown.lines.length, told.split("\n").filter((line) => line.startsWith("- ")).length);
  const lint = shown.lines.find(({ text }) => text.includes("npm run lint"))!;
  assert.equal(lint.why, "failed or was cut off last, and nothing has mended it");
  assert.ok(lint.tokens > 0 && lint.tokens < shown.tokens);
  assert.deepEqual(shown.leftOut, []);
  const { stdout } = await at.verb("memory", "context");
  assert.ok(ageless(stdout).startsWith(ageless(told)));
  assert.match(
    stdout,
    /^\d+ tokens of 1200, line by line:\n +\d+ {2}#\d+ .*nothing has mended it$/m,
  );
  const own = await contextOf(at, "--session", FIRST);
  assert.ok(!own.text.includes("npm run lint"), "a session is not told of itself");
});

test("memory list, a search without words and memory show of several ids take what a filter lets through", async (at) => {
  await at.work();
  const list = async (...args: string[]) => jsonOf(await at.verb("memory", ...args, "--json"));
  const { observations, more } = await list("list", "--kind", "fix") as {
    observations: { id: number; title: string }[];
    more: boolean;
  };
  assert.equal(more, false);
  assert.match(observations[0]!.title, /^Fixed .*token is undefined/);
  const { observations: [newest], more: isMore } = await list("list", "--limit", "1") as {
    observations: { id: number }[];
    more: boolean;
  };
  assert.equal(isMore, true);
  const { results } = await list("search", "--kind", "fix", "--here") as { results: unknown[] };
  assert.deepEqual(results.map((one) => Object(one).id), observations.map(({ id }) => id));
  assert.equal((await at.verb("memory", "search")).code, 2);
  const { stdout } = await at.verb("memory", "list", "--kind", "failure");
  assert.match(stdout, /npm run lint.*not mended/);
  const ids = [newest!.id, observations[0]!.id].map(String);
  const shown = await list("show", ...ids) as { observations: { id: number }[] };
  assert.deepEqual(shown.observations.map(({ id }) => String(id)), ids);
  const { id } = await list("show", ids[0]!) as { id: number };
  assert.equal(String(id), ids[0]);
  const both = await at.verb("memory", "show", ...ids);
  assert.equal(both.stdout.match(/^observation /gm)!.length, 2);
});
