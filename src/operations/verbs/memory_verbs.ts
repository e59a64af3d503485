import { group, lazyFrom } from "../verb.ts";

const search = lazyFrom(() => import("./memory_search_verbs.ts"));
const state = lazyFrom(() => import("./memory_state_verbs.ts"));
const change = lazyFrom(() => import("./memory_change_verbs.ts"));
const measure = lazyFrom(() => import("./memory_eval_verbs.ts"));
const forgetting = lazyFrom(() => import("./memory_forget_verbs.ts"));

export const memory = group({
  search: search("search"),
  browse: search("browse"),
  list: search("list"),
  show: search("show"),
  timeline: search("timeline"),
  open: state("open"),
  context: state("context"),
  remember: change("remember"),
  eval: measure("evaluate"),
  forget: forgetting("forget"),
  verify: forgetting("verify"),
  move: change("move"),
  stats: state("stats"),
});
