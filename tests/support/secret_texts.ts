/** Made-up secrets, and texts that give one away, for the tests of what must not be kept. */
import { VENDOR_FORMS } from "../../src/secrets/vendor_forms.ts";

/** A token of each service, by its kind and where its form begins. */
export const FORMED_SECRETS: Readonly<Record<string, string>> = Object.fromEntries(
  VENDOR_FORMS.flatMap((
    { name, literal, example },
  ) => [[name, example], [`${name} ${literal}`, example]]),
);

/** What somebody may choose for a password, and what looks drawn by lot. */
export const PLAIN_SECRET = "hunter2Hunter2";
export const DRAWN_SECRET = "k9Xw2mQp7LzR4tVb8nYc";

/** Texts in which `%` is a secret for what stands around it. */
export const GIVEAWAYS: readonly string[] = [
  "DB_PASSWORD=%",
  "password: %",
  "export API_TOKEN='%'",
  '{"client_secret": "%"}',
  "const apiKey = '%';",
  "mysql -uroot -p% app",
  "curl -u ana:% https://x.test",
  "curl -H 'X-Api-Key: %' https://x.test",
  "Authorization: Bearer %",
  "postgres://ana:%@db.test/app",
  "machine x.test login ana password %",
  "<password>%</password>",
  "docker login -u ana -p % r.test",
  "echo % | docker login -u ana --password-stdin r.test",
  "Server=db;Uid=sa;Pwd=%;Database=x",
  "the password for the box is %",
  'jwt.sign({ id: 1 }, "%")',
  "requirepass %",
  '[{"name": "DB_PASSWORD", "value": "%"}]',
  "> Cookie: sid=%",
];
