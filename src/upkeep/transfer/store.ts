/** What verbs that move, export and import read and write of the tables of this room. */
export {
  claudeMemRows,
  type ClaudeMemTable,
  claudeMemTables,
  observationOf,
} from "./claude_mem_table.ts";
export { countBelow, MOVED_TABLES, moveRows } from "./move_table.ts";
export { type ExportCounts, exportLines, type LostRow } from "./export_table.ts";
