import { type CommonOptions, connected } from "../connect.ts"
import { attachment } from "../pieces.ts"
import { printJson, printLine, showSize } from "../show.ts"

/** Put a file into the blob store and print the part that a message carries. */
export async function attachCommand(file: string, options: CommonOptions) {
  await connected(options, async ({ client }) => {
    const part = await attachment(file, client, true)
    if (options.json) return printJson(part)
    const { name, mime, size, content_id } = part as unknown as Record<string, string | number>
    printLine(`${name}  ${mime}  ${showSize(Number(size))}\n${content_id}`)
  })
}
