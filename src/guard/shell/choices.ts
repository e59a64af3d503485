/**
 * What a script may do or not: the branches of conditions, what follows a command that may fail. Which of them happens only
 * the running shell knows, so a script is read in two ways: all that may happen happens, and as little as may.
 */
import type { AndOr, Case, Command, CommandNode, If, SyntaxNode, While } from "unbash";
import { adopt, copyOf, goTo, isSame, type State } from "./state.ts";

/** One way through a script. */
export interface Way {
  readonly isLeast: boolean;
  /** Reads a part of the script. */
  readonly read: (node: SyntaxNode, state: State) => void;
  /** Whether a folder is there, or will be. */
  readonly isThere: (folder: string) => boolean;
  /** The other way leaves another shell behind. */
  readonly noteChoice: () => void;
}

/** Commands that do not fail, in so far as they are written rightly. */
const SURE = new Set([
  ...": true echo printf export local declare typeset readonly unset set shopt umask alias trap"
    .split(" "),
  ...["cd", "pushd", "popd", "mkdir"],
]);

const LEAVING = new Set(["exit", "return", "break", "continue", "exec"]);

/** `a && b || c`: what stands behind a command that may fail may not happen. */
export function readAndOr(node: AndOr, state: State, way: Way): void {
  const { commands, operators } = node;
  const own = copyOf(state);
  let isSure = true;
  for (const [i, command] of commands.entries()) {
    const { folder } = own;
    way.read(command, own);
    if (!isSure || !hasArrived(own, folder, way)) {
      isSure = false;
      continue;
    }
    adopt(state, own);
    isSure = isSurelyDone(command) && operators[i] !== "||";
  }
  if (isSame(state, own)) return;
  const leavesElse = operators.at(-1) === "||" && leaves(commands.at(-1));
  if (!leavesElse) way.noteChoice();
  if (leavesElse || !way.isLeast) adopt(state, own);
}

export function readIf(node: If, state: State, way: Way): void {
  way.read(node.clause, state);
  const branches = [node.then, ...node.elif, ...(node.else === undefined ? [] : [node.else])];
  readBranches(branches, state, { way, isExhaustive: node.else !== undefined });
}

export function readCase(node: Case, state: State, way: Way): void {
  const { word, items } = node;
  for (const part of [word, ...items.flatMap(({ pattern }) => pattern)]) way.read(part, state);
  const isExhaustive = items.some(({ pattern }) => pattern.some(({ text }) => text === "*"));
  readBranches(items.map(({ body }) => body), state, { way, isExhaustive });
}

function readBranches(
  branches: readonly SyntaxNode[],
  state: State,
  { way, isExhaustive }: { readonly way: Way; readonly isExhaustive: boolean },
): void {
  if (!way.isLeast) {
    const before = copyOf(state);
    for (const branch of branches) way.read(branch, state);
    if (!isSame(before, state)) way.noteChoice();
    return;
  }
  const ends = branches.map((branch) => {
    const own = copyOf(state);
    way.read(branch, own);
    return { own, leaves: leaves(branch) };
  });
  const first = ends.find(({ leaves }) => !leaves);
  if (isExhaustive && first !== undefined) adopt(state, first.own);
}

/** A round may begin with what the one before it has left behind. */
export function readWhile(node: While, state: State, way: Way): void {
  way.read(node.clause, state);
  const own = way.isLeast ? copyOf(state) : state;
  const before = copyOf(own);
  way.read(node.body, own);
  if (isSame(before, own)) return;
  way.noteChoice();
  if (!way.isLeast) way.read(node.body, own);
}

/** A command by itself: to go to a folder that is not there fails, and the next command runs all the same. */
export function readPlain(node: Command, state: State, way: Way): void {
  const { folder, left } = state;
  const before = state.variables.get("OLDPWD");
  way.read(node, state);
  if (hasArrived(state, folder, way) || state.endsOnFailure) return;
  way.noteChoice();
  if (!way.isLeast) return;
  goTo(folder, state);
  state.left = left;
  if (before === undefined) state.variables.delete("OLDPWD");
  else state.variables.set("OLDPWD", before);
}

/** False where it has gone to a folder that is not there. */
function hasArrived({ folder }: State, before: string | null, way: Way): boolean {
  return folder === before || folder === null || way.isThere(folder);
}

function isSurelyDone(node: CommandNode | SyntaxNode): boolean {
  if (node.type !== "Command") return false;
  if (node.name !== undefined) return SURE.has(node.name.text);
  return node.redirects.length === 0;
}

/** Whether what stands behind it is not reached. */
function leaves(node: SyntaxNode | undefined): boolean {
  switch (node?.type) {
    case "Command":
      return LEAVING.has(node.name?.text ?? "");
    case "Statement":
      return leaves(node.command);
    case "Elif":
      return leaves(node.then);
    case "BraceGroup":
      return leaves(node.body);
    case "CompoundList":
      return leaves(node.commands.at(-1));
    default:
      return false;
  }
}
