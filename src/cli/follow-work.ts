import type { CommandLineForm } from "../app/operations/operation.ts";
import type { Clock } from "../core/ports/storage.ts";

/** Calls an operation by its name. */
export type Call = (name: string, input: object) => Promise<unknown>;

/** Between two looks, ms. */
const lookMs = 1_500;

/**
 * Waits for work that takes long: shows its lines while it runs, and when its answer says that it goes on, waits for the end of it.
 * @throws what the call throws
 */
export async function followWork(
  { operation, look, goesOn }: NonNullable<CommandLineForm<unknown, unknown>["follow"]>,
  begun: Promise<unknown>,
  call: Call,
  { clock, onLine }: { clock: Pick<Clock, "sleep">; onLine: ((line: string) => void) | undefined },
): Promise<{ output: unknown; failed: boolean }> {
  let said = "";
  const show = (line: string) => {
    if (line !== said && line !== "") onLine?.(line);
    said = line;
  };
  const answered = begun.then(
    () => "answered",
    () => "answered",
  );
  while ((await Promise.race([answered, clock.sleep(lookMs)])) !== "answered") {
    // A look that fails says nothing about the work.
    const seen = await call(operation, {}).then(look, () => undefined);
    if (seen !== undefined && "line" in seen) show(seen.line);
  }
  const output = await begun;
  if (!goesOn(output)) return { output, failed: false };
  for (;;) {
    const seen = look(await call(operation, {}));
    if ("ended" in seen) return { output: seen.ended, failed: seen.failed };
    show(seen.line);
    await clock.sleep(lookMs);
  }
}
