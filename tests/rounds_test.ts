import assert from "node:assert/strict";
import { UserError } from "../src/base/errors.ts";
import { Rounds } from "../src/base/rounds.ts";
import { Work } from "../src/daemon/background_work.ts";

/** Lets all go on that waits for nothing. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("a job runs once more for all that wakes it while it runs, and never twice at once", async () => {
  let runs = 0;
  let atOnce = 0;
  const rounds = new Rounds(async () => {
    assert.equal(++atOnce, 1);
    for (let wakes = 0; runs === 0 && wakes < 3; wakes++) rounds.wake();
    await Promise.resolve();
    atOnce--;
    runs++;
    return Infinity;
  });
  rounds.start();
  await turn();
  await rounds.stop();
  assert.equal(runs, 2);
});

Deno.test("a job that has more to do runs again at once, and no more when it is stopped", async () => {
  let runs = 0;
  const stopped = Promise.withResolvers<void>();
  const rounds = new Rounds(() => {
    if (++runs === 3) stopped.resolve(rounds.stop());
    return Promise.resolve(0);
  });
  rounds.start();
  await stopped.promise;
  assert.equal(runs, 3);
});

Deno.test("waking ends a long sleep, and a stop ends it for good", async () => {
  let runs = 0;
  const rounds = new Rounds(() => Promise.resolve(++runs * 3_600_000));
  rounds.start();
  await turn();
  assert.equal(runs, 1);
  rounds.wake();
  await turn();
  assert.equal(runs, 2);
  await rounds.stop();
  rounds.wake();
  await turn();
  assert.equal(runs, 2);
});

Deno.test("work that failed rests, also when it is woken meanwhile, and says what failed", async () => {
  let looks = 0;
  const told: string[] = [];
  const work = new Work(() => {
    looks++;
    work.wake();
    return Promise.reject(new UserError("Cannot look", { why: "it is dark", next: "" }));
  }, (fault) => told.push(fault));
  work.start();
  await turn();
  work.wake();
  await turn();
  await work.stop();
  assert.deepEqual([looks, told], [1, ["Cannot look"]]);
});
