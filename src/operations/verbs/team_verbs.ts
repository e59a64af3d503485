/** `conclaude team …`: shares memory and tasks with other machines. The only verbs that may use the network. */
import { count } from "../../base/counts.ts";
import { newId } from "../../base/ids.ts";
import { plain } from "../../base/plain.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { transaction } from "../../db/transaction.ts";
import { readAddress, withLogin } from "../../team/address.ts";
import { type Server, withServer } from "../../team/server.ts";
import {
  addMember,
  beginProject,
  countWaiting,
  letLogin,
  listHeld,
  listMachines,
  listMembers,
  noteGone,
  readJoined,
  registerMachine,
  removeJoined,
  setUpServer,
  writeJoined,
} from "../../team/store.ts";
import { sealOf } from "../../team/sync.ts";
import type { JoinedProject, SeenMachine, WayToServer } from "../../team/types.ts";
import { verifyProject } from "../../team/verify.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { identityOf } from "../../system/git/identity.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import { isThere } from "../../system/on_disk.ts";
import { joinPath } from "../../base/paths.ts";
import { takeBackElsewhere } from "../../work/store.ts";
import { type CliContext, typedPath } from "../context.ts";
import { number, optional, switchOn, text, textFlag, YES_FLAG } from "../flags.ts";
import { shortOrigin } from "../lagging_text.ts";
import { agoText } from "../list_and_show.ts";
import { flagsAgain } from "../next_command.ts";
import { confirmOrThrow } from "../terminal.ts";
import { tableText } from "../table.ts";
import { joinedHere, openTeam, projectOfTeam, TEAM_PROJECT, teamAddress } from "../team_here.ts";
import { followAll, syncAll } from "../team_sync.ts";
import { saidOf } from "../team_sync_text.ts";
import { usageError } from "../usage.ts";
import { group, lazyFrom, verb } from "../verb.ts";

const ADDRESS = text(
  "The server: postgres://ana@db.example.org:5432/team, without a password",
  "address",
);

/** How to reach a server, as a person says it. */
const WAY_FLAGS = {
  login: textFlag("Your login there, where the address names none", "name"),
  ca: textFlag("Certificates to trust instead of those of the system", "file"),
  passwordFile: textFlag("A file of mode 0600 with the password; without it ~/.pgpass", "file"),
  passwordCommand: textFlag("A command that prints the password", "command"),
};

type WayFlags = { readonly [Name in keyof typeof WAY_FLAGS]?: string };

function wayOf(
  context: CliContext,
  address: string,
  flags: WayFlags & { readonly keyFile?: string },
): WayToServer {
  const whole = withLogin(address, flags.login);
  readAddress(whole);
  const file = (path: string | undefined) =>
    path === undefined ? undefined : typedPath(context, path);
  const way = {
    address: whole,
    caFile: file(flags.ca),
    passwordFile: file(flags.passwordFile),
    passwordCommand: flags.passwordCommand,
    keyFile: file(flags.keyFile),
  };
  return Object.fromEntries(
    Object.entries(way).filter(([, value]) => value !== undefined),
  ) as unknown as WayToServer;
}

const init = verb({
  brief: "Set up a database for teams, once",
  person: "team init",
  args: [ADDRESS],
  flags: WAY_FLAGS,
  about:
    "Makes schema, roles and rights in a PostgreSQL database. Its owner runs it once, and again after an upgrade of conclaude.",
  examples: ["conclaude team init postgres://owner@db.example.org/team --ca team.crt"],
  async run(context, flags, address) {
    const way = wayOf(context, address, flags);
    await withServer(way, context, setUpServer);
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
  brief: "Share a project with the others",
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
    yes: YES_FLAG,
  },
  about:
    "Joins the project in this folder with the same project of other machines. Shows what would be sent, and asks. Two " +
    "clones are the same project where their remote is the same, else their first commit.",
  examples: [
    "conclaude team join postgres://ana@db.example.org/team",
    "conclaude team join --project ~/work/shop --password-command 'pass show team-db'",
  ],
  async run(context, flags, given) {
    const again = (address = given, more: Partial<typeof flags> = {}) =>
      `conclaude team join${address === undefined ? "" : ` ${quoteWord(address)}`}` +
      flagsAgain({ ...flags, ...more });
    const configured = given ?? teamAddress(context);
    if (configured === null) {
      throw usageError("Cannot tell which team to join", {
        why: "no address was given, and `team.address` names none",
        next: again("postgres://LOGIN@HOST/DATABASE"),
      });
    }
    const way = wayOf(context, configured, flags);
    const { address } = way;
    const project = projectOfTeam(context, flags.project);
    const store = await openTeam(context);
    if (readJoined(store.db, project) !== null) {
      throw new UserError("Cannot join twice", {
        why: `${folderOfProject(project)} is joined already; nothing was changed`,
        next: "conclaude team status",
      });
    }
    const name = flags.name ??
      await nameOfProject(context, project, again(given, { name: "NAME" }));
    const rows = [...store.rows.list(project)].filter(({ kind }) => store.share.includes(kind));
    const kinds = [...Map.groupBy(rows, ({ kind }) => kind)];
    const { fingerprint } = sealOf(way);
    const goes = [
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
        shows: goes,
        again: again(given, { yes: true }),
      });
    }
    const origin = newId(Date.now());
    await withServer(way, context, async (server) => {
      const key = await beginProject(server, name, fingerprint);
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
      await registerMachine(server, name, origin);
    });
    writeJoined(store.db, { project, name, way, origin, joinedAtMs: Date.now() });
    const [report] = await syncAll(context, store, [readJoined(store.db, project)!]);
    return {
      json: { project, name, origin, ...report },
      text: `Joined "${name}": ${saidOf(report!)}\n\nNext: conclaude team status`,
    };
  },
});

/** What a project is called wherever it lies. @throws {UserError} When nothing tells. */
async function nameOfProject(
  context: CliContext,
  project: string,
  again: string,
): Promise<string> {
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
  brief: "Share a project no more",
  person: "team leave",
  flags: { project: TEAM_PROJECT, yes: YES_FLAG },
  about:
    "Stops sharing the project of this folder. What came from others stays in memory here, and what was sent stays with " +
    "them. Tasks that others have claimed are open here.",
  examples: ["conclaude team leave", "conclaude team leave --project ~/work/shop --yes"],
  async run(context, { project: folder, yes }) {
    const store = await openTeam(context);
    const [joined] = joinedHere(context, store, folder ?? context.cwd);
    const { project, name, origin, way } = joined!;
    const waiting = countWaiting(store.db, project);
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
    const untold = await withServer(way, context, (server) => noteGone(server, { name, origin }))
      .then(() => null, messageOf);
    removeJoined(store.db, project);
    transaction(store.db, () => takeBackElsewhere(store.db, project, Date.now()));
    const later = `conclaude team members --gone ${shortOrigin(origin)} --name ${quoteWord(name)} ${
      quoteWord(way.address)
    }`;
    return {
      json: { project, name, notSent: waiting, isTold: untold === null },
      text: [
        `Left "${name}". Others keep what was sent, and what came from them stays here.`,
        ...untold === null ? [] : [
          `The server was not told: ${
            plain(untold)
          }. Until it is, the others wait for this machine to forget.`,
          `Next, once it can be reached:  ${later}`,
        ],
      ].join("\n"),
    };
  },
});

const sync = verb({
  brief: "Send and receive now",
  flags: {
    project: TEAM_PROJECT,
    follow: switchOn("Go on until it is ended, as soon as something changes"),
    idle: optional(number(1, 86_400, "With --follow: end after so many seconds without work")),
  },
  about:
    "Sends what has changed here and takes in what others wrote. The daemon does so by itself while it runs.",
  examples: ["conclaude team sync", "conclaude team sync --follow"],
  async run(context, { project, follow, idle }) {
    const store = await openTeam(context);
    const joined = joinedHere(context, store, project);
    const reports = follow
      ? await followAll(context, store, {
        joined,
        idleMs: idle === undefined ? null : idle * 1_000,
      })
      : await syncAll(context, store, joined);
    const held = listHeld(store.db).length;
    return {
      json: { projects: reports },
      text: [
        ...reports.map((report) => `${plain(report.name)}: ${saidOf(report)}`),
        ...held === 0
          ? []
          : [`${count(held, "row waits", "rows wait")} for you: conclaude team held`],
      ].join("\n"),
    };
  },
});

const verify = verb({
  brief: "Compare this machine with the server",
  flags: { project: TEAM_PROJECT },
  about:
    "Compares, machine by machine, how many rows were taken in here with how many there are on the server, and a sum over " +
    "their digests. Exit status 1 where they differ.",
  examples: ["conclaude team verify", "conclaude team verify --json"],
  async run(context, { project }) {
    const store = await openTeam(context);
    const projects = [];
    for (const joined of joinedHere(context, store, project)) {
      const origins = await withServer(
        joined.way,
        context,
        (server) => verifyProject(store, joined, server),
      );
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

const members = verb({
  brief: "Show who shares a project, or let somebody in",
  args: [optional(ADDRESS)],
  flags: {
    project: TEAM_PROJECT,
    add: textFlag("Let this login in; made on the server where there is none", "login"),
    gone: textFlag(
      "Nobody waits for this machine of yours any more: it is lost, or left",
      "machine",
    ),
    name: textFlag("The project's name on the server, where it is not joined here"),
    ...WAY_FLAGS,
  },
  about:
    "Lists the members of a project, their machines and how far each has read. With --add an owner lets somebody in. " +
    "With --gone a machine of yours is named as out of reach where something is to be forgotten; one that syncs is back.",
  examples: [
    "conclaude team members --gone 1a2b3c4d",
    "conclaude team members",
    "conclaude team members --add bob",
    "conclaude team members --add bob postgres://owner@db.example.org/team",
  ],
  async run(context, flags, address) {
    const store = await openTeam(context);
    if (flags.add !== undefined || flags.gone !== undefined) {
      const verb = `team members --${flags.add === undefined ? "gone" : "add"}`;
      await (await import("../require_person.ts")).requirePerson(context, verb);
    }
    const joined = address === undefined ? joinedHere(context, store, flags.project)[0]! : null;
    const way = joined?.way ?? wayOf(context, address!, flags);
    return await withServer(way, context, async (server) => {
      const name = joined?.name ?? flags.name ?? null;
      if (flags.gone !== undefined && name !== null) {
        const { user } = readAddress(way.address);
        return await leaveBehind(server, { name, user, here: joined, machine: flags.gone });
      }
      if (flags.add !== undefined) {
        const made = await letLogin(server, flags.add);
        if (made === null) {
          throw new UserError(`Cannot let "${flags.add}" in`, {
            why:
              "no login of the team's database is called so, and this user may make none; nothing was changed",
            next: `The owner of the database runs: conclaude team members --add ${
              quoteWord(flags.add)
            } ADDRESS`,
          });
        }
        if (name !== null && !await addMember(server, name, flags.add)) {
          throw new UserError(`Cannot let "${flags.add}" in`, {
            why: "only an owner of the project, or of the database, may",
            next: "Ask whoever began the project: conclaude team members",
          });
        }
        const project = name === null ? "" : ` and belongs to "${name}"`;
        const password = made.isNew
          ? `\nIt has no password yet: in psql, \\password ${flags.add}`
          : "";
        return {
          json: { login: flags.add, project: name, isNew: made.isNew },
          text: `"${flags.add}" may use the team's database${project}.${password}`,
        };
      }
      if (name === null) {
        throw usageError("Cannot tell which project is meant", {
          why: "an address alone names none",
          next: "conclaude team members --name NAME ADDRESS",
        });
      }
      const [logins, machines] = [
        await listMembers(server, name),
        await listMachines(server, name),
      ];
      const rows = logins.flatMap(({ login, isOwner }) => {
        const own: (SeenMachine | null)[] = machines.filter(({ author }) => author === login);
        return (own.length === 0 ? [null] : own).map((machine) => ({ login, isOwner, machine }));
      });
      return {
        json: { project: name, members: logins, machines },
        text: tableText(context, rows, {
          MEMBER: ({ login, isOwner }) => isOwner ? `${login} (owner)` : login,
          MACHINE: ({ machine }) => machine?.origin.slice(-8) ?? null,
          "READ UP TO": [({ machine }) => machine?.seq ?? null],
          "LAST SEEN": ({ machine }) => machine === null ? null : seenText(machine),
        }, "No members."),
      };
    });
  },
});

function seenText({ atMs, leftSeq, heir }: SeenMachine): string {
  const ago = agoText(atMs)!;
  if (leftSeq === null) return ago;
  return heir === null ? `left ${ago}` : `${shortOrigin(heir)} since ${ago}`;
}

/** Nobody waits for a machine of this user any more. @throws {UserError} When it is not one of theirs. */
async function leaveBehind(
  server: Server,
  { name, user, here, machine }: {
    readonly name: string;
    readonly user: string;
    readonly here: JoinedProject | null;
    readonly machine: string;
  },
) {
  const found = (await listMachines(server, name)).filter(({ origin }) => origin.endsWith(machine));
  const [one] = found;
  const why = one === undefined || found.length > 1
    ? `${one === undefined ? "none is" : "several are"} called so`
    : one.author !== user
    ? `it is ${one.author}'s, who alone can say so`
    : one.origin === here?.origin
    ? "it is this one"
    : null;
  if (why !== null || one === undefined) {
    throw new UserError(`Cannot do without the machine "${machine}"`, {
      why: `${why}; nothing was changed`,
      next: one?.origin === here?.origin ? "conclaude team leave" : "conclaude team members",
    });
  }
  await noteGone(server, { name, origin: one.origin });
  return {
    json: { project: name, machine: one.origin },
    text: `Nobody waits for ${shortOrigin(one.origin)} any more. What it has stays there.`,
  };
}

const look = lazyFrom(() => import("./team_look_verbs.ts"));

const claims = lazyFrom(() => import("./team_claim_verbs.ts"));

export const team = group({
  verbs: {
    init,
    join,
    leave,
    status: look("Show what is shared, and what waits", "status"),
    preview: look("Show the bytes of the next push", "preview"),
    sync,
    verify,
    members,
    rules: look("Show the requirements that others define", "rules"),
    held: look("Show rows that wait for a person", "held"),
    claim: claims("For programs: ask the server for a claim", "claim"),
    renew: claims("For programs: ask the server to let a claim count longer", "renew"),
    tell: claims("For programs: tell the server what became of a claim", "tell"),
  },
  examples: [
    "conclaude team join postgres://ana@db.example.org/team",
    "conclaude team status",
    "conclaude team sync",
  ],
});
