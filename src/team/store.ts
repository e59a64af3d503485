/** Gives other rooms this room's tables, here and on the server, without loading the PostgreSQL client. */
export { beginProject, schemaOf } from "./log_table.ts";
export {
  addMember,
  listMachines,
  listMembers,
  noteGone,
  registerMachine,
} from "./members_table.ts";
export { countKinds, countWaiting } from "./outbox_table.ts";
export {
  countWriters,
  type HeldReason,
  type HeldRow,
  type LaggingMachine,
  type LaggingMachines,
  laggingMachines,
  listHeld,
  settleHeld,
} from "./received_table.ts";
export { letLogin, setUpServer } from "./server_setup_table.ts";
export {
  listTeamRequirements,
  noteRequirements,
  readTeamRequirement,
  takeTeamRequirement,
  type TeamRequirement,
} from "./team_requirements_table.ts";
export {
  listJoined,
  noteSame,
  readJoined,
  removeJoined,
  writeJoined,
} from "./team_projects_table.ts";
