/** A verb of the command line against an empty compiled program of the same runtime. */
import { openDatabase } from "../../src/db/database.ts";
import { transaction } from "../../src/db/transaction.ts";
import { makeTask } from "../support/tasks.ts";
import type { Bench } from "./bench.ts";
import { emptyWorkplace } from "./fixture.ts";
import { againstEmpty, verbSubject } from "./hooks.ts";

const TASKS = 10_000;

/** What an agent asks in its loop: what is to be done next. */
export const taskReady: Bench = {
  name: "task-ready",
  about: "task ready (10,000 tasks) / empty program",
  budget: 1.3,
  async measure(context) {
    const place = await emptyWorkplace(context.folder);
    const db = await openDatabase(place.database, { busyTimeoutMs: 1_000 });
    transaction(db, () => {
      for (let i = 0; i < TASKS; i++) {
        makeTask(db, {
          title: `Task ${i}`,
          priority: i % 5,
          tags: ["auth", `area/${i % 7}`],
          projectDir: place.project,
          repository: `${place.project}/.git`,
          atMs: Date.now() - TASKS + i,
        });
      }
    });
    db.close();
    return await againstEmpty(context, verbSubject(context.program, place, "task", "ready"));
  },
};
