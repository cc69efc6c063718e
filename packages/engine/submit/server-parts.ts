import type { CommandPart } from "compositor-core/parts/command"
import type { FileReference } from "compositor-core/message/file-reference"
import type { Part } from "compositor-core/parts/table"
import type { McpCommand } from "compositor-core/catalog/command"
import { mcpArguments } from "compositor-core/catalog/foreign"
import { Refusal } from "compositor-core/message/refusal"
import { argumentValues, refuseMissingArguments } from "./command-arguments.ts"

/** What MCP servers give to a message when it is sent. Both fail with a sentence. */
export interface ServerPartDependencies {
  prompt(command: McpCommand, values: Readonly<Record<string, string>>): Promise<readonly Part[]>
  /** The contents of a resource, each an attachment. */
  resource(server: string, uri: string): Promise<readonly Part[]>
}

/** What a server's prompt comes to, with the arguments that it declares. */
export async function promptParts(
  servers: ServerPartDependencies | undefined,
  command: McpCommand,
  { part, at }: { readonly part: CommandPart; readonly at: number },
): Promise<readonly Part[]> {
  const asked = mcpArguments(command, argumentValues(part))
  if (asked.type === "missing") throw refuseMissingArguments(command, asked.missing, at)
  if (!servers)
    throw new Refusal("untrusted", `/${command.name} belongs to a server that is not connected`)
  return servers.prompt(command, asked.values).catch((error: unknown) => {
    throw new Refusal("invalid", `/${command.name}: ${messageOf(error)}`)
  })
}

type ServerResource =
  | { readonly type: "attached"; readonly parts: readonly Part[] }
  | { readonly type: "failed"; readonly reason: string }

/** A server's resource comes along as it is now; the workspace's files are read when they are needed. */
export async function resourceParts(
  servers: ServerPartDependencies,
  { server, uri }: Extract<FileReference, { kind: "mcp" }>,
): Promise<ServerResource> {
  try {
    return { type: "attached", parts: await servers.resource(server, uri) }
  } catch (error) {
    return { type: "failed", reason: `${server}:${uri} is not attached: ${messageOf(error)}` }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
