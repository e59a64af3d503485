/** What `find` does with what it finds: which of the entries that are there each of its actions means. */
import type { Answer, Search } from "../guards/types.ts";
import type { Change } from "./shell_command.ts";
import { type FindCall, judgeEntry, printsOther, readFind } from "./find_expression.ts";
import type { Inner } from "./inner.ts";
import { type Argument, OPEN } from "./word.ts";

/** The files that `-delete` takes away. */
export function changesOfFind(rest: readonly Argument[]): Change[] {
  const call = readFind(rest);
  const changes = call.actions.flatMap(({ kind }, action): Change[] =>
    kind !== "delete" ? [] : call.roots.map((root): Change => ({
      word: root,
      effect: "remove",
      search: searchOf(call, { root, action, takesFolders: "no" }),
    }))
  );
  return changes.length > 0 && call.looksElsewhere
    ? [...changes, { word: OPEN, effect: "remove" }]
    : changes;
}

/** The names that a call prints, as one argument; an unknown one where it prints something else. */
export function listedBy(rest: readonly Argument[]): Argument {
  const call = readFind(rest);
  const [only, ...others] = call.actions.keys().filter((at) => call.actions[at]!.kind === "list");
  const isTold = printsOther(rest);
  return only === undefined || others.length > 0 || isTold ? OPEN : foundBy(call, only);
}

/** The commands of `find … -exec`, with the found files as their argument. */
export function inFind(rest: readonly Argument[]): Inner[] {
  const call = readFind(rest);
  return call.actions.flatMap((did, action): Inner[] => {
    if (did.kind !== "exec" || did.words.length === 0) return [];
    const found = { ...foundBy(call, action), source: "{}" };
    const words = did.words.map((word) =>
      word.text === "{}" ? found : word.text.includes("{}") ? OPEN : word
    );
    return [{ kind: "command", words }];
  });
}

/** The files that one action is done to, as an argument. */
function foundBy(call: FindCall, action: number): Argument {
  if (call.looksElsewhere || call.roots.some(({ isOpen }) => isOpen)) return OPEN;
  const { roots } = call;
  return {
    ...OPEN,
    found: {
      roots,
      isAll: meansAll(call, action),
      searchFrom: (root, { takesFolders }) => searchOf(call, { root, action, takesFolders }),
    },
  };
}

/** Whether an action of `find` is done to everything in its folders, since no test restricts it. */
export function meansAll(call: FindCall, action: number): boolean {
  const kinds = call.actions[action]?.kind === "delete"
    ? ["file"] as const
    : ["file", "folder"] as const;
  return kinds.some((kind) =>
    judgeEntry(call, { path: null, kind }, null).reached[action] === "yes"
  );
}

function searchOf(
  call: FindCall,
  { root: { text, isGlob }, action, takesFolders }: {
    readonly root: Argument;
    readonly action: number;
    readonly takesFolders: Answer;
  },
): Search {
  return {
    takesFolders,
    judge: (entry) => {
      const depth = entry.path === "" ? 0 : entry.path.split("/").length;
      const isDeep = depth >= call.minDepth && depth <= call.maxDepth;
      const { reached, isPruned } = judgeEntry(call, entry, isGlob ? null : text);
      return {
        isMeant: isDeep ? reached[action] ?? "no" : "no",
        goesOn: depth < call.maxDepth && (!isPruned || call.isDepthFirst || !isDeep),
      };
    },
  };
}
