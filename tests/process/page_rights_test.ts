/** What a page may ask of a daemon, and what the routes that are made of verbs answer it. */
import assert from "node:assert/strict";
import { testWith } from "../support/fixtures.ts";
import { runDaemon, type RunningDaemon, type Sent } from "../support/daemon.ts";
import { ROUTES } from "../../src/daemon/routes.ts";
import { tempHome } from "../support/program.ts";
import { longSession } from "../support/long_session.ts";

/** A daemon with a page, and the token of a tab. */
async function withTab(
  body: (daemon: RunningDaemon, token: string) => Promise<void>,
  readOnly = false,
): Promise<void> {
  using home = tempHome();
  await using daemon = await runDaemon(home);
  const { body: { code } } = await daemon.ask("POST", "/page/codes", { body: { readOnly } });
  const tab = await asPage(daemon, "POST", "/page/tabs", { body: { code } });
  assert.equal(tab.status, 201);
  await body(daemon, tab.body.token);
}

/** As a page asks: through the port, from its own origin, without the daemon's token. */
function asPage(
  daemon: RunningDaemon,
  method: string,
  path: string,
  { token = "", ...sent }: Sent & { readonly token?: string } = {},
) {
  return daemon.ask(method, path, {
    ...sent,
    port: true,
    headers: {
      authorization: token === "" ? "" : `Bearer ${token}`,
      "conclaude-token": "",
      origin: `http://127.0.0.1:${daemon.port}`,
      "sec-fetch-site": "same-origin",
      ...sent.headers,
    },
  });
}

const test = testWith(tempHome);

test("a code opens one tab, once", async (home) => {
  await using daemon = await runDaemon(home);
  const { body: { code } } = await daemon.ask("POST", "/page/codes", { body: {} });
  const statuses: number[] = [];
  for (const given of ["guessed", code, code]) {
    statuses.push((await asPage(daemon, "POST", "/page/tabs", { body: { code: given } })).status);
  }
  assert.deepEqual(statuses, [401, 201, 401]);
});

test("only a person gets a code", async (home) => {
  await using daemon = await runDaemon(home);
  const sent = { body: {}, headers: { "conclaude-token": "" } };
  const { status, body } = await daemon.ask("POST", "/page/codes", sent);
  assert.deepEqual([status, body.error.code], [403, "PERSON_REQUIRED"]);
});

Deno.test("a tab acts as its person, and a reading one does not act", async () => {
  await withTab(async (daemon, token) => {
    const kept = await asPage(daemon, "POST", "/memory", { token, body: { text: "Keep this" } });
    assert.equal(kept.status, 200);
  });
  await withTab(async (daemon, token) => {
    assert.equal((await asPage(daemon, "GET", "/sessions", { token })).status, 200);
    const refused = await asPage(daemon, "POST", "/memory", { token, body: { text: "Keep this" } });
    assert.deepEqual([refused.status, refused.body.error.code], [403, "READ_ONLY"]);
    const left = await asPage(daemon, "POST", "/shutdown", { token });
    assert.equal(left.status, 403);
  }, true);
});

Deno.test("no route that changes something lets a reading tab act, and none of a person's lets a program", async () => {
  const changing = ROUTES.filter(({ method, isOpen }) => method !== "GET" && !isOpen);
  const refusals = async (daemon: RunningDaemon, routes: typeof changing, token: string) => {
    const passed: string[] = [];
    for (const { method, path } of routes) {
      const { status, body } = await asPage(daemon, method, path.replace(":id", "1"), { token });
      if (status !== 403) passed.push(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    }
    return passed;
  };
  await withTab(async (daemon, token) => {
    assert.deepEqual(await refusals(daemon, changing, token), []);
    const ofPersons = changing.filter(({ forPerson }) => forPerson);
    assert.ok(ofPersons.length > 10);
    assert.deepEqual(await refusals(daemon, ofPersons, daemon.token), []);
  }, true);
});

Deno.test("other pages, names and ports of this machine are refused", async () => {
  await withTab(async (daemon, token) => {
    const attempts: readonly (readonly [string, Record<string, string>])[] = [
      ["another origin", { origin: "https://example.com" }],
      ["a page of another local port", { origin: `http://127.0.0.1:${daemon.port + 1}` }],
      ["the same site, another origin", { "sec-fetch-site": "same-site" }],
      ["a link on another page", { origin: "", "sec-fetch-site": "cross-site" }],
      ["a name that leads here", { host: `evil.example:${daemon.port}` }],
    ];
    for (const [about, headers] of attempts) {
      for (const path of ["/sessions", "/"]) {
        const { status } = await asPage(daemon, "GET", path, { token, headers });
        assert.equal(status, 403, `${about}: ${path}`);
      }
    }
    assert.equal((await asPage(daemon, "GET", "/sessions")).status, 401);
    assert.equal((await asPage(daemon, "GET", "/sessions", { token: "guessed" })).status, 401);
  });
});

Deno.test("the page comes with a policy that lets nothing but itself run", async () => {
  await withTab(async (daemon) => {
    const { status, headers, text } = await asPage(daemon, "GET", "/");
    assert.equal(status, 200);
    const policy = headers.get("content-security-policy") ?? "";
    // One more script, for charts, may be loaded, from where the page came.
    const ownScript = `http://127.0.0.1:${daemon.port}/page/plot.js`;
    assert.match(policy, /default-src 'none'; script-src 'sha256-[^']+' \S+; style-src 'sha256-/);
    assert.equal(/script-src '[^']+' (\S+);/.exec(policy)?.[1], ownScript);
    assert.match(policy, /require-trusted-types-for 'script'; trusted-types 'none'/);
    assert.doesNotMatch(policy.replace(ownScript, ""), /unsafe|\*|https?:/);
    assert.doesNotMatch(text, / (?:src|href)="http| style="/);
  });
});

test("the port and the rights of tabs outlive a daemon, in a file of one's own", async (home) => {
  const opened = await runDaemon(home);
  const { port } = opened;
  const { body: { code } } = await opened.ask("POST", "/page/codes", { body: {} });
  const { body: { token } } = await asPage(opened, "POST", "/page/tabs", { body: { code } });
  await opened[Symbol.asyncDispose]();
  const path = home.database.replace(/\.db$/, ".page.json");
  assert.equal(Deno.readTextFileSync(path).includes(token), false);
  if (Deno.build.os !== "windows") assert.equal(Deno.statSync(path).mode! & 0o777, 0o600);
  await using next = await runDaemon(home);
  assert.equal(next.port, port);
  assert.equal((await asPage(next, "GET", "/sessions", { token })).status, 200);
});

test("a request names a verb's flags and arguments; a wrong or missing value is refused by its name", async (home) => {
  await using daemon = await runDaemon(home, { cwd: home.path });
  const fine = ["/sessions?status=ended&limit=3", "/audit?since=2h", "/sessions?here=1", "/memory"];
  for (const path of fine) assert.equal((await daemon.ask("GET", path)).status, 200, path);
  const refused = [
    ["GET", "/sessions?status=asleep", /"status".*expected one of active, ended, abandoned/],
    ["GET", "/sessions?limit=many", /"limit".*expected a whole number/],
    ["GET", "/audit?since=someday", /"since"/],
    ["POST", "/requirements/satisfy", /"name".*it is missing/],
    ["POST", "/memory", /"text".*it is missing/],
    ["GET", "/sessions?loud=1", /loud/],
    ["GET", "/explain?tool=Bush&input=x", /Unknown tool/],
  ] as const;
  for (const [method, path, why] of refused) {
    const { status, body } = await daemon.ask(method, path, method === "POST" ? { body: {} } : {});
    assert.deepEqual([status, body.error.code], [400, "INVALID_INPUT"], path);
    assert.match(`${body.error.what}: ${body.error.why}`, why);
  }
});

test("a list comes in pages: the time of the last row leads to the next", async (home) => {
  await longSession(home, crypto.randomUUID(), 250);
  await using daemon = await runDaemon(home, { cwd: home.path });
  const seen: string[] = [];
  for (let until = "now"; until !== "";) {
    const { executions } = (await daemon.ask("GET", `/audit?until=${until}`)).body;
    seen.push(...executions.map(({ id }: { id: string }) => id));
    until = executions.length === 0 ? "" : new Date(executions.at(-1).createdAtMs).toISOString();
    assert.ok(executions.length <= 200);
  }
  assert.equal(new Set(seen).size, 250);
  assert.equal(seen.length, 250);
});
