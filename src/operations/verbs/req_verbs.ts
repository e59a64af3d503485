import { group, lazyFrom } from "../verb.ts";

const look = lazyFrom(() => import("./req_look_verbs.ts"));
const state = lazyFrom(() => import("./req_state_verbs.ts"));
const files = lazyFrom(() => import("./req_files_verbs.ts"));
const taken = lazyFrom(() => import("./req_import_verbs.ts"));

export const req = group({
  verbs: {
    status: look("Show which requirements are satisfied", "status"),
    satisfy: state("Say that requirements are satisfied", "satisfy"),
    approve: state(
      "The same as satisfy, for requirements that are calculated: approve the size of a branch",
      "approve",
    ),
    clear: state("Take back that requirements are satisfied", "clear"),
    pause: state("Lift all requirements for a session", "pause"),
    resume: state("Put the requirements in force again", "resume"),
    list: look("List the branches that something is recorded of", "list"),
    prune: state("Forget what was recorded of branches that are gone", "prune"),
    sessions: look("List the sessions that are active", "sessions"),
    show: look("Show a requirement as it is configured", "show"),
    explain: look("Explain why a requirement is open or satisfied here", "explain"),
    enable: files("Switch requirements on, in your own file", "enable"),
    disable: files("Switch requirements off, in your own file", "disable"),
    init: files("Begin with a set of requirements", "init"),
    import: taken("Take over what the older requirements framework has", "reqImport"),
  },
  examples: [
    "conclaude req status",
    "conclaude req satisfy commit_plan --session 01980c5e",
    "conclaude req init --preset strict",
  ],
});
