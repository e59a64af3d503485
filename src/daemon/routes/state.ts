/** The route of the whole state. */
import * as z from "zod/mini";
import { listAgents } from "../../store/agents.ts";
import { listQuestions } from "../../store/questions.ts";
import { countState } from "../../store/state_counts.ts";
import { listTasks } from "../../store/tasks.ts";
import { listWorkflows } from "../../store/workflows.ts";
import { type Route, route } from "../route.ts";
import {
  agentSchema,
  countsSchema,
  questionSchema,
  taskSchema,
  workflowSchema,
} from "../schemas.ts";

/** How many of each are told at most; the newest. */
const LIMIT = 10_000;

export const stateRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/state",
    summary: "Tasks, agents, workflows and open questions at one moment: " +
      "with the events after counts.lastEventId it stays up to date",
    tag: "state",
    response: z.object({
      counts: countsSchema,
      tasks: z.array(taskSchema),
      agents: z.array(agentSchema),
      workflows: z.array(workflowSchema),
      questions: z.array(questionSchema),
    }),
    handle: ({ db, toldSinceMs }, { author }) => ({
      counts: countState(db, toldSinceMs(author.atMs)),
      tasks: listTasks(db, {
        project: null,
        statuses: null,
        priorities: null,
        types: null,
        tag: null,
        anyTag: null,
        parentId: null,
        claimedBy: null,
        includeDeleted: false,
        limit: LIMIT,
        offset: 0,
      }),
      agents: listAgents(db, { limit: LIMIT }),
      workflows: listWorkflows(db, { limit: LIMIT }),
      questions: listQuestions(db, { statuses: ["pending"], limit: LIMIT }),
    }),
  }),
];
