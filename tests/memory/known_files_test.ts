/** Of which files, projects and branches anything is remembered: as going through everything would say, only sooner. */
import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { indexedTerms } from "../../src/memory/search/terms.ts";
import { fileMatch } from "../../src/db/file_match.ts";
import { isKnownFile, observedPaths } from "../../src/memory/search/known_files_table.ts";
import {
  isKnownBranch,
  isKnownProject,
  knownBranches,
  knownProjects,
} from "../../src/memory/search/known_project_table.ts";
import { timelineOfFile } from "../../src/memory/search/memory_look_table.ts";
import type { ObservationKind } from "../../src/memory/observe/observation.ts";
import { saveObservation } from "../../src/memory/drain/observations_table.ts";
import { tempDatabase } from "../support/records.ts";
import { it } from "../support/fixtures.ts";

let count = 0;

function add(
  db: DatabaseSync,
  { project, kind = "edit", branch = null, files = [] }: {
    readonly project: string | null;
    readonly kind?: ObservationKind;
    readonly branch?: string | null;
    readonly files?: readonly string[];
  },
): void {
  const n = ++count;
  saveObservation(db, {
    uid: `u${n}`,
    sessionId: `s${n % 50}`,
    project,
    branch,
    kind,
    outcome: null,
    title: `Title ${n}`,
    text: `Text ${n}`,
    terms: indexedTerms(files.join("\n"), project),
    files: files.map((path) => ({ path, digest: null })),
    facts: {},
    sameAs: null,
    atMs: n,
  });
}

/** As the definition has it, with every file of every observation. */
function isAnywhere(db: DatabaseSync, file: string): boolean {
  const { sql, value } = fileMatch(file);
  return db.prepare(
    `SELECT 1
       FROM observation_files AS t
       JOIN observations AS o ON o.id = t.observation_id
      WHERE ${sql}
      LIMIT 1`,
  ).get(value) !== undefined;
}

Deno.test("isKnownFile() says of every path what going through all files says", async () => {
  using temp = await tempDatabase();
  const { db } = temp;
  add(db, {
    project: "/work/app/.git",
    files: ["src/a.ts", "src/deep/b.ts", "x/y", "/etc/hosts", "/var/log/a/b"],
  });
  add(db, { project: "/work/folder", files: ["a b.md", "50%/under_score.ts"] });
  add(db, { project: "alpha", files: ["src/of-a-name.ts", "/home/me/alpha/c.ts"] });
  add(db, { project: null, files: ["loose.txt", "/opt/loose/d.ts"] });
  add(db, { project: "/work/no-files" });
  add(db, { project: "/work/prompts", kind: "prompt", files: ["of-a-prompt.txt"] });
  const names =
    `src src/ /src a.ts src/a src/a.ts src/a.tsx rc/a.ts src/deep deep deep/b.ts b.ts x x/y y hosts etc
    etc/hosts a%b a_b under_score.ts underXscore.ts 50% loose.txt of-a-name.ts alpha nosuch.ts app .git work
    ./src ./src/a.ts`.split(/\s+/);
  const whole =
    `/ /work /work/ /wor /work/app /work/app/ /work/ap /work/app2 /work/app/src /work/app/src/a
    /work/app/src/a.ts /work/app/src/a.tsx /work/app/src/a.ts/ /work/app/src/deep /work/app/x /work/app/y /work/src
    /work/folder /work/folder/50% /work/folder/a /work/no-files /work/no-files/a.ts /etc /etc/hosts /etc/host
    /src/a.ts /a.ts /var/log /var/log/a /var/log/a/b /var/log/a/b/c /home/me /opt /opt/loose /opt/loose/d
    /opt/loose/d.ts /work/prompts/of-a-prompt.txt /alpha /alpha/src /nosuch /work/app/.git`.split(
      /\s+/,
    );
  const known: string[] = [];
  for (const file of [...names, ...whole, "a b.md", "/work/folder/a b.md"]) {
    assert.equal(isKnownFile(db, file), isAnywhere(db, file), file);
    const timeline = timelineOfFile(db, file, { project: null, limit: 100 });
    assert.equal(timeline.length > 0, isKnownFile(db, file), file);
    if (timeline.length > 0) known.push(file);
  }
  assert.ok(known.length > 30 && known.length < names.length + whole.length - 20);
});

it.slow("a look for an unknown file does not read every observation", async () => {
  using temp = await tempDatabase();
  const { db } = temp;
  db.exec("BEGIN");
  for (let n = 0; n < 20_000; n++) {
    const files = [`src/a${n % 40}.ts`, `src/b${n % 30}.ts`];
    add(db, { project: "/work/app/.git", branch: "main", files });
  }
  db.exec("COMMIT");
  const least = (work: () => unknown) =>
    Math.min(...Array.from({ length: 7 }, () => {
      const begun = performance.now();
      work();
      return performance.now() - begun;
    }));
  const all = least(() => isAnywhere(db, "src/nosuch.ts"));
  const looks: Readonly<Record<string, () => unknown>> = {
    file: () => isKnownFile(db, "src/nosuch.ts"),
    "whole path": () => isKnownFile(db, "/work/app/src/nosuch.ts"),
    timeline: () => timelineOfFile(db, "src/nosuch.ts", { project: null, limit: 10 }),
    "timeline of a whole path": () =>
      timelineOfFile(db, "/work/app/src/nosuch.ts", { project: null, limit: 10 }),
    paths: () => observedPaths(db, 1000),
    project: () => isKnownProject(db, "/nosuch"),
    projects: () => knownProjects(db),
    branches: () => knownBranches(db, null),
  };
  for (const [name, look] of Object.entries(looks)) {
    const took = least(look);
    assert.ok(took < all / 5, `${name}: ${took} ms, ${all} ms to look at all`);
  }
});

Deno.test("projects and branches with prompts and commands alone are known", async () => {
  using temp = await tempDatabase();
  const { db } = temp;
  add(db, { project: "/work/old", branch: "old", kind: "note" });
  add(db, { project: "/work/app/.git", branch: "main" });
  add(db, { project: "/work/app/.git", branch: "feature" });
  add(db, { project: "/work/app/.git", branch: "looked-at", kind: "command" });
  add(db, { project: "/work/asked", branch: null, kind: "prompt" });
  add(db, { project: null, branch: "of-none" });
  db.exec(
    "INSERT INTO sessions (session_id, short_id, status, project_dir, branch, started_at_ms, updated_at_ms) " +
      "VALUES ('s', 's', 'ended', '/work/quiet', 'quiet', 1, 1)",
  );
  assert.deepEqual(knownProjects(db), ["/work/app/.git", "/work/old", "/work/quiet"]);
  for (const project of ["/work/app/.git", "/work/old", "/work/asked", "/work/quiet"]) {
    assert.ok(isKnownProject(db, project), project);
  }
  for (const project of ["/work/app", "/work", "/work/ask", "/work/asked/.git", ""]) {
    assert.ok(!isKnownProject(db, project), project);
  }
  assert.deepEqual(knownBranches(db, null), ["feature", "main", "old"]);
  assert.deepEqual(knownBranches(db, "/work/app/.git"), ["feature", "main"]);
  for (const branch of ["feature", "main", "old", "looked-at", "quiet", "of-none"]) {
    assert.ok(isKnownBranch(db, branch, null), branch);
  }
  assert.ok(isKnownBranch(db, "looked-at", "/work/app/.git"));
  assert.ok(!isKnownBranch(db, "quiet", "/work/app/.git"));
  assert.ok(!isKnownBranch(db, "mai", null));
});
