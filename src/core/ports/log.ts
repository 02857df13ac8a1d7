/** Structured log lines, as pino takes them: fields first, then the message. Secrets are redacted where they are written. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
