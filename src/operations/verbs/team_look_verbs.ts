/** `conclaude team status|preview|rules|held`: show sharing as known here, without a server; `held` settles rows. */
import { count } from "../../base/counts.ts";
import { UserError } from "../../base/errors.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import { readAddress } from "../../team/address.ts";
import { buildBatch } from "../../team/push.ts";
import { NO_SEAL } from "../../team/seal.ts";
import * as teams from "../../team/store.ts";
import { lagText, teamLags } from "../../team/team_lag.ts";
import { switchOn, textFlag } from "../flags.ts";
import { forgotLines, laggingLines } from "../team_text.ts";
import { titledFacts } from "../table.ts";
import { joinedHere, noteDefinitions, openTeam, TEAM_PROJECT } from "../team_here.ts";
import { differences } from "../team_rows.ts";
import { usageError } from "../usage.ts";
import { readVerb } from "../list_and_show.ts";
import { verb } from "../verb.ts";

export const status = readVerb({
  run({ db }) {
    const projects = teams.listJoined(db).map(({ way, ...joined }) => ({
      ...joined,
      server: readAddress(way.address).host,
      kinds: teams.countKinds(db, joined.project),
      writers: teams.countWriters(db, joined.project),
      /** The machines that have not yet forgotten what others have forgotten. */
      ...teams.laggingMachines(db, { project: joined.project, uids: null }),
    }));
    const lags = new Map(teamLags(db).map((lag) => [lag.project, lag]));
    const lines = projects.flatMap((
      { name, project, server, kinds, writers, forgot, fault, ...lagging },
    ) => [
      `${name}  ${folderOfProject(project)}`,
      ...titledFacts([
        ["server", server],
        ["state", lagText(lags.get(project)!, Date.now())],
        ["waits", kinds.map(({ kind, rows }) => count(rows, kind)).join(", ") || null],
        ...[...Map.groupBy(writers, ({ author }) => author)].map(([author, of]) =>
          [author, of.map(({ kind, rows }) => count(rows, kind)).join(", ")] as const
        ),
        ["forgot here", forgotLines(forgot).join("; ") || null],
        ["forget", laggingLines(lagging).join("; ") || null],
        ["failed", fault],
      ]),
    ]);
    const none = ["No project is shared. To share this one: conclaude team join ADDRESS"];
    return {
      json: { projects: projects.map((one) => ({ ...one, ...lags.get(one.project) })) },
      text: lines.length === 0 ? none : lines,
    };
  },
});

export const preview = verb({
  flags: { project: TEAM_PROJECT },
  async run(context, { project }) {
    const store = await openTeam(context);
    const batches = joinedHere(context, store, project).map((joined) => {
      noteDefinitions(context, store, joined);
      const batch = buildBatch(store, joined, { seal: NO_SEAL, nowMs: Date.now(), isDry: true });
      const bytes = batch.length === 0 ? null : JSON.stringify(batch);
      return { name: joined.name, origin: joined.origin, bytes };
    });
    const lines = batches.flatMap(({ bytes }) => bytes ?? []);
    return {
      json: { batches },
      text: lines.length === 0 ? "Nothing waits to be sent." : lines.join("\n"),
      quoted: true,
    };
  },
});

export const rules = verb({
  flags: { project: TEAM_PROJECT },
  async run(context, { project }) {
    const store = await openTeam(context);
    const requirements = joinedHere(context, store, project)
      .flatMap((joined) => teams.listTeamRequirements(store.db, joined.project));
    const lines = requirements.map(({ name, author, definition }) =>
      `${name}  by ${author || "you, elsewhere"}  ${definition}`
    );
    return {
      json: { requirements },
      text: lines.length === 0 ? "Nobody else defines any." : lines,
    };
  },
});

export const held = verb({
  args: [textFlag("The uid of a row, or its end", "row")],
  flags: {
    send: switchOn("Send it as it is: it holds no secret"),
    drop: switchOn("Never send it, or forget the refused change"),
  },
  async run(context, { send, drop }, uid) {
    const { db, rows: rowsHere } = await openTeam(context);
    const isNamed = (one: string) => uid === undefined || one === uid || one.endsWith(uid);
    const all = teams.listHeld(db).filter((row) => isNamed(row.uid));
    if (send || drop) {
      if (uid === undefined || send === drop) {
        throw usageError("Cannot tell what is meant", {
          why: "it takes a row, and one of --send and --drop",
          next: "conclaude team held --help",
        });
      }
      if (new Set(all.map((row) => row.uid)).size !== 1) {
        throw new UserError(`Cannot tell which held row "${uid}" is`, {
          why: `${all.length === 0 ? "none ends" : "several end"} like this; nothing was changed`,
          next: "conclaude team held",
        });
      }
      await (await import("../require_person.ts")).requirePerson(context, "team held");
      for (const row of all) teams.settleHeld(db, row, send ? "send" : "drop");
      const done = send ? "It goes with the next sync" : "It is dropped";
      return { json: { rows: all.length, done }, text: `${done}.` };
    }
    const rows = all.map((row) => ({
      ...row,
      differs: row.reason === "conflict"
        ? differences(row.body!, rowsHere.read(row.kind, row.uid)?.body)
        : [],
    }));
    const lines = rows.flatMap(({ kind, uid, reason, detail, body, differs }) => [
      `${reason}  ${kind} ${uid}`,
      `  ${detail}`,
      ...differs.map(({ field, yours, theirs }) =>
        `  ${field}: ${JSON.stringify(yours)} is yours, ${JSON.stringify(theirs)} counts`
      ),
      ...body === null || differs.length > 0 ? [] : [`  ${body}`],
    ]);
    return {
      json: { held: rows },
      text: lines.length === 0 ? "Nothing waits for a person." : lines,
    };
  },
});
