/** Our tools as the protocol's own library serves them. */
import { Server } from "@modelcontextprotocol/sdk/server";
// Its table of exports leads to types under names without `.js` alone, and to code under names with it.
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
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
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const work = callTool(params.name, params.arguments ?? {}, surroundings);
    onCall(work);
    const { text, isError } = await work;
    return { content: [{ type: "text", text }], ...isError && { isError } };
  });
  return server;
}
