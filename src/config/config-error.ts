/** One thing that is wrong with the configuration. */
export interface ConfigProblem {
  /** `config/knack.yaml:12:3`, `environment KNACK_MODEL`, `option --port`. */
  where: string;
  /** Dotted key; empty for a problem of the whole file. */
  key: string;
  message: string;
  /** What to do, as a sentence. */
  hint?: string | undefined;
}

/** The configuration is invalid. Lists all problems at once. */
export class ConfigError extends Error {
  readonly code = "config_invalid";
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[], options?: { cause?: unknown }) {
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    super(
      [`The configuration has ${count}:`, ...problems.map((each) => `  ${describeProblem(each)}`)].join("\n"),
      options,
    );
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** The place, the problem, and what to do. */
export function describeProblem({ where, key, message, hint }: ConfigProblem): string {
  const end = message.endsWith("?") ? "" : ".";
  return `${where}: ${key ? `${key}: ` : ""}${message}${hint ? `${end} ${hint}` : ""}`;
}
