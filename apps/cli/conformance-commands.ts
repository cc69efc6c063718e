import type { Command } from "commander"

const EXIT_CODES = [
  "The server is asked to run turns with the kit's own model, which speaks Anthropic's Messages API:",
  "start it with ANTHROPIC_API_KEY=kit ANTHROPIC_BASE_URL=http://127.0.0.1:4790, on this machine.",
  "",
  "Exit code: 0 every rule that a wire shows is kept, 1 one is broken, 3 some could not be looked at.",
].join("\n")

/** Whether a server keeps the rules. */
export function conformanceCommands(root: Command) {
  root
    .command("conformance")
    .description("hold a server against the rules of SPEC.md, and print a table by id")
    .argument("<url>", "its address, such as http://127.0.0.1:4747")
    .option("--token <token>", "its token (or COMPOSITOR_TOKEN)")
    .option("--only <id...>", "only these rules, such as CMP-025")
    .option("--json", "answer in JSON")
    .option(
      "--model <provider/model>",
      "the model that it asks at the kit's address",
      "anthropic/claude-sonnet-5-5",
    )
    .option("--model-port <number>", "where the kit's model listens", "4790")
    .option("--spec <file>", "the rules (default: those that come with the kit)")
    .addHelpText("after", `\n${EXIT_CODES}`)
    .action(async (url, options) =>
      (await import("./commands/conformance.ts")).conformanceCommand(url, options),
    )
}
