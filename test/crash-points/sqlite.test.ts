import { describeDeaths } from "./deaths.ts";
import { describeFileDeaths } from "./file-deaths.ts";
import { memoryStorage } from "./stores.ts";

describeDeaths("SQLite", memoryStorage, { oneOf: 1, againOneOf: 4 });
describeFileDeaths("SQLite", memoryStorage);
