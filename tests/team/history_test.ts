import assert from "node:assert/strict";
import { type TeamMachine, teamTest, type TwoMachines } from "./support/team_machine.ts";

/** A change of a task that two machines know. */
interface Step {
  readonly name: string;
  readonly change: (at: TwoMachines & { readonly id: string }) => Promise<void>;
}

const STEPS: readonly Step[] = [
  {
    name: "the same change twice, of which the second one is refused",
    async change({ alice, bob, id }) {
      for (const one of [bob, alice]) await one.json(["task", "update", id, "--priority", "1"]);
      await bob.json(["task", "update", id, "--priority", "3"]);
      await alice.json(["task", "update", id, "--priority", "0"]);
    },
  },
  {
    name: "a claim that ran out, which both machines take back",
    async change({ alice, bob, team, id }) {
      await alice.json(["task", "claim", id, "--agent-id", "a1"]);
      await syncBoth(alice, bob);
      await team.query("UPDATE conclaude.claim SET lease_until = now() - interval '1 second'");
      await alice.using((db) => db.exec("UPDATE tasks SET lease_until_ms = 1"));
      await bob.json(["task", "claim", "--next", "--agent-id", "b1"]);
      await alice.json(["task", "ready"]);
      await bob.json(["team", "sync"]);
    },
  },
  {
    name: "a secret that only the machine that masks it has",
    async change({ alice, bob, id }) {
      await alice.using((db) =>
        db.prepare(
          `INSERT INTO task_history (task_id, changes, changed_by, changed_at_ms)
           VALUES (?, '[{"field":"title","old":"x","new":"password = hunter2hunter2"}]', 'user', 5)`,
        ).run(id)
      );
      await alice.json(["task", "update", id, "--priority", "0"]);
      await syncBoth(alice, bob);
      await bob.json(["task", "update", id, "--priority", "1"]);
      await bob.json(["team", "sync"]);
    },
  },
  {
    name: "a claim and a change that meet",
    async change({ alice, bob, id }) {
      await alice.json(["task", "claim", id, "--agent-id", "a1"]);
      await bob.json(["task", "update", id, "--priority", "1"]);
      await bob.json(["team", "sync"]);
    },
  },
];

async function syncBoth(alice: TeamMachine, bob: TeamMachine): Promise<void> {
  for (const one of [alice, bob, alice]) await one.json(["team", "sync"]);
}

for (const { name, change } of STEPS) {
  teamTest(`every machine tells a task's history once and in order: ${name}`, async (two) => {
    const { alice, bob } = two;
    await alice.join();
    await bob.join();
    const { task: { id } } = await alice.json(["task", "create", "--title", "Count the tea"]);
    await syncBoth(alice, bob);
    await change({ ...two, id });
    await syncBoth(alice, bob);
    const histories = [];
    for (const one of [alice, bob]) {
      histories.push((await one.json(["task", "history", id])).history);
    }
    const [first, second] = histories;
    assert.deepEqual(first, second, "both machines tell the same");
    const times: number[] = first.map(({ changedAtMs }: { changedAtMs: number }) => changedAtMs);
    assert.deepEqual(times, times.toSorted((a, b) => b - a), "the newest first");
    for (const field of ["priority", "status", "title"]) {
      const values = first.filter((row: { field: string }) => row.field === field)
        .map((row: { old: unknown; new: unknown }) => [row.old, row.new]);
      for (let i = 1; i < values.length; i++) {
        assert.deepEqual(values[i][1], values[i - 1][0], `${field} goes on from what it was`);
      }
    }
  });
}
