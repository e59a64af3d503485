/** Health: what the doctor says, backups, and what transcripts hold beside the database. */
import assert from "node:assert/strict";
import { isTooWide, pageTest, said, seriousFaults } from "./support/pages.ts";
import { putTranscripts } from "../support/transcripts.ts";

pageTest(
  "what transcripts hold beside the database is shown by project, and filled in",
  async (shown) => {
    const { page, home } = shown;
    putTranscripts(home, ["work", "tools", "refused"]);
    const before = await said(shown, "reconcile");
    assert.ok(before.gaps > 0);
    const toolUses = before.sessions.reduce(
      (sum: number, { missing }: { missing: { toolUse: number } }) => sum + missing.toolUse,
      0,
    );
    await shown.go("/health");
    const panel = page.locator(".panel", { hasText: "Transcripts of Claude Code" });
    await panel.getByRole("button", { name: "Compare" }).click();
    await panel.getByText(`${before.gaps} steps are missing`).waitFor();
    await panel.locator(".row", { hasText: "app" }).getByText(`${toolUses} tool use`).waitFor();
    await panel.getByRole("button", { name: "Fill in what is missing" }).click();
    await panel.getByText(`${before.gaps} steps were filled in`).waitFor();
    assert.equal((await said(shown, "reconcile")).gaps, 0);
    await panel.getByRole("button", { name: "Compare" }).click();
    await panel.getByText("Nothing is missing").waitFor();
    await panel.locator(".row").getByText("complete").waitFor();
  },
);

pageTest(
  "transcripts that cannot be compared are told of, and can be looked for again",
  async (shown) => {
    const { page, daemon } = shown;
    await page.route("**/api/backfill", async (route) => {
      const running = { doing: "Reading transcripts", done: 3, of: 8 };
      const last = { kind: "failed", atMs: 1, why: "Cannot compare transcripts: the disk is gone" };
      await route.fulfill({ json: { running, last } });
    });
    await shown.go("/health");
    await page.getByText("the disk is gone").waitFor();
    await page.getByText("Reading transcripts 3 of 8").waitFor();
    assert.equal(await page.getByRole("button", { name: "Compare" }).count(), 0);
    await page.unroute("**/api/backfill");
    await page.getByRole("button", { name: "Compare" }).waitFor();
    const sent = { body: { fill: true }, headers: { "conclaude-token": "" } };
    assert.equal((await daemon.ask("POST", "/backfill", sent)).body.error.code, "PERSON_REQUIRED");
  },
);

pageTest("a backup is made, and stands in the list that `db backups` prints", async (shown) => {
  const { page } = shown;
  await shown.go("/health");
  const panel = page.locator(".panel", { hasText: "Backups" });
  await panel.getByRole("button", { name: "Back up now" }).click();
  await page.getByText("A backup is made, and checked.").waitFor();
  const { backups } = await said(shown, "db", "backups");
  assert.ok(backups.some(({ path }: { path: string }) => /conclaude-.*\.db$/.test(path)));
  for (const { path, bytes } of backups) {
    const row = panel.locator(".row", { hasText: path });
    await row.getByText(`${(bytes / 1e6).toFixed(1)} MB`).waitFor();
  }
});

pageTest("the doctor is asked again, and mends what can be mended", async (shown) => {
  const { page, home } = shown;
  await shown.go("/health");
  await page.getByText("Loading …").first().waitFor({ state: "detached" });
  Deno.chmodSync(home.database, 0o644);
  await page.getByRole("button", { name: "Look again" }).click();
  const { checks } = await said(shown, "doctor");
  const bad = checks.find(({ name }: { name: string }) => name === "permissions");
  await page.locator(".row", { hasText: bad.message }).waitFor();
  await page.getByRole("button", { name: "Mend" }).click();
  await page.getByRole("button", { name: "Run doctor --fix" }).click();
  await page.getByText("What can be mended is mended.").waitFor();
  await page.locator(".row", { hasText: bad.message }).waitFor({ state: "detached" });
  assert.equal(Deno.statSync(home.database).mode! & 0o777, 0o600);
});

pageTest(
  "health is right for screen readers, in light and dark, and fits a phone",
  async (shown) => {
    const { page, home } = shown;
    putTranscripts(home, ["work", "refused"]);
    await shown.go("/health");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("button", { name: "Fill in what is missing" }).waitFor();
    await page.getByRole("button", { name: "Back up now" }).click();
    await page.locator(".panel", { hasText: "Backups" }).locator(".row").first().waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFaults(page), [], colorScheme);
    }
    await page.setViewportSize({ width: 360, height: 700 });
    assert.equal(await isTooWide(page), false);
  },
);
