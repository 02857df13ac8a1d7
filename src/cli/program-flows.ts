import type { Command } from "commander";
import type { CommandContext } from "./command-context.ts";
import { namespaceOption } from "./namespace-option.ts";
import type { Run } from "./run.ts";

/** `knack flows …` */
export function addFlowCommands(program: Command, context: CommandContext, run: Run): void {
  const flows = program.command("flows").description("list and run flows");
  flows
    .command("list")
    .description("the flows of a channel")
    .addOption(namespaceOption())
    .option("--json", "{flows, diagnostics}")
    .action((_options, command: Command) =>
      run(async () => (await import("./flows.ts")).listFlows(context, command.optsWithGlobals())),
    );
  flows
    .command("run")
    .description("run a flow, or show what it would do")
    .argument("<flow>", "its id, name or file")
    .option("--vars <json>", "values of its variables, a JSON object", "{}")
    .option("--dry-run", "only show each request it would make")
    .addOption(namespaceOption())
    .option("--json", "{success, results, variables, directOutput}")
    .action((flow: string, _options, command: Command) =>
      run(async () => (await import("./flows.ts")).runFlow(context, flow, command.optsWithGlobals())),
    );
}
