/**
 * Many claimers on several machines want the same tasks, and some of them are killed at any moment. They are real processes
 * of the program, in homes of their own.
 */
import assert from "node:assert/strict";
import { makeTask } from "../support/tasks.ts";
import { sizedTest, sizeOf } from "../support/lanes.ts";
import { needsPostgres, postgres, type TeamDatabase } from "./support/postgres.ts";
import { finished } from "../support/process.ts";
import { pause } from "../support/wait.ts";
import { machine, setUpTeam, type TeamMachine } from "./support/team_machine.ts";

/** How much is done: a claim and its completion take five processes. */
const SIZE = sizeOf({
  fast: { tasks: 12, machines: 2, claimers: 4, kills: 3 },
  slow: { tasks: 60, machines: 4, claimers: 8, kills: 10 },
  whole: { tasks: 400, machines: 8, claimers: 16, kills: 40 },
});

/** What a claimer did with a claim. */
interface Held {
  readonly task: string;
  readonly fence: number;
}

/** Notes each grant and each completion of the server, in their order. */
async function watchServer({ query }: TeamDatabase): Promise<void> {
  await query(`
    CREATE TABLE public.seen (id bigserial, task text, fence bigint, holder text, rounds bigint, was_free boolean);
    CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      INSERT INTO public.seen (task, fence, holder, rounds, was_free)
      VALUES (new.task, new.fence, new.holder, new.rounds,
              old.holder IS NULL OR old.lease_until <= clock_timestamp()
              OR (old.holder = new.holder AND old.origin = new.origin));
      RETURN new;
    END $$;
    CREATE TRIGGER see AFTER UPDATE ON conclaude.claim FOR EACH ROW EXECUTE FUNCTION public.see();`);
}

/** Lets the claims of an agent that is dead run out, there and on its machine: time passes. */
async function letRunOut(
  { query }: TeamDatabase,
  at: TeamMachine,
  dead: readonly string[],
): Promise<void> {
  const claims = "UPDATE conclaude.claim SET lease_until = now() WHERE holder = ANY ($1)";
  await query(claims, [dead]);
  await at.using((db) => {
    const end = db.prepare("UPDATE tasks SET lease_until_ms = 1 WHERE claimed_by = ?");
    for (const agent of dead) end.run(agent);
  });
}

/** Claims and completes until nothing is left. A process that is killed is as if its agent had died: another one follows. */
async function work(
  team: TeamDatabase,
  at: TeamMachine,
  { name, mayKill }: { readonly name: string; readonly mayKill: () => boolean },
): Promise<Held[]> {
  const completed: Held[] = [];
  const dead: string[] = [];
  const run = async (...args: readonly string[]) => {
    const agent = `${name}-${dead.length}`;
    const child = at.spawn(["--json", "task", ...args, "--agent-id", agent]);
    const kill = mayKill() ? setTimeout(() => end(child), 100 + Math.random() * 900) : undefined;
    const { code, signal, stdout } = await finished(child);
    clearTimeout(kill);
    if (signal !== null) dead.push(agent);
    return code === 0 ? JSON.parse(stdout).task : null;
  };
  for (;;) {
    const task = await run("claim", "--next");
    if (task === null) {
      const [{ left }] = await team.query(
        "SELECT $1 - count(*) AS left FROM conclaude.claim WHERE rounds > 0",
        [SIZE.tasks],
      );
      if (Number(left) <= 0) return completed;
      // What the dead one had started may have claimed the task after its death.
      if (dead.length > 0) await letRunOut(team, at, dead);
      await pause(200);
      continue;
    }
    const { id, claimToken } = task;
    const claimer = dead.length;
    const complete = () => run("complete", id, "--claim-token", String(claimToken));
    if (await complete() !== null) {
      completed.push({ task: id, fence: claimToken });
      continue;
    }
    // Whoever was killed comes back under another name, with the old number. Who is alive tries again: the server was busy.
    const isSame = dead.length === claimer;
    if (await complete() === null) continue;
    if (!isSame) throw new Error(`${id} was completed with the old claim ${claimToken}`);
    completed.push({ task: id, fence: claimToken });
  }
}

function end(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has left.
  }
}

sizedTest(
  "of many claimers on many machines, one at a time has a task, also when they are killed",
  async () => {
    const server = await postgres();
    const team = await server.database();
    const names = Array.from({ length: SIZE.machines }, (_, i) => `m${i}`);
    await setUpTeam(team, names, server);
    using all = new DisposableStack();
    const machines = names.map((name) => all.use(machine(name, team)));
    for (const one of machines) await one.join();
    const [first] = machines;
    await first!.using((db) => {
      const { project: repository, clone: projectDir } = first!;
      for (let i = 0; i < SIZE.tasks; i++) {
        makeTask(db, { title: `Task ${i}`, repository, projectDir, atMs: 1_000_000 + i });
      }
    });
    for (const one of machines) await one.json(["team", "sync"]);
    await watchServer(team);

    let kills = SIZE.kills;
    const mayKill = () => kills > 0 && Math.random() < 0.2 && kills-- > 0;
    const done = await Promise.all(
      Array.from(
        { length: SIZE.claimers },
        (_, i) => work(team, machines[i % machines.length]!, { name: `worker-${i}`, mayKill }),
      ),
    );

    const grants = await team.query("SELECT * FROM public.seen ORDER BY id");
    assert.deepEqual(
      grants.filter(({ was_free }) => was_free === false),
      [],
      "a task was held twice",
    );
    const completions = grants.filter(({ holder, rounds }) => holder === null && rounds === "1");
    assert.equal(new Set(completions.map(({ task }) => task)).size, SIZE.tasks);
    for (const { task, fence } of done.flat()) {
      const newest = grants.findLast((grant) => grant.task === task);
      assert.equal(Number(newest.fence), fence, `${task} was completed with an old claim`);
    }
    for (const _ of [1, 2]) for (const one of machines) await one.json(["team", "sync"]);
    for (const one of machines) {
      const open = await one.using((db) =>
        db.prepare("SELECT id, status FROM tasks WHERE status <> 'closed'").all()
      );
      assert.deepEqual(open, [], one.login);
    }
  },
  needsPostgres(),
);
