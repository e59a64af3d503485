/** `conclaude team …`: share memory and tasks with other machines. Only these verbs may use the network. */
import { count } from "../../base/counts.ts";
import { newId } from "../../base/ids.ts";
import { plain } from "../../base/plain.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { transaction } from "../../db/transaction.ts";
import { readAddress } from "../../team/address.ts";
import { withServer } from "../../team/server.ts";
import * as teams from "../../team/store.ts";
import { sealOf } from "../../team/sync.ts";
import { verifyProject } from "../../team/verify.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { identityOf } from "../../system/git/identity.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import { isThere } from "../../system/on_disk.ts";
import { joinPath } from "../../base/paths.ts";
import { takeBackElsewhere } from "../../work/store.ts";
import type { CliContext } from "../context.ts";
import { numberFlag, optional, SHARED, switchOn, textFlag } from "../flags.ts";
import { shortOrigin, syncLines } from "../team_text.ts";
import { flagsAgain } from "../next_command.ts";
import { confirmOrThrow } from "../terminal.ts";
import { tableText } from "../table.ts";
import {
  ADDRESS,
  joinedHere,
  openTeam,
  projectOfTeam,
  TEAM_PROJECT,
  teamAddress,
  WAY_FLAGS,
  wayOf,
} from "../team_here.ts";
import { followAll, syncAll } from "../team_sync.ts";
import { usageError } from "../usage.ts";
import { group, lazyFrom, verb } from "../verb.ts";

const init = verb({
  person: "team init",
  args: [ADDRESS],
  flags: WAY_FLAGS,
  async run(context, flags, address) {
    const way = wayOf(context, address, flags);
    await withServer(way, context, teams.setUpServer);
    const { host, database } = readAddress(address);
    return {
      json: { host, database },
      text: `The database "${database}" on ${host} is set up.\n\n` +
        "Next, for each member:  conclaude team members --add LOGIN ADDRESS\n" +
        "Each on their machine:  conclaude team join ADDRESS",
    };
  },
});

const join = verb({
  person: "team join",
  args: [optional(ADDRESS)],
  flags: {
    project: TEAM_PROJECT,
    name: textFlag("What the project is called there, where neither a remote nor a commit says it"),
    keyFile: textFlag(
      "A file of mode 0600 with the team's key: the server can then read nothing",
      "file",
    ),
    ...WAY_FLAGS,
    yes: SHARED.yes,
  },
  async run(context, flags, given) {
    const again = (more: Partial<typeof flags>, address = given) =>
      `conclaude team join${address === undefined ? "" : ` ${quoteWord(address)}`}` +
      flagsAgain({ ...flags, ...more });
    const configured = given ?? teamAddress(context, again({ login: flags.login ?? "LOGIN" }));
    if (configured === null) {
      throw usageError("Cannot tell which team to join", {
        why: "no address was given, and `team.address` names none",
        next: again({}, "postgres://LOGIN@HOST/DATABASE"),
      });
    }
    const way = wayOf(context, configured, flags);
    const { address } = way;
    const project = projectOfTeam(context, flags.project);
    const store = await openTeam(context);
    if (teams.readJoined(store.db, project) !== null) {
      throw new UserError("Cannot join twice", {
        why: `${folderOfProject(project)} is joined already; nothing was changed`,
        next: "conclaude team status",
      });
    }
    const name = flags.name ??
      await nameOfProject(context, project, again({ name: "NAME" }));
    const rows = [...store.rows.list(project)].filter(({ kind }) => store.share.includes(kind));
    const kinds = [...Map.groupBy(rows, ({ kind }) => kind)];
    const { fingerprint } = sealOf(way);
    const notice = [
      `${folderOfProject(project)} joins as "${name}" on ${readAddress(address).host}.`,
      rows.length === 0
        ? "Nothing is here to be sent yet."
        : `These are sent: ${kinds.map(([kind, of]) => count(of.length, kind)).join(", ")}.`,
      "Never what tools were given and returned.",
      ...fingerprint === null
        ? []
        : [`Encrypted with the key ${fingerprint}: all members see the same digits.`],
    ];
    if (!flags.yes) {
      confirmOrThrow(context, {
        what: "join",
        ask: "Join?",
        shows: notice,
        again: again({ yes: true }),
      });
    }
    const origin = newId(Date.now());
    await withServer(way, context, async (server) => {
      const key = await teams.beginProject(server, name, fingerprint);
      if (key === undefined) {
        const { user } = readAddress(address);
        throw new UserError("Cannot join this project", {
          why: `"${name}" is there, and ${user} does not belong to it; nothing was changed`,
          next: "One of its owners runs `conclaude team members --add LOGIN`",
        });
      }
      if (key !== fingerprint) {
        throw new UserError("Cannot join with this key", {
          why: key === null
            ? "the project is not encrypted; nothing was changed"
            : `the project uses the key ${key}, and this is ${
              fingerprint ?? "none"
            }; nothing was changed`,
          next: key === null
            ? "Leave out --key-file"
            : "Get the team's key, and give it with --key-file",
        });
      }
      await teams.registerMachine(server, name, origin);
    });
    teams.writeJoined(store.db, { project, name, way, origin, joinedAtMs: Date.now() });
    const [report] = await syncAll(context, store, [teams.readJoined(store.db, project)!]);
    return {
      json: { project, name, origin, ...report },
      text: [...syncLines(`Joined "${name}"`, report!), "", "Next: conclaude team status"],
    };
  },
});

/** Returns a project's name on all machines. @throws {UserError} If it has neither a remote nor a commit. */
async function nameOfProject(context: CliContext, project: string, again: string): Promise<string> {
  if (isThere(joinPath(project, "HEAD"))) {
    const { remote, firstCommit } = await identityOf(project, context.environment);
    const name = remote ?? firstCommit;
    if (name !== null) return name;
  }
  throw usageError("Cannot tell which project this is on other machines", {
    why: `${folderOfProject(project)} has no remote and no commit; nothing was changed`,
    next: `Give it a name that all of the team use: ${again}`,
  });
}

const leave = verb({
  person: "team leave",
  flags: { project: TEAM_PROJECT, yes: SHARED.yes },
  async run(context, { project: folder, yes }) {
    const store = await openTeam(context);
    const [joined] = joinedHere(context, store, folder ?? context.cwd);
    const { project, name, origin, way } = joined!;
    const waiting = teams.countWaiting(store.db, project);
    if (!yes) {
      confirmOrThrow(context, {
        what: "leave the team",
        ask: "Leave?",
        shows: [
          `${folderOfProject(project)} leaves "${name}"; ${
            count(waiting, "change")
          } were not sent yet.`,
        ],
        again: `conclaude team leave${flagsAgain({ project: folder, yes: true })}`,
      });
    }
    const fault = await withServer(
      way,
      context,
      (server) => teams.noteGone(server, { name, origin }),
    )
      .then(() => null, messageOf);
    teams.removeJoined(store.db, project);
    transaction(store.db, () => takeBackElsewhere(store.db, project, Date.now()));
    const later = `conclaude team members --gone ${shortOrigin(origin)} --name ${quoteWord(name)} ${
      quoteWord(way.address)
    }`;
    return {
      json: { project, name, notSent: waiting, isTold: fault === null },
      text: [
        `Left "${name}". Others keep what was sent, and what came from them stays here.`,
        ...fault === null ? [] : [
          `The server was not told: ${fault}. Until it is, the others wait for this machine to forget.`,
          `Next, once it can be reached:  ${later}`,
        ],
      ],
    };
  },
});

const sync = verb({
  flags: {
    project: TEAM_PROJECT,
    follow: switchOn("Go on until it is ended, as soon as something changes"),
    idle: numberFlag(1, 86_400, "With --follow: end after so many seconds without work"),
  },
  async run(context, { project, follow, idle }) {
    const store = await openTeam(context);
    const joined = joinedHere(context, store, project);
    const reports = follow
      ? await followAll(context, store, {
        joined,
        idleMs: idle === undefined ? null : idle * 1_000,
      })
      : await syncAll(context, store, joined);
    const held = teams.listHeld(store.db).length;
    return {
      json: { projects: reports },
      text: [
        ...reports.flatMap((report) => syncLines(report.name, report)),
        ...held === 0
          ? []
          : [`${count(held, "row waits", "rows wait")} for you: conclaude team held`],
      ],
    };
  },
});

const verify = verb({
  flags: { project: TEAM_PROJECT },
  async run(context, { project }) {
    const store = await openTeam(context);
    const projects = [];
    for (const joined of joinedHere(context, store, project)) {
      const origins = await withServer(
        joined.way,
        context,
        (server) => verifyProject(store, joined, server),
      );
      if (origins.every(({ isSame }) => isSame)) teams.noteSame(store.db, joined);
      projects.push({ name: joined.name, upTo: joined.pulledSeq, origins });
    }
    const ok = projects.every(({ origins }) => origins.every(({ isSame }) => isSame));
    const lines = projects.flatMap(({ name, upTo, origins }) => [
      `${plain(name)}, up to row ${upTo}`,
      tableText(context, origins, {
        MEMBER: ({ author }) => author,
        MACHINE: ({ origin }) => origin.slice(-8),
        THERE: [({ there }) => there],
        HERE: [({ here }) => here],
        "": ({ isSame }) => isSame ? "same" : "differs",
      }, "No rows yet."),
    ]);
    return { json: { ok, projects }, text: lines.join("\n"), exitCode: ok ? 0 : 1 };
  },
});

const people = lazyFrom(() => import("./team_members_verbs.ts"));

const look = lazyFrom(() => import("./team_look_verbs.ts"));

const claims = lazyFrom(() => import("./team_claim_verbs.ts"));

export const team = group({
  init,
  join,
  leave,
  status: look("status"),
  preview: look("preview"),
  sync,
  verify,
  members: people("members"),
  rules: look("rules"),
  held: look("held"),
  claim: claims("claim"),
  renew: claims("renew"),
  tell: claims("tell"),
});
