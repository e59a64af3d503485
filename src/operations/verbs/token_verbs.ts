import { dropTokens, makeToken } from "../../policy/store.ts";
import { toggle } from "../flags.ts";
import { requirePerson, TOKEN_VARIABLE } from "../require_person.ts";
import { openStore } from "../open_store.ts";
import { verb } from "../verb.ts";

export const token = verb({
  flags: { revoke: toggle("Make every token so far worthless, and print none") },
  async run(context, { revoke }) {
    await requirePerson(context, "token", { atTerminal: true });
    const { db } = await openStore(context, "write", "keep a token");
    if (revoke) {
      const revoked = dropTokens(db);
      return { json: { revoked }, text: `${revoked} revoked: no earlier token counts any more.` };
    }
    const token = await makeToken(db, Date.now());
    context.process.stderr.write(
      `Give it to a script as ${TOKEN_VARIABLE}, for that call alone: whatever Claude Code inherits, its agent can use.\n`,
    );
    return { json: { token }, text: token };
  },
});
