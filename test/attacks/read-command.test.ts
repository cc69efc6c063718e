import { describe, expect, it } from "vitest"
import { ANTHROPIC, type Body, startModel } from "./outside/model.ts"
import { run, startServer } from "./outside/product.ts"

/** The texts of the newest message, in order. */
function shownTexts(body: Body): string[] {
  const { content } = body.messages.at(-1)
  if (typeof content === "string") return [content]
  return content.map(({ text }: { text: string }) => text.trim())
}

const FILES = {
  "workspace/noeol.txt": "alpha",
  "workspace/other.txt": "beta",
  "workspace/long name.md": "gamma",
  "workspace/.agents/commands/review.md": "Review $1 as $2.",
}

describe("/read FILE words", () => {
  it("[CMP-043] reads the files and keeps the words, as they are typed (documents-000 F7)", async () => {
    const model = await startModel()
    const server = await startServer({ files: FILES, environment: model.environment })
    const shown = async (source: string) => {
      const session = await server.session(ANTHROPIC)
      await server.post(`/v1/sessions/${session}/messages`, { source })
      await server.settled(session)
      return shownTexts(model.bodies.at(-1))
    }
    const ALPHA = "File noeol.txt:\nalpha"
    const BETA = "File other.txt:\nbeta"
    const GAMMA = "File long name.md:\ngamma"
    expect(await shown("/read noeol.txt and tell me what it says")).toEqual([
      ALPHA,
      "and tell me what it says",
    ])
    expect(await shown("/read noeol.txt\nwhat is it?\n\n  - one\n  - two")).toEqual([
      ALPHA,
      "what is it?\n\n  - one\n  - two",
    ])
    expect(await shown("/read noeol.txt other.txt compare them")).toEqual([
      ALPHA,
      BETA,
      "compare them",
    ])
    expect(await shown('/read "long name.md" noeol.txt')).toEqual([GAMMA, ALPHA])
    expect(await shown("/read long name.md")).toEqual([GAMMA])
    expect(await shown("/read @other.txt why?")).toEqual(["why?", BETA])
    expect(await shown("/read gone.txt and say why")).toEqual([
      expect.stringMatching(/gone\.txt.*does not exist/),
      "and say why",
    ])
  })

  it("[CMP-051] leaves the words of `send -c '/review a.ts hard' …` out of the command's arguments (documents-000 F7)", async () => {
    const model = await startModel()
    const server = await startServer({ files: FILES, environment: model.environment })
    await server.post("/v1/trust", {
      workspace: server.folders.workspace,
      path: `${server.folders.workspace}/.agents/commands/review.md`,
    })
    const said = async (...words: string[]) => {
      const { code, error } = await run(server.folders, ["send", "-m", ANTHROPIC, ...words])
      expect([code, error]).toEqual([0, expect.any(String)])
      return shownTexts(model.bodies.at(-1))
    }
    expect(await said("-c", "/review a.ts hard", "what is in @other.txt?")).toEqual([
      "Review a.ts as hard.",
      "what is in",
      "File other.txt:\nbeta",
      "?",
    ])
    expect(await said("-c", "/review", "a.ts", "kindly")).toEqual(["Review a.ts as kindly."])
  })
})
