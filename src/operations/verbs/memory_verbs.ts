import { group, lazy } from "../verb.ts";
import { forget, verify } from "./memory_forget_verbs.ts";

const search = () => import("./memory_search_verbs.ts");
const look = () => import("./memory_look_verbs.ts");

export const memory = group({
  verbs: {
    search: lazy("Find what was done, said and decided", async () => (await search()).search),
    show: lazy("Show one observation with everything behind it", async () => (await look()).show),
    timeline: lazy(
      "Show what came before and after, or what became of a file",
      async () => (await look()).timeline,
    ),
    remember: lazy("Keep a note for this project", async () => (await search()).remember),
    eval: lazy(
      "Measure how well memory finds things",
      async () => (await import("./memory_eval_verbs.ts")).evaluate,
    ),
    forget,
    verify,
    stats: lazy(
      "Count what is remembered",
      async () => (await import("./memory_stats_verbs.ts")).stats,
    ),
  },
  examples: [
    "conclaude memory search why do uploads time out",
    'conclaude memory remember "Tests need the service on port 5433"',
  ],
});
