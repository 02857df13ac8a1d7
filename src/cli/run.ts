/** Runs a command's work and keeps its exit code. */
export type Run = (work: () => Promise<number>) => Promise<void>;
