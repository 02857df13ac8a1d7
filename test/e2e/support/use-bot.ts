import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type BotHome, createBotHome } from "../../support/bot/bot-process.ts";
import { type ModelServer, startModelServer } from "../../support/models/model-server.ts";
import { type Gate, startGate, startGateBefore } from "./gate.ts";
import { type StoreUnderTest, sqlite } from "./stores.ts";

/** What the tests of a file share; `home`, `gate` and `pages` are fresh for each test unless shared, the model server is emptied. */
export interface BotFixture {
  home: BotHome;
  /** A mock of the providers, in its own process. */
  models: ModelServer;
  /** Stands between bot and model server. */
  gate: Gate;
  /** A web site; each path is a page that names itself. */
  pages: Gate;
}

export interface UseBotOptions {
  /** YAML. */
  config?: string;
  /** Further environment. */
  env?: (fixture: Pick<BotFixture, "gate">) => Record<string, string>;
  /** Where the bot keeps its data. */
  store?: StoreUnderTest;
  /** One home, with its gate and pages, for all tests: each uses a channel of its own. */
  shared?: boolean;
}

/** OpenAI's wire, behind the gate. */
const openAi = ({ gate }: Pick<BotFixture, "gate">) => ({
  KNACK_MODEL: "openai/test",
  OPENAI_API_KEY: "test",
  OPENAI_BASE_URL: `${gate.url}/v1`,
});

/** Sets up a bot's surroundings for each test of the surrounding file or suite, and takes them down. */
export function useBot({
  config = "",
  env = openAi,
  shared = false,
  store = sqlite,
}: UseBotOptions = {}): () => BotFixture {
  const before = (open: () => Promise<void>) => (shared ? beforeAll(open) : beforeEach(open));
  const after = (close: () => Promise<void>) => (shared ? afterAll(close) : afterEach(close));
  let models: ModelServer;
  let fixture: BotFixture;
  beforeAll(async () => {
    models = await startModelServer();
  });
  before(async () => {
    await models.reset();
    const [gate, pages] = await Promise.all([startGateBefore(models.url), startPages()]);
    const surroundings = { KNACK_NET_ALLOW: "127.0.0.1", ...env({ gate }), ...(await store.env()) };
    fixture = { models, gate, pages, home: await createBotHome({ env: surroundings, config }) };
  });
  after(async () => {
    await fixture.home.remove();
    await fixture.gate[Symbol.asyncDispose]();
    await fixture.pages[Symbol.asyncDispose]();
  });
  afterAll(() => models.stop());
  return () => fixture;
}

function startPages(): Promise<Gate> {
  return startGate(({ path }, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<title>${path}</title><main><p>This is the page called ${path}.</p></main>`);
  });
}
