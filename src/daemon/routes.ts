/** Every route of the API. */
import * as z from "zod/mini";
import { type Route, route } from "./route.ts";
import { claimRoutes } from "./routes/claims.ts";
import { controlRoutes } from "./routes/control.ts";
import { apiDocument } from "./openapi.ts";
import { eventRoutes } from "./routes/events.ts";
import { agentRoutes } from "./routes/agents.ts";
import { stateRoutes } from "./routes/state.ts";
import { workflowRoutes } from "./routes/workflows.ts";
import { taskRoutes } from "./routes/tasks.ts";
import { treeRoutes } from "./routes/task_tree.ts";

/** The table that the server answers from, and the document is made of. */
export const ROUTES: readonly Route[] = [
  ...controlRoutes,
  ...taskRoutes,
  ...claimRoutes,
  ...treeRoutes,
  ...eventRoutes,
  ...agentRoutes,
  ...workflowRoutes,
  ...stateRoutes,
  route({
    method: "GET",
    path: "/openapi.json",
    summary: "This document",
    tag: "daemon",
    response: z.record(z.string(), z.unknown()),
    handle: () => apiDocument(ROUTES),
  }),
];
