/** The functions on this room's tables that other rooms use; `transfer/store.ts` has those that hooks never need. */
export * from "./care/care_table.ts";
export * from "./forget/forget_places_table.ts";
export * from "./forget/forget_receipts_table.ts";
export * from "./forget/stay_away_table.ts";
