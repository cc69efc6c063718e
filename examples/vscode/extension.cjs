const { readFile } = require("node:fs/promises")
const { homedir } = require("node:os")
const path = require("node:path")
const vscode = require("vscode")
const { contextParts } = require("./context.cjs")

/** One session for each folder, until a new one is begun. */
const sessions = new Map()

exports.activate = (extension) => {
  const shown = vscode.window.createOutputChannel("Compositor")
  const run = (name, act) =>
    extension.subscriptions.push(
      vscode.commands.registerCommand(name, () =>
        act(shown).catch((error) => vscode.window.showErrorMessage(`Compositor: ${error.message}`)),
      ),
    )
  run("compositor.send", send)
  run("compositor.newSession", async () => sessions.delete(folder()))
}

async function send(shown) {
  const settings = vscode.workspace.getConfiguration("compositor")
  const source = await vscode.window.showInputBox({ prompt: "What do you want to say?" })
  if (source === undefined || source.trim() === "") return
  const parts = contextParts(vscode, { include: settings.get("include") ?? [] })
  const server = await running(settings.get("data"))
  const session = await sessionFor(server)
  const contexts = parts.filter(({ type }) => type === "editor-context")
  const sent = await ask(server, `/v1/sessions/${session}/messages`, { source, parts, contexts })
  shown.appendLine(`> ${source}`)
  shown.show(true)
  if (sent.message) await answer(server, session, sent.message.id, shown)
}

async function sessionFor(server) {
  const known = sessions.get(folder())
  if (known) return known
  const { session } = await ask(server, "/v1/sessions", { workspace_root: folder() })
  sessions.set(folder(), session.id)
  return session.id
}

/** The answer, once its turn is over. */
async function answer(server, session, message, shown) {
  for (;;) {
    const { turns } = await ask(server, `/v1/sessions/${session}/turns?message=${message}`)
    if (turns.some(({ ended_at }) => ended_at !== null)) break
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  const { messages } = await ask(server, `/v1/sessions/${session}/messages?limit=20`)
  const at = messages.findIndex(({ id }) => id === message)
  for (const { role, parts } of messages.slice(at + 1))
    if (role === "assistant")
      for (const { data } of parts) if (typeof data.text === "string") shown.appendLine(data.text)
}

/** The server that lives on the data folder says in a file of its own where it listens. */
async function running(data) {
  const base = process.env.XDG_DATA_HOME || path.join(homedir(), ".local", "share")
  const file = path.join(data || path.join(base, "compositor"), "server.json")
  const text = await readFile(file, "utf8").catch(() => {
    throw new Error("no server runs: start one with `compositor serve`")
  })
  return JSON.parse(text)
}

async function ask({ url, token }, path, body) {
  const response = await fetch(`${url}${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const answer = await response.json()
  if (!response.ok)
    throw new Error(answer.error?.message ?? `the server answered ${response.status}`)
  return answer
}

function folder() {
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? null
}
