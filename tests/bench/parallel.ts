import type { Bench } from "./bench.ts";
import { emptyWorkplace } from "./fixture.ts";
import { captureSubject } from "./hooks.ts";
import { compare, timeOnce } from "./measure.ts";

const TOGETHER = 10;

/** Ten captures that are started together: they share the machine and wait for each other's write. */
export const parallel: Bench = {
  name: "parallel",
  about: "ten captures at once / one capture",
  budget: 6,
  async measure({ folder, program, runs }) {
    const subject = captureSubject(program, await emptyWorkplace(folder));
    const together = async () => {
      const started = performance.now();
      await Promise.all(Array.from({ length: TOGETHER }, () => timeOnce(subject)));
      return performance.now() - started;
    };
    const { ratio, subjectMs, baselineMs } = await compare(together, () => timeOnce(subject), runs);
    return {
      value: ratio,
      detail: `${subjectMs.toFixed(1)} ms / ${baselineMs.toFixed(1)} ms`,
    };
  },
};
