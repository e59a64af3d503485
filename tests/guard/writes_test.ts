/** Which files a command changes, and in which way. */
import assert from "node:assert/strict";
import { readScript } from "../../src/guard/shell/script.ts";
import { findTargets } from "../../src/guard/shell/writes.ts";

/** What becomes of which files: `change src/a`; `?` where only the running shell knows. */
function targets(command: string): string[] {
  return readScript(command, { folder: "/p", home: "/h" }).commands.flatMap(findTargets)
    .filter(({ ifInFolder }) => !ifInFolder)
    .map(({ effect, path }) => `${effect} ${path?.replace("/p/", "") ?? "?"}`);
}

function assertTargets(table: Readonly<Record<string, readonly string[]>>): void {
  for (const [command, expected] of Object.entries(table)) {
    assert.deepEqual([command, targets(command)], [command, expected]);
  }
}

Deno.test("an option's value is taken for a file", () => {
  assertTargets({
    "git restore --source HEAD~1 src/a.ts": ["change src/a.ts"],
    "git restore -s HEAD~1 src/a.ts": ["change src/a.ts"],
    "git restore -SWs HEAD~1 -- src/a.ts": ["change src/a.ts"],
    "git restore --source=HEAD~1 src/a.ts": ["change src/a.ts"],
    "wget -P src http://x/f": ["change src/f"],
    "wget --directory-prefix=src http://x/f": ["change src/f"],
    "curl -O --output-dir src https://x.org/f": ["change src/f"],
    "rsync -a --exclude '*.log' src sub": ["change sub"],
    "chown $(id -u) a": ["tamper a"],
    "setfacl -m u::- a": ["tamper a"],
  });
});

Deno.test("what lies on another machine is taken for a file here", () => {
  assertTargets({
    "scp yarn.lock h:": [],
    "scp -r src ana@h:x": [],
    "rsync -a yarn.lock h:": [],
    "rsync -e ssh -a src h:x": [],
    "rsync -a src host::mod": [],
    "rsync -a src rsync://h/x": [],
    "scp h:yarn.lock sub": ["change sub"],
  });
  const [, placed] = readScript("scp h:yarn.lock sub", { folder: "/p", home: "/h" })
    .commands.flatMap(findTargets);
  assert.equal(placed!.path, "/p/sub/yarn.lock");
});

Deno.test("what only tells, or writes to its output, is taken for a change", () => {
  assertTargets({
    "rsync -an a b": [],
    "rsync -a --dry-run a b": [],
    "rsync -a -e -n a b": ["change b"],
    "gzip -c a": [],
    "gzip -dc a": [],
    "gzip -l a": [],
    "gunzip -t a": [],
    "xz -dkc a": [],
    "bzip2 -c a": [],
    "gzip -9 a": ["remove a"],
    "gzip -S .c a": ["remove a"],
    "gzip -S.t a": ["remove a"],
    "mktemp": [],
    "mktemp -t x.XXX": [],
  });
});

Deno.test("a file is written by an option, or by a program whose purpose is another one", () => {
  assertTargets({
    "uniq a OUT": ["change OUT"],
    "uniq a": [],
    "git archive -o F HEAD": ["change F"],
    "git -C sub archive --output=F HEAD": ["change sub/F"],
    "git diff --output=F": ["change F"],
    "git diff -o F": [],
    "openssl req -x509 -out F -keyout K": ["change F", "change K"],
    "find . -name a -fprint F": ["change F"],
    "mkfifo F": ["change F"],
    "mktemp F.XXX": ["change F.XXX"],
    "tar czf a.tgz --remove-files F": ["remove czf", "remove a.tgz", "remove F"],
    "tar -czf a.tgz --remove-files F": ["remove F"],
    "sqlite3 F 'delete from x'": ["tamper F"],
    "sqlite3 -cmd '.mode box' 'file:F?x=1' 'select 1'": ["tamper F"],
    "sqlite3 -readonly F 'select 1'": [],
    "sqlite3 'file:F?mode=ro'": [],
    "chmod -x F": ["tamper F"],
    "chmod -R 755 F G": ["tamper F", "tamper G"],
  });
});

Deno.test("of a copy nobody knows which files arise in its folder", () => {
  const copied = (to: string) => [`change ${to}`, `fill ${to}`, "change ?"];
  assertTargets({
    "cp -a src/. sub": copied("sub"),
    "cp -r .. sub": copied("sub"),
    "cp -rT src sub": copied("sub"),
    "cp $X/*.ts sub": copied("sub"),
    "rsync -a --delete src/ sub/": copied("sub"),
    "rsync -a h:x/ sub": copied("sub"),
    "cp src/a.ts sub": ["change sub"],
    "cp -r src sub": ["change sub"],
    "mv src sub": ["change sub", "remove src"],
    "rsync -a src sub": ["change sub"],
  });
});
