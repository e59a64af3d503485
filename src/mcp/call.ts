import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../errors.ts";
import { type Project, projectAround } from "./project.ts";
import { type Arguments, readArguments } from "./schema.ts";
import type { Surroundings } from "./surroundings.ts";
import { type ToolName, TOOLS } from "./tools.ts";
import { open } from "./tools/open.ts";
import { recall } from "./tools/recall.ts";
import { remember } from "./tools/remember.ts";
import { status } from "./tools/status.ts";
import { timeline } from "./tools/timeline.ts";

/** What a tool gets for one call. */
export interface Call {
  readonly db: DatabaseSync;
  /** Path of the database. */
  readonly database: string;
  readonly folder: string;
  readonly project: Project;
  readonly sessionId: string | null;
  /** The patterns of `capture.redact.patterns`. */
  readonly redactPatterns: readonly string[];
  /** Epoch milliseconds. */
  readonly nowMs: number;
  readonly args: Arguments;
}

/** What runs for each tool. It returns the text that the model gets, or throws a UserError. */
const WORK: Readonly<Record<ToolName, (call: Call) => string | Promise<string>>> = {
  recall,
  open,
  timeline,
  remember,
  status,
};

/** What the model gets. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

const NOTHING_YET =
  "Nothing is remembered yet: there is no database. The hooks of conclaude make it (conclaude install-hooks), or `remember`.";

/** Runs a tool. It never throws: what goes wrong is an answer with `isError`. */
export async function callTool(
  name: string,
  given: Readonly<Record<string, unknown>>,
  surroundings: Surroundings,
): Promise<Answer> {
  try {
    return { text: await answer(name, given, surroundings), isError: false };
  } catch (thrown) {
    return { text: surroundings.errorText(thrown, `finish ${name}`).trimEnd(), isError: true };
  }
}

async function answer(
  name: string,
  given: Readonly<Record<string, unknown>>,
  { folder, sessionId, openToRead, openToWrite }: Surroundings,
): Promise<string> {
  if (!isTool(name)) {
    throw new UserError(`Cannot call ${name}`, {
      why: "there is no such tool",
      next: `Call one of ${Object.keys(TOOLS).join(", ")}`,
    });
  }
  const { inputSchema, isReadOnly } = TOOLS[name];
  const args = readArguments(name, given, inputSchema);
  const opened = await (isReadOnly ? openToRead : openToWrite)(`call ${name}`);
  if (opened === null) return NOTHING_YET;
  const { db, place } = opened;
  try {
    return await WORK[name]({
      db,
      database: place.database,
      folder,
      project: projectAround(folder),
      sessionId,
      redactPatterns: place.config.redactPatterns,
      nowMs: Date.now(),
      args,
    });
  } finally {
    db.close();
  }
}

function isTool(name: string): name is ToolName {
  return Object.hasOwn(TOOLS, name);
}
