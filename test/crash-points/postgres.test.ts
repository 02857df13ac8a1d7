import { afterAll } from "vitest";
import { needs } from "../support/needs.ts";
import { describeDeaths } from "./deaths.ts";
import { describeFileDeaths } from "./file-deaths.ts";
import { postgresStorage } from "./postgres-storage.ts";

const needed = needs("postgresql");
const storage = postgresStorage();
afterAll(storage.close);

describeDeaths("PostgreSQL", storage.empty, { oneOf: 3, againOneOf: 8 }, needed);
describeFileDeaths("PostgreSQL", storage.empty, needed);
