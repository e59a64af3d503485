/**
 * The tools as the model sees them. It reads all of this at the start of each session, whether it needs a tool or not:
 * together at most 900 tokens.
 */
import { OBSERVATION_KINDS } from "../memory/observation.ts";
import type { InputSchema } from "./schema.ts";

/** What the model reads of one tool. */
export interface ToolSpec {
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** Whether it changes nothing: a client may then call several at once. */
  readonly isReadOnly: boolean;
}

const EVERYWHERE = { type: "boolean", description: "Other projects too" } as const;
const ID = { type: "integer", minimum: 1, description: "Number of an observation" } as const;
const FILE = { type: "string", description: "About this file or folder" } as const;

/** The tools by name. */
export const TOOLS = {
  recall: {
    description:
      "Search what was done, said, decided and fixed in earlier sessions of this project. One line a result, best first; `open` shows #N whole.",
    inputSchema: {
      type: "object",
      properties: {
        query: {
          type: "string",
          minLength: 0,
          description:
            'Any words, identifiers, paths, errors, dates ("last week"); what is quoted must be there',
        },
        file: FILE,
        kind: { type: "string", enum: OBSERVATION_KINDS },
        days: { type: "integer", minimum: 1, description: "Of the last so many days" },
        limit: { type: "integer", minimum: 1, maximum: 50, description: "10 if left out" },
        everywhere: EVERYWHERE,
      },
      required: ["query"],
    },
    isReadOnly: true,
  },
  open: {
    description: "Show one observation whole: facts, files, text, and what it was made of.",
    inputSchema: {
      type: "object",
      properties: {
        id: ID,
        part: { type: "integer", minimum: 1, description: "Of a long text, 1 if left out" },
        everywhere: EVERYWHERE,
      },
      required: ["id"],
    },
    isReadOnly: true,
  },
  timeline: {
    description:
      "With id: what came before and after it in its session. With file: what became of it, newest first.",
    inputSchema: {
      type: "object",
      properties: {
        id: ID,
        file: FILE,
        limit: { type: "integer", minimum: 1, maximum: 100, description: "20 if left out" },
        everywhere: EVERYWHERE,
      },
    },
    isReadOnly: true,
  },
  remember: {
    description:
      "Keep a note for later sessions of this project: a decision with its reason, a trap, how something works. Secrets are masked.",
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string" },
        file: FILE,
        replaces: { type: "integer", minimum: 1, description: "Number of the note it corrects" },
      },
      required: ["text"],
    },
    isReadOnly: false,
  },
  status: {
    description: "What memory holds, open failures, the last session.",
    inputSchema: { type: "object", properties: {} },
    isReadOnly: true,
  },
} as const satisfies Readonly<Record<string, ToolSpec>>;

/** The name of a tool. */
export type ToolName = keyof typeof TOOLS;

/** What the model reads of the server itself. */
export const INSTRUCTIONS =
  "Memory of earlier sessions of this project. Recall before you investigate an error or change what you do not know; remember what later sessions must know.";
