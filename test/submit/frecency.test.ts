import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { Frecency } from "../../packages/engine/completion/frecency.ts"
import { temporaryFolder } from "../build.ts"

async function inFile() {
  const file = join(await temporaryFolder(), "kept", "names.json")
  const names = async () => Object.keys(JSON.parse(await readFile(file, "utf8")).used).sort()
  return { file, names, frecency: await Frecency.open(file) }
}

describe("names that were used", () => {
  it("[SES-021] are forgotten with the only session that used them", async () => {
    const { frecency, names, file } = await inFile()
    frecency.use(["file:secret.md", "file:shared.md"], "ses_a")
    frecency.use(["file:shared.md"], "ses_b")
    await frecency.close()
    expect(await names()).toEqual(["file:secret.md", "file:shared.md"])
    await frecency.forget("ses_a")
    expect(await names()).toEqual(["file:shared.md"])
    expect(frecency.share("file:secret.md")).toBe(0)
    expect((await Frecency.open(file)).share("file:shared.md")).toBeGreaterThan(0)
  })

  it("[SES-021] stay forgotten when another process wrote them meanwhile", async () => {
    const { frecency, names, file } = await inFile()
    frecency.use(["file:secret.md"], "ses_a", 1000)
    await frecency.close()
    const other = await Frecency.open(file)
    other.use(["file:secret.md"], "ses_a", 2000)
    await other.close()
    await frecency.forget("ses_a")
    expect(await names()).toEqual([])
  })
})
