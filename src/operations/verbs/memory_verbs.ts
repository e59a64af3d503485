import { group, lazyFrom } from "../verb.ts";

const search = lazyFrom(() => import("./memory_search_verbs.ts"));
const note = lazyFrom(() => import("./memory_remember_verbs.ts"));
const browse = lazyFrom(() => import("./memory_browse_verbs.ts"));
const measure = lazyFrom(() => import("./memory_eval_verbs.ts"));
const counts = lazyFrom(() => import("./memory_stats_verbs.ts"));
const place = lazyFrom(() => import("./memory_move_verbs.ts"));
const open = lazyFrom(() => import("./memory_open_verbs.ts"));
const gone = lazyFrom(() => import("./memory_forget_verbs.ts"));
const look = lazyFrom(() => import("./memory_look_verbs.ts"));

export const memory = group({
  verbs: {
    search: search("Find what was done, said and decided", "search"),
    browse: browse("Search as you type, on a terminal", "browse"),
    list: search("List the newest of what is remembered", "list"),
    show: look("Show observations with everything behind them", "show"),
    timeline: look("Show what came before and after, or what became of a file", "timeline"),
    open: open("List what is open in this project", "open"),
    context: open("Show what the next session is told", "context"),
    remember: note("Keep a note for this project", "remember"),
    eval: measure("Measure how well memory finds things", "evaluate"),
    forget: gone("Remove what must not be remembered, for good", "forget"),
    verify: gone("Check that what was forgotten is still gone", "verify"),
    move: place("Tell that a project is in another folder now", "move"),
    stats: counts("Count what is remembered", "stats"),
  },
  examples: [
    "conclaude memory search why do uploads time out",
    'conclaude memory remember "Tests need the service on port 5433"',
  ],
});
