/** `conclaude team members`: shows who shares a project and what machines have read; admits logins, drops machines. */
import { UserError } from "../../base/errors.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { readAddress } from "../../team/address.ts";
import { type Server, withServer } from "../../team/server.ts";
import { addMember, letLogin, listMachines, listMembers, noteGone } from "../../team/store.ts";
import type { JoinedProject, SeenMachine } from "../../team/types.ts";
import { optional, textFlag } from "../flags.ts";
import { shortOrigin } from "../team_text.ts";
import { tableText } from "../table.ts";
import { ADDRESS, joinedHere, openTeam, TEAM_PROJECT, WAY_FLAGS, wayOf } from "../team_here.ts";
import { usageError } from "../usage.ts";
import { agoText } from "../list_and_show.ts";
import { verb } from "../verb.ts";

export const members = verb({
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
              "the team's database has no such login, and this user may make none; nothing was changed",
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

/** Records that nobody waits for a machine of this user. @throws {UserError} If it is this one, or not theirs. */
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
    ? `${one === undefined ? "no id ends" : "several ids end"} like this`
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
