/** The child process of `startModelServer`: a mock of the model providers' APIs on a free loopback port. */
import { flushCompileCache } from "node:module";
import { LLMock } from "@copilotkit/aimock";

// Standard input closes with the parent, however that ends.
process.stdin.on("close", () => process.exit());
process.stdin.resume();
// The next one starts in a third of the time. A killed process would not leave its cache.
flushCompileCache();

const mock = new LLMock({ host: "127.0.0.1", port: 0, logLevel: "silent", journalMaxEntries: 0 });
const url = await mock.start();
process.stdout.write(`${JSON.stringify({ url })}\n`);
