/** What it costs at the start of a session to ask git which commits stand on other branches only. */
import { join } from "node:path";
import { THIS_PROCESS } from "../../src/system/environment.ts";
import { unloggedCommits } from "../../src/memory/tell/known_now.ts";
import { openDatabase } from "../../src/db/database.ts";
import type { Bench } from "./bench.ts";
import { median } from "./measure.ts";

const COMMITS = 2_000;
const BRANCHES = 40;

/** A session that starts after a branch has moved: the question is asked again, with one process. */
export const gitAnswer: Bench = {
  name: "context-git",
  about: `asking git what no log shows (${COMMITS} commits, ${BRANCHES} branches), ms`,
  budget: 8,
  async measure({ folder, runs }) {
    const root = join(folder, "repository");
    await makeBranches(root);
    const db = await openDatabase(join(folder, "answers.db"), { busyTimeoutMs: 1_000 });
    const place = { project: join(root, ".git"), root, environment: THIS_PROCESS };
    const timed = async () => {
      const began = performance.now();
      const isUnlogged = await unloggedCommits(db, place, ["1a2b3c4"]);
      return { ms: performance.now() - began, isKnown: isUnlogged("1a2b3c4") !== "unknown" };
    };
    const asked: number[] = [];
    const kept: number[] = [];
    let late = 0;
    for (let run = 0; run < runs; run++) {
      const atMs = new Date(Date.now() + run);
      await Deno.utime(join(root, ".git/refs/heads"), atMs, atMs);
      const { ms, isKnown } = await timed();
      asked.push(ms);
      if (!isKnown) late++;
      else kept.push((await timed()).ms);
    }
    db.close();
    const again = kept.length === 0 ? "never known" : `${median(kept).toFixed(2)} ms when kept`;
    return { value: median(asked), detail: `${again}; not in time ${late} of ${runs}` };
  },
};

/** A repository as git reads it from a stream: a trunk, and branches of a few commits each. */
async function makeBranches(root: string): Promise<void> {
  const git = (args: readonly string[], input = "") => {
    const child = new Deno.Command("git", { args: ["-C", root, ...args], stdin: "piped" }).spawn();
    const writer = child.stdin.getWriter();
    return writer.write(new TextEncoder().encode(input)).then(() => writer.close())
      .then(() => child.status);
  };
  await Deno.mkdir(root, { recursive: true });
  await git(["init", "-q", "-b", "main"]);
  const commit = (branch: string, n: number, more = "") =>
    `commit refs/heads/${branch}\nmark :${n + 1}\ncommitter a <a@b> ${1_700_000_000 + n} +0000\n` +
    `data 2\nx\n${more}\n`;
  const trunk = Array.from({ length: COMMITS }, (_, n) => commit("main", n));
  const others = Array.from({ length: BRANCHES }, (_, n) => {
    const first = COMMITS + 2 * n;
    return commit(`b${n}`, first, `from :${COMMITS - n}\n`) + commit(`b${n}`, first + 1);
  });
  await git(["fast-import", "--quiet"], [...trunk, ...others].join(""));
}
