/** All that the older daemon kept in JSON, from the texts of its files. */
import { messageOf } from "../../errors.ts";
import { isMapping } from "../field_reader.ts";
import { OldRecord } from "./old_record.ts";
import {
  type OldAgent,
  type OldQuestion,
  type OldWorkflow,
  readOldAgent,
  readOldQuestion,
  readOldWorkflow,
} from "./old_runs.ts";
import { type OldTask, readOldTask, SILENT_TASK_FIELDS } from "./old_task.ts";

/** A file of the older daemon. */
export interface OldFile {
  readonly path: string;
  /** Without its ending: the id of what a file of its own holds. */
  readonly name: string;
  /** Null when it cannot be read; `problem` says why. */
  readonly text: string | null;
  readonly problem: string;
}

/** The files by what they hold. */
export interface OldFiles {
  readonly state: OldFile | null;
  readonly workflows: readonly OldFile[];
  readonly agents: readonly OldFile[];
  readonly questions: readonly OldFile[];
}

/** Something that is not taken over, and why. */
export interface Skipped {
  readonly path: string;
  readonly why: string;
}

/** What the files hold. Every id stands once. */
export interface OldState {
  readonly tasks: readonly OldTask[];
  readonly workflows: readonly OldWorkflow[];
  readonly agents: readonly OldAgent[];
  readonly questions: readonly OldQuestion[];
  readonly skipped: readonly Skipped[];
  /** What a person should know of what is taken over. */
  readonly notes: readonly string[];
  /** How many files could be read. */
  readonly filesRead: number;
}

/** One kind of record: where `state.json` has them, and how one is read. */
interface Kind<Item> {
  readonly noun: string;
  readonly fields: readonly string[];
  readonly files: readonly OldFile[];
  readonly read: (
    record: OldRecord,
    id: string | null,
    tell: (note: string) => void,
  ) => Item | string;
  /** Whether two are the same thing, although their ids differ: `state.json` leaves ids out that a file has. */
  readonly isSame?: (one: Item, other: Item) => boolean;
  /** Fields that nobody misses. */
  readonly silent?: readonly string[];
}

/** Fields of `state.json` that hold nothing to take over. */
const SILENT_STATE_FIELDS = ["version", "schema_version", "updated_at", "saved_at", "last_updated"];

/** Reads the files. Never throws: what cannot be used is named, and the rest goes on. */
export function readOldState(files: OldFiles): OldState {
  const reading = new Reading();
  const whole = files.state === null ? null : reading.mappingOf(files.state);
  const state = whole === null ? null : { path: files.state!.path, record: new OldRecord(whole) };
  const tasks = reading.collect<OldTask>(state, {
    noun: "task",
    fields: ["tasks", "beads"],
    files: [],
    read: readOldTask,
    silent: SILENT_TASK_FIELDS,
  });
  const workflows = reading.collect<OldWorkflow>(state, {
    noun: "workflow",
    fields: ["workflows"],
    files: files.workflows,
    read: readOldWorkflow,
    // A task has one workflow there.
    isSame: (one, other) => one.taskId === other.taskId,
  });
  const agents = reading.collect<OldAgent>(state, {
    noun: "agent",
    fields: ["familiars", "agents"],
    files: files.agents,
    read: readOldAgent,
  });
  const questions = reading.collect<OldQuestion>(state, {
    noun: "question",
    fields: ["questions"],
    files: files.questions,
    read: readOldQuestion,
  });
  const left = (state?.record.unknown() ?? []).filter((key) => !SILENT_STATE_FIELDS.includes(key));
  if (left.length > 0) reading.notes.push(`state.json: not taken over: ${left.join(", ")}`);
  const { skipped, notes, filesRead } = reading;
  return { tasks, workflows, agents, questions, skipped, notes, filesRead };
}

class Reading {
  readonly skipped: Skipped[] = [];
  readonly notes: string[] = [];
  filesRead = 0;

  /** What a file holds; null when it is no JSON object, and then it is named. */
  mappingOf({ path, text, problem }: OldFile): Readonly<Record<string, unknown>> | null {
    if (text === null) {
      this.skipped.push({ path, why: problem });
      return null;
    }
    try {
      // Editors of some systems begin a file with a mark.
      const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
      if (isMapping(value)) {
        this.filesRead++;
        return value;
      }
      this.skipped.push({ path, why: "it holds no JSON object" });
    } catch (thrown) {
      const why = text.trim() === "" ? "it is empty" : `it is no JSON: ${messageOf(thrown)}`;
      this.skipped.push({ path, why });
    }
    return null;
  }

  /** The records of one kind. A file of its own is written more often than `state.json`, so it counts. */
  collect<Item extends { readonly id: string }>(
    state: { readonly path: string; readonly record: OldRecord } | null,
    kind: Kind<Item>,
  ): Item[] {
    const found = new Map<string, Item>();
    const unknown = new Map<string, number>();
    const inFiles: Item[] = [];
    const isInFile = (item: Item) =>
      inFiles.some((one) => one.id === item.id || kind.isSame?.(one, item));
    const take = (value: unknown, id: string | null, from: { path: string; isOwn: boolean }) => {
      const { path, isOwn } = from;
      if (!isMapping(value)) return void this.skipped.push({ path, why: "it is no JSON object" });
      const record = new OldRecord(value);
      const notes: string[] = [];
      const item = kind.read(record, id, (note) => notes.push(note));
      if (typeof item === "string") return void this.skipped.push({ path, why: item });
      if (!isOwn && isInFile(item)) {
        return void this.notes.push(
          `${kind.noun} ${item.id}: it stands in state.json too; the file of its own counts`,
        );
      }
      const known = found.get(item.id);
      if (known !== undefined) {
        const why = `${kind.noun} ${item.id} was read already, and stands here otherwise`;
        if (JSON.stringify(known) !== JSON.stringify(item)) this.skipped.push({ path, why });
        return;
      }
      this.notes.push(...notes);
      for (const field of record.unknown()) {
        if (kind.silent?.includes(field)) continue;
        unknown.set(field, (unknown.get(field) ?? 0) + 1);
      }
      found.set(item.id, item);
    };
    for (const file of kind.files) {
      const value = this.mappingOf(file);
      if (value !== null) take(value, file.name, { path: file.path, isOwn: true });
    }
    inFiles.push(...found.values());
    const where = `${state?.path}: ${kind.fields[0]}`;
    const listed = state?.record.value(...kind.fields) ?? null;
    if (Array.isArray(listed)) {
      listed.forEach((one, i) => take(one, null, { path: `${where}[${i}]`, isOwn: false }));
    } else if (isMapping(listed)) {
      for (const [id, one] of Object.entries(listed)) {
        take(one, id, { path: `${where}.${id}`, isOwn: false });
      }
    } else if (listed !== null) {
      this.skipped.push({ path: where, why: "it is no list" });
    }
    if (unknown.size > 0) {
      const names = [...unknown].map(([field, count]) => `${field} (${count})`);
      this.notes.push(`fields of ${kind.noun}s that have no place here: ${names.join(", ")}`);
    }
    return [...found.values()];
  }
}
