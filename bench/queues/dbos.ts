import { DBOS, DBOSClient } from "@dbos-inc/dbos-sdk";
import type { Engine, Job } from "./engine.ts";

const queueName = "jobs";
const workflowName = "job";
const appVersion = "bench";

/** A job is a workflow, a line is a partition of a queue. Its queues are polled; this interval is a tenth of the default. */
const minPollingIntervalMs = 100;

export const dbos: Engine = {
  async send(url) {
    // The workers create the tables.
    const client = await DBOSClient.create({ systemDatabaseUrl: url });
    return {
      add: async (job) => {
        await client.enqueue({ queueName, workflowName, appVersion, queuePartitionKey: job.line }, job);
      },
      close: () => client.destroy(),
    };
  },

  async work({ url, id, slots, run }) {
    DBOS.setConfig({
      name: "bench",
      systemDatabaseUrl: url,
      executorID: id,
      applicationVersion: appVersion,
      logLevel: "error",
    });
    DBOS.registerWorkflow((job: Job) => run(job), { name: workflowName });
    await DBOS.launch();
    await DBOS.registerQueue(queueName, {
      workerConcurrency: slots,
      partitionConcurrency: 1,
      minPollingIntervalMs,
    });
  },
};
