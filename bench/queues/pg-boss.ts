import { PgBoss } from "pg-boss";
import { type Engine, type Job, leaseSeconds } from "./engine.ts";

const queue = "jobs";

/**
 * Lines are the keys of a queue with the policy `key_strict_fifo`. A supervisor looks for jobs without a heartbeat every second, and each slot
 * for jobs every half second: the shortest intervals there are.
 */
export function pgBoss({ notify }: { notify: boolean }): Engine {
  return {
    async send(url) {
      const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
      boss.on("error", console.error);
      await boss.start();
      await boss.createQueue(queue, { policy: "key_strict_fifo", heartbeatSeconds: leaseSeconds, notify });
      return {
        add: async (job) => {
          await boss.send(queue, job, { singletonKey: job.line });
        },
        close: () => boss.stop({ graceful: false }),
      };
    },

    async work({ url, slots, run }) {
      const boss = new PgBoss({
        connectionString: url,
        schedule: false,
        useListenNotify: notify,
        superviseIntervalSeconds: 1,
        monitorIntervalSeconds: 1,
      });
      boss.on("error", console.error);
      await boss.start();
      const options = {
        localConcurrency: slots,
        pollingIntervalSeconds: 0.5,
        notifyPollingIntervalSeconds: 0.5,
      };
      await boss.work<Job>(queue, options, async (jobs) => {
        for (const { data } of jobs) await run(data);
      });
    },
  };
}
