/** What tests of acts on the page share: its buttons, its refusals, and what agents ask. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { askQuestion } from "../../../src/work/questions_table.ts";
import type { TempHome } from "../../support/program.ts";

/** Lets an agent ask something. @returns The id of the question. */
export function ask({ database }: TempHome, text: string, taskId: string | null = null): string {
  using db = new DatabaseSync(database);
  const nobody = { taskId, workflowId: null, stepKey: null, agentId: null, sessionId: null };
  const question = { type: "input", text, options: [], source: "output", origin: null } as const;
  return askQuestion(db, { ...question, ...nobody }, Date.now())!;
}

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Lets the page know nothing new from now on, so that it offers what is too late. */
export async function freeze(page: Page): Promise<void> {
  await page.route("**/api/**", (route) => {
    if (route.request().method() !== "GET") return route.continue();
  });
}

/** What the page says of a refusal: what, why, and what to do. */
export async function refused(page: Page, why: RegExp): Promise<void> {
  await page.locator(".toast.bad", { hasText: why }).waitFor();
  assert.match(await page.locator(".toast.bad").innerText(), /\. Next: \S/);
}
