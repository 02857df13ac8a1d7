/** The thread that makes the files: it requests the pictures of the text and posts each file. */
import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import type { FromThread, Job, ToThread } from "./make-files.ts";
import { readMarkdown } from "./markdown-blocks.ts";
import { wordCount, writeFiles } from "./write-files.ts";

if (parentPort !== null) {
  const port = parentPort;
  const post = (message: FromThread) => port.postMessage(message);
  const job = workerData as Job;
  const text = readMarkdown(job.markdown);
  post({ kind: "pictures", paths: text.pictures, words: wordCount(text.blocks) });
  const [found] = (await once(port, "message")) as [ToThread];
  for await (const message of writeFiles(job, text, found)) post(message);
  port.close();
}
