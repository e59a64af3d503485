import { group, lazyFrom } from "../verb.ts";

const look = lazyFrom(() => import("./req_look_verbs.ts"));
const state = lazyFrom(() => import("./req_state_verbs.ts"));
const files = lazyFrom(() => import("./req_files_verbs.ts"));

export const req = group({
  status: look("status"),
  satisfy: state("satisfy"),
  approve: state("approve"),
  clear: state("clear"),
  pause: state("pause"),
  resume: state("resume"),
  list: look("list"),
  prune: state("prune"),
  sessions: look("sessions"),
  show: look("show"),
  explain: look("explain"),
  enable: files("enable"),
  disable: files("disable"),
  init: files("init"),
  import: files("reqImport"),
});
