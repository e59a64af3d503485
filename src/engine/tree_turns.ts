/** Lets one at a time change the working trees of a repository: git cannot make two at once. */
const TURNS = new Map<string, Promise<unknown>>();

/** Does something to the working trees of a repository when nothing else is being done to them. */
export function inTurn<Result>(commonDir: string, work: () => Promise<Result>): Promise<Result> {
  const mine = (TURNS.get(commonDir) ?? Promise.resolve()).then(work, work);
  TURNS.set(commonDir, mine);
  return mine;
}
