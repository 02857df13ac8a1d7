import { describe } from "vitest";
import { describeCrashes } from "./crash-suite.ts";

describe("a bot that dies before it knows what came of anything it does", () => describeCrashes("after"));
