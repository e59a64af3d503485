/** Tokens with which a person's own scripts run the verbs of a person. */
import { dropTokens, makeToken } from "../../store/person_proof.ts";
import type { CliContext } from "../context.ts";
import { requirePerson, TOKEN_VARIABLE } from "../person.ts";
import { openKept } from "../store.ts";
import type { View } from "../view.ts";

/** `conclaude token` */
export async function printToken(
  context: CliContext,
  { revoke }: { readonly revoke: boolean },
): Promise<View> {
  await requirePerson(context, "token", { atTerminal: true });
  const db = await openKept(context, "keep a token");
  if (revoke) {
    const count = dropTokens(db);
    return {
      json: { revoked: count },
      text: `${count} revoked: no earlier token counts any more.`,
    };
  }
  const token = await makeToken(db, Date.now());
  context.process.stderr.write(
    `Give it to a script as ${TOKEN_VARIABLE}, for that call alone: whatever Claude Code inherits, its agent can use.\n`,
  );
  return { json: { token }, text: token };
}
