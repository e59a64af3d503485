/** Secrets for tests, put together at run time so that no scanner takes this folder for a leak. */

const LETTERS = "aB3dE5gH7jK9mN2pQ4sT6vW8xY1z";

/** So many letters and digits that look random. */
export function alnum(length: number): string {
  return LETTERS.repeat(Math.ceil(length / LETTERS.length)).slice(0, length);
}

function hex(length: number): string {
  return "0a1b2c3d4e5f6789".repeat(Math.ceil(length / 16)).slice(0, length);
}

const dashes = "-".repeat(5);
const jwt = ["ey" + "J" + alnum(30), "ey" + "J" + alnum(60), alnum(43)].join(".");

/** One secret of each kind with a form of its own, by the kind that its mask names. */
export const FORMED_SECRETS: Readonly<Record<string, string>> = {
  "aws-access-key": "AK" + "IA" + "ABCDEFGH23456789",
  "aws-access-key of a session": "AS" + "IA" + "ZYXWVUTS98765432",
  "gcp-api-key": "AI" + "za" + alnum(35),
  "github-token": "gh" + "p_" + alnum(36),
  "github-token of OAuth": "gh" + "o_" + alnum(36),
  "github-token of a user": "gh" + "u_" + alnum(36),
  "github-token of a server": "gh" + "s_" + alnum(36),
  "github-token to refresh": "gh" + "r_" + alnum(76),
  "github-token, stateless": "gh" + "s_1234567_" + jwt,
  "github-pat": "github" + "_pat_" + alnum(22) + "_" + alnum(59),
  "shopify-token": "shp" + "at_" + hex(32),
  "age-key": "AGE-SECRET-" + "KEY-1" + alnum(58).toUpperCase(),
  "gitlab-token": "gl" + "pat-" + alnum(20),
  "gitlab-token of a runner": "gl" + "rt-" + alnum(20),
  "slack-token": "xo" + "xb-123456789012-" + alnum(24),
  "slack-token of an app": "xa" + "pp-1-A0123-" + alnum(40),
  "stripe-key": "sk" + "_live_" + alnum(24),
  "stripe-key, restricted": "rk" + "_live_" + alnum(24),
  "stripe-key for tests": "sk" + "_test_" + alnum(24),
  "openai-key": "sk" + "-" + alnum(48),
  "openai-key of a project": "sk" + "-proj-" + alnum(40) + "_" + alnum(40),
  "anthropic-key": "sk" + "-ant-api03-" + alnum(90) + "-AA",
  "npm-token": "np" + "m_" + alnum(36),
  "pypi-token": "py" + "pi-AgEIcHlwaS5vcmc" + alnum(80),
  "huggingface-token": "h" + "f_" + alnum(34),
  "digitalocean-token": "do" + "p_v1_" + hex(64),
  "twilio-key": "S" + "K" + hex(32),
  "sendgrid-key": "S" + "G." + alnum(22) + "." + alnum(43),
  "discord-token": "MT" + alnum(24) + ".G" + alnum(5) + "." + alnum(38),
  "docker-token": "dckr" + "_pat_" + alnum(27),
  "vault-token": "hv" + "s." + alnum(24),
  "google-token": "ya" + "29." + alnum(60),
  "atlassian-token": "ATA" + "TT3xFf" + alnum(60),
  "linear-key": "lin" + "_api_" + alnum(40),
  "square-token": "sq0" + "atp-" + alnum(22),
  "telegram-token": "123456789" + ":AA" + alnum(33),
  "jwt": jwt,
  "private-key": `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n${alnum(64)}\n${alnum(64)}\n` +
    `${alnum(20)}==\n${dashes}END RSA PRIVATE KEY${dashes}`,
  "private-key, escaped": `${dashes}BEGIN PRIVATE KEY${dashes}\\n${alnum(64)}\\n${alnum(64)}\\n` +
    `${dashes}END PRIVATE KEY${dashes}\\n`,
  "private-key, unclosed": `${dashes}BEGIN OPENSSH PRIVATE KEY${dashes}\n${alnum(70)}\n${
    alnum(70)
  }`,
};

/** A private key as a file of base64 holds it: the key in a kubeconfig or a Kubernetes secret. */
const KEY_KINDS = ["RSA ", "EC ", "OPENSSH ", ""];
export const ENCODED_KEYS: readonly string[] = KEY_KINDS.map((kind) =>
  btoa(`${dashes}BEGIN ${kind}PRIVATE KEY${dashes}\n${alnum(64)}\n`)
);

/** The end of a private key whose first line was cut, as tools show the rest of a file. */
export const KEY_REMAINDERS: Readonly<Record<string, string>> = {
  "lines": `${alnum(64)}\n${alnum(64)}\n${alnum(20)}==\n`,
  "numbered lines": `    25→${alnum(64)}\n    26→${alnum(64)}\n    27→${alnum(20)}==\n    28→`,
  "lines of a diff": `-${alnum(64)}\n-${alnum(64)}\n-${alnum(20)}==\n-`,
  "escaped lines": `${alnum(64)}\\n${alnum(64)}\\n${alnum(20)}==\\n`,
  "quoted lines": `  "${alnum(64)}\\n" +\n  "${alnum(64)}\\n" +\n  "`,
  "one line": `${alnum(200)}=`,
};
export const KEY_END = `${dashes}END RSA PRIVATE KEY${dashes}`;

/** A value that only its surroundings give away, and those surroundings with `%` in its place. */
export const PLAIN_SECRET = "hunter2Hunter2";
export const GIVEAWAYS: readonly string[] = [
  "export DB_PASSWORD=%",
  "PGPASSWORD=% psql -h db",
  "password: %",
  'password: "%"',
  '{"password": "%"}',
  "{'client_secret': '%'}",
  "const apiKey = '%';",
  'const token: string = "%";',
  'password := "%"',
  "auth_token => '%'",
  'env["API_TOKEN"] = "%"',
  "mysql --password=% -u root",
  "deploy --api-key % --force",
  '["--token", "%"]',
  "https://x.test/?access_token=%&page=2",
  "Server=db;Uid=sa;Pwd=%;Database=x",
  "AccountName=x;AccountKey=%;EndpointSuffix=core.windows.net",
  "aws_secret_access_key = %",
  "SECRET_KEY_BASE=%",
  "<password>%</password>",
  "curl -H 'Authorization: token %' https://x.test",
  'curl -H "Authorization: Bearer %" https://x.test',
  "Authorization: Basic %",
  '{"authorization": "Bearer %"}',
  "X-Api-Key: %",
  "postgres://ana:%@db.test:5432/app",
  "https://x.test/c?sv=1&sig=%" + "Ab%2B".repeat(6) + "%3D",
  "https://x.test/c?sv=1&sig=%" + "0".repeat(50) + "&se=2026",
  "export SAS='sig=%" + "Ab%2B".repeat(6) + "%3D&se=2026'",
  "https://b.test/o?X-Amz-SignedHeaders=host&X-Amz-Signature=%" + hex(64),
  "https://b.test/o?X-Goog-Signature=%" + hex(64),
  '{"X-Amz-Signature": "%' + hex(64) + '"}',
  "https://d.cloudfront.test/o?Expires=1&Signature=%" + alnum(40) + "~&Key-Pair-Id=K1",
  "Authorization: AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=%" + hex(64),
  "git clone https://%0123@git.test/a/b.git",
  "git clone https://%0123:@git.test/a/b.git",
  "git clone https://%0123:x-oauth-basic@git.test/a/b.git",
  "//registry.test/:_authToken=%",
  '"auth": "%"',
  'password = """%"""',
  "curl -H 'PRIVATE-TOKEN: %' https://x.test",
  'curl -H "JOB-TOKEN: %" https://x.test',
  "X-Vault-Token: %",
  '{"DEPLOY-TOKEN": "%"}',
  "Authorization: Negotiate %",
  "> Cookie: sid=%",
  "curl -H 'Cookie: theme=; sid=%' https://x.test",
  '{"Cookie": "sid=%"}',
  "< set-cookie: sid=%; Path=/; HttpOnly",
  "'set-cookie': [ 'sid=%; Path=/', 'x=; Path=/' ]",
  "curl -u ana:% https://x.test",
  "curl -sSu 'ana:%' https://x.test",
  'curl -X POST -d \'{"a": "x; y | z"}\' --user "ana:%" https://x.test',
  "curl -s https://x.test \\\n  -uana:%",
  "curl --user=ana:% https://x.test",
  "curl -u %0123: https://x.test",
  "curl -b 'sid=%' https://x.test",
  'subprocess.run(["curl", "-s", "-u", "ana:%", url])',
  "mysql -h db -uroot -p% app",
  "mysqldump -p'%' app > a.sql",
  "docker exec db mariadb -p% app",
  "sshpass -p % ssh ana@x.test",
  "redis-cli -h db -a % ping",
  "mongosh -u ana -p % db",
  "echo; docker login -u ana -p % x.test",
  "openssl rsa -in a.pem -passin pass:%",
  "keytool -storepass % -list",
  "tool --pass % run",
  '[{"name": "DB_PASSWORD", "value": "%"}]',
  '[{"name": "DB_PASSWORD", "slotSetting": false, "value": "%"}]',
  '{ name: "API_TOKEN", value: "%" }',
  "env:\n  - name: DB_PASSWORD\n    value: %",
  'env:\n  - name: "DB_PASSWORD"\n    value: "%"',
  '<add key="DB_PASSWORD" value="%"/>',
  '{"passwords": ["%", "b"]}',
  "PASSWORDS = ['%']",
  "passwords:\n  - %",
  "pass: %",
  "PASS=%",
  '{"user": "ana", "pass": "%"}',
  "smtp: { host: x, pass: % }",
  "smtpPass: '%'",
  "passphrase: %",
  "client-key-data: %",
  "machine x.test login ana password %",
  "machine x.test\n  login ana\n  password %",
  "machine x.test password %",
];

/** The same for secrets that are the values of keys, or stand in a list. */
export const GIVING_VALUES: readonly unknown[] = [
  { "PRIVATE-TOKEN": "%" },
  { "x-auth-token": "%" },
  { "Cookie": "sid=%; theme=dark" },
  { "set-cookie": ["sid=%; Path=/", "a=; Path=/"] },
  { "X-Amz-Signature": "%" },
  { "name": "DB_PASSWORD", "value": "%" },
  { "value": "%", "from": { "x": 1 }, "Name": "DB_PASSWORD" },
  { "Key": "api_key", "Value": "%" },
  { "passwords": ["a1", "%"] },
  { "passwords": { "ana": "%" } },
  { "apiKeys": ["%0123"] },
  { "user": "ana", "pass": "%" },
  { "client-key-data": "%" },
  ["curl", "-s", "-u", "ana:%", "https://x.test"],
  ["/usr/bin/curl", "-uana:%"],
  ["mysql", "-uroot", "-p%", "app"],
  ["docker", "login", "-p", "%"],
  ["redis-cli", "-a", "%"],
];
