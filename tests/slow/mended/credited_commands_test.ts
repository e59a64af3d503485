/** A fix names what mended: an option, or a command that started a service, and no edit that has nothing to do with it. */
import assert from "node:assert/strict";
import { endOf, type MixedStep } from "../../support/mixed_steps.ts";

const ERESOLVE = "npm error code ERESOLVE\nnpm error ERESOLVE could not resolve";
const REACH = "Error: P1001: Can't reach database server at localhost:5432";
const CURL = "curl: (7) Failed to connect to localhost port 3000: Connection refused";
const SERVER: MixedStep = { edited: "src/server.ts" };

/** What the fixes name by which a command passes that failed; each step stands between. */
async function mendedBy(
  [failing, output, passing = failing]: readonly [string, string, string?],
  ...steps: readonly MixedStep[]
): Promise<readonly string[]> {
  const { fixes, open } = await endOf({ failing, output }, ...steps, { passing });
  assert.deepEqual(open, [], passing);
  return fixes.map((title) => title.split(" by ")[1]!);
}

Deno.test("an option by which a command passes that had failed is its fix", async () => {
  const rows = [
    ["npm install", ERESOLVE, "npm install --legacy-peer-deps"],
    ["npm ci", ERESOLVE, "npm ci --force --no-audit"],
    ["yarn install", "error engine", "yarn install --ignore-engines"],
    ["pip install foo", "ERROR: hash", "pip install --no-cache-dir foo"],
    ["pip install foo", "error: externally-managed", "pip install foo --break-system-packages"],
  ] as const;
  for (const row of rows) {
    const command = `\`${row[2]}\``;
    assert.deepEqual(await mendedBy(row), [command]);
    assert.deepEqual(await mendedBy(row, SERVER), [command]);
  }
  const built = ["make", "ld: no", "make -B"] as const;
  assert.deepEqual(await mendedBy(built), ["`make -B`"]);
  assert.deepEqual(
    await mendedBy(["cd web && npm install", ERESOLVE, "cd web && npm install --force && ls"]),
    ["`npm install --force`"],
  );
});

Deno.test("an option that was there, or that changes only what is printed, is none", async () => {
  const rows = [
    ["npm install", ERESOLVE],
    ["npm install", ERESOLVE, "npm install --verbose --no-fund"],
    ["npm install --force", ERESOLVE, "npm install -f"],
    ["npm install --legacy-peer-deps", ERESOLVE, "npm install"],
    ["make", "ld: no", "make -j8 V=1"],
    ["pip install foo", "ERROR: no", "pip install -q foo"],
  ] as const;
  for (const row of rows) assert.deepEqual(await mendedBy(row), [], row.join());
});

Deno.test("what installs packages is mended by no edit of what it does not read", async () => {
  const install = ["npm install", ERESOLVE] as const;
  assert.deepEqual(await mendedBy(install, SERVER), []);
  assert.deepEqual(await mendedBy(["cd web && npm ci", ERESOLVE], SERVER), []);
  assert.deepEqual(await mendedBy(install, { edited: "package.json" }, SERVER), ["package.json"]);
  assert.deepEqual(await mendedBy(install, { edited: ".npmrc" }), [".npmrc"]);
  assert.deepEqual(
    await mendedBy(
      ["npm install", ERESOLVE, "npm install --force"],
      { edited: "package.json" },
    ),
    ["package.json"],
  );
  assert.deepEqual(
    await mendedBy(["pip install -e .", 'File "src/build.py", line 3'], { edited: "src/build.py" }),
    ["src/build.py"],
  );
  // These build the program, or do more than to install.
  for (
    const [failing, output] of [
      ["cargo install --path .", "error[E0308]: mismatched types"],
      ["go install ./...", "undefined: x"],
      ["npm ci && npm run build", "Error: no"],
      ["deno install", "error: no"],
      ["docker build -t app .", "ERROR: failed to solve"],
    ] as const
  ) {
    assert.deepEqual(await mendedBy([failing, output], SERVER), ["src/server.ts"], failing);
  }
});

Deno.test("a service that could not be reached is mended by what starts one", async () => {
  const migrate = ["npx prisma migrate deploy", REACH] as const;
  const up: MixedStep = { passing: "docker compose up -d db" };
  assert.deepEqual(await mendedBy(migrate, SERVER, up), ["`docker compose up -d db`"]);
  const health = ["curl -f http://localhost:3000/health", CURL] as const;
  const rows: readonly (readonly [MixedStep, string])[] = [
    [{ passing: "npm start &" }, "`npm start`"],
    [{ started: "npm run dev" }, "`npm run dev`"],
    [{ started: "cd api && python -m uvicorn app:app" }, "`python -m uvicorn app:app`"],
    [{ passing: "nohup node server.js > log.txt & sleep 2" }, "`nohup node server.js > log.txt`"],
    [{ started: "docker compose up" }, "`docker compose up`"],
  ];
  for (const [step, by] of rows) assert.deepEqual(await mendedBy(health, SERVER, step), [by]);
  // These start none.
  for (
    const step of [
      { passing: "npm start && echo ok" },
      { passing: "npm test & wait" },
      { started: "npx tsc --noEmit" },
      { started: "sleep 5" },
      { passing: "ls &" },
    ]
  ) {
    assert.deepEqual(await mendedBy(health, SERVER, step), ["src/server.ts"], String(step));
  }
  // That something runs in the background mends nothing else.
  const other = ["npm run e2e", "Error: no such user"] as const;
  assert.deepEqual(await mendedBy(other, SERVER, { started: "npm run dev" }), ["src/server.ts"]);
  assert.deepEqual(await mendedBy(other, { started: "npm run dev" }), []);
});

const UNSET = "Error: DATABASE_URL is not set";
const MANAGED =
  "error: externally-managed-environment\n\n× This environment is externally managed\n╰─> To install packages, create a virtual environment using python3 -m venv.";

Deno.test("what a failure says it lacks, and a call of the same command gives, is its fix", async () => {
  const rows = [
    ["npm test", UNSET, "DATABASE_URL=x npm test", "DATABASE_URL=x npm test"],
    [
      "npm test",
      UNSET,
      'env DATABASE_URL="a b" npm test',
    ],
    ["npm test", UNSET, "export DATABASE_URL=x && npm test", "export DATABASE_URL=x"],
    [
      "cd web && node a.js",
      UNSET,
      "cd web && DATABASE_URL=x node a.js",
      "DATABASE_URL=x node a.js",
    ],
    ["pytest", "E   KeyError: 'TOKEN'\n1 failed in 0.1s", "TOKEN=x pytest"],
    ["pip install requests", MANAGED, ".venv/bin/pip install requests"],
    ["pip3 install -q requests", MANAGED, ".venv/bin/python -m pip install requests"],
  ] as const;
  for (const [failing, output, passing, by = passing] of rows) {
    assert.deepEqual(await mendedBy([failing, output, passing]), [`\`${by}\``]);
    assert.deepEqual(await mendedBy([failing, output, passing], SERVER), [`\`${by}\``]);
  }
});

Deno.test("a call that gives something else, or is another one, leaves it open", async () => {
  const rows = [
    ["npm test", UNSET, "NODE_ENV=x npm test"],
    ["npm test", UNSET, "DATABASE_URL=x npm run lint"],
    ["npm test", UNSET, "DATABASE_URL=x NODE_ENV=y npm test"],
    ["npm test", UNSET, "DATABASE_URL= npm test"],
    ["npm test", UNSET, "DATABASE_URL=x npm test || true"],
    ["npm test", "Error: no such user", "DATABASE_URL=x npm test"],
    ["pip install requests", MANAGED, ".venv/bin/pip install flask"],
    ["pip install requests", MANAGED, "/usr/bin/pip install requests"],
    ["pip install requests", "ERROR: No matching distribution", ".venv/bin/pip install requests"],
  ] as const;
  for (const [failing, output, passing] of rows) {
    const { open, fixes } = await endOf({ failing, output }, SERVER, { passing });
    assert.deepEqual([open.length, fixes], [1, []], passing);
  }
});
