/** Requirements by the names that a person gives, and why there is none of a name. */
import { loadSections } from "../config/sections.ts";
import { UserError } from "../errors.ts";
import { readConfigFiles } from "../config/discover.ts";
import type { ParsedConfig } from "../config/parse.ts";
import type { Config } from "../config_sections.ts";
import { lookUpwards } from "../git/repository.ts";
import type { Requirement } from "../requirement/requirement_policy.ts";
import type { CliContext } from "./context.ts";
import { nearestWords } from "./nearest.ts";
import type { RequirementsHere } from "./requirements_here.ts";

/** What a verb has left undone when a name is wrong. */
type Undone = "nothing was recorded" | null;

/**
 * The requirements of these names.
 *
 * @param undone What is said beside the reason; null for a verb that only looks.
 * @throws {UserError} At the first one that does not count, with why.
 */
export async function namedRequirements(
  context: CliContext,
  here: RequirementsHere,
  { names, undone }: { readonly names: readonly string[]; readonly undone: Undone },
): Promise<Requirement[]> {
  const find = (name: string) => here.requirements.find((one) => one.name === name);
  const missing = names.find((name) => find(name) === undefined);
  if (missing === undefined) return names.flatMap((name) => find(name) ?? []);
  const parsed = await parseHere(context, here);
  const written = parsed.config.requirements[missing];
  if (written?.enabled === true && parsed.policy.root === null) {
    throw failure(missing, undone, {
      why:
        "it is switched on in your own configuration, but requirements count only in a project with a " +
        "configuration file of its own, and this one has none",
      next: "conclaude config init",
    });
  }
  throw written !== undefined
    ? failure(missing, undone, {
      why: "it is switched off",
      next: `conclaude req enable ${missing}`,
    })
    : unknownName(missing, { here, parsed, undone });
}

/** A requirement as it is configured. */
export interface Configured {
  readonly requirement: Requirement;
  readonly isOn: boolean;
}

/**
 * The requirement of this name, also when it is switched off.
 *
 * @throws {UserError} When there is none.
 */
export async function configuredRequirement(
  context: CliContext,
  here: RequirementsHere,
  name: string,
): Promise<Configured> {
  const known = here.requirements.find((one) => one.name === name);
  if (known !== undefined) return { requirement: known, isOn: true };
  const parsed = await parseHere(context, here);
  const entry = parsed.config.requirements[name];
  const requirements = entry === undefined ? {} : { [name]: { ...entry, enabled: true } };
  const { compileRequirements } = await import("../requirement/requirement_section.ts");
  const [requirement] = compileRequirements({ ...parsed.config, requirements })?.requirements ?? [];
  if (requirement === undefined) throw unknownName(name, { here, parsed, undone: null });
  return { requirement, isOn: false };
}

/** Parsed anew: what a hook has of it does not say what was left out. */
async function parseHere(
  { locations }: CliContext,
  { folder }: RequirementsHere,
): Promise<ParsedConfig<Config>> {
  await loadSections();
  const { parseConfig } = await import("../config/parse.ts");
  return parseConfig<Config>(readConfigFiles(lookUpwards(folder), locations));
}

function unknownName(
  name: string,
  { here: { config, requirements }, parsed, undone }: {
    readonly here: RequirementsHere;
    readonly parsed: ParsedConfig<Config>;
    readonly undone: Undone;
  },
): UserError {
  const validate = "conclaude config validate";
  const mistake = parsed.problems.find(({ key }) =>
    key === `requirements.${name}` || key.startsWith(`requirements.${name}.`)
  );
  if (mistake !== undefined) {
    const { key, path, line, message } = mistake;
    const why = `it is left out because of a mistake in \`${key}\` (${path}:${line}): ${message}`;
    return failure(name, undone, { why, next: validate });
  }
  if (config.unreadable !== "") {
    return failure(name, undone, { why: `nothing counts of ${config.unreadable}`, next: validate });
  }
  const known = requirements.map((requirement) => requirement.name);
  const near = nearestWords(name, known);
  return failure(name, undone, {
    why: known.length === 0
      ? "no requirement is switched on in this project"
      : near.length > 0
      ? `did you mean ${near.map((one) => `"${one}"`).join(" or ")}?`
      : `this project has ${known.join(", ")}`,
    next: known.length === 0
      ? "conclaude req init"
      : near.length === 1
      ? `conclaude req show ${near[0]}`
      : "conclaude req status",
  });
}

function failure(
  name: string,
  undone: Undone,
  { why, next }: { readonly why: string; readonly next: string },
): UserError {
  const ending = undone === null
    ? ""
    : why.endsWith("?")
    ? ` ${undone[0]!.toUpperCase()}${undone.slice(1)}`
    : `; ${undone}`;
  return new UserError(`Unknown requirement "${name}"`, { why: why + ending, next });
}
