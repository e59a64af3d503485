import assert from "node:assert/strict";
import { withoutManner } from "../../../src/memory/observe/manner_options.ts";

const SAME: readonly (readonly [string, string])[] = [
  ["npm install --legacy-peer-deps", "npm install"],
  ["npm install --force left-pad", "npm install left-pad"],
  ["npm ci --no-audit --no-fund && npm run build", "npm ci && npm run build"],
  ["cd web && pnpm install --prefer-offline", "cd web && pnpm install"],
  ["cd web; make -j 8 -k all", "cd web; make all"],
  ["make -j4 V=1", "make"],
  ["CC=clang make --jobs=2 test", "CC=clang make test"],
  ["cmake --build build --parallel 4", "cmake --build build"],
  ["cargo build -v --locked", "cargo build"],
  ["go build -v ./...", "go build ./..."],
  ["./gradlew build --stacktrace --no-daemon", "./gradlew build"],
  ["./mvnw -q -B -T 4 package", "./mvnw package"],
  ["dotnet build --nologo -v:q", "dotnet build"],
  ["pip install --no-cache-dir -r requirements.txt", "pip install -r requirements.txt"],
  ["python3 -m pip install -q .", "python3 -m pip install ."],
  ["npx tsc --pretty", "npx tsc"],
  ["docker build --no-cache --progress=plain -t app .", "docker build -t app ."],
  ["sudo make -j4 install", "sudo make install"],
];

/** What these options say is what the command does, or nobody knows that. */
const OWN: readonly string[] = [
  "npm install -D vitest",
  "npm install --omit=dev",
  "npm test -- --verbose",
  "make -C web",
  "make -f Other.mk",
  "cargo build --release",
  "cargo build --features full",
  "go build -race ./...",
  "./gradlew build -x test",
  "mvn package -DskipTests",
  "git push --force",
  "rm -f a -v",
  "pip install -e .",
  "docker build --target dev .",
  "curl -s -f https://example.com",
  "echo make -j4",
  "npx tsc --noEmit",
];

Deno.test("withoutManner() takes away how a tool goes about it, and nothing of what it does", () => {
  for (const [typed, same] of SAME) assert.equal(withoutManner(typed), same, typed);
  for (const command of OWN) assert.equal(withoutManner(command), command);
  for (const [, same] of SAME) assert.equal(withoutManner(same), same);
});
