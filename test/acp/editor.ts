import { Readable, Writable } from "node:stream"
import { type ChildProcess, spawn } from "node:child_process"
import { PassThrough } from "node:stream"
import {
  type ClientCapabilities,
  type ClientContext,
  client,
  type CreateElicitationResponse,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type SessionNotification,
  type SessionUpdate,
} from "@agentclientprotocol/sdk"
import { onTestFinished } from "vitest"
import { serveAgent } from "../../apps/acp/stdio.ts"
import { createClient } from "../../packages/client/client.ts"
import { createApp } from "../../packages/server/app.ts"
import { type House, type HouseOptions, openHouse } from "../session/house.ts"

export type Choice = string | undefined | Promise<string | undefined>

export interface EditorOptions {
  readonly capabilities?: ClientCapabilities
  /** Which option is chosen when permission is asked; undefined cancels. */
  readonly choose?: (request: RequestPermissionRequest) => Choice
  readonly elicit?: () => CreateElicitationResponse
}

/** The official client of the protocol, which keeps what it is told. */
export class Editor {
  readonly agent: ClientContext
  readonly told: SessionNotification[]
  readonly asked: RequestPermissionRequest[]
  readonly close: () => void

  constructor(pipes: { input: Readable; output: Writable }, options: EditorOptions = {}) {
    const told: SessionNotification[] = []
    const asked: RequestPermissionRequest[] = []
    this.told = told
    this.asked = asked
    const app = client({ name: "test-editor" })
      .onNotification(methods.client.session.update, ({ params }) => {
        told.push(params)
      })
      .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
        asked.push(params)
        const optionId = await Promise.race([options.choose?.(params), aborted(signal)])
        return optionId === undefined
          ? { outcome: { outcome: "cancelled" } }
          : { outcome: { outcome: "selected", optionId } }
      })
    if (options.elicit) {
      const { elicit } = options
      app.onRequest(methods.client.elicitation.create, () => elicit())
    }
    const connection = app.connect(
      ndJsonStream(
        Writable.toWeb(pipes.output) as WritableStream<Uint8Array>,
        Readable.toWeb(pipes.input) as unknown as ReadableStream<Uint8Array>,
      ),
    )
    this.agent = connection.agent
    this.close = () => connection.close()
    onTestFinished(() => connection.close())
  }

  initialize(clientCapabilities: ClientCapabilities = {}) {
    return this.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities,
    })
  }

  async open(cwd: string): Promise<string> {
    const { sessionId } = await this.agent.request(methods.agent.session.new, {
      cwd,
      mcpServers: [],
    })
    return sessionId
  }

  say(sessionId: string, text: string) {
    return this.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text }],
    })
  }

  updates<Kind extends SessionUpdate["sessionUpdate"]>(kind: Kind) {
    return this.told
      .map(({ update }) => update)
      .filter((update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> => {
        return update.sessionUpdate === kind
      })
  }

  /** All that the agent said, chunks joined. */
  get answer(): string {
    return this.updates("agent_message_chunk")
      .map(({ content }) => (content as { text?: string }).text ?? "")
      .join("")
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true })
  })
}

/** Hang up, and wait until the process is gone. */
async function ended(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const over = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGTERM")
  const force = setTimeout(() => child.kill("SIGKILL"), 8000)
  await over
  clearTimeout(force)
}

export interface Met extends House {
  readonly editor: Editor
  /** A line to the agent as it is, past the client. */
  write(message: object): void
  /** The editor is gone: nothing more comes from it. */
  hangUp(): void
  readonly lines: string[]
}

/** An editor and our agent over the real rooms, in one process, with real pipes between them. */
export async function meet(house: HouseOptions = {}, options: EditorOptions = {}): Promise<Met> {
  const opened = await openHouse({ environment: {}, ...house })
  const app = createApp(opened.host, { rules: null })
  const ours = createClient({
    url: "http://in.process",
    token: "none",
    fetch: (url, init) => app.request(url, init),
  })
  const toAgent = new PassThrough()
  const toEditor = new PassThrough()
  const lines: string[] = []
  toEditor.on("data", (chunk: Buffer) =>
    lines.push(...chunk.toString().split("\n").filter(Boolean)),
  )
  const served = serveAgent(
    { client: ours, version: "0.0.0", model: "scripted" },
    { input: toAgent, output: toEditor },
  )
  onTestFinished(async () => {
    toAgent.end()
    await served
  })
  const editor = new Editor({ input: toEditor, output: toAgent }, options)
  await editor.initialize(options.capabilities)
  return {
    ...opened,
    editor,
    lines,
    hangUp: () => toAgent.end(),
    write: (message) => toAgent.write(`${JSON.stringify(message)}\n`),
  }
}

/** A process that speaks the protocol, and an editor in front of it. */
export function start(
  command: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; editor?: EditorOptions; cwd?: string } = {},
): { editor: Editor; child: ChildProcess; stderr: () => string } {
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "pipe"],
    ...(options.env ? { env: options.env } : {}),
    ...(options.cwd ? { cwd: options.cwd } : {}),
  })
  let stderr = ""
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  onTestFinished(() => ended(child))
  const editor = new Editor({ input: child.stdout, output: child.stdin }, options.editor)
  return { editor, child, stderr: () => stderr }
}
