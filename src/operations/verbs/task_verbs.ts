import { group, lazyFrom } from "../verb.ts";

const bulk = lazyFrom(() => import("./task_bulk_verbs.ts"));
const changes = lazyFrom(() => import("./task_changes_verbs.ts"));
const lists = lazyFrom(() => import("./task_lists_verbs.ts"));
const work = lazyFrom(() => import("./task_work_verbs.ts"));

export const task = group({
  create: changes("create"),
  list: lists("list"),
  ready: lists("ready"),
  show: lists("show"),
  update: changes("update"),
  claim: work("claim"),
  renew: work("renew"),
  release: work("release"),
  complete: work("complete"),
  block: work("block"),
  unblock: work("unblock"),
  start: work("start"),
  delete: changes("remove"),
  restore: changes("restore"),
  subtree: lists("subtree"),
  ancestors: lists("ancestors"),
  children: lists("children"),
  reparent: changes("reparent"),
  tag: changes("taskTag"),
  history: lists("history"),
  bulk: bulk("taskBulk"),
});
