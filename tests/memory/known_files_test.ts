/** Of which files, projects and branches anything is remembered. */
import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { indexedTerms } from "../../src/memory/search/terms.ts";
import { isKnownFile } from "../../src/memory/search/known_names_table.ts";
import {
  isKnownBranch,
  isKnownProject,
  knownBranches,
  knownProjects,
} from "../../src/memory/search/known_names_table.ts";
import { timelineOfFile } from "../../src/memory/search/memory_look_table.ts";
import type { ObservationKind } from "../../src/memory/observe/observation.ts";
import { saveObservation } from "../../src/memory/drain/observations_table.ts";
import { testWith } from "../support/fixtures.ts";
import { tempDatabase } from "../support/records.ts";

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

const test = testWith(tempDatabase);

test("a file is known exactly where it has a timeline", ({ db }) => {
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
    const timeline = timelineOfFile(db, [file], { project: null, limit: 100 });
    assert.equal(timeline.length > 0, isKnownFile(db, file), file);
    if (timeline.length > 0) known.push(file);
  }
  assert.ok(known.length > 30 && known.length < names.length + whole.length - 20);
});

test("projects and branches are known by sessions, and by what is told of them", ({ db }) => {
  add(db, { project: "/work/old", branch: "old", kind: "note" });
  add(db, { project: "/work/app/.git", branch: "main" });
  add(db, { project: "/work/app/.git", branch: "feature" });
  add(db, { project: null, branch: "of-none" });
  db.exec(
    "INSERT INTO sessions (session_id, short_id, status, project_dir, branch, started_at_ms, updated_at_ms) " +
      "VALUES ('s', 's', 'ended', '/work/quiet', 'quiet', 1, 1)",
  );
  assert.deepEqual(knownProjects(db), ["/work/app/.git", "/work/old", "/work/quiet"]);
  for (const project of ["/work/app/.git", "/work/old", "/work/quiet"]) {
    assert.ok(isKnownProject(db, project), project);
  }
  for (const project of ["/work/app", "/work", "/work/ol", "/work/old/.git", ""]) {
    assert.ok(!isKnownProject(db, project), project);
  }
  assert.deepEqual(knownBranches(db, null), ["of-none", "feature", "main", "old"]);
  assert.deepEqual(knownBranches(db, "/work/app/.git"), ["feature", "main"]);
  for (const branch of ["feature", "main", "old", "quiet", "of-none"]) {
    assert.ok(isKnownBranch(db, branch, null), branch);
  }
  assert.ok(!isKnownBranch(db, "quiet", "/work/app/.git"));
  assert.ok(!isKnownBranch(db, "mai", null));
});
