import { Logger, makeWorkerUtils, run as startRunner } from "graphile-worker";
import type { Engine, Job } from "./engine.ts";

const task = "job";
const logger = new Logger(() => () => {});

/** Lines are its queues, whose jobs run one after another. A lock ends after four hours, which nothing changes. */
export const graphileWorker: Engine = {
  async send(url) {
    const utils = await makeWorkerUtils({ connectionString: url, logger });
    await utils.migrate();
    return {
      add: async (job) => {
        await utils.addJob(task, job, { queueName: job.line });
      },
      close: async () => utils.release(),
    };
  },

  async work({ url, slots, run }) {
    await startRunner({
      connectionString: url,
      concurrency: slots,
      logger,
      noHandleSignals: true,
      taskList: { [task]: (job) => run(job as Job) },
    });
  },
};
