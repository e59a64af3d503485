/** Lists that are longer than a page: all rows can be reached, each once, while new ones come. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import type { Shown } from "./support/browser.ts";
import { newId } from "../../src/base/ids.ts";
import { pageTest, said } from "./support/pages.ts";

const BEGAN_MS = Date.UTC(2026, 0, 5);

/** Rows of sessions, denials and notes, some of which have the same time. */
function fill(database: string, count: number): void {
  using db = new DatabaseSync(database, { timeout: 5_000 });
  db.exec("BEGIN");
  const session = db.prepare(
    `INSERT INTO sessions (session_id, short_id, status, title, started_at_ms, updated_at_ms)
     VALUES (?1, substr(?1, 1, 8), 'ended', ?2, ?3, ?3)`,
  );
  for (let n = 0; n < count; n++) {
    session.run(crypto.randomUUID(), `Old session ${n}`, BEGAN_MS + Math.floor(n / 3));
  }
  const denial = db.prepare(
    `INSERT INTO hook_executions (id, session_id, hook_name, tool_name, status, error_message, duration_ms, created_at_ms)
     VALUES (?, 'none', 'PreToolUse', 'Bash', 'blocked', ?, 1, ?)`,
  );
  for (let n = 0; n < count; n++) {
    const atMs = BEGAN_MS + Math.floor(n / 3);
    denial.run(newId(atMs), `Denied ${n}.`, atMs);
  }
  db.exec("COMMIT");
}

/** Goes on to the end of a list. @returns How many rows it had after each page. */
async function readAll(page: Page, rows: string): Promise<number[]> {
  const counts = [await page.locator(rows).count()];
  const more = page.locator("main").getByRole("button", { name: "Show more" });
  while (await more.count() > 0) {
    await more.click();
    await page.waitForFunction(
      // deno-lint-ignore no-explicit-any -- the page's own global
      ([rows, n]) => (globalThis as any).document.querySelectorAll(rows).length > n!,
      [rows, counts.at(-1)!] as const,
    );
    counts.push(await page.locator(rows).count());
  }
  return counts;
}

async function allTexts(page: Page, rows: string): Promise<ReadonlySet<string>> {
  return new Set(await page.locator(`${rows} .grow`).allTextContents());
}

function addSession({ home }: Shown, title: string): void {
  using db = new DatabaseSync(home.database, { timeout: 5_000 });
  const id = crypto.randomUUID();
  db.prepare(
    `INSERT INTO sessions (session_id, short_id, status, title, started_at_ms, updated_at_ms)
     VALUES (?1, substr(?1, 1, 8), 'ended', ?2, ?3, ?3)`,
  ).run(id, title, Date.now());
  db.prepare(
    `INSERT INTO hook_executions (id, session_id, hook_name, status, duration_ms, created_at_ms)
     VALUES (?, ?, 'SessionEnd', 'success', 1, ?)`,
  ).run(newId(Date.now()), id, Date.now());
}

pageTest("all sessions are reached, 200 at once, and a new one comes to the top", async (shown) => {
  const { page, home } = shown;
  fill(home.database, 450);
  await shown.go("/sessions");
  const rows = "main a.row";
  await page.locator(rows).nth(199).waitFor();
  const { sessions } = await said(shown, "session", "list");
  const counts = await readAll(page, rows);
  assert.deepEqual([counts.length, counts[0], counts.at(-1)], [3, 200, sessions.length]);
  assert.equal(
    (await allTexts(page, rows)).size,
    new Set(
      sessions.map(({ title }: { title: string | null }) => title ?? "No prompt"),
    ).size,
  );
  addSession(shown, "A new session");
  await page.locator(rows, { hasText: "A new session" }).waitFor();
  assert.match(await page.locator(rows).first().innerText(), /A new session/);
  assert.equal(await page.locator(rows).count(), sessions.length + 1);
});

pageTest("a list that begins anew while it is read on is read on all the same", async (shown) => {
  const { page, home } = shown;
  fill(home.database, 450);
  await shown.go("/sessions");
  const rows = page.locator("main a.row");
  await rows.nth(199).waitFor();
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(/sessions\?.*until=/, async (route) => {
    await promise;
    await route.continue();
  });
  await page.getByRole("button", { name: "Show more" }).click();
  const anew = page.waitForResponse((one) => /\/sessions\?(?!.*until)/.test(one.url()));
  using db = new DatabaseSync(home.database, { timeout: 5_000 });
  // As if the database had been put back from a backup.
  db.exec("DELETE FROM hook_executions");
  await anew;
  resolve();
  await rows.nth(390).waitFor();
});

pageTest(
  "rows that were read on stay when the newest page comes just then",
  async (shown) => {
    const { page, home } = shown;
    fill(home.database, 450);
    await shown.go("/sessions");
    const rows = page.locator("main a.row");
    await rows.nth(199).waitFor();
    // Effects run a second late, as in a busy browser.
    await page.evaluate(`{
      const { setTimeout } = globalThis;
      globalThis.requestAnimationFrame = () => 0;
      globalThis.setTimeout = (run, ms) => setTimeout(run, ms + 1_000);
    }`);
    const [older, newest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route(/\/sessions\?/, async (route) => {
      const response = await route.fetch();
      const isOlder = route.request().url().includes("until=");
      if (isOlder) older.resolve();
      await (isOlder ? newest : older).promise;
      await route.fulfill({ response });
      newest.resolve();
    });
    await page.getByRole("button", { name: "Show more" }).click();
    addSession(shown, "A new session");
    await rows.filter({ hasText: "A new session" }).waitFor();
    await page.waitForTimeout(2_000);
    assert.ok(await rows.count() > 390, String(await rows.count()));
  },
);

pageTest("all denials are reached, the newest first", async (shown) => {
  const { page, home } = shown;
  fill(home.database, 450);
  await shown.go("/rules");
  const rows = "main a.row.tall";
  await page.locator(rows).nth(199).waitFor();
  const { executions } = await said(shown, "audit", "list", "--status", "blocked");
  const counts = await readAll(page, rows);
  assert.deepEqual([counts.length, counts[0], counts.at(-1)], [3, 200, executions.length]);
  const texts = await page.locator(`${rows} .block`).allTextContents();
  assert.deepEqual(
    texts,
    executions.map(({ errorMessage }: { errorMessage: string }) => errorMessage),
  );
});

pageTest("all tasks of a status are reached", async (shown) => {
  const { page, home } = shown;
  using db = new DatabaseSync(home.database, { timeout: 5_000 });
  await said(shown, "task", "create", "The first one");
  const columns = db.prepare("SELECT name FROM pragma_table_info('tasks')").all()
    .map(({ name }) => String(name)).filter((name) => !["id", "title"].includes(name)).join();
  db.exec(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 299)
     INSERT INTO tasks (id, title, ${columns})
     SELECT substr(id, 1, length(id) - 4) || printf('%04d', i), 'Task ' || i, ${columns}
       FROM tasks, n`,
  );
  await shown.go("/work");
  const rows = '[aria-label="Open"] .card';
  await page.locator(rows).nth(49).waitFor();
  assert.deepEqual(await readAll(page, rows), [50, 250, 300]);
});
