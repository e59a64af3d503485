/** Our tools as the protocol's own library serves them. */
import { Server } from "@modelcontextprotocol/sdk/server";
// Its table of exports leads to types under names without `.js` alone, and to code under names with it.
// @ts-types="@modelcontextprotocol/sdk/types"
import { ErrorCode, ListToolsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js";
import { VERSION } from "../version.ts";
import { callTool } from "./call.ts";
import type { Surroundings } from "./surroundings.ts";
import { INSTRUCTIONS, TOOLS, type ToolSpec } from "./tools.ts";

/** The tools as a client is told of them. */
export function toolList(): Tool[] {
  return Object.entries<ToolSpec>(TOOLS).map((
    [name, { description, inputSchema, isReadOnly }],
  ) => ({
    name,
    description,
    inputSchema: structuredClone(inputSchema) as Tool["inputSchema"],
    ...isReadOnly && { annotations: { readOnlyHint: true } },
  }));
}

/**
 * A server that is connected to nothing yet. The library's plainest one: its others describe tools by way of full zod, and
 * bring a web server along.
 *
 * @param onCall Told of every call that is begun, with what is done when it has ended.
 */
export function createServer(
  surroundings: Surroundings,
  { onCall }: { readonly onCall: (ended: Promise<unknown>) => void },
): Server {
  const server = new Server({ name: "conclaude", version: VERSION }, {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    // What it checks, we never send; and the one that it would use is not in the bundle.
    jsonSchemaValidator: {
      getValidator() {
        throw new Error("no schemas are checked here");
      },
    },
  });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolList() }));
  // Called with what is no call of a tool, the library would answer with the words of its validator.
  server.fallbackRequestHandler = async ({ method, params }) => {
    if (method !== "tools/call") {
      throw Object.assign(new Error("Method not found"), { code: ErrorCode.MethodNotFound });
    }
    const name = params?.["name"];
    const given = params?.["arguments"] ?? {};
    if (typeof name !== "string") throw noCall('"name" is no text');
    if (typeof given !== "object" || Array.isArray(given)) throw noCall('"arguments" is no object');
    const work = callTool(name, given as Readonly<Record<string, unknown>>, surroundings);
    onCall(work);
    const { text, isError } = await work;
    return { content: [{ type: "text", text }], ...isError && { isError } };
  };
  return server;
}

/** What the protocol says of a request that calls no tool. */
function noCall(why: string): Error {
  const next = `Call one of ${Object.keys(TOOLS).join(", ")}, with an object`;
  return Object.assign(new Error(`Cannot call a tool\n  why:  ${why}\n  next: ${next}`), {
    code: ErrorCode.InvalidParams,
  });
}
