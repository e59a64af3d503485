/** The functions on this room's tables that other rooms use; `transfer/store.ts` has those that hooks never need. */
export { integrityFaults, measureDatabase, sqliteVersion } from "./care/care_table.ts";
export { removeForgottenAgain } from "./forget/forget_places_table.ts";
export {
  commandAgain,
  findReceipts,
  forgottenDigest,
  keepAway,
  type Receipt,
  receiptsWithoutKey,
  SAME_FILE,
  SAME_TEXT,
  stoppedReceipt,
  taskName,
  unfinishedReceipts,
} from "./forget/forget_receipts_table.ts";
export {
  admitAgain,
  forgottenRows,
  isKeyForgotten,
  namesOfReceipt,
  stayAway,
  withoutForgotten,
} from "./forget/stay_away_table.ts";
