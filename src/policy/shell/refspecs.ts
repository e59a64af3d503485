/** The branches that references and refspecs of git name, and where its settings bring a push. */

import { UPSTREAM_CHOSEN } from "./git_call.ts";

/** The branch of a reference, also of one that tells where the branch stands on a remote. */
export function branchIn(reference: string): string {
  return reference.replace(/^refs\/(?:heads|remotes\/[^/]+)\//, "");
}

/** `+SOURCE:DESTINATION`, `:DESTINATION`, `BRANCH`. */
export function readRefspec(refspec: string): readonly string[] {
  return refspec.replace(/^\+/, "").split(":").map(branchIn);
}

const TO_UPSTREAM = /^(?:upstream|tracking)$/i;

/**
 * The branches to which a push brings these by git's settings, where its words do not say so.
 * @param told Git's settings as lines `section.name.key=value`; the last of a key counts. @param own Those that the
 * script adds: if it chooses the upstream, or that a push goes there, any branch may be meant.
 */
export function pushedBySettings(
  branches: readonly string[],
  told: readonly string[],
  own: readonly string[],
): readonly string[] {
  const settings = [...told, ...own];
  const last = (key: string) =>
    settings.findLast((line) => line.toLowerCase().startsWith(`${key.toLowerCase()}=`))
      ?.slice(key.length + 1) ?? "";
  const mode = last("push.default");
  const isChosenHere = TO_UPSTREAM.test(mode) &&
    own.some((line) => line === UPSTREAM_CHOSEN || /^push\.default=/i.test(line));
  return [
    ...settings.flatMap((line) => {
      const [source, to = source] = readRefspec(/^remote\..*?\.push=(.+)$/i.exec(line)?.[1] ?? "");
      return source === to ? [] : [to!];
    }),
    ...mode === "matching" || isChosenHere ? ["*"] : [],
    ...branches.map((name) => TO_UPSTREAM.test(mode) ? branchIn(last(`branch.${name}.merge`)) : ""),
  ].filter((name) => name !== "");
}
