import { group, lazy } from "../verb.ts";

const look = () => import("./req_look_verbs.ts");
const state = () => import("./req_state_verbs.ts");
const files = () => import("./req_files_verbs.ts");

export const req = group({
  verbs: {
    status: lazy("Show which requirements are satisfied", async () => (await look()).status),
    satisfy: lazy("Say that requirements are satisfied", async () => (await state()).satisfy),
    approve: lazy(
      "The same, as one says it of a value: approve its size",
      async () => (await state()).approve,
    ),
    clear: lazy("Take back that requirements are satisfied", async () => (await state()).clear),
    pause: lazy("Lift all requirements for a session", async () => (await state()).pause),
    resume: lazy("Put the requirements in force again", async () => (await state()).resume),
    list: lazy("List the branches that something is recorded of", async () => (await look()).list),
    prune: lazy(
      "Forget what was recorded of branches that are gone",
      async () => (await state()).prune,
    ),
    sessions: lazy("List the sessions that are active", async () => (await look()).sessions),
    show: lazy("Show a requirement as it is configured", async () => (await look()).show),
    explain: lazy(
      "Explain why a requirement is open or satisfied here",
      async () => (await look()).explain,
    ),
    enable: lazy("Switch requirements on, in your own file", async () => (await files()).enable),
    disable: lazy("Switch requirements off, in your own file", async () => (await files()).disable),
    init: lazy("Begin with a set of requirements", async () => (await files()).init),
    import: lazy(
      "Take over what the older requirements framework has",
      async () => (await import("./req_import_verbs.ts")).reqImport,
    ),
  },
  examples: [
    "conclaude req status",
    "conclaude req satisfy commit_plan --session 01980c5e",
    "conclaude req init --preset strict",
  ],
});
