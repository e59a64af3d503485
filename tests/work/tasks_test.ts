import assert from "node:assert/strict";
import { isUserError } from "../../src/base/errors.ts";
import { listEvents } from "../../src/work/events_table.ts";
import {
  changeDependencies,
  changeTags,
  changeTask,
  listHistory,
} from "../../src/work/task_changes_table.ts";
import {
  claimNext,
  claimTask,
  needClaim,
  releaseTask,
  takeBackLapsed,
} from "../../src/work/task_claims_table.ts";
import {
  blockTask,
  completeTask,
  deleteTask,
  listAncestors,
  listSubtree,
  queueTask,
  reparentTask,
  restoreTask,
  unblockTask,
} from "../../src/work/task_life_table.ts";
import { findIds } from "../../src/memory/search/known_names_table.ts";
import { listReady, readTask } from "../../src/work/tasks_table.ts";
import { tempDatabase } from "../support/records.ts";
import { MADE_AT_MS, makeTask } from "../support/tasks.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(tempDatabase);

const MINUTE_MS = 60_000;
const LEASE_MS = 30 * MINUTE_MS;
const claimant = (by: string, atMs = MADE_AT_MS) => ({ by, leaseMs: LEASE_MS, atMs });
const user = { by: "user", atMs: MADE_AT_MS + 1 };
const ALL = { field: null, sinceMs: null };

/** The reason and the details of a refusal. */
function refused(work: () => unknown): Record<string, unknown> {
  try {
    work();
  } catch (thrown) {
    if (isUserError(thrown)) return { reason: thrown.reason, ...thrown.details };
    throw thrown;
  }
  throw new Error("it was not refused");
}

test("claimTask() refuses a task that is blocked, closed, deleted or waits for another task", ({ db }) => {
  const claimed = (id: string) => refused(() => claimTask(db, id, claimant("b")))["reason"];
  const { id } = makeTask(db);
  claimTask(db, id, claimant("a"));
  const author = { by: "a", atMs: MADE_AT_MS, token: null };
  blockTask(db, id, { ...author, reason: "no keys" });
  assert.equal(claimed(id), "INVALID_STATUS");
  completeTask(db, id, { ...author, summary: null });
  assert.equal(claimed(id), "INVALID_STATUS");
  const gone = makeTask(db);
  deleteTask(db, gone.id, { ...user, hard: false });
  assert.equal(claimed(gone.id), "TASK_NOT_FOUND");
  const needed = makeTask(db);
  const waiting = makeTask(db, { dependsOn: [needed.id] });
  assert.equal(claimed(waiting.id), "INVALID_STATUS");
});

test("a claim whose lease ran out is taken back in the system's name, one that lives is not", ({ db }) => {
  const { id } = makeTask(db);
  const held = claimTask(db, id, claimant("a"));
  const laterMs = MADE_AT_MS + 31 * MINUTE_MS;
  const told = refused(() =>
    needClaim(db, id, { by: "a", token: 1, atMs: laterMs, wants: "completed", to: "closed" })
  );
  assert.equal(told["reason"], "NOT_CLAIM_OWNER");
  assert.deepEqual(takeBackLapsed(db, laterMs - 2 * MINUTE_MS), []);
  assert.deepEqual(takeBackLapsed(db, laterMs).map(({ status }) => status), ["open"]);
  assert.equal(listHistory(db, id, { field: "status", sinceMs: null })[0]?.changedBy, "system");
  // Whoever comes late is told so, also when the claim has been taken back since.
  const late = refused(() =>
    needClaim(db, id, {
      by: "a",
      token: null,
      atMs: laterMs,
      wants: "completed",
      to: "closed",
    })
  );
  assert.equal(late["reason"], "NOT_CLAIM_OWNER");
  assert.equal(claimTask(db, id, claimant("b", laterMs)).claimToken, held.claimToken! + 1);
});

test("a task in work is only ended by whoever holds the newest claim", ({ db }) => {
  const { id } = makeTask(db);
  claimTask(db, id, claimant("a"));
  const end = (by: string, token: number | null) =>
    refused(() => completeTask(db, id, { by, atMs: MADE_AT_MS, token, summary: null }));
  assert.equal(end("b", null)["reason"], "NOT_CLAIM_OWNER");
  assert.equal(refused(() => releaseTask(db, id, { ...user, force: false }))["claimedBy"], "a");
  releaseTask(db, id, { ...user, force: true });
  assert.equal(listHistory(db, id, ALL)[0]?.changedBy, "user");
  claimTask(db, id, claimant("a"));
  const wrong = (token: number) => () =>
    completeTask(db, id, { by: "a", atMs: MADE_AT_MS, token, summary: null });
  assert.throws(wrong(1), { why: /^the task was claimed anew since: its claim is number 2/ });
  assert.throws(wrong(77), { why: /^there was no such claim: its claim is number 2/ });
  assert.equal(
    completeTask(db, id, { by: "a", atMs: MADE_AT_MS, token: 2, summary: null }).status,
    "closed",
  );
});

test("a refused change of status names the statuses that may follow", ({ db }) => {
  const { id } = makeTask(db);
  const valid = (work: () => unknown) => refused(work)["validTransitions"];
  const author = { ...user, token: null };
  assert.deepEqual(valid(() => completeTask(db, id, { ...author, summary: null })), [
    "in_progress",
  ]);
  assert.deepEqual(valid(() => unblockTask(db, id, user)), ["in_progress"]);
});

test("listReady() lists the most urgent tasks first, of those the oldest, and no task that waits", ({ db }) => {
  const newest = makeTask(db, { title: "P0 new", priority: 0, atMs: MADE_AT_MS + 5 });
  makeTask(db, { title: "P0 old", priority: 0 });
  makeTask(db, { title: "P2" });
  claimTask(db, makeTask(db, { title: "claimed" }).id, claimant("a"));
  deleteTask(db, makeTask(db, { title: "deleted" }).id, { ...user, hard: false });
  const parent = makeTask(db, { title: "parent" });
  claimTask(db, makeTask(db, { parentId: parent.id }).id, claimant("a"));
  makeTask(db, { title: "waits", dependsOn: [newest.id] });
  const titles = listReady(db, { project: null, limit: 10 }).map(({ title }) => title);
  assert.deepEqual(titles, ["P0 old", "P0 new", "P2"]);
  assert.equal(claimNext(db, claimant("b"), null)?.title, "P0 old");
});

test("a dependency that is closed or deleted no longer counts, and dependencies form no circle", ({ db }) => {
  const [a, b] = [makeTask(db), makeTask(db)];
  const c = makeTask(db, { dependsOn: [a.id, b.id] });
  const ready = () => listReady(db, { project: null, limit: 10 }).some(({ id }) => id === c.id);
  assert.equal(ready(), false);
  claimTask(db, a.id, claimant("x"));
  completeTask(db, a.id, { by: "x", atMs: MADE_AT_MS, token: null, summary: null });
  assert.equal(ready(), false);
  const round = refused(() => changeDependencies(db, b.id, { add: [c.id], remove: [] }, user));
  assert.equal(round["reason"], "WOULD_CREATE_CYCLE");
  deleteTask(db, b.id, { ...user, hard: false });
  assert.equal(ready(), true);
});

test("reparentTask() refuses a cycle, and changes the depth of all tasks below, deleted ones too", ({ db }) => {
  const a = makeTask(db);
  const b = makeTask(db, { parentId: a.id });
  const c = makeTask(db, { parentId: b.id });
  assert.equal(refused(() => reparentTask(db, a.id, c.id, user))["reason"], "WOULD_CREATE_CYCLE");
  assert.equal(refused(() => reparentTask(db, a.id, a.id, user))["reason"], "WOULD_CREATE_CYCLE");
  assert.deepEqual(listAncestors(db, c.id).map(({ id }) => id), [b.id, a.id]);
  deleteTask(db, c.id, { ...user, hard: false });
  assert.equal(reparentTask(db, b.id, null, user).depth, 0);
  assert.equal(restoreTask(db, c.id, user)[0].depth, 1);
  assert.deepEqual(
    listSubtree(db, b.id).map(({ id, relativeDepth }) => [id, relativeDepth]),
    [[b.id, 0], [c.id, 1]],
  );
});

test("deleteTask() refuses while somebody works on the task or below it, and deletes the tasks below it too", ({ db }) => {
  const a = makeTask(db);
  const b = makeTask(db, { parentId: a.id, tags: ["x"] });
  claimTask(db, b.id, claimant("x"));
  const gone = (id: string, hard = false) => deleteTask(db, id, { ...user, hard });
  assert.equal(refused(() => gone(b.id))["reason"], "TASK_ACTIVE");
  assert.deepEqual(refused(() => gone(a.id)), {
    reason: "HAS_ACTIVE_CHILDREN",
    activeChildren: [b.id],
  });
  releaseTask(db, b.id, { by: "x", atMs: MADE_AT_MS, force: false });
  assert.equal(gone(a.id).length, 2);
  assert.notEqual(readTask(db, b.id)?.deletedAtMs, null);
  restoreTask(db, a.id, user);
  assert.equal(readTask(db, b.id)?.deletedAtMs, null);
  assert.equal(gone(a.id, true).length, 2);
  assert.equal(readTask(db, b.id), undefined);
  assert.deepEqual(listHistory(db, b.id, ALL), []);
});

test("completeTask() refuses above open tasks, unless they are closed too or may stay open", ({ db }) => {
  const a = makeTask(db);
  const b = makeTask(db, { parentId: a.id });
  const c = makeTask(db, { parentId: b.id });
  claimTask(db, a.id, claimant("x"));
  const author = { by: "x", atMs: MADE_AT_MS, token: null, summary: null };
  const complete = (id: string, below: { withChildren?: boolean; force?: boolean } = {}) =>
    completeTask(db, id, { ...author, ...below });
  assert.deepEqual(refused(() => complete(a.id)), {
    reason: "HAS_OPEN_CHILDREN",
    openChildren: [b.id, c.id],
  });
  claimTask(db, c.id, claimant("y"));
  assert.deepEqual(refused(() => complete(a.id, { withChildren: true })), {
    reason: "HAS_ACTIVE_CHILDREN",
    activeChildren: [c.id],
  });
  releaseTask(db, c.id, { by: "y", atMs: MADE_AT_MS, force: false });
  const statuses = () => [a, b, c].map(({ id }) => readTask(db, id)?.status);
  assert.deepEqual(statuses(), ["in_progress", "open", "open"]);
  complete(a.id, { withChildren: true });
  assert.deepEqual(statuses(), ["closed", "closed", "closed"]);
  const above = makeTask(db);
  const left = makeTask(db, { parentId: above.id });
  claimTask(db, above.id, claimant("x"));
  assert.equal(complete(above.id, { force: true }).status, "closed");
  assert.equal(readTask(db, left.id)?.status, "open");
});

test("a subtask belongs to the project of its parent, wherever it is made", (temp) => {
  const parent = makeTask(temp.db, { projectDir: "/a", repository: "/a/.git", workflow: "w" });
  const part = makeTask(temp.db, { parentId: parent.id, projectDir: "/b", repository: null });
  assert.deepEqual([part.projectDir, part.repository, part.workflow], ["/a", "/a/.git", "w"]);
  const loose = makeTask(temp.db);
  const here = makeTask(temp.db, { parentId: loose.id, projectDir: "/b" });
  assert.equal(here.projectDir, "/b");
});

test("queueTask() opens a blocked task, and leaves a task in work alone", ({ db }) => {
  const { id } = makeTask(db);
  const held = claimTask(db, id, claimant("a"));
  assert.deepEqual(queueTask(db, id, user), held);
  blockTask(db, id, { by: "a", atMs: MADE_AT_MS, token: null, reason: "no keys" });
  const queued = queueTask(db, id, user);
  assert.deepEqual([queued.status, queued.queuedAtMs], ["open", user.atMs]);
});

test("a call that changes nothing of a task records nothing; a change records an event without the body", ({ db }) => {
  const task = makeTask(db, { tags: ["b", "a"], body: "long" });
  changeTask(db, task, { title: task.title }, user);
  changeTags(db, task.id, { kind: "add", tags: ["a"] }, user);
  assert.deepEqual(listHistory(db, task.id, ALL), []);
  changeTask(db, task, { body: "longer" }, claimant("user"));
  const filter = { afterId: 0, sinceMs: null, type: "task.*", entityId: task.id, limit: 10 };
  const events = listEvents(db, filter);
  assert.deepEqual(events.map(({ type }) => type), ["task.created", "task.updated"]);
  assert.doesNotMatch(JSON.stringify(events), /longer/);
  const { data } = events[1]!;
  assert.deepEqual(Object.keys(data as object), ["task", "changes", "by"]);
  const newest = listEvents(db, { ...filter, limit: 1, newest: true });
  assert.deepEqual(newest, events.slice(1));
});

test("findIds() knows a task by both ends of its id, from four characters on", (temp) => {
  const [a, b] = [makeTask(temp.db), makeTask(temp.db)];
  const find = (text: string) => findIds(temp.db, "tasks", { text });
  assert.deepEqual(find(a.id.slice(-8).toUpperCase()), [a.id]);
  assert.deepEqual(find(a.id.replaceAll("-", "")), [a.id]);
  assert.deepEqual(find(a.id.slice(0, 13)).sort(), [a.id, b.id].sort());
  assert.deepEqual([find(a.id.slice(-3)), find("*a*b*c")], [[], []]);
});
