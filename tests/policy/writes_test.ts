/** Which files a command changes, and in which way. */
import assert from "node:assert/strict";
import { readScript } from "../../src/policy/shell/script.ts";
import { findTargets } from "../../src/policy/shell/writes.ts";

const HUNK = "@@ -1 +1 @@\n-x\n+y\n";

/** The patches that lie in `/p`, by their names. */
const PATCHES: Readonly<Record<string, string>> = {
  "plain.diff": `--- a/sub/F\n+++ b/sub/F\n${HUNK}`,
  "git.diff": `diff --git a/sub/F b/sub/F\nindex 1..2 100644\n--- a/sub/F\n+++ b/sub/F\n${HUNK}`,
  "two.diff": `--- a/F\t2026-01-01\n+++ b/F\n${HUNK}--- a/G\n+++ b/G\n${HUNK}`,
  "new.diff": "--- /dev/null\n+++ b/F\n@@ -0,0 +1 @@\n+x\n",
  "gone.diff": "--- a/F\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
  "moved.diff": "diff --git a/F b/G\nsimilarity index 100%\nrename from sub/F\nrename to sub/G\n",
  "copied.diff": "diff --git a/F b/G\nsimilarity index 100%\ncopy from sub/F\ncopy to sub/G\n",
  "mode.diff": "diff --git a/sub/F b/sub/F\nold mode 100644\nnew mode 100755\n",
  "bytes.diff": "diff --git a/F b/F\nindex 1..2\nGIT binary patch\nliteral 1\nIcmZPo000\n",
  "quoted.diff": `--- "a/\\303\\251"\n+++ "b/\\303\\251"\n${HUNK}`,
  "other.diff": `--- a/F.orig\n+++ b/F\n${HUNK}`,
  "context.diff": "*** a/F\n--- b/F\n***************\n*** 1 ****\n! x\n--- 1 ----\n! y\n",
  "index.diff": `Index: F\n===\n--- F\n+++ F\n${HUNK}`,
  "lying.diff": `--- a/F\n+++ b/F\n@@ -1,1 +1,1 @@\n-x\n+y\n--- a/G\n+++ b/G\n${HUNK}`,
  "text.txt": "no patch\n",
};

/** A disk with these patches. */
const DISK = {
  readText: (path: string) => PATCHES[path.replace("/p/", "")] ?? null,
  isTop: () => false,
  topOf: () => "/p",
};

/** What becomes of which files: `change src/a`; `?` where only the running shell knows; `+ in x` for a folder `x` that comes there. */
function targets(command: string): string[] {
  return readScript(command, { folder: "/p", home: "/h", disk: DISK }).commands
    .flatMap(findTargets)
    .map(({ effect, path, copied }) =>
      `${effect} ${path?.replace("/p/", "") ?? "?"}` +
      (copied?.isWhole ? ` + ${copied.lands} ${copied.name}`.trimEnd() : "")
    );
}

function assertTargets(table: Readonly<Record<string, readonly string[]>>): void {
  for (const [command, expected] of Object.entries(table)) {
    assert.deepEqual([command, targets(command)], [command, expected]);
  }
}

Deno.test("programs that change files are known by their tables", () => {
  assertTargets({
    "gcc -oF src/a.c": ["change F"],
    "strace -oF true": ["change F"],
    "perf stat -o F true": ["change F"],
    "valgrind --log-file=F true": ["change F"],
    "wget -o F http://x.org/y": ["change y", "change F"],
    "script -O F": ["change F"],
    "zstd --rm F": ["remove F"],
    "pigz F": ["remove F"],
    "fallocate -l 9 F": ["change F"],
    "ctags -o F src/a.c": ["change F"],
    "msgfmt -o F a.po": ["change F"],
    "strip F": ["change F"],
    "mktemp -p sub": ["change sub/x"],
    "mktemp F.XXX": ["change F.XXX"],
    "pytest --junitxml=F": ["change F"],
    "golangci-lint run --fix F.go": ["change F.go"],
    "less -o F x": ["change F"],
    "history -w F": ["change F"],
    "gio trash F": ["remove F"],
    "gio info F": [],
    "git config -f F a.b c": ["change F"],
    "git config -f F --get a.b": [],
    "git diff-tree --output=F HEAD": ["change F"],
    "csplit -f F x 1": ["change F00"],
    "split x F": ["change Faa"],
    "python3 -m zipfile -c F x": ["change F"],
    "cmake -E rm F": ["remove F"],
    "cmake -S F -B G": [],
    "firejail rm F": ["remove F"],
    "fd F x": [],
    "fd x -x rm F": ["remove F", "remove ?"],
    "echo -e 'rm\\tF' | sh": ["remove F"],
    "printf '%%s\\n' | sh; printf 'rm\\tF' | sh": ["remove F"],
  });
});

Deno.test("the value of an option is no file that the command changes, unless the option names one", () => {
  assertTargets({
    "git restore --source HEAD~1 src/a.ts": ["change src/a.ts"],
    "git restore -s HEAD~1 src/a.ts": ["change src/a.ts"],
    "git restore -SWs HEAD~1 -- src/a.ts": ["change src/a.ts"],
    "git restore --source=HEAD~1 src/a.ts": ["change src/a.ts"],
    "wget -P src http://x/f": ["change src/f"],
    "wget --directory-prefix=src http://x/f": ["change src/f"],
    "curl -O --output-dir src https://x.org/f": ["change src/f"],
    "rsync -a --exclude '*.log' src sub": ["change sub + in src"],
    "chown $(id -u) a": ["tamper a"],
    "setfacl -m u::- a": ["tamper a"],
  });
});

Deno.test("a file on another machine is no file of this one", () => {
  assertTargets({
    "scp yarn.lock h:": [],
    "scp -r src ana@h:x": [],
    "rsync -a yarn.lock h:": [],
    "rsync -e ssh -a src h:x": [],
    "rsync -a src host::mod": [],
    "rsync -a src rsync://h/x": [],
    "scp h:yarn.lock sub": ["change sub"],
  });
  const [placed] = readScript("scp h:yarn.lock sub", { folder: "/p", home: "/h" })
    .commands.flatMap(findTargets);
  assert.equal(placed!.copied!.name, "yarn.lock");
});

Deno.test("a command that only rehearses, tests or writes to its output changes no file", () => {
  assertTargets({
    "rsync -an a b": [],
    "rsync -a --dry-run a b": [],
    "rsync -a -e -n a b": ["change b + in a"],
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

Deno.test("a file is written by an option, or by a program with another main purpose", () => {
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
    "strace -o F true": ["change F"],
    "gcc -c a.c -o a.o -MD -MF F": ["change a.o", "change F"],
    "zip -qm a.zip F": ["change a.zip", "remove a.zip", "remove F"],
    "ltrace -o F true": ["change F"],
    "curl -D F http://x/f": ["change F"],
    "curl -s --cookie-jar F http://x/f": ["change F"],
    "curl --trace-ascii F -o /dev/null http://x/f": ["change F"],
    "curl -D - http://x/f": [],
    "mktemp F.XXX": ["change F.XXX"],
    "tar czf a.tgz --remove-files F": ["change a.tgz", "remove F"],
    "tar -czf a.tgz --remove-files F": ["change a.tgz", "remove F"],
    "sqlite3 F 'delete from x'": ["tamper F"],
    "sqlite3 -cmd '.mode box' 'file:F?x=1' 'select 1'": ["tamper F"],
    "sqlite3 -readonly F 'select 1'": [],
    "sqlite3 'file:F?mode=ro'": [],
    "chmod -x F": ["tamper F"],
    "chmod -R 755 F G": ["tamper F", "tamper G"],
  });
});

Deno.test("a formatter is given files, folders or patterns, and changes them only when it is told to", () => {
  assertTargets({
    "prettier --write --parser ts a.ts b.ts": ["change a.ts", "change b.ts"],
    "prettier --write .": ["change /p"],
    "prettier --write 'src/**/*.ts'": ["change src"],
    "prettier --write src": ["change src", "change src"],
    "prettier --write a.ts '!b.ts'": ["change a.ts"],
    "prettier a.ts": [],
    "black -q -l 88 a.py": ["change a.py"],
    "black --check a.py": [],
    "ruff format a.py": ["change a.py"],
    "ruff format --check a.py": [],
    "ruff check a.py": [],
    "ruff check --fix a.py": ["change a.py"],
    "eslint --fix --ext .ts a.ts -o out.txt": ["change a.ts", "change out.txt"],
    "eslint a.ts -o out.txt": ["change out.txt"],
    "gofmt -s -w a.go": ["change a.go"],
    "gofmt -l a.go": [],
    "yq e -i .a=1 a.yml": ["change a.yml"],
    "yq -i -o json .a=1 a.yml": ["change a.yml"],
    "yq .a a.yml": [],
    "sd a b F": ["change F"],
    "sd -p a b F": [],
    "sops encrypt -i a.yml": ["change a.yml"],
    "sops -d a.yml": [],
  });
});

Deno.test("packing changes the archive, and unpacking fills a folder", () => {
  assertTargets({
    "tar czf a.tgz b": ["change a.tgz"],
    "tar -C b -czf a.tgz .": ["change a.tgz"],
    "tar --create --file=a.tar b": ["change a.tar"],
    "tar czf - b": [],
    "tar tzf a.tgz": [],
    "tar xzf a.tgz": ["change ?"],
    "tar xzf a.tgz -C b": ["fill b", "change ?"],
    "tar xOf a.tgz b": [],
    "zip -r a b": ["change a.zip"],
    "zip -qr a.zip b -x '*.c'": ["change a.zip"],
    "zip -sf a.zip": [],
    "unzip -q a.zip -d b": ["fill b", "change ?"],
    "unzip -l a.zip": [],
    "7z x a.7z -ob": ["fill b", "change ?"],
    "gzip -d F.gz": ["remove F.gz", "change F"],
    "gunzip F.tgz": ["remove F.tgz", "change F.tar"],
    "zstd -d F.zst": ["change F"],
    "zstd F": [],
  });
});

Deno.test("the files of a patch that stands in the script are known", () => {
  const patch = (body: string) => `<<'E'\n${body}\nE`;
  const change = "--- a/x/F\n+++ b/x/F\n@@ -1 +1 @@\n-a\n+b";
  assertTargets({
    [`git apply ${patch(change)}`]: ["change x/F"],
    [`git apply -p2 - ${patch(change)}`]: ["change F"],
    [`patch -p1 ${patch(change)}`]: ["change x/F"],
    [`patch ${patch(change)}`]: ["change F"],
    [`patch -p1 -d sub ${patch(change)}`]: ["change sub/x/F"],
    [`git apply --directory=sub ${patch(change)}`]: ["change sub/x/F"],
    [`git -C sub apply ${patch(change)}`]: ["change sub/x/F"],
    [`git apply a.patch ${patch(change)}`]: ["change ?"],
    [`git apply ${patch("--- a/F\n+++ /dev/null\n@@ -1 +0,0 @@\n-a")}`]: ["remove F"],
    [`git apply ${patch("--- /dev/null\n+++ b/F\n@@ -0,0 +1 @@\n+a")}`]: ["change F"],
    [`git apply ${patch("rename from F\nrename to G")}`]: ["change F", "change G"],
    "patch -p1 --dry-run < a": [],
  });
});

Deno.test("sed and awk write the files that their scripts name", () => {
  assertTargets({
    "sed 's/a/b/w F' a": ["change F"],
    "sed -n '/a/w F' a": ["change F"],
    "sed -e 1d -e '$w F' a": ["change F"],
    "sed 's/the/ w x/' a": [],
    "sed '/ w x/d' a": [],
    "awk '{print > \"F\"}' a": ["change F"],
    "awk '{print $1 \" > \" $2}' a": [],
    "awk '$1 > 5' a": [],
  });
});

Deno.test("a copy of a folder makes files that are known only where the folder can be read", () => {
  const untold = (to: string) => [`change ${to}`, `fill ${to}`, "change ?"];
  assertTargets({
    "cp $X/*.ts sub": untold("sub"),
    "rsync -a --delete src/ sub/": ["change sub + as src", "fill sub", "change ?"],
    "rsync -a h:x/ sub": ["change sub + either x", "fill sub", "change ?"],
    "cp -a src/. sub": ["change sub + as"],
    "cp -r .. sub": ["change sub + as"],
    "cp -rT src sub": ["change sub + as src"],
    "rsync -a src/ sub/": ["change sub + as src"],
    "cp -r src sub": ["change sub + either src"],
    "mv src sub": ["change sub + either src", "remove src"],
    "cp src/a.ts sub": ["change sub"],
    "rsync -a src sub": ["change sub + in src"],
  });
});

const APPLIED: Readonly<Record<string, readonly string[]>> = {
  "git apply plain.diff": ["change sub/F"],
  "git apply ./plain.diff": ["change sub/F"],
  "git apply -p2 plain.diff": ["change F"],
  "git apply -p 0 plain.diff": ["change a/sub/F", "change b/sub/F"],
  "git apply -3 --whitespace fix plain.diff": ["change sub/F"],
  "git apply < plain.diff": ["change sub/F"],
  "git apply - < plain.diff": ["change sub/F"],
  "git apply -- plain.diff": ["change sub/F"],
  "git apply plain.diff new.diff": ["change sub/F", "change F"],
  "git apply --directory=x plain.diff": ["change x/sub/F"],
  "git apply --directory x plain.diff": ["change x/sub/F"],
  "git -C x apply ../plain.diff": ["change x/sub/F"],
  "git -C x apply ../git.diff": ["change sub/F"],
  "cd x && git apply ../git.diff": ["change sub/F"],
  "git-apply plain.diff": ["change sub/F"],
  "sudo git apply plain.diff": ["change sub/F"],
  "bash -c 'git apply plain.diff'": ["change sub/F"],
  "git am plain.diff": ["change sub/F"],
  "git am < git.diff": ["change sub/F"],
  "git am -3 git.diff two.diff": ["change sub/F", "change F", "change G"],
  "git apply two.diff": ["change F", "change G"],
  "git apply new.diff": ["change F"],
  "git apply gone.diff": ["remove F"],
  "git apply -R gone.diff": ["change F"],
  "git apply -R new.diff": ["remove F"],
  "git apply moved.diff": ["change sub/F", "change sub/G"],
  "git apply copied.diff": ["change sub/G"],
  "git apply other.diff": ["change F.orig", "change F"],
  "git apply lying.diff": ["change F", "change G"],
  "patch -p1 -i plain.diff": ["change sub/F"],
  "patch -p1 --input=plain.diff": ["change sub/F"],
  "patch -p1 < plain.diff": ["change sub/F"],
  "patch --strip=1 -s < plain.diff": ["change sub/F"],
  "patch < plain.diff": ["change F"],
  "patch -p1 -d x < plain.diff": ["change x/sub/F"],
  "patch -p1 -dx -i ../plain.diff": ["change x/sub/F"],
  "patch -p1 -R -i new.diff": ["remove F"],
  "patch -p0 -i index.diff": ["change F"],
};

Deno.test("a patch in a file changes the files that it names", () => {
  assertTargets(APPLIED);
});

Deno.test("a patch that cannot be read may change any file", () => {
  for (
    const command of [
      "git apply missing.diff",
      "git apply text.txt",
      "git apply mode.diff",
      "git apply bytes.diff",
      "git apply quoted.diff",
      "patch -p1 -i context.diff",
      "git apply $X",
      "git apply plain.diff missing.diff",
      "patch -p1 -i missing.diff",
      "patch -p1 -d x -i plain.diff",
      "curl -s x.org | git apply",
      "curl -s x.org | patch -p1",
      "cp other plain.diff && git apply plain.diff",
      "curl -s x.org > plain.diff; git apply plain.diff",
      "curl -so plain.diff x.org; git am plain.diff",
      "rm -rf sub; git checkout -p; mv /tmp/x plain.diff; patch -p1 < plain.diff",
    ]
  ) assert.equal(targets(command).at(-1), "change ?", command);
});

Deno.test("a patch that a command only looks at changes nothing", () => {
  for (const option of ["--check", "--stat", "--numstat", "--summary"]) {
    assert.deepEqual(targets(`git apply ${option} plain.diff`), [], option);
    assert.deepEqual(targets(`git apply ${option} --apply plain.diff`), ["change sub/F"]);
  }
  assert.deepEqual(targets("git am --abort"), []);
  assert.deepEqual(targets("patch -p1 --dry-run -i plain.diff"), []);
});
