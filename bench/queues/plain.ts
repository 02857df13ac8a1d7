import { Client, Pool } from "pg";
import { type Engine, type Job, leaseSeconds, type WorkOptions } from "./engine.ts";

/**
 * `head`: the first job of its line, which may be claimed. Whatever changes the head of a line locks the line first, in a statement of its
 * own: a statement sees the rows as they were when it began.
 */
const schema = `
  CREATE TABLE jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    line text NOT NULL,
    number integer NOT NULL,
    head boolean NOT NULL,
    lease text,
    lease_ends timestamptz NOT NULL DEFAULT '-infinity'
  );
  CREATE INDEX jobs_head ON jobs (id) WHERE head;
  CREATE INDEX jobs_of_line ON jobs (line, id);

  CREATE FUNCTION add_job(its_line text, its_number integer) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE is_head boolean;
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended(its_line, 0));
      INSERT INTO jobs (line, number, head)
        VALUES (its_line, its_number, NOT EXISTS (SELECT 1 FROM jobs WHERE line = its_line)) RETURNING head INTO is_head;
      IF is_head THEN PERFORM pg_notify('jobs', ''); END IF;
    END $$;

  CREATE FUNCTION finish_job(its_line text, its_lease text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended(its_line, 0));
      DELETE FROM jobs WHERE line = its_line AND lease = its_lease;
      IF NOT FOUND THEN RETURN; END IF;
      UPDATE jobs SET head = true WHERE id = (SELECT min(id) FROM jobs WHERE line = its_line);
      IF FOUND THEN PERFORM pg_notify('jobs', ''); END IF;
    END $$;`;

const until = `lease_ends = clock_timestamp() + interval '${leaseSeconds} s'`;
const claim = `
  UPDATE jobs SET lease = $1, ${until} WHERE id = (
    SELECT id FROM jobs WHERE head AND lease_ends <= clock_timestamp() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING line, number`;
const renew = `UPDATE jobs SET ${until} WHERE lease = ANY ($1)`;
const untilDue = `
  SELECT extract(epoch FROM min(lease_ends) - clock_timestamp()) * 1000 AS ms FROM jobs WHERE head AND lease IS NOT NULL`;

/** How often a worker looks for jobs that no notification told of, ms. */
const lookMs = 5_000;

/** As Knack does it: claims with SKIP LOCKED, leases in rows, NOTIFY with each change. */
export const plain: Engine = {
  async send(url) {
    const pool = new Pool({ connectionString: url });
    await pool.query(schema);
    return {
      add: async ({ line, number }) => {
        await pool.query("SELECT add_job($1, $2)", [line, number]);
      },
      close: () => pool.end(),
    };
  },

  async work({ url, id, slots, run }: WorkOptions) {
    const pool = new Pool({ connectionString: url, max: slots });
    const held = new Set<string>();
    let claims = 0;
    let isLooking = false;
    let isAgain = false;
    let alarm: NodeJS.Timeout | undefined;
    const runJob = async (job: Job, lease: string) => {
      await run(job);
      await pool.query("SELECT finish_job($1, $2)", [job.line, lease]);
      held.delete(lease);
      void wake();
    };
    const claimAll = async () => {
      while (held.size < slots) {
        const lease = `${id}:${claims++}`;
        const [job] = (await pool.query(claim, [lease])).rows;
        if (job === undefined) return;
        held.add(lease);
        void runJob(job, lease);
      }
    };
    const wake = async () => {
      isAgain = true;
      if (isLooking) return;
      isLooking = true;
      while (isAgain) {
        isAgain = false;
        await claimAll();
        const { ms } = (await pool.query(untilDue)).rows[0];
        clearTimeout(alarm);
        alarm = setTimeout(wake, Math.max(50, Math.min(Number(ms ?? lookMs), lookMs)));
      }
      isLooking = false;
    };
    const listener = new Client({ connectionString: url });
    await listener.connect();
    listener.on("notification", wake);
    await listener.query("LISTEN jobs");
    setInterval(() => held.size > 0 && pool.query(renew, [[...held]]), (leaseSeconds * 1000) / 3);
    void wake();
  },
};
