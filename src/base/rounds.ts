/** Runs a job again and again: after the time that the job returned, or as soon as a caller wakes it. */
export class Rounds {
  readonly #job: () => Promise<number>;
  readonly #restMs: number;
  #done: Promise<void> | undefined;
  #isStopped = false;
  #isWoken = false;
  /** Ends the sleep, if there is one. */
  #endSleep: () => void = () => {};
  #isResting = false;

  /**
   * @param job Never runs twice at once, must not throw, and returns the milliseconds until its next run; 0 is at once.
   * @param options.restMs The least time between two runs when a caller wakes it, in milliseconds.
   */
  constructor(job: () => Promise<number>, { restMs = 0 }: { readonly restMs?: number } = {}) {
    this.#job = job;
    this.#restMs = restMs;
  }

  /** Starts the first run. A second call changes nothing. */
  start(): void {
    this.#done ??= this.#run();
  }

  wake(): void {
    this.#isWoken = true;
    if (!this.#isResting) this.#endSleep();
  }

  /** Ends the rounds; settles when the current run is over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endSleep();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#isWoken = false;
      const ms = await this.#job();
      if (ms === 0) continue;
      this.#isResting = true;
      await this.#sleep(Math.min(this.#restMs, ms));
      this.#isResting = false;
      if (!this.#isWoken) await this.#sleep(ms - this.#restMs);
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isStopped || ms <= 0) return resolve();
      const timer = setTimeout(() => this.#endSleep(), Math.min(ms, MAX_TIMER_MS));
      this.#endSleep = () => {
        clearTimeout(timer);
        this.#endSleep = () => {};
        resolve();
      };
    });
  }
}

/** The longest delay of a timer; a longer timer fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
