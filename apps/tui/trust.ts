import type { SessionScreen } from "./desk.ts"

/** Say, where it is so, that instructions of the folder are only quoted, and what can be done. */
export async function tellUntrusted(desk: SessionScreen, session: string): Promise<void> {
  // Who may not trust anything is not asked to.
  const files = await untrusted(desk, session).catch(() => [])
  if (files.length === 0) return
  const names = files.map(({ path }) => path).join(", ")
  desk.say(
    "notice",
    `${names}: shown to the model as a quotation, because nobody has trusted it. /trust show shows it, /trust trusts it as it is.`,
  )
}

/** `/trust` trusts the instructions of the folder as they are now; `/trust show` shows them. */
export async function askForTrust(desk: SessionScreen, argument: string): Promise<void> {
  const session = desk.view?.session.id
  if (session === undefined) return
  const files = await untrusted(desk, session)
  if (files.length === 0) return desk.say("notice", "There is nothing to trust here.")
  if (argument === "show")
    return desk.say("shown", files.map(({ path, text }) => `${path}\n\n${text}`).join("\n\n"))
  const seen = files.map(({ path, digest }) => ({ path, digest }))
  await desk.client.commands.trust({ session, files: seen })
  const names = files.map(({ path }) => path).join(", ")
  desk.say("notice", `${names}: trusted as it is now.`)
}

async function untrusted({ client }: Pick<SessionScreen, "client">, session: string) {
  const { files } = await client.commands.instructions({ session })
  return files.filter(({ trusted }) => !trusted)
}
