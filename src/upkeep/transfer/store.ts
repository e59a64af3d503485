/** The functions on this room's tables that the verbs for moving, exporting and importing use. */
export {
  claudeMemRows,
  type ClaudeMemTable,
  claudeMemTables,
  observationOf,
} from "./claude_mem_table.ts";
export { countBelow, MOVED_TABLES, moveRows } from "./move_table.ts";
export { type ExportCounts, exportLines, type LostRow } from "./export_table.ts";
