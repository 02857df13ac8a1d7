import { describe } from "vitest";
import { describeCrashes } from "./crash-suite.ts";

describe("a bot that dies just before anything it does", () => describeCrashes("before"));
