/** What the skills that ship work with beside the web, as the configuration says. */
import type { Config } from "../config/schema.ts";
import { noMeans, type WorkMeans } from "../core/work-means.ts";

export function openWorkMeans(_config: Config): WorkMeans {
  return { ...noMeans };
}
