/** Lists what a session was told of as changed without being allowed, for its story and its steps. */
import type { DatabaseSync } from "node:sqlite";
import type { SessionRow } from "../db/sessions.ts";
import { violationsOfSession } from "../policy/store.ts";
import type { CliContext } from "./context.ts";

/** Lists what a session was told of as changed without being allowed, and whether that is open now. */
export async function violationsIn(
  context: CliContext,
  db: DatabaseSync,
  { sessionId, projectDir }: SessionRow,
) {
  const told = violationsOfSession(db, sessionId);
  if (told.length === 0) return [];
  const [{ stillOpenIn }, { placeOf }] = await Promise.all([
    import("./open_here.ts"),
    import("./open_store.ts"),
  ]);
  const there = { ...context, cwd: projectDir ?? context.cwd };
  const open = await stillOpenIn(there, told, { db, config: (await placeOf(there)).config });
  return told.map((one) => {
    const { subject, name, kind, rule, who, undo, createdAtMs, settledAtMs } = one;
    const isOpen = open.includes(one);
    return { subject, name, kind, rule, who, undo, createdAtMs, settledAtMs, isOpen };
  });
}

export type Violations = Awaited<ReturnType<typeof violationsIn>>;

export const openWord = ({ isOpen }: Violations[number]) => isOpen ? "open" : "settled";
