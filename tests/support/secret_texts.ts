/** Made-up secrets, and texts that give one away, for the tests of what must not be kept. */
import { VENDOR_FORMS } from "../../src/secrets/vendor_forms.ts";
import CASES from "../testdata/secret_cases.json" with { type: "json" };

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
export const GIVEAWAYS: readonly string[] = CASES.giveaways;
