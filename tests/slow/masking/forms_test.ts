/** The surroundings that give a secret away, one by one, and their like that must stay. */
import assert from "node:assert/strict";
import { redactText, redactValue } from "../../../src/capture/redact.ts";
import { needsRedaction } from "../../../src/capture/triggers.ts";
import { GIVING_TEXTS, KEPT_TEXTS } from "../../capture/form_seeds.ts";

const RULES = { patterns: [] };
/** No form of its own: only what stands beside it gives it away. */
const SECRET = "Qu0kka#Burrow7";

for (const text of KEPT_TEXTS) {
  Deno.test(`${JSON.stringify(text)} stays as it is`, () => {
    assert.equal(redactText(text, RULES), text);
    const payload = { tool_input: { command: text }, tool_response: { stdout: `a\n${text}\n` } };
    assert.deepEqual(redactValue(payload, RULES), payload);
  });
}

for (const giving of GIVING_TEXTS) {
  Deno.test(`the secret in ${JSON.stringify(giving)} is masked, and nothing else`, () => {
    const [before, after] = giving.split("%");
    const text = giving.replace("%", () => SECRET);
    assert.ok(needsRedaction(JSON.stringify({ a: text }), []), "the cheap look sees it");
    const masked = redactText(text, RULES);
    assert.ok(!masked.includes(SECRET), masked);
    assert.match(masked.slice(before!.length), /^\[redacted:[a-z-]+\]/);
    assert.equal(masked.slice(0, before!.length), before);
    assert.ok(masked.endsWith(after!), masked);
    assert.equal(redactText(masked, RULES), masked, "once is enough");
    const inside = redactText(JSON.stringify({ a: `x\n${text}\ny` }), RULES);
    assert.ok(!inside.includes(SECRET), inside);
    assert.ok(JSON.stringify(redactValue({ a: [text] }, RULES)).includes("[redacted:"));
  });
}

/** Below names that others have, too. */
const KEPT_VALUES: readonly unknown[] = [
  { password: "Password is required", forgot_password: "Forgot your password?" },
  { scripts: { auth: "node scripts/auth2.js", "test:auth": "vitest run auth2" } },
  { passwordSecret: "db-credentials-v3", token: "--color-primary-500", accessKey: "s" },
  { pass: "test_login_v2", secret: "./src/secret2" },
  { pw: 2, db_pw: "letters", PW: "required" },
  { Name: "/db/tokenizer", Value: "x1y2z3w4" },
  { pepper: 2, salt: 1 },
  { Jwt: { Key: "x1y2z3w4", Issuer: "hunter2Hunter2" }, Keys: { Key: "hunter2Hunter2" } },
  { pepper: "2 tsp" },
  { pepper: { unit: "x1y2z3w4" } },
  { credentials: "include" },
  { credentials: { file: "/p/x2.json", user: "ana42x" } },
  { credentials: true },
  { "ssh-key": "~/.ssh/id_rsa2" },
  { name: "SSH_KEY", value: "/root/.ssh/id_ed25519" },
  { key: "pepper", value: 2 },
  { dsn: "sqlite:/tmp/x1y2.db" },
  { appKey: "home.title" },
  ["run", "--credentials", "/p/x2.json"],
  ["Authorization", "Content-MD5"],
  ["X-Api-Key", "x1y2z3w4", "x5y6z7w8"],
  ["password", "x1y2z3w4"],
];
for (const value of KEPT_VALUES) {
  Deno.test(`${JSON.stringify(value)} stays as it is`, () => {
    assert.deepEqual(redactValue({ tool_input: value }, RULES), { tool_input: value });
  });
}

Deno.test("of a header as a pair the value is masked, its scheme stays", () => {
  for (
    const [name, scheme] of [["X-Api-Key", ""], ["authorization", "Token "], [
      "apikey",
      "",
    ]] as const
  ) {
    const value = { headers: [[name, scheme + SECRET], ["accept", "a/b"]] };
    assert.ok(needsRedaction(JSON.stringify(value), []), "the cheap look sees it");
    assert.deepEqual(redactValue(value, RULES), {
      headers: [[name, `${scheme}[redacted:secret]`], ["accept", "a/b"]],
    });
  }
});

Deno.test("a value is masked as a whole where a part of it is the secret", () => {
  for (
    const [before, value, after] of [
      ["APP_KEY=", "base64:%=", ""],
      ["DSN=", "joe/%@db", " next"],
      ["DSN=", "joe/%@//db:1521/x", ""],
      ['dsn: "', "joe:%@db:5432/app", '"'],
      ['{"sentryDsn":"', "joe/%@//db/x", '"}'],
    ] as const
  ) {
    const text = before + value.replace("%", () => SECRET) + after;
    assert.ok(needsRedaction(JSON.stringify({ a: text }), []), "the cheap look sees it");
    assert.equal(redactText(text, RULES), `${before}[redacted:secret]${after}`);
    assert.ok(!redactText(JSON.stringify({ a: `x\n${text}` }), RULES).includes(SECRET));
  }
});

Deno.test("the key of a service that its name alone tells of is masked where it was drawn by lot", () => {
  const key = "w3JhghqnCG7Ztfs6cKm4YiZsedvbABIu";
  for (
    const [before, after] of [
      ["NEXTAUTH=", ""],
      ["GITHUB_OAUTH_CLIENT=", " x"],
      ['SUPABASE_SERVICE_ROLE="', '"'],
      ["env:\n  CODECOV: ", "\n  CI: true"],
      ["run export MAPBOX=", " first"],
      ['"OPENAI": "', '"'],
    ] as const
  ) {
    const text = before + key + after;
    assert.ok(needsRedaction(JSON.stringify({ a: text }), []), "the cheap look sees it");
    assert.equal(redactText(text, RULES), `${before}[redacted:secret]${after}`);
  }
  const environment = { Variables: { OPENAI: key, REGION: "eu-1" } };
  assert.ok(needsRedaction(JSON.stringify(environment), []), "the cheap look sees it");
  assert.deepEqual(redactValue(environment, RULES), {
    Variables: { OPENAI: "[redacted:secret]", REGION: "eu-1" },
  });
  for (
    const text of [
      '"openai": "^4.20.1"',
      "OPENAI=gpt-4o-mini-2024-07-18",
      "OPENAI_BASE=https://x.test/a2/b3c4d5e6f7g8h9j1k2",
      'mapbox: "mapbox://styles/mapbox/navigation-night-v1"',
      '"codecov": "0a1b2c3d4e5f67890a1b2c3d4e5f67890a1b2c3d"',
      `ask OpenAI for ${key}`,
      "service_role: arn:aws:iam::123456789012:role/AppRole2",
    ]
  ) assert.equal(redactText(text, RULES), text);
});

Deno.test("a NUL becomes a blank, wherever it stands, and hides no secret behind it", () => {
  const value = {
    prompt: "before\0behind",
    tool_response: { stdout: `a\0password=${SECRET}\0b`, list: ["\0", `x ${SECRET}\0`] },
    "key\0": 1,
  };
  assert.ok(needsRedaction(JSON.stringify({ a: "before\0behind" }), []), "the cheap look sees it");
  assert.deepEqual(redactValue(value, RULES), {
    prompt: "before behind",
    tool_response: {
      stdout: "a password=[redacted:secret] b",
      list: [" ", "x [redacted:secret] "],
    },
    "key ": 1,
  });
  assert.equal(redactText("a\0b", RULES), "a b");
});

Deno.test("the keys and salts of WordPress are masked, of whatever signs they are", () => {
  const salt = `x>)U&ml|^2K {${SECRET}[e)}Q;-w?@H~2b]vP,:0a|!Zk(9`;
  for (const name of ["AUTH_SALT", "LOGGED_IN_SALT", "NONCE_KEY", "SECURE_AUTH_KEY"]) {
    const text = `define( '${name}',   '${salt}' );\n`;
    if (name !== "NONCE_KEY") assert.ok(needsRedaction(JSON.stringify({ a: text }), []), name);
    assert.equal(
      redactText(`password=$X\n${text}`, RULES),
      `password=$X\ndefine( '${name}',   '[redacted:secret]' );\n`,
    );
  }
});

Deno.test("a phrase of several words is masked as a whole", () => {
  assert.equal(
    redactText(`smtp:\n  passphrase: correct horse battery ${SECRET}\n  user: ana`, RULES),
    "smtp:\n  passphrase: [redacted:secret]\n  user: ana",
  );
  const words = "abandon ability able about above absent absorb abstract absurd abuse access zoo";
  for (const name of ["MNEMONIC", "seed_phrase", "WALLET_RECOVERY_PHRASE", "export MNEMONIC"]) {
    assert.ok(needsRedaction(JSON.stringify({ a: `${name}="${words}"` }), []));
    assert.equal(redactText(`${name}="${words}"`, RULES), `${name}="[redacted:secret]"`);
    assert.equal(redactText(`${name}=${words}\n`, RULES), `${name}=[redacted:secret]\n`);
  }
});

Deno.test("words that are no sentence are a phrase, and so is a sentence with the secret in it", () => {
  for (
    const value of [
      "correct horse battery staple",
      "the cat sat on a mat",
      "my dog at the zoo",
      "Kilo zebra",
      `The login is ${SECRET}`,
      "enter the x9Kq2z7 now",
    ]
  ) {
    assert.equal(redactText(`password: "${value}"`, RULES).includes(value), false, value);
    assert.deepEqual(redactValue({ password: value }, RULES), { password: "[redacted:secret]" });
  }
  assert.deepEqual(redactValue({ passphrase: "The cat is on your roof." }, RULES), {
    passphrase: "[redacted:secret]",
  });
});

Deno.test("a personal access token and the key of an administrator are masked where they look drawn by lot", () => {
  const token = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7b";
  for (const name of ["GH_PAT=", "GITLAB_PAT: ", "AZURE_DEVOPS_EXT_PAT=", "ALGOLIA_ADMIN_KEY="]) {
    assert.ok(needsRedaction(JSON.stringify({ a: name + token }), []), name);
    assert.equal(redactText(name + token, RULES), `${name}[redacted:secret]`);
  }
});

Deno.test("a password that is piped twice is masked with its repetition", () => {
  const text =
    `echo -e "${SECRET}\\n${SECRET}" | sudo -S x; echo -e '${SECRET}\\n${SECRET}' | passwd joe`;
  assert.ok(needsRedaction(JSON.stringify({ text }), []));
  assert.ok(!redactText(text, RULES).includes(SECRET), redactText(text, RULES));
});

Deno.test("JSON in an address is known by its names", () => {
  const text = `payload=%7B%22password%22%3A%22${SECRET}%22%2C%22u%22%3A%22u78%22%7D`;
  assert.ok(needsRedaction(JSON.stringify({ a: text }), []));
  assert.equal(
    redactText(text, RULES),
    "payload=%7B%22password%22%3A%22[redacted:secret]%22%2C%22u%22%3A%22u78%22%7D",
  );
});

Deno.test("the password behind a name and a percent sign is masked for smbclient", () => {
  for (
    const [before, after] of [["//h/x -U joe%", ""], ["-U 'joe%", "' //h/x"], [
      "--user=joe%",
      " //h",
    ]]
  ) {
    const text = `smbclient ${before}${SECRET}${after}`;
    assert.ok(needsRedaction(JSON.stringify({ a: text }), []));
    assert.equal(redactText(text, RULES), `smbclient ${before}[redacted:password]${after}`);
  }
});

/** Commands that print one secret and nothing else. */
const ASKING = [
  "printenv STRIPE_SECRET_KEY",
  "echo $GITHUB_TOKEN",
  'echo "$GITHUB_TOKEN"',
  "echo ${DB_PASSWORD}",
  "cd /srv/app && printenv DB_PASSWORD",
  "kubectl get secret db -o jsonpath='{.data.password}' | base64 -d",
  "kubectl -n app get secrets/db -o jsonpath={.data.dsn} | base64 --decode; echo",
  "vault kv get -field=password secret/app",
  "op read op://dev/db/password",
  "pass show work/db",
  "gh auth token",
  "terraform output -raw db_password",
  "heroku config:get X_KEY -a app",
  "gcloud auth print-access-token",
  "gcloud auth application-default print-access-token",
  "aws ecr get-login-password --region eu-west-1",
  "bw get password x",
  "security find-generic-password -s x -w",
  "security find-internet-password -w -a joe",
  "doppler secrets get X --plain",
  "jq -r .apiKey x.json",
  "jq -r '.db.password' x.json",
  "cat /run/secrets/x",
  "cat ~/.vault-token",
  "cat $HOME/.vault-token",
  "gcloud secrets versions access latest --secret=x",
  "gcloud --project p secrets versions access 3 --secret x",
  "aws ssm get-parameter --name /app/db --with-decryption --query Parameter.Value --output text",
  "aws --profile p ssm get-parameter --with-decryption --name x --query 'Parameter.Value' --output text",
  "az keyvault secret show --name db --vault-name v --query value -o tsv",
  "npm config get //registry.example.org/:_authToken",
  "pnpm config get //registry.example.org/:_password",
  "yarn config get _auth",
  "docker exec x printenv DB_PASSWORD",
  "docker compose exec -T web printenv DB_PASSWORD",
  'fly ssh console -C "printenv DB_PASSWORD"',
  "kubectl -n app exec deploy/web -- printenv DB_PASSWORD",
  "kubectl exec web -- sh -c 'echo $DB_PASSWORD'",
  "ssh ana@host printenv DB_PASSWORD",
  "ssh host 'echo \"$DB_PASSWORD\"'",
  'ssh host "echo \\$DB_PASSWORD"',
  "bash -c 'printenv DB_PASSWORD' 2>/dev/null",
  "node -p process.env.API_KEY",
  "node -p 'process.env[\"API_KEY\"]'",
  'node -e "console.log(process.env.API_KEY)"',
  "node -e \"console.log(process.env.API_KEY || '')\"",
  "python3 -c \"import os; print(os.environ.get('API_KEY', ''))\"",
  "aws ssm get-parameter --with-decryption --name x | jq -r .Parameter.Value",
  "deno eval 'console.log(Deno.env.get(\"API_KEY\"))'",
  "python -c \"import os; print(os.environ['API_KEY'])\"",
  'python3 -c "import os; print(os.environ.get(\\"API_KEY\\"))"',
  "python3 -c 'import os; print(os.getenv(\"API_KEY\"))'",
  "ruby -e 'puts ENV[\"API_KEY\"]'",
  "ruby -e 'puts ENV.fetch(\"API_KEY\")'",
  "perl -e 'print $ENV{API_KEY}'",
  "php -r 'echo getenv(\"API_KEY\");'",
  "pulumi config get dbPassword",
  "pulumi stack output url --show-secrets",
  "chamber read app db_password -q",
  "chamber read -q app dsn",
  "consul kv get app/db/password",
  "secret-tool lookup service x",
  'sops -d --extract \'["db"]["password"]\' f.yaml',
  "sops decrypt --extract '[\"db\"]' f.yaml",
  "gpg -d secrets.gpg",
  "gpg --quiet --decrypt ~/a/db-password.txt.gpg 2>/dev/null",
  "git config --get user.password",
  "git config x.token",
  "git -C /p config --global --get github.token",
];
for (const command of ASKING) {
  Deno.test(`what "${command}" prints is masked`, () => {
    const payload = {
      tool_name: "Bash",
      tool_input: { command, description: "look" },
      tool_response: { stdout: `${SECRET}\n`, stderr: "" },
    };
    assert.ok(needsRedaction(JSON.stringify(payload), []), "the cheap look sees it");
    const masked = redactValue(payload, RULES);
    const shown = { ...payload.tool_response, stdout: "[redacted:secret]\n" };
    assert.deepEqual(masked, { ...payload, tool_response: shown });
    assert.deepEqual(redactValue(masked, RULES), masked);
  });
}

Deno.test("of an entry of pass the first line is masked, and another command's output stays", () => {
  const shown = (command: string, stdout: string) => {
    const payload = { tool_input: { command }, tool_response: { stdout } };
    return (redactValue(payload, RULES) as typeof payload).tool_response.stdout;
  };
  assert.equal(shown("pass show a/b", `${SECRET}\nuser: ana`), "[redacted:secret]\nuser: ana");
  for (
    const [command, stdout] of [
      ["printenv HOME", "/home/ana2"],
      ["echo $TOKEN_COUNT2", "12345"],
      ["echo $?", "12345"],
      ["echo $PWD", "/home/ana2/x"],
      ["echo ${OLDPWD}", "/home/ana2/x"],
      ["docker exec x printenv PWD", "/home/ana2/x"],
      ["node -p process.env.PWD", "/home/ana2/x"],
      ["printenv API_KEY", "a line\nand another 2"],
      ["op read op://dev/db/password", "[ERROR] 2026/11/22 no such item2"],
      ["kubectl get secret db -o name", "secret/db-x1y2"],
      ["kubectl get configmap db -o jsonpath='{.data.a}'", "x1y2z3w4"],
      ["heroku config:get NODE_ENV", "stage2"],
      ["gcloud auth list", "joe2"],
      ["bw get username x", "joe2x1"],
      ["security find-generic-password -s x", "x1y2z3w4"],
      ["doppler setup", "x1y2z3w4"],
      ["jq -r .version x.json", "1.2.3-rc4"],
      ["jq -r .tokenCount x.json", "x1y2z3w4"],
      ["cat /run/secretsdir2", "x1y2z3w4"],
      ["echo $API_KEY > file2; wc -c file2", "40 file2"],
      ["gcloud secrets versions list x", "x1y2z3w4"],
      ["aws ssm get-parameter --name x --query Parameter.Value", "x1y2z3w4"],
      ["aws ssm get-parameter --with-decryption --query Parameter.Name", "x1y2z3w4"],
      ["az keyvault secret show --name db --query id -o tsv", "https://v2/x1y2"],
      ["npm config get registry", "https://registry2/"],
      ["npm config get //registry.example.org/:_authToken", "undefined"],
      ["docker exec x printenv PATH", "/usr/bin2"],
      ["docker exec x cat printenv.log", "x1y2z3w4"],
      ["ssh host echo $TOKEN_COUNT", "x1y2z3w4"],
      ["grep printenv DB_PASSWORD", "x1y2z3w4"],
      ["node -p process.env.NODE_ENV", "stage2"],
      ["node -p process.env.API_KEY.length2", "x1y2z3w4"],
      ["node -p '!!process.env.API_KEY'", "true"],
      ["python -c \"import os; print(len(os.environ['API_KEY']))\"", "12345"],
      ["ruby -e 'puts ENV[\"HOME\"]'", "/home/ana2"],
      ["pulumi config get aws:region", "eu-west-1"],
      ["pulumi stack output url", "https://x1y2"],
      ["consul kv get app/db/host", "db-x1y2"],
      ["sops -e f.yaml", "x1y2z3w4"],
      ["gpg -d notes.gpg", "x1y2z3w4"],
      ["gpg --list-keys secrets.gpg", "x1y2z3w4"],
      ["git config --get user.email", "ana2@example.org"],
      ["git config user.signingkey", "3AA5C34371567BD2"],
      ["git log config auth2.token", "x1y2z3w4"],
    ] as const
  ) {
    assert.equal(shown(command, stdout), stdout, command);
  }
});

Deno.test("of an answer in JSON the value is masked", () => {
  for (
    const [command, before, after] of [
      [
        "az keyvault secret show -n db --vault-name v",
        '{\n  "id": "https://v/2",\n  "value": "',
        '"\n}',
      ],
      [
        "aws ssm get-parameter --with-decryption --name x",
        '{"Parameter": {"Name": "x", "Type": "String", "Value": "',
        '", "Version": 2}}',
      ],
    ] as const
  ) {
    const payload = { tool_input: { command }, tool_response: { stdout: before + SECRET + after } };
    assert.ok(needsRedaction(JSON.stringify(payload), []), "the cheap look sees it");
    const { tool_response } = redactValue(payload, RULES) as typeof payload;
    assert.equal(tool_response.stdout, `${before}[redacted:secret]${after}`);
  }
});

/** Two lines from the middle of a key, and its last one. */
const KEY_LINES = [
  "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAABFwAAAAdzc2gt",
  "cnNhAQ==",
];

for (
  const path of [
    "/run/secrets/x",
    "/var/run/secrets/app/x",
    "/p/secrets/db.txt",
    "secrets/api",
    "/p/db_password.txt",
    "C:\\p\\db_password.txt",
    "/p/a.token",
    "/home/ana/.vault-token",
    "/p/config/master.key",
  ]
) {
  Deno.test(`the value alone in ${path} is masked, whatever reads or writes it`, () => {
    const uses = (value: string, other: string) => [
      {
        tool_name: "Read",
        tool_input: { file_path: path },
        tool_response: { type: "text", file: { filePath: path, content: `${value}\n` } },
      },
      { tool_name: "Read", tool_input: { file_path: path }, tool_response: `     1→${value}` },
      {
        tool_name: "Write",
        tool_input: { file_path: path, content: value },
        tool_response: { type: "create", filePath: path, content: value, structuredPatch: [] },
      },
      {
        tool_name: "Edit",
        tool_input: { file_path: path, old_string: value, new_string: other },
        tool_response: {
          filePath: path,
          oldString: value,
          newString: other,
          originalFile: `${value}\n`,
          structuredPatch: [{ oldStart: 1, lines: [`-${value}`, `+${other}`] }],
        },
      },
    ];
    const mask = "[redacted:secret]";
    const expected = uses(mask, mask);
    uses(SECRET, "Numbat!Hollow2").forEach((payload, index) => {
      assert.ok(needsRedaction(JSON.stringify(payload), []), "the cheap look sees it");
      assert.deepEqual(redactValue(payload, RULES), expected[index]);
      assert.deepEqual(redactValue(expected[index], RULES), expected[index]);
    });
  });
}

for (const path of ["/home/ana/.ssh/id_rsa", "/p/deploy.pem", "tls/server.key", "~/.ssh/work"]) {
  Deno.test(`the middle of the key in ${path} is masked`, () => {
    const read = (lines: readonly string[]) => ({
      tool_name: "Read",
      tool_input: { file_path: path, offset: 9 },
      tool_response: { file: { filePath: path, content: lines.join("\n"), startLine: 9 } },
    });
    for (const lines of [KEY_LINES, KEY_LINES.slice(0, 1), KEY_LINES.slice(1)]) {
      assert.ok(needsRedaction(JSON.stringify(read(lines)), []), "the cheap look sees it");
      const masked = read(lines.map(() => "[redacted:secret]"));
      assert.deepEqual(redactValue(read(lines), RULES), masked);
    }
  });
}

Deno.test("what is beside such files, and a file of several words, stays", () => {
  for (
    const [path, content] of [
      ["/run/secrets/kubernetes.io/serviceaccount/namespace", "staging2"],
      ["/p/secrets/db_user.txt", "joe2x"],
      ["/p/secrets/README", "one word 2"],
      ["/p/secrets/index.ts", "export2"],
      ["/p/src/token.ts", "x1y2z3w4"],
      ["/p/token_count.txt", "x1y2z3w4"],
      ["/p/tokens/list.txt", "x1y2z3w4"],
      ["/p/password.txt", "Choose one of 12 letters\n"],
      ["/p/db_password.txt", "$DB_PASSWORD"],
      ["/p/.ssh/id_rsa.pub", `ssh-rsa ${KEY_LINES[0]} ana@host2`],
      ["/p/.ssh/config", "Host a2\n  Port 2222"],
      ["/p/fullchain.pem", KEY_LINES.join("\n")],
      ["/p/x.pem", `-----BEGIN CERTIFICATE-----\n${KEY_LINES.join("\n")}`],
      ["/p/picture.b64", KEY_LINES.join("\n")],
    ] as const
  ) {
    const payload = { tool_input: { file_path: path }, tool_response: { file: { content } } };
    assert.deepEqual(redactValue(payload, RULES), payload, path);
  }
});

Deno.test("the private parts of a JWK and what SMTP logs in with are masked", () => {
  const part = "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI";
  const login = btoa(`\\0joe\\0${SECRET}`);
  for (
    const [text, secret, mask] of [
      [`{"kty":"EC","crv":"P-256","x":"x2","d":"${part}"}`, part, "[redacted:jwk]"],
      [`{\n  "k": "${part}",\n  "kty": "oct"\n}`, part, "[redacted:jwk]"],
      [`AUTH PLAIN ${login}`, login, "[redacted:smtp-login]"],
      [`C: AUTH LOGIN ${login}\nS: 235 ok`, login, "[redacted:smtp-login]"],
    ] as const
  ) {
    assert.ok(needsRedaction(JSON.stringify({ a: text }), []), "the cheap look sees it");
    assert.equal(redactText(text, RULES), text.replace(secret, mask));
    assert.ok(!redactText(JSON.stringify({ a: text }), RULES).includes(secret));
  }
});
