import { afterAll, beforeAll } from "vitest";
import { type BotHome, type BotProcess, createBotHome } from "../../support/bot/bot-process.ts";
import { runKnack } from "../../unit/cli/run-knack.ts";

interface UseHomeOptions {
  /** YAML. */
  config?: string;
  /** Further environment; default a bot without a model. */
  env?: () => Record<string, string>;
  /** Prepares the folder; a bot that runs there starts after it. */
  prepare?: (home: BotHome) => Promise<void>;
  /** Whether a bot runs there: `run` is then `nextTo` it. */
  running?: boolean;
}

const offline = () => ({ KNACK_MODEL: "offline" });

/** A home that all tests of the surrounding block share. */
export function useHome({ config = "", env = offline, prepare, running = false }: UseHomeOptions = {}) {
  let home: BotHome;
  beforeAll(async () => {
    home = await createBotHome({ env: env(), config });
    await prepare?.(home);
    if (running) home = nextTo(await home.start(), home);
  });
  afterAll(() => home.remove());
  return () => home;
}

/** The same home, whose commands run in this process and ask the running bot over HTTP. */
export function nextTo({ url, pid }: BotProcess, home: BotHome): BotHome {
  const given = { KNACK_DATA: home.data, KNACK_CONFIG: "knack.yaml", KNACK_MODEL: "offline" };
  return {
    ...home,
    async run(argv, { env: more = {}, stdin = "" } = {}) {
      const { code, out, err } = runKnack([...argv], {
        ...{ cwd: home.folder, env: { ...given, ...more }, stdin },
        running: () => ({ running: true, holder: { url, pid } }),
      });
      return { code: await code, stdout: out.text(), stderr: err.text() };
    },
  };
}
