import { group, lazyFrom } from "../verb.ts";

const search = lazyFrom(() => import("./memory_search_verbs.ts"));
const note = lazyFrom(() => import("./memory_remember_verbs.ts"));
const measure = lazyFrom(() => import("./memory_eval_verbs.ts"));
const counts = lazyFrom(() => import("./memory_stats_verbs.ts"));
const place = lazyFrom(() => import("./memory_move_verbs.ts"));
const open = lazyFrom(() => import("./memory_open_verbs.ts"));
const forgetting = lazyFrom(() => import("./memory_forget_verbs.ts"));

export const memory = group({
  search: search("search"),
  browse: search("browse"),
  list: search("list"),
  show: search("show"),
  timeline: search("timeline"),
  open: open("open"),
  context: open("context"),
  remember: note("remember"),
  eval: measure("evaluate"),
  forget: forgetting("forget"),
  verify: forgetting("verify"),
  move: place("move"),
  stats: counts("stats"),
});
