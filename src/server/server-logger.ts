/** Where the server logs; pino fits. */
export interface ServerLogger {
  error(fields: object, message: string): void;
}
