import assert from "node:assert/strict";
import { join } from "node:path";
import { filesBelow } from "../support/look.ts";
import { type Certificate, needsPostgres, PASSWORD, postgres } from "./support/postgres.ts";
import { testWhere } from "../support/requirements.ts";
import { proxyTo } from "./support/tcp_proxy.ts";
import { machine, passwordOf, setUpTeam, type TeamMachine } from "./support/team_machine.ts";

const REFUSED: readonly (readonly [Certificate, why: RegExp, next: RegExp])[] = [
  ["foreign", /not signed by one that is trusted/, /--ca FILE/],
  ["expired", /has expired/, /needs a new certificate/],
  ["elsewhere", /belongs to another host/, /host's name as its certificate has it/],
];

testWhere(
  needsPostgres(),
  "a server is talked to only where its certificate is right",
  async () => {
    const server = await postgres();
    const team = await server.database();
    await setUpTeam(team, ["alice"], server);
    using alice = machine("alice", team);
    await alice.join("--ca", server.caFile);
    const [{ ssl }] = await team.query("SELECT count(*)::int AS ssl FROM pg_stat_ssl WHERE ssl");
    assert.equal(ssl, 0, "nobody is connected any more");
    await alice.notes(["Only for the right server."]);
    for (const [certificate, why, next] of REFUSED) {
      await server.restart({ certificate });
      const { code, stdout, stderr } = await alice.run(["team", "sync"]);
      assert.equal(code, 1, certificate);
      assert.match(stderr, why, certificate);
      assert.match(stderr, next, certificate);
      assert.doesNotMatch(stdout + stderr, new RegExp(PASSWORD));
      assert.match((await alice.json(["team", "status"])).projects[0].fault, why);
    }
    await server.restart();
    assert.equal((await alice.json(["team", "sync"])).projects[0].sent, 1);
    assert.equal((await alice.json(["team", "status"])).projects[0].fault, null);
  },
);

testWhere(
  needsPostgres(),
  "an address that would accept any server, or holds a password, is refused",
  async () => {
    const server = await postgres();
    const team = await server.database();
    using alice = machine("alice", team);
    const base = team.address("alice");
    const refused: readonly (readonly [string, RegExp])[] = [
      ...["disable", "allow", "prefer", "require", "verify-ca", "no-verify"].map((mode) =>
        [`${base}?sslmode=${mode}`, /would accept any server.*Leave it out/s] as const
      ),
      [`${base}?ssl=false`, /unknown part "ssl"/],
      [base.replace("alice@", `alice:${PASSWORD}@`), /holds a password.*--password-file/s],
      [`${base}?password=${PASSWORD}`, /holds a password/],
      // Another name of this machine: whatever is not surely local has to prove itself.
      [base.replace("localhost", "127.1"), /not signed by one that is trusted.*--ca FILE/s],
    ];
    for (const [address, said] of refused) {
      const { code, stdout, stderr } = await alice.run([
        "team",
        "join",
        address,
        ...passwordOf(alice),
        "--yes",
      ]);
      assert.notEqual(code, 0, address);
      assert.match(stderr, said, `${address}: ${stderr}`);
      assert.doesNotMatch(stdout + stderr, new RegExp(PASSWORD), address);
    }
    assert.deepEqual((await alice.json(["team", "status"])).projects, []);
  },
);

testWhere(
  needsPostgres(),
  "a password stands in no file but its own, and nowhere where others can look",
  async () => {
    const server = await postgres();
    const team = await server.database();
    await setUpTeam(team, ["alice", "bob", "carol"], server);
    using proxy = proxyTo(server.port);
    using alice = machine("alice", team, { port: proxy.port });
    using bob = machine("bob", team);
    using carol = machine("carol", team);
    await alice.join();
    const command = `cat ${join(bob.home, "password")}`;
    await bob.json(["team", "join", bob.address, "--password-command", command, "--yes"]);
    const pgpass = join(carol.home, ".pgpass");
    Deno.writeTextFileSync(pgpass, `localhost:*:*:carol:${PASSWORD}\n`, { mode: 0o600 });
    await carol.json(["team", "join", carol.address, "--yes"]);
    for (const one of [alice, bob, carol]) await one.notes([`A note of ${one.login}.`]);

    proxy.fateOf = () => ({ mute: "conclaude.push" });
    const muted = proxy.muted();
    const child = alice.spawn(["team", "sync"]);
    await muted;
    const seen = ["cmdline", "environ"].map((name) =>
      Deno.readTextFileSync(`/proc/${child.pid}/${name}`)
    );
    child.kill("SIGKILL");
    await child.output();
    assert.doesNotMatch(seen.join("\n"), new RegExp(PASSWORD));

    // Wrong ones are said to be wrong, and not shown either.
    Deno.writeTextFileSync(join(bob.home, "password"), "letmeout\n");
    const failed = await bob.run(["team", "sync"]);
    assert.match(
      failed.stderr,
      /does not accept this user with this password.*--password-command/s,
    );
    Deno.chmodSync(join(carol.home, "password"), 0o644);
    const open = await carol.run([
      "team",
      "members",
      carol.address,
      "--name",
      "x",
      ...passwordOf(carol),
    ]);
    assert.match(open.stderr, /others can read .*chmod 600/s);
    assert.doesNotMatch(
      failed.stdout + failed.stderr + open.stdout + open.stderr,
      /letmeout|opensesame/,
    );
    for (const one of [alice, bob, carol]) assertNoPassword(one);
    assert.doesNotMatch(Deno.readTextFileSync(server.logFile), /letmeout|PASSWORD '(?!opensesame)/);
  },
);

/** Every file below a home but those that a person wrote the password into. */
function assertNoPassword({ home }: TeamMachine): void {
  for (const path of filesBelow(home)) {
    if (/\/(?:password|\.pgpass)$/.test(path)) continue;
    const text = new TextDecoder("latin1").decode(Deno.readFileSync(path));
    assert.doesNotMatch(text, /opensesame|letmeout/, path);
  }
}
