/** What failed passes by a call that is another one, but gets as far: with an option more, or of the same service. */
import assert from "node:assert/strict";
import { leftOpen, outcomeWithoutEdits } from "../../support/left_open.ts";

const NO_PSQL =
  'psql: error: connection to server at "localhost", port 5432 failed: Connection refused';
const NO_REDIS = "Could not connect to Redis at 127.0.0.1:6379: Connection refused";
const NO_PR = "pull request create failed: GraphQL: No commits between main and feat";
const NO_TABLE = "django.db.utils.OperationalError: no such table: auth_user";
const UP = ["docker compose up -d db", "Container db  Started"] as const;

type Row = readonly [failing: string, bad: string, later: string];

const MENDED: readonly Row[] = [
  ["gh pr create --fill", NO_PR, "gh pr create --fill --draft"],
  ["python3 manage.py migrate", NO_TABLE, "python3 manage.py migrate --run-syncdb"],
  ['psql -c "select 1"', NO_PSQL, 'psql -c "select count(*) from users"'],
  ['psql -c "select 1"', NO_PSQL, "psql -At -c '\\dt' | head -3; psql -f seed.sql"],
  ["psql -h db -d shop -c 'select 1'", NO_PSQL, "psql -d shop -h db -c 'select 2'"],
  ["psql postgres://db/shop -c 'select 1'", NO_PSQL, "psql postgres://db/shop -f a.sql"],
  ["redis-cli ping", NO_REDIS, "redis-cli get a"],
  ["redis-cli -p 6380 ping", NO_REDIS, "redis-cli -p 6380 info"],
];

const LEFT_OPEN: readonly Row[] = [
  ["gh pr create --fill", NO_PR, "gh pr create --fill --dry-run"],
  ["gh pr create --fill", NO_PR, "gh pr create --help"],
  ["python3 manage.py migrate", NO_TABLE, "python3 manage.py migrate --plan"],
  ["psql -c 'select 1'", NO_PSQL, "psql --version"],
  ["psql -c 'select 1'", NO_PSQL, "psql -h other -c 'select 2'"],
  ["psql -c 'select 1'", NO_PSQL, "PGHOST=other psql -c 'select 2'"],
  ["psql shop -c 'select 1'", NO_PSQL, "psql blog -c 'select 1'"],
  ["psql -c 'select 1' && ./seed", NO_PSQL, "psql -c 'select 2'"],
  ["psql -c 'selec 1'", 'ERROR:  syntax error at or near "selec"', "psql -c 'select 1'"],
  ["psql -c 'select 1'", NO_PSQL, "psql -c 'select 2' || true"],
  ["redis-cli ping", NO_REDIS, "redis-cli -p 6380 ping"],
  ["redis-cli ping", NO_REDIS, "psql -c 'select 1'"],
];

async function openAfter(rows: readonly Row[]): Promise<readonly Row[]> {
  const open: Row[] = [];
  for (const row of rows) {
    const [failing, bad, later] = row;
    if ((await leftOpen([failing, bad, true], UP, [later, "1"])).length > 0) open.push(row);
  }
  return open;
}

Deno.test("what failed is mended by a call that gets as far", async () => {
  assert.deepEqual(await openAfter(MENDED), []);
});

Deno.test("a call that does less, or is of another place, leaves it open", async () => {
  assert.deepEqual(await openAfter(LEFT_OPEN), LEFT_OPEN);
});

Deno.test("a service that is started mends what could not reach it", async () => {
  const { fixes } = await outcomeWithoutEdits(
    ["redis-cli ping", NO_REDIS, true],
    UP,
    ["redis-cli get a", "1"],
  );
  assert.deepEqual(fixes, [
    "Fixed Could not connect to Redis at 127.0.0.1:6379: Connection refused by `docker compose up -d db`",
  ]);
});
