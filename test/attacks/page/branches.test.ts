import { describe, expect, it } from "vitest"
import { missing } from "../../machine.ts"
import { COMPATIBLE, newestWords, startModel } from "../outside/model.ts"
import { type Server, startServer } from "../outside/product.ts"
import { openScreen } from "../outside/screen.ts"
import { type Visit, visit } from "./browser.ts"

/** Says back the words it was sent, so that an answer can be told from another. */
async function startEcho(): Promise<Server> {
  const model = await startModel((body) => `echo-${/(\w+)\W*$/.exec(newestWords(body))?.[1]}`)
  return startServer({ environment: model.environment })
}

/** Who says what in the page, from above to below. */
function thread({ page }: Visit): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("[role=log] article")].map((article) => {
      const [words] = /(echo-)?(alpha|beta|gamma|delta)/.exec(article.textContent ?? "") ?? [""]
      return words
    }),
  )
}

async function says(person: Visit, words: string, expected: string[]): Promise<void> {
  await person.send(words)
  await expect.poll(() => thread(person), { timeout: 20_000 }).toEqual(expected)
}

async function branchFromLast(person: Visit): Promise<void> {
  const before = person.page.url()
  await person.button("From this answer").last().click()
  await person.page.getByRole("menuitem", { name: "Branch from here" }).click()
  await expect.poll(() => person.page.url()).not.toBe(before)
}

describe.skipIf(missing("chromium"))("a branch", { timeout: 180_000 }, () => {
  it("[PAG-006] shows its messages in order at once, as does a branch of it, also after a rewind (B3)", async () => {
    const server = await startEcho()
    const session = await server.session(COMPATIBLE)
    const person = await visit(`${server.link}&session=${session}`)
    await says(person, "alpha", ["alpha", "echo-alpha"])
    await branchFromLast(person)
    const two = ["alpha", "echo-alpha", "beta", "echo-beta"]
    await says(person, "beta", two)
    await branchFromLast(person)
    await says(person, "gamma", [...two, "gamma", "echo-gamma"])
    await person.button("From this message").last().click()
    await person.page.getByRole("menuitem", { name: "Edit and resend from here" }).click()
    await expect.poll(() => thread(person)).toEqual(two)
    await expect.poll(() => person.composer.textContent()).toBe("gamma")
    await person.composer.press("ControlOrMeta+a")
    await person.page.keyboard.type("delta")
    await person.page.keyboard.press("Enter")
    await expect.poll(() => thread(person)).toEqual([...two, "delta", "echo-delta"])
    await person.page.reload()
    await expect.poll(() => thread(person)).toEqual([...two, "delta", "echo-delta"])
  })

  it("[PAG-006] has its messages in order in the terminal too (B3)", async () => {
    const server = await startEcho()
    const screen = openScreen(server.folders, ["--model", COMPATIBLE])
    await screen.shows(/openai-compatible|default/)
    screen.type("say alpha", "Enter")
    await screen.shows("echo-alpha")
    screen.type("/branch other", "Enter")
    await screen.shows("This is a branch")
    screen.type("say beta", "Enter")
    const text = await screen.shows("echo-beta")
    const places = ["say alpha", "echo-alpha", "say beta", "echo-beta"].map((one) =>
      text.indexOf(one),
    )
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places[0]).toBeGreaterThanOrEqual(0)
  })
})
