/** How to reach a team's server, as a person says it. */
import { readAddress, withLogin } from "../team/address.ts";
import type { WayToServer } from "../team/types.ts";
import { type CliContext, typedPath } from "./context.ts";
import { text, textFlag } from "./flags.ts";

export const ADDRESS = text(
  "The server: postgres://ana@db.example.org:5432/team, without a password",
  "address",
);

export const WAY_FLAGS = {
  login: textFlag("Your login there, where the address names none", "name"),
  ca: textFlag("Certificates to trust instead of those of the system", "file"),
  passwordFile: textFlag("A file of mode 0600 with the password; without it ~/.pgpass", "file"),
  passwordCommand: textFlag("A command that prints the password", "command"),
};

type WayFlags = { readonly [Name in keyof typeof WAY_FLAGS]?: string };

/** @throws {UserError} When the address cannot be used. */
export function wayOf(
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
