import { ELSEWHERE_MS, hasLapsed, type Task } from "../../work/task.ts";
import { checkPriority, checkStatus, checkType } from "../../work/task_input.ts";
import { listSessionsOfTask } from "../../db/sessions.ts";
import * as work from "../../work/store.ts";
import {
  clearingFlag,
  number,
  proposing,
  SHARED,
  switchOn,
  TASK,
  textFlag,
  usually,
  wordsFlag,
} from "../flags.ts";
import { agoText, listVerb, readVerb } from "../list_and_show.ts";
import { type Facts, section, tableText, titledFacts } from "../table.ts";
import { knownTaskId, projectOfTasks, taskIdOf } from "../work_lookup.ts";
import { historyLines, holderText, nameOf, TASK_COLUMNS } from "../task_view.ts";
import type { DatabaseSync } from "node:sqlite";

const NONE = "none";
const HELP = "conclaude task list --help";

export const list = listVerb({
  flags: {
    status: wordsFlag(
      "Only with this status: open, in_progress, pending_merge, blocked, closed; a comma is or",
      "status",
    ),
    priority: wordsFlag("Only of this priority, 0 to 4; a comma is or", "n"),
    type: wordsFlag("Only of this type: task, feature, bug; a comma is or", "type"),
    tag: clearingFlag("Only with this tag", "tag"),
    tagPattern: clearingFlag(
      "Only with a tag like this: auth*, v[1-3], {bug,fix}*; area/* is right below area, area/** all below it",
      "glob",
    ),
    parent: proposing(
      "task",
      clearingFlag("Only right below this task; `none` for those without a parent", "id"),
    ),
    claimedBy: clearingFlag("Only claimed by this agent; `none` for those that nobody has", "name"),
    deleted: switchOn("Deleted ones as well"),
    allProjects: SHARED.allProjects,
    limit: SHARED.page,
    offset: usually(
      "0",
      number(0, Number.MAX_SAFE_INTEGER, "How many to leave out at the beginning"),
    ),
  },
  name: "tasks",
  async rows({ db, context }, flags, { limit }) {
    const { parent, claimedBy, tagPattern } = flags;
    return work.listTasks(db, {
      project: projectOfTasks(context, flags),
      statuses: flags.status?.map((status) => checkStatus(status, HELP)) ?? null,
      priorities: flags.priority?.map((one) => checkPriority(one, HELP)) ?? null,
      types: flags.type?.map((type) => checkType(type, HELP)) ?? null,
      tag: flags.tag ?? null,
      // Only a pattern loads the library of globs.
      anyTag: tagPattern === undefined
        ? null
        : (await import("../../work/tag_pattern.ts")).tagsLike(tagPattern, work.listTags(db)),
      parentId: parent === undefined ? null : parent === NONE ? "" : knownTaskId(db, parent),
      claimedBy: claimedBy === NONE ? "" : claimedBy ?? null,
      includeDeleted: flags.deleted,
      limit,
      offset: flags.offset,
    });
  },
  columns: TASK_COLUMNS,
  empty: "No tasks here.",
  more: "--limit, --offset",
});

export const ready = listVerb({
  // Twenty tasks are enough to choose the next one; more only fill an agent's context.
  flags: { allProjects: SHARED.allProjects, limit: usually("20", SHARED.page) },
  name: "tasks",
  rows({ db, context }, flags, { limit }) {
    // Expired claims are given back first, as for `task claim --next`.
    work.takeBackToLook(db, Date.now());
    return work.listReady(db, { project: projectOfTasks(context, flags), limit });
  },
  columns: TASK_COLUMNS,
  empty: "Nothing is ready.",
});

export const show = readVerb({
  args: [TASK],
  run({ db }, _flags, text) {
    const id = knownTaskId(db, text);
    const task = work.readTask(db, id)!;
    const ancestors = work.listAncestors(db, id);
    const children = work.listChildren(db, id);
    const waitingFor = work.openDependencies(db, id);
    const sessions = listSessionsOfTask(db, id);
    const changes = work.listHistory(db, id, { field: null, sinceMs: null });
    const sessionLines = sessions.map(({ shortId, status, updatedAtMs }) =>
      `${shortId}  (${status}, last seen ${agoText(updatedAtMs)})`
    );
    return {
      json: { task: { ...task, children, ancestors, waitingFor, sessions } },
      text: [
        task.title,
        ...titledFacts(factsOf(task), 12),
        ...section("Body", task.body === "" ? [] : task.body.trimEnd().split("\n")),
        ...section("Above it", ancestors.map(lineOf)),
        ...section("Below it", children.map(lineOf)),
        ...section("Waits for", waitingFor.map((other) => lineOf(work.readTask(db, other)!))),
        ...section("Sessions", sessionLines),
        ...section("Last changes", historyLines(changes.slice(0, SHOWN_CHANGES))),
      ],
    };
  },
});

export const subtree = readVerb({
  args: [TASK],
  flags: { flat: switchOn("As a table instead of a tree") },
  run({ db, context }, { flat }, named) {
    const tasks = work.listSubtree(db, work.needTask(db, taskIdOf(db, named)).id);
    const lines = tasks.map((task) => "  ".repeat(task.relativeDepth) + lineOf(task));
    return { json: { tasks }, text: flat ? tableText(context, tasks, TASK_COLUMNS, "") : lines };
  },
});

export const ancestors = listAround(work.listAncestors, "It has no parent.");

export const children = listAround(work.listChildren, "It has no children.");

function listAround(read: (db: DatabaseSync, id: string) => readonly Task[], empty: string) {
  return listVerb({
    args: [TASK],
    empty,
    name: "tasks",
    rows: ({ db }, _flags, { text }) => read(db, work.needTask(db, taskIdOf(db, text)).id),
    columns: TASK_COLUMNS,
  });
}

export const history = readVerb({
  args: [TASK],
  flags: {
    field: textFlag("Only of this field: status, claimed_by, title, tags, …", "name"),
    since: SHARED.since,
  },
  run({ db }, flags, text) {
    const history = work.listHistory(db, knownTaskId(db, text), {
      field: flags.field ?? null,
      sinceMs: flags.since ?? null,
    });
    return {
      json: { history },
      text: history.length === 0 ? "Nothing has changed." : historyLines(history),
    };
  },
});

const SHOWN_CHANGES = 5;

function factsOf(task: Task): Facts {
  return [
    ["id", task.id],
    ["status", task.deletedAtMs === null ? task.status : `deleted (was ${task.status})`],
    ["reason", task.reason],
    ["summary", task.summary],
    ["priority", `P${task.priority}`],
    ["type", task.type],
    ["tags", task.tags.join(", ") || null],
    ["workflow", task.workflow],
    ["claimed by", claimText(task)],
    ["scheduler", task.queuedAtMs === null ? null : "waits for the daemon to start it"],
    ["project", task.projectDir],
    ["made", agoText(task.createdAtMs)],
    ["changed", agoText(task.updatedAtMs)],
    ["closed", agoText(task.closedAtMs)],
    ["deleted", agoText(task.deletedAtMs)],
  ];
}

function claimText(task: Task): string | null {
  const { claimedBy, claimToken, leaseUntilMs } = task;
  if (claimedBy === null || leaseUntilMs === null) return claimedBy;
  if (leaseUntilMs === ELSEWHERE_MS) {
    return `${claimedBy} (claim ${claimToken}, on another machine)`;
  }
  const time = new Date(leaseUntilMs).toISOString();
  return hasLapsed(task, Date.now())
    ? `${claimedBy} (claim ${claimToken} ran out at ${time}, anybody can claim it)`
    : `${claimedBy} (claim ${claimToken}, until ${time})`;
}

function lineOf(task: Task): string {
  const holder = task.claimedBy === null ? "" : `, ${holderText(task)}`;
  return `${nameOf(task)}  (${task.status}${holder}, P${task.priority})`;
}
