import type { Client } from "compositor-client/client"
import { showModelChoice } from "compositor-core/message/message"
import { STATES } from "./bars.ts"
import type { PickerOptions } from "./picker.ts"

type Choosing = Omit<PickerOptions, "theme" | "done">

const LISTED = 100

/** The sessions, those of this folder first. */
export async function chooseSession(client: Client, workspace: string): Promise<Choosing> {
  const { sessions } = await client.sessions.list({ limit: LISTED })
  const here = sessions.filter(({ workspace_root }) => workspace_root === workspace)
  const elsewhere = sessions.filter(({ workspace_root }) => workspace_root !== workspace)
  return {
    title: "Session",
    filter: true,
    choices: [...here, ...elsewhere].map(({ id, title, status, updated_at, workspace_root }) => ({
      value: id,
      label: title ?? "untitled",
      description: [
        momentOf(updated_at),
        STATES[status.state],
        workspace_root === workspace ? "" : (workspace_root ?? ""),
      ].join("  "),
    })),
  }
}

// Of all places, this one writes it as everybody can read it, in the time of the machine.
function momentOf(at: number): string {
  return new Date(at).toLocaleString("sv-SE").slice(0, 16)
}

export async function chooseModel(client: Client): Promise<Choosing> {
  const { models } = await client.models()
  return {
    title: "Model",
    filter: true,
    choices: models
      .filter(({ available }) => available)
      .map((model) => ({
        value: showModelChoice(model),
        label: showModelChoice(model),
        description: model.name,
      })),
  }
}

export async function lastSession(client: Client, workspace: string): Promise<string | undefined> {
  const { sessions } = await client.sessions.list({ limit: LISTED })
  return sessions.find(({ workspace_root }) => workspace_root === workspace)?.id
}
