/** Runs the MCP server with our tools on stdin and stdout, until stdin closes or a signal comes. */
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { Writable } from "node:stream";
// The package exports its types only under names without `.js`, and its code under names with it.
// @ts-types="@modelcontextprotocol/sdk/server/stdio"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { onEndingSignals } from "../system/process/start.ts";
import { projectAround, readArguments } from "./tool_call.ts";
import { Server } from "@modelcontextprotocol/sdk/server";
// @ts-types="@modelcontextprotocol/sdk/types"
import { ErrorCode, ListToolsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js";
import { isMissing } from "../system/on_disk.ts";
import { VERSION } from "../base/version.ts";
import { UserError } from "../base/errors.ts";
import { resolvePath } from "../base/paths.ts";
import { normalizeSessionId } from "../base/ids.ts";
import type { CliContext } from "../operations/context.ts";
import { keptPlace, openStore } from "../operations/open_store.ts";
import { asUserError, errorText, verb } from "../operations/verb.ts";
import { INSTRUCTIONS, TOOLS } from "./tools.ts";
import { ownValue } from "../base/mapping.ts";

/** How long a client may take to read its last answers after it closed stdin, in milliseconds. */
const LAST_ANSWERS_MS = 1_000;

/** Serves until stdin closes, a signal comes, or the client goes away. The project's folder selects what is told. */
export const mcp = verb({
  async run(context) {
    const projectDir = context.environment.variable("CLAUDE_PROJECT_DIR") ?? context.cwd;
    const cwd = resolvePath(projectDir, { folder: context.cwd });
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const atWork = new Set<Promise<unknown>>();
    const server = createServer({ ...context, cwd }, atWork);
    const out = stdoutThat({ isGone: end });
    onEndingSignals(() => end());
    // `conclaude mcp < requests` closes stdin at once and still expects all answers.
    for (const over of ["end", "close"]) {
      process.stdin.once(over, () => void leaveAfter(atWork, out).then(end));
    }
    await server.connect(new StdioServerTransport(process.stdin, out));
    await ended;
    return { json: undefined, text: "" };
  },
});

/** Waits until all calls are answered, at most `LAST_ANSWERS_MS`. */
async function leaveAfter(atWork: ReadonlySet<Promise<unknown>>, out: Writable): Promise<void> {
  // One turn of the event loop writes the answers that are ready. An empty write completes after all earlier writes.
  const answered = async () => {
    for (await pause(0); atWork.size > 0; await pause(0)) await Promise.allSettled(atWork);
    await new Promise((resolve) => out.write("", resolve));
  };
  await Promise.race([answered(), pause(LAST_ANSWERS_MS)]);
}

/** Makes a stream to stdout. Not every version of the runtime's own stream reports that its reader is gone. */
function stdoutThat({ isGone }: { readonly isGone: () => void }): Writable {
  const writeAll = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
  };
  const out = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => void writeAll(chunk).then(() => done(), isGone),
  });
  // Each answer that waits for a slow reader adds a listener, so many listeners are no leak.
  out.setMaxListeners(0);
  return out;
}

function toolList(): Tool[] {
  return Object.entries(TOOLS).map(([name, { description, inputSchema, isReadOnly }]) => ({
    name,
    description,
    inputSchema: structuredClone(inputSchema) as Tool["inputSchema"],
    ...isReadOnly && { annotations: { readOnlyHint: true } },
  }));
}

/**
 * Makes a server that is not connected yet. The library's other server classes need full zod and load a web server.
 * @param atWork Holds a promise for each call until it is answered.
 */
function createServer(context: CliContext, atWork: Set<Promise<unknown>>): Server {
  const server = new Server({ name: "conclaude", version: VERSION }, {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    // We send nothing that needs a validator, and the library's default validator is not in the bundle.
    jsonSchemaValidator: {
      getValidator() {
        throw new Error("no schemas are checked here");
      },
    },
  });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolList() }));
  // The library's own handler would answer a malformed call with the message of its validator.
  server.fallbackRequestHandler = async ({ method, params }) => {
    if (method !== "tools/call") {
      throw Object.assign(new Error("Method not found"), { code: ErrorCode.MethodNotFound });
    }
    const name = params?.["name"];
    const args = params?.["arguments"] ?? {};
    if (typeof name !== "string") throw badCall('"name" is no text');
    if (typeof args !== "object" || Array.isArray(args)) throw badCall('"arguments" is no object');
    const work = answer(name, args as Readonly<Record<string, unknown>>, context)
      .then((text) => ({ content: [{ type: "text", text }] }))
      .catch((thrown) => {
        const error = asUserError(thrown, `Cannot finish ${name}`);
        const text = errorText(error, context.globals).trimEnd();
        return { content: [{ type: "text", text }], isError: true };
      });
    atWork.add(work);
    return await work.finally(() => atWork.delete(work));
  };
  return server;
}

function badCall(why: string): Error {
  const next = `Call one of ${Object.keys(TOOLS).join(", ")}, with an object`;
  return Object.assign(new Error(`Cannot call a tool\n  why:  ${why}\n  next: ${next}`), {
    code: ErrorCode.InvalidParams,
  });
}

const NOTHING_YET =
  "Nothing is remembered yet: there is no database. The hooks of conclaude make it (conclaude install-hooks), or `remember`.";

/** Runs a tool. It opens the database anew each time, since the file may be replaced or migrated between two calls. */
async function answer(
  name: string,
  input: Readonly<Record<string, unknown>>,
  context: CliContext,
): Promise<string> {
  const tool = ownValue(TOOLS, name);
  if (tool === undefined) {
    throw new UserError(`Cannot call ${name}`, {
      why: "there is no such tool",
      next: `Call one of ${Object.keys(TOOLS).join(", ")}`,
    });
  }
  const { inputSchema, isReadOnly, run } = tool;
  const args = readArguments(name, input, inputSchema);
  const what = `call ${name}`;
  if (isReadOnly && isMissing((await keptPlace(context, what)).database)) return NOTHING_YET;
  const { db, place } = await openStore(context, isReadOnly ? "read" : "write", what);
  using _open = db;
  const sessionId = context.environment.variable("CLAUDE_CODE_SESSION_ID");
  return await run({
    db,
    database: place.database,
    folder: context.cwd,
    project: projectAround(context),
    sessionId: normalizeSessionId(sessionId) ?? null,
    redactPatterns: place.config.redactPatterns,
    nowMs: Date.now(),
    args,
  });
}
