/** The jobs of a line run one after another, in the order in which they were added. */
export interface Job {
  number: number;
  line: string;
}

export interface WorkOptions {
  url: string;
  /** Identifies the worker. */
  id: string;
  /** Maximum jobs at the same time. */
  slots: number;
  /** Runs a job. */
  run(job: Job): Promise<void>;
}

/** What adds jobs. */
export interface Sender {
  add(job: Job): Promise<void>;
  close(): Promise<void>;
}

/** A queue with lines in a PostgreSQL database that nothing else uses. */
export interface Engine {
  /** Creates its tables and starts to add jobs. */
  send(url: string): Promise<Sender>;
  /** Runs jobs until the process ends. Resolves when it looks for jobs. */
  work(options: WorkOptions): Promise<void>;
}

/** Whatever an engine can set, it is set so that the jobs of a dead worker run again after about this time. */
export const leaseSeconds = 10;
