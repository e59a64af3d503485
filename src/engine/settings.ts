/** The configuration while the daemon runs: read anew when its files change, so that nobody has to start it again. */
import { type ConfigFile, readConfigFiles } from "../config/discover.ts";
import { parseConfig } from "../config/parse.ts";
import type { Config } from "../config/schema.ts";
import type { Locations } from "../paths.ts";
import { lookUpwards } from "../project/look.ts";

/** How long what was read counts without a look, in milliseconds. */
const FRESH_MS = 1000;

interface Read {
  readonly config: Config;
  /** What the files held. */
  readonly text: string;
  readonly atMs: number;
}

/** Reads configurations. */
export class Settings {
  readonly #user: Pick<Locations, "home" | "dataFolder" | "dataNames">;
  readonly #folder: string;
  readonly #warn: (message: string) => void;
  readonly #known = new Map<string, Read>();

  /**
   * @param options.folder Where the daemon was started: its own settings are those that count there.
   * @param options.warn Is told of each fault, once for each change of the files.
   */
  constructor(
    { locations, folder, warn }: {
      readonly locations: Locations;
      readonly folder: string;
      readonly warn: (message: string) => void;
    },
  ) {
    this.#user = locations;
    this.#folder = folder;
    this.#warn = warn;
  }

  /** The settings of the daemon itself: how many agents run at once, how long things are kept. */
  own(nowMs: number): Config {
    return this.at(this.#folder, nowMs);
  }

  /** The settings of a project. */
  at(folder: string, nowMs: number): Config {
    const known = this.#known.get(folder);
    if (known !== undefined && nowMs - known.atMs < FRESH_MS && nowMs >= known.atMs) {
      return known.config;
    }
    const files = readConfigFiles(lookUpwards(folder), { ...this.#user, dataNames: this.#names() });
    const text = JSON.stringify(files);
    if (known?.text === text) {
      this.#known.set(folder, { ...known, atMs: nowMs });
      return known.config;
    }
    const config = this.#parse(files);
    this.#known.set(folder, { config, text, atMs: nowMs });
    return config;
  }

  #parse(files: readonly ConfigFile[]): Config {
    const { config, problems } = parseConfig(files);
    for (const { key, path, line, message } of problems) {
      this.#warn(`${path}:${line}: ${key}: ${message}; the default counts`);
    }
    return config;
  }

  /** The user's own file may come and go while the daemon runs. */
  #names(): string[] {
    try {
      return Array.from(Deno.readDirSync(this.#user.dataFolder), ({ name }) => name);
    } catch {
      return [];
    }
  }
}
