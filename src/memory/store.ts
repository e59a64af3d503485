/** Exports what other rooms read and write in the tables of this room. */
export * from "./drain/observations_table.ts";
export * from "./drain/imported_observations_table.ts";
export * from "./usage/token_use_table.ts";
export * from "./drain/summarizer_runs_table.ts";
export * from "./observe/session_observations_table.ts";
export * from "./search/index_forms_table.ts";
export * from "./search/known_names_table.ts";
export * from "./search/memory_health_table.ts";
export * from "./search/memory_index_table.ts";
export * from "./search/memory_look_table.ts";
export * from "./search/memory_search_table.ts";
export * from "./tell/repositories_table.ts";
export * from "./tell/memory_context_table.ts";
export * from "./forget_choice_table.ts";
export * from "./shared_observations_table.ts";
