/** What only looks like what was left has not done it: another object, another place, the contrary; paraphrases have. */
import assert from "node:assert/strict";
import { openAfter, type ToldTurn } from "../../support/left_sessions.ts";

type Case = readonly [left: string, asked: string, commit: string, said: string];

const BESIDE: readonly Case[] = [
  [
    "Still to do: sort the search results by date.",
    "Sort the search results by relevance",
    "Sort search results by relevance",
    "Search results are sorted by relevance.",
  ],
  [
    "Still to do: add a retry button to the error dialog.",
    "Add a close button to the error dialog",
    "Close button in error dialog",
    "The error dialog has a close button.",
  ],
  [
    "Still to do: export the invoice as PDF.",
    "Export the invoice as CSV",
    "Export invoice as CSV",
    "The invoice can be exported as CSV.",
  ],
  [
    "Still to do: allow admins to delete comments.",
    "Allow admins to edit comments",
    "Admins can edit comments",
    "Admins can edit comments now.",
  ],
  [
    "Still to do: notify users by email when a comment is added.",
    "Notify users by push when a comment is added",
    "Push notifications for new comments",
    "Users get a push notification when a comment is added.",
  ],
  [
    "Still to do: encrypt backups before the upload.",
    "Compress backups before the upload",
    "Compress backups before upload",
    "Backups are compressed before the upload.",
  ],
  [
    "Still to do: show the total price in the cart sidebar.",
    "Show the item count in the cart sidebar",
    "Item count in cart sidebar",
    "The cart sidebar shows the item count.",
  ],
  [
    "Not handled yet: expired tokens in the refresh flow.",
    "Handle revoked tokens in the refresh flow",
    "Handle revoked tokens in refresh flow",
    "Revoked tokens are handled in the refresh flow.",
  ],
  [
    "Still to do: cache user avatars on the CDN.",
    "Cache product images on the CDN",
    "Cache product images on the CDN",
    "Product images are cached on the CDN.",
  ],
  [
    "Still to do: upgrade React to version 19.",
    "Upgrade React to version 18",
    "Upgrade React to 18",
    "React is at version 18.",
  ],
  [
    "Still to do: lock the account after five failed logins.",
    "Unlock the account by mail",
    "Unlock accounts by mail",
    "Accounts are unlocked by mail.",
  ],
  [
    "Still to do: document the webhook payload format.",
    "Validate the webhook payload format",
    "Validate webhook payload format",
    "The webhook payload format is validated.",
  ],
  [
    "Still to do: rotate the API keys of the staging environment.",
    "Rotate the API keys of the production environment",
    "Rotate API keys of production",
    "The API keys of production are rotated.",
  ],
  [
    "Still to do: mobile tests for the cart page.",
    "Redesign the cart page on mobile",
    "Redesign cart page on mobile",
    "The cart page on mobile is done.",
  ],
  [
    "Still to do: document the export options of the CLI.",
    "Sort the export options of the CLI",
    "Sort export options of the CLI",
    "The export options of the CLI are sorted now.",
  ],
  [
    "Still to do: add rate limiting to the login endpoint.",
    "Add rate limiting to the upload endpoint",
    "Add rate limiting to the upload endpoint",
    "The upload endpoint is rate limited.",
  ],
  [
    "Still to do: validate the postal code in the checkout form.",
    "Validate the phone number in the checkout form",
    "Validate phone number in checkout form",
    "The phone number is validated in the checkout form.",
  ],
  [
    "Not handled yet: empty CSV files in the importer.",
    "Handle empty JSON files in the importer",
    "Handle empty JSON files in the importer",
    "Empty JSON files are handled in the importer.",
  ],
  [
    "Still to do: enable strict mode in tsconfig.",
    "Disable strict mode in tsconfig.test.json",
    "Disable strict mode for tests",
    "Strict mode is disabled for tests.",
  ],
  [
    "Still to do: remove the feature flag `new_checkout`.",
    "Add the feature flag new_checkout to staging config",
    "Enable feature flag new_checkout on staging",
    "new_checkout is enabled on staging.",
  ],
  [
    "Still to do: retry failed webhooks with backoff.",
    "Retry failed emails with backoff",
    "Retry failed emails with backoff",
    "Failed emails are retried with backoff.",
  ],
  [
    "Remaining: rename `getUser` to `fetchUser` in the API layer.",
    "Rename getUser to fetchUser in the UI layer",
    "Rename getUser to fetchUser in the UI",
    "Renamed in the UI layer.",
  ],
  [
    "Still to do: port the Windows installer.",
    "Port the macOS installer",
    "Port the macOS installer",
    "The macOS installer is ported.",
  ],
  [
    "Still to do: remove the old API.",
    "Deprecate the old API",
    "Deprecate the old API",
    "The old API is marked deprecated.",
  ],
  [
    "Still to do: tests for the parser and the printer.",
    "Write tests for the parser",
    "Add parser tests",
    "The parser has tests now.",
  ],
  [
    "Still to do: delete the old images in the bucket.",
    "Upload the new images to the bucket",
    "Upload new images to the bucket",
    "The new images are in the bucket.",
  ],
  [
    "Still to do: add an undo button to the editor toolbar.",
    "Add a redo button to the editor toolbar",
    "Add redo button to the editor toolbar",
    "The editor toolbar has a redo button.",
  ],
  [
    "Still to do: reject orders above the credit limit.",
    "Log orders above the credit limit",
    "Log orders above the credit limit",
    "Orders above the credit limit are logged.",
  ],
  [
    "Still to do: translate the emails to Spanish.",
    "Translate the emails to Italian",
    "Translate emails to Italian",
    "The emails are translated to Italian.",
  ],
  [
    "Still to do: support Postgres 17 in the docker image.",
    "Support Postgres 16 in the docker image",
    "Support Postgres 16 in the docker image",
    "The docker image supports Postgres 16.",
  ],
  [
    "Still to do: handle timeouts in `fetchOrders`.",
    "Handle timeouts in fetchUsers",
    "Handle timeouts in fetchUsers",
    "Timeouts in `fetchUsers` are handled.",
  ],
  [
    "Still to do: increase the timeout for uploads.",
    "Increase the timeout for downloads",
    "Increase timeout for downloads",
    "The timeout for downloads is 60s now.",
  ],
  [
    "Still to do: write the migration for the users table.",
    "Write the migration for the orders table",
    "Migration for the orders table",
    "The migration for the orders table is written.",
  ],
  [
    "Still to do: write the migration for the users table.",
    "Run the migration for the users table",
    "",
    "It ran.",
  ],
  [
    "Still to do: show error messages on the login page.",
    "x",
    "",
    "Users see an error message on the signup page now.",
  ],
  [
    "Remaining: the login page and the signup page need error messages.",
    "Add error messages to the login page",
    "Login page: error messages",
    "The login page shows error messages.",
  ],
  ["Umlauts and emojis are not handled yet.", "Handle umlauts", "", "Umlauts are handled now."],
  [
    "Still to do: validate file types on the server.",
    "Validate file types in the browser",
    "File type validation in the browser",
    "ok",
  ],
  [
    "Still to do: deploy the new worker version to staging.",
    "x",
    "",
    "The new worker version is deployed to production.",
  ],
  [
    "Next: increase the memory limit of the worker.",
    "Decrease the memory limit of the worker",
    "",
    "Done.",
  ],
  [
    "Still open: dark mode for the settings page.",
    "Add dark mode to the profile page",
    "Dark mode on profile page",
    "Done.",
  ],
  [
    "Still missing: tests for `parseDate` with time zones.",
    "Test parseTime with time zones",
    "Tests for parseTime with time zones",
    "Done.",
  ],
  [
    "Remaining: hook up the export button in the toolbar.",
    "Wire the import button in the toolbar",
    "Wire up import button in toolbar",
    "The import button works.",
  ],
  [
    "Noch offen: die Migration der Tabelle users.",
    "Schreibe die Migration der Tabelle orders",
    "Migration der Tabelle orders",
    "Fertig.",
  ],
  [
    "Still to do: send a mail when a payment fails.",
    "Send a mail when a refund fails",
    "Mail when a refund fails",
    "Done.",
  ],
  [
    "Next steps: hide the admin menu for guests.",
    "Show the admin menu for moderators",
    "Show admin menu for moderators",
    "Done.",
  ],
  [
    "Still to do: cache the product list.",
    "Cache the category list",
    "Cache category list",
    "The category list is cached.",
  ],
  [
    "Still to do: cache the product list in Redis.",
    "Cache the category list in Redis",
    "Cache category list in Redis",
    "The category list is cached in Redis.",
  ],
  [
    "Still to do: log failed logins to the audit table.",
    "Log failed payments to the audit table",
    "Log failed payments to audit table",
    "Failed payments are logged to the audit table.",
  ],
];

const DONE: readonly Case[] = [
  [
    "Still to do: sort the search results by date.",
    "Sort search results by date",
    "Sort by date in search results",
    "Search results are sorted by date.",
  ],
  [
    "Still to do: allow admins to delete comments.",
    "Let admins delete comments",
    "Admins can delete comments",
    "Admins can delete comments now.",
  ],
  [
    "Still to do: notify users by email when a comment is added.",
    "Notify users by mail about new comments",
    "Email users when a comment is added",
    "Users get an email when a comment is added.",
  ],
  [
    "Still to do: show the total price in the cart sidebar.",
    "Show the total in the cart sidebar",
    "Total price in cart sidebar",
    "ok",
  ],
  [
    "Not handled yet: expired tokens in the refresh flow.",
    "Handle expired tokens",
    "Expired tokens in refresh flow",
    "ok",
  ],
  [
    "Still to do: lock the account after five failed logins.",
    "Lock accounts after failed logins",
    "Lock account after five failed logins",
    "ok",
  ],
  [
    "Still to do: rotate the API keys of the staging environment.",
    "Rotate the staging keys",
    "Rotate API keys of staging",
    "ok",
  ],
  [
    "Still to do: document the export options of the CLI.",
    "x",
    "README: export options of the CLI",
    "ok",
  ],
  [
    "Still to do: show a loading spinner while orders are fetched.",
    "x",
    "Loading spinner for orders",
    "ok",
  ],
  [
    "Still to do: validate the e-mail address on signup.",
    "Validate email on signup",
    "Check e-mail address at signup",
    "ok",
  ],
  [
    "Still to do: extract the price calculation into its own module.",
    "x",
    "Move price calculation into its own module",
    "ok",
  ],
  [
    "The error messages are not translated to German yet.",
    "Translate the error messages",
    "German error messages",
    "The error messages are in German now.",
  ],
  [
    "Still to do: replace moment with date-fns in the calendar view.",
    "x",
    "Use date-fns instead of moment in the calendar",
    "ok",
  ],
  [
    "Known issue: the sidebar flickers when the theme changes.",
    "Fix the flickering sidebar",
    "Stop the sidebar from flickering on theme change",
    "ok",
  ],
  [
    "Known issue: the sidebar flickers when the theme changes.",
    "Fix it",
    "Fix sidebar flicker on theme change",
    "The sidebar no longer flickers when the theme changes.",
  ],
  [
    "Still to do: delete expired sessions from the database nightly.",
    "x",
    "Nightly cleanup of expired sessions in the database",
    "Expired sessions are deleted from the database every night.",
  ],
  [
    "Still to do: log the request id with every error.",
    "x",
    "Request id in error logs",
    "Every error is logged with the request id.",
  ],
  [
    "Still to do: mock the payment gateway in the integration tests.",
    "x",
    "Fake payment gateway for integration tests",
    "The integration tests use a mocked payment gateway.",
  ],
  [
    "Still missing: a confirmation dialog before a project is deleted.",
    "x",
    "Ask for confirmation before deleting a project",
    "A confirmation dialog is shown before a project is deleted.",
  ],
  ["Still to do: persist the selected tab in the URL.", "x", "Keep selected tab in the URL", "ok"],
  [
    "Der Fortschrittsbalken für den Import fehlt noch.",
    "Bau den Fortschrittsbalken ein",
    "Fortschrittsbalken beim Import",
    "Der Import hat jetzt einen Fortschrittsbalken.",
  ],
  [
    "Still to do: a dark theme and a light theme for the docs site.",
    "x",
    "Dark and light theme for the docs site",
    "ok",
  ],
  ["Still to do: verify the webhook signature.", "x", "Check webhook signatures", "ok"],
  [
    "Still to do: clean up the old migration scripts.",
    "x",
    "Remove old migration scripts",
    "The old migration scripts are cleaned up.",
  ],
  [
    "Still to do: add rate limiting to the login endpoint.",
    "Rate limit the login",
    "Rate-limit login",
    "Login is rate limited now.",
  ],
  [
    "Still to do: add rate limiting to the login endpoint.",
    "next thing",
    "Rate limiting for login: 5 attempts a minute",
    "ok",
  ],
  [
    "Still to do: enable strict mode in tsconfig.",
    "Turn on strict mode",
    "Turn on strict mode in tsconfig",
    "Strict mode is on in tsconfig.",
  ],
  [
    "Still to do: remove the feature flag `new_checkout`.",
    "Drop the flag new_checkout",
    "Drop feature flag new_checkout",
    "The flag is gone.",
  ],
  [
    "Still to do: remove the feature flag `new_checkout`.",
    "next",
    "",
    "The feature flag new_checkout is gone now.",
  ],
  [
    "Still to do: write the migration for the users table.",
    "Create the migration for the users table",
    "",
    "Done.",
  ],
  [
    "Still to do: write the migration for the users table.",
    "Generate a users table migration",
    "Generate users table migration",
    "Done.",
  ],
  [
    "Still to do: show error messages on the login page.",
    "Let the login page show error messages",
    "",
    "Users see an error message on the login page now.",
  ],
  [
    "Still to do: reject orders above the credit limit.",
    "x",
    "Orders above the credit limit get a 422",
    "ok",
  ],
  [
    "Remaining: the login page and the signup page need error messages.",
    "Add error messages to the login and signup pages",
    "Error messages on login and signup page",
    "Done.",
  ],
  ["Umlauts and emojis are not handled yet.", "Handle umlauts and emojis", "", "Done."],
  [
    "Still to do: retry failed webhooks with exponential backoff.",
    "x",
    "Retry failed webhooks with backoff",
    "ok",
  ],
  [
    "Add retry with exponential backoff to the HTTP client is not done yet.",
    "x",
    "Retry failed requests in the HTTP client with exponential backoff",
    "ok",
  ],
  [
    "Still to do: validate file types on the server.",
    "Validate the file types on the server",
    "Server-side file type validation",
    "ok",
  ],
  [
    "Still to do: deploy the new worker version to staging.",
    "x",
    "",
    "The new worker version is deployed to staging.",
  ],
  [
    "Next: increase the memory limit of the worker.",
    "Raise the memory limit of the worker",
    "Raise memory limit of worker",
    "Done.",
  ],
  [
    "Still open: dark mode for the settings page.",
    "Add dark mode to settings",
    "Dark mode in settings",
    "Done.",
  ],
  [
    "Still missing: tests for `parseDate` with time zones.",
    "Test parseDate with time zones",
    "Tests for parseDate with time zones",
    "Done.",
  ],
  [
    "Remaining: hook up the export button in the toolbar.",
    "Wire the export button in the toolbar",
    "Wire up export button in toolbar",
    "The export button works.",
  ],
  [
    "Noch offen: die Migration der Tabelle users.",
    "Schreibe die Migration der Tabelle users",
    "Migration der Tabelle users",
    "Fertig.",
  ],
  [
    "Still to do: send a mail when a payment fails.",
    "Send a mail when a payment fails",
    "Mail on failed payments",
    "A mail is sent when a payment fails.",
  ],
  [
    "Next steps: hide the admin menu for guests.",
    "x",
    "",
    "The admin menu is hidden for guests now.",
  ],
  [
    "Still to do: cache the product list in Redis.",
    "Cache the product list",
    "Cache product list",
    "The product list is cached.",
  ],
];

const IN_PART: readonly (readonly [...Case, rest: string])[] = [
  [
    "Two things remain: the docs and the changelog.",
    "Write the docs",
    "Docs",
    "Written.",
    "Still open: the changelog",
  ],
  [
    "Still to do: progress bar, error report.",
    "add the progress bar",
    "Progress bar",
    "The progress bar is in.",
    "Still to do: error report",
  ],
  [
    "Still to do: docs and tests.",
    "write the docs",
    "Docs",
    "The docs are written.",
    "Still to do: tests",
  ],
  [
    "Still to do: paginate the orders API, paginate the users API, add rate limits.",
    "Paginate the users API",
    "Paginate users API",
    "The users API is paginated.",
    "Still to do: paginate the orders API, add rate limits",
  ],
  [
    "Remaining: migrate orders, migrate invoices.",
    "Migrate orders",
    "Migrate orders to new schema",
    "Orders are migrated.",
    "Remaining: migrate invoices",
  ],
  [
    "Still to do: CSV import, PDF export and docs.",
    "x",
    "PDF export",
    "The PDF export is in.",
    "Still to do: CSV import, docs",
  ],
  [
    "Noch offen: Fortschrittsbalken, Fehlerbericht.",
    "Baue den Fortschrittsbalken",
    "Fortschrittsbalken",
    "Fertig.",
    "Noch offen: Fehlerbericht",
  ],
];

const turn = (asked: string, said: string, commit = ""): ToldTurn => ({
  asked,
  said,
  file: "src/app.ts",
  ...commit === "" ? {} : { commit },
});

/** What is open when a later session has done something: by all of it, and by its prompt, its commit and its words alone. */
function openBy([left, asked, commit, said]: Case): readonly (readonly string[])[] {
  const later = [
    turn(asked, said, commit),
    turn(asked, "Done."),
    turn("Go back to that file", "ok", commit),
    turn("Go back to that file", said),
  ];
  return later.map((one) => openAfter([turn("Change the app", left)], [one]));
}

Deno.test("what a session did of another thing, in another place or to the contrary closes nothing", () => {
  for (const one of BESIDE) {
    for (const open of openBy(one)) assert.deepEqual(open, [one[0]], one.join(" | "));
  }
});

Deno.test("what was done in other words is done", () => {
  for (const one of DONE) assert.deepEqual(openBy(one)[0], [], one.join(" | "));
});

Deno.test("of a list that is done in part the rest is open, until that is done as well", () => {
  for (const [left, asked, commit, said, rest] of IN_PART) {
    assert.deepEqual(openBy([left, asked, commit, said])[0], [rest], left);
  }
  const list = [turn("Migrate", "Remaining: migrate orders, migrate invoices.")];
  const orders = [turn("Migrate orders", "Orders are migrated.")];
  const invoices = [turn("Migrate invoices", "Invoices are migrated.")];
  assert.deepEqual(openAfter(list, orders, invoices), []);
  assert.deepEqual(openAfter([...list, ...orders]), ["Remaining: migrate invoices"]);
  assert.deepEqual(openAfter([...list, ...orders, ...invoices]), []);
});
