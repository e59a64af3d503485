/**
 * `conclaude team claim|renew|tell`: request, extend or report claims at a team's server. `conclaude task …` and the
 * daemon run these verbs as processes, since they have no network themselves.
 */
import { UserError } from "../../base/errors.ts";
import { readAddress } from "../../team/address.ts";
import { claimOnServer, renewOnServer, tellClaims } from "../../team/server_claims.ts";
import { pullAll } from "../../team/pull.ts";
import { type Server, withServer } from "../../team/server.ts";
import { KNOWN_VERSION } from "../../team/schema_version.ts";
import { readJoined, schemaOf } from "../../team/store.ts";
import { sealOf } from "../../team/sync.ts";
import type { JoinedProject } from "../../team/types.ts";
import type { CliContext } from "../context.ts";
import { numberFlag, optional, text, textFlag } from "../flags.ts";
import { openTeam, type TeamHere } from "../team_here.ts";
import { takeTurn } from "../team_sync.ts";
import { verb } from "../verb.ts";

/** The longest time of each part of a request, in milliseconds: the caller gives up after five seconds. */
const CONNECT_MS = 3_000;
const PULL_MS = 1_500;
const TURN_MS = 300;

const ID = text("The whole id of the task", "id");
const IN = textFlag("The project, as `team status --json` has it", "project");
const CLAIM_FLAGS = {
  in: IN,
  holder: textFlag("Who claims", "name"),
  leaseMs: numberFlag(1, Number.MAX_SAFE_INTEGER, "How long the claim counts, in milliseconds"),
};

const MINUTE_MS = 60_000;

export const claim = verb({
  args: [optional(ID)],
  flags: CLAIM_FLAGS,
  run: (context, { in: project, holder = "user", leaseMs = MINUTE_MS }, task = undefined) =>
    atServer(context, project, async (store, joined, server) => {
      await pullQuickly(store, joined, server);
      return await claimOnServer(store, joined, { server, task: task ?? null, holder, leaseMs });
    }),
});

export const renew = verb({
  args: [ID],
  flags: {
    ...CLAIM_FLAGS,
    fence: numberFlag(0, Number.MAX_SAFE_INTEGER, "The number of the claim"),
  },
  run: (context, { in: project, holder = "user", leaseMs = MINUTE_MS, fence = null }, task) =>
    atServer(
      context,
      project,
      (_store, joined, server) => renewOnServer(joined, { server, task, fence, holder, leaseMs }),
    ),
});

export const tell = verb({
  args: [ID],
  flags: { in: IN },
  run: (context, { in: project }, task) =>
    atServer(context, project, async (store, joined, server) => {
      await tellClaims(store, joined, { server, task });
      return { outcome: "told" };
    }),
});

async function atServer(
  context: CliContext,
  project: string | undefined,
  ask: (store: TeamHere, joined: JoinedProject, server: Server) => Promise<object>,
) {
  const store = await openTeam(context);
  const joined = readJoined(store.db, project ?? "");
  if (joined === null) {
    throw new UserError("Cannot ask a team's server", {
      why: "the project of --in is not joined",
      next: "conclaude team status",
    });
  }
  const { environment } = context;
  const connection = { environment, connectMs: CONNECT_MS };
  const json = await withServer(joined.way, connection, async (server) => {
    if (await schemaOf(server) > KNOWN_VERSION) {
      throw new UserError("Cannot change claims on the team's server", {
        why: "it is set up for a newer conclaude; nothing was changed",
        next: "Upgrade conclaude on this machine",
      });
    }
    return await ask(store, joined, server);
  });
  return { json, text: JSON.stringify(json), quoted: true as const };
}

/** Pulls the rows of others as far as time allows, since the local rows may be out of date. */
async function pullQuickly(store: TeamHere, joined: JoinedProject, server: Server): Promise<void> {
  const lock = await takeTurn(store, TURN_MS);
  if (lock === null) return;
  try {
    const current = readJoined(store.db, joined.project) ?? joined;
    const untilMs = Date.now() + PULL_MS;
    await pullAll(store, current, {
      server,
      user: readAddress(joined.way.address).user,
      seal: sealOf(joined.way),
      onRows: () => {},
      untilMs,
    });
  } finally {
    lock.release();
  }
}
